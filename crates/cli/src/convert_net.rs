//! `loris convert net.pnml FOLDER`: a Petri net as components, one for each unit.

use crate::control::Control;
use crate::folder::write_parts;
use crate::input;
use crate::limits::{Limits, Threads};
use crate::words::WORDS;
use anyhow::Context;
use loris_base::Stopped;
use loris_load::Reading;
use loris_lts::{Cut, read_pnml};
use std::path::Path;
use std::process::ExitCode;

/// Reads a net, cuts it into components and writes them.
pub(crate) fn run(
    net: &Path,
    folder: &Path,
    limits: Limits,
    threads: Threads,
    control: &Control,
) -> anyhow::Result<ExitCode> {
    let mut reading = Reading::new(limits.bounds(control, threads.count(control)).budget(), WORDS);
    let cut = read(net, &mut reading);
    input::settle(reading, false)?;
    let cut = cut.context("the net cannot be read")?;
    write_parts(folder, &cut.parts, control)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a net and cuts it. Problems and remarks are added to the reading.
fn read(path: &Path, reading: &mut Reading) -> Option<Cut> {
    let text = reading.text(path)?;
    reading.add(text.input.clone(), text.problems);
    let budget = &mut reading.budget;
    match read_pnml(text.content.as_bytes(), budget).and_then(|net| net.cut(false, budget)) {
        Ok(cut) => {
            reading.add(text.input, cut.notes.clone());
            Some(cut)
        }
        Err(Stopped::Wrong(problems)) => {
            reading.add(text.input, problems);
            None
        }
        Err(Stopped::Exhausted(why)) => {
            reading.stop(&text.input, why);
            None
        }
    }
}
