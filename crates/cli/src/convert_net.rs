//! `loris convert net.pnml FOLDER`: a Petri net as processes, one for each unit.

use crate::control::Control;
use crate::folder::write_parts;
use crate::input;
use crate::limits::{Limits, Threads};
use crate::phrasing::WORDS;
use anyhow::Context;
use loris_load::Reading;
use std::path::Path;
use std::process::ExitCode;

/// Reads a net, cuts it into processes and writes them.
pub(crate) fn run(
    net: &Path,
    folder: &Path,
    limits: Limits,
    threads: Threads,
    control: &Control,
) -> anyhow::Result<ExitCode> {
    let mut reading = Reading::new(limits.bounds(control, threads.count(control)).budget(), WORDS);
    // .aut files have no place for labels
    let parts = loris_load::net(net, false, &mut reading);
    input::settle(reading, false)?;
    write_parts(folder, &parts.context("the net cannot be read")?, control)?;
    Ok(ExitCode::SUCCESS)
}
