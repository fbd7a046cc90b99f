//! Java programs where their front end is left out: they are refused.

use crate::origin::{Origin, Programs};
use crate::reading::{Input, Reading};
use loris_base::Diagnostic;
use loris_evidence::Results;
use loris_rsm::Rsm;
use std::path::{Path, PathBuf};

fn refused(input: &str, reading: &mut Reading) {
    let problem = Diagnostic::global("Java programs are not supported: this build is without `java`");
    reading.add(Input::named(input), problem.into());
}

pub(crate) fn machine(path: &Path, _: &Origin, reading: &mut Reading) -> Option<(Rsm, String, Input)> {
    refused(&path.display().to_string(), reading);
    None
}

/// No program can be read again; the problem is added to the reading.
pub fn programs(
    _: (&Results<'_>, &str),
    input: &str,
    _: &[PathBuf],
    _: &Origin,
    reading: &mut Reading,
) -> Option<Programs> {
    refused(input, reading);
    None
}
