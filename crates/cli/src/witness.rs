//! `--witness`: what was found about a circuit, in AIGER's format of witnesses.

use crate::errors::eprint_line;
use crate::output::NewFile;
use anyhow::{Context as _, bail};
use loris_base::Budget;
use loris_load::FormatKind;
use loris_report::counted;
use loris_session::Answers;
use std::fs;
use std::path::Path;

/// Whether a file of witnesses has something to say: of a circuit, about its own properties.
///
/// # Errors
/// It has not.
pub(crate) fn fit(kind: FormatKind, is_asked: bool) -> anyhow::Result<()> {
    if kind != FormatKind::Circuit {
        bail!("--witness is for circuits: other models have no such format");
    }
    if is_asked {
        bail!("--witness is for the properties that a circuit carries, and not for those of the call");
    }
    Ok(())
}

/// Writes the witnesses of all answers.
pub(crate) fn write(
    file: NewFile,
    answers: &Answers<'_>,
    path: &Path,
    mut budget: Budget,
    quiet: bool,
) -> anyhow::Result<()> {
    // what comes from a pipe is gone: then the circuit is simulated as it was understood
    let text = if path.is_file() { Some(fs::read(path)?) } else { None };
    let found = answers.witnesses(text.as_deref(), &mut budget).context("--witness")?;
    file.put(found.text.as_bytes())?;
    if !quiet {
        if found.runs > 0 {
            eprint_line(&format!("{}: simulated, and confirmed", counted(found.runs, "run", "runs")));
        }
        for property in found.without {
            eprint_line(&format!("{property} fails, and there is no run of it to write"));
        }
    }
    Ok(())
}
