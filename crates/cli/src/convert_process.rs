//! `loris convert part.kmts part.aut` and back: single processes.

use crate::control::Control;
use crate::errors::about;
use crate::input;
use crate::limits::{Limits, Threads};
use crate::output::write_to;
use crate::phrasing::WORDS;
use anyhow::Context;
use loris_load::{Format, Reading, extension, single_process};
use loris_lts::{AutError, write_aut, write_kmts};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Reads a process and writes it in the format that the extension of the output names.
pub(crate) fn run(
    from: (&Path, Format),
    to: &Path,
    limits: Limits,
    threads: Threads,
    control: &Control,
) -> anyhow::Result<ExitCode> {
    let is_aut = match extension(to).as_deref() {
        Some("aut") => true,
        Some("kmts") => false,
        _ => return Err(about(to, "a process is written into a file .aut or .kmts")),
    };
    input::spare(to, std::iter::once(&from.0.to_owned()))?;
    let mut reading = Reading::new(limits.bounds(control, threads.count(control)).budget(), WORDS);
    let process = single_process(from.0, from.1, &mut reading);
    input::settle(reading, false)?;
    let process = process.context("the process cannot be read")?;
    write_to(to, control, |mut out| {
        if !is_aut {
            return write_kmts(&process, &mut out);
        }
        write_aut(&process, &mut out).map_err(|error| match error {
            AutError::Io(error) => error,
            AutError::Unwritable(why) => io::Error::other(why),
        })
    })?;
    Ok(ExitCode::SUCCESS)
}
