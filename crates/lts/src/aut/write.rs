//! Writes `.aut` files, sorted by source, label number and target.

use super::lexer::Cursor;
use crate::{ActionId, Process, ProcessKind};
use loris_base::Idx;
use std::io::{self, Write};

/// Why a process cannot be written as an `.aut` file.
#[derive(Debug)]
pub enum AutError {
    /// The output failed.
    Io(io::Error),
    /// The format has no place for something in the process: the reason, as a sentence without a
    /// full stop.
    Unwritable(String),
}

impl std::fmt::Display for AutError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AutError::Io(error) => error.fmt(f),
            AutError::Unwritable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for AutError {}

impl From<io::Error> for AutError {
    fn from(error: io::Error) -> Self {
        AutError::Io(error)
    }
}

/// Writes a process. The output should be buffered. Names of states and actions that no step has
/// are not written: the format has no place for them.
///
/// # Errors
/// The process is not a concrete labelled transition system without labels at states, or a label
/// could not be read again.
pub fn write_aut(process: &Process, out: &mut impl Write) -> Result<(), AutError> {
    let refuse = |why: &str| Err(AutError::Unwritable(format!("an .aut file has {why}")));
    if process.kind() != ProcessKind::Lts {
        return refuse("actions at steps, and a Kripke structure has none");
    }
    if !process.atoms().is_empty() {
        return refuse("no labels at states");
    }
    if !process.is_concrete() {
        return refuse("no steps that are may and not must");
    }
    let labels: Vec<String> =
        process.action_ids().map(|action| written(process, action)).collect::<Result<_, _>>()?;
    let (initial, states) = (process.initial, process.state_count());
    writeln!(out, "des ({},{},{states})", initial.index(), process.step_count())?;
    for state in process.states() {
        for step in process.packed(state) {
            let label = &labels[(step.label >> 1) as usize];
            writeln!(out, "({},{label},{})", state.index(), step.target)?;
        }
    }
    Ok(())
}

/// A label as it is written: in quotes, so that every reader takes it; or that it would be read as
/// another.
fn written(process: &Process, action: ActionId) -> Result<String, AutError> {
    let name = process.action_name(action);
    let rest = format!("\"{name}\",0)");
    let read = Cursor { text: rest.as_bytes(), at: 0 }.label();
    let is_read = read.is_some_and(|(label, _)| label == name.as_bytes());
    if !is_read || name == "i" || name.is_empty() {
        let name = loris_base::visible_name(name);
        return Err(AutError::Unwritable(format!("the action {name} cannot be written in an .aut file")));
    }
    Ok(format!("\"{name}\""))
}
