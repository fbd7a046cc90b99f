//! Inputs of a call: which ones there are, and what is wrong with them.

use crate::errors::{Refused, Stopped, about};
use anyhow::bail;
use loris_load::Reading;
use loris_report::write_problems;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Shows what reading found on standard error; an error if one of that is.
pub(crate) fn settle(mut reading: Reading, quiet: bool) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(anstream::stderr().lock());
    let mut refused = false;
    for (input, problems) in &reading.found() {
        refused |= problems.has_errors();
        if quiet && !problems.has_errors() {
            continue;
        }
        write_problems(&mut out, input.name(), input.open().ok().as_mut(), problems)?;
    }
    out.flush()?;
    match reading.take_stopped() {
        _ if refused => Err(Refused.into()),
        Some(loris_load::Stopped { input, why }) => Err(Stopped { input, why }.into()),
        None => Ok(()),
    }
}

/// Refuses a call in which standard input would be read twice.
pub(crate) fn only_one_from_stdin<'a>(inputs: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    if inputs.filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("only one input can come from standard input");
    }
    Ok(())
}

/// Refuses to write evidence over what was given to read.
pub(crate) fn spare<'a>(target: &Path, mut inputs: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    let Ok(same) = target.canonicalize() else { return Ok(()) };
    if inputs.any(|input| input.canonicalize().is_ok_and(|input| input == same && input.is_file())) {
        return Err(about(target, "this is an input of this call, and is not written over"));
    }
    Ok(())
}
