//! A search for a path: a machine, where to start and where to get.

use crate::circuit::circuit;
use crate::java;
use crate::model::{self, Model, Origin};
use crate::reading::{Input, Reading};
use crate::smv::{Blamed, SmvFile, goal};
use crate::{Format, Kind};
use loris_base::{Diagnostic, Exhausted};
use loris_check::{CircuitGoal, Goal, Names, Suggestions};
use loris_circuit::Circuit;
use loris_rsm::{Rsm, Vertex};
use loris_smv::{Labels, Stopped};
use std::path::Path;
use std::sync::Arc;

/// Where to look, and for what.
#[derive(Debug)]
pub struct Sought {
    /// The machine, or the limit that was reached before it was made.
    pub rsm: Result<Rsm, Exhausted>,
    /// Of an SMV model, where runs start.
    pub module: Option<String>,
    /// How the model was made of a program, as a JSON object, if it was.
    pub program: Option<String>,
    /// Where to get.
    pub to: Option<Goal>,
    /// Where to start, if not in the initial nodes.
    pub from: Option<Vec<Vertex>>,
}

impl Sought {
    /// Nothing was made, as a limit was reached.
    fn stopped(module: Option<String>, why: Exhausted) -> Self {
        Self { rsm: Err(why), module, program: None, to: None, from: None }
    }
}

/// Reads a model and finds in it where a path is to lead and to start. Problems are added to the
/// reading.
pub fn seek(
    (path, format): (&Path, Format),
    origin: &Origin,
    (to, from): (Option<&str>, Option<&str>),
    reading: &mut Reading,
) -> Option<Sought> {
    let sought = match format.kind() {
        Kind::Modules => in_smv(path, origin, (to, from), reading),
        // circuits and processes are refused where a machine is to be read; see `seek_in_circuit`
        Kind::Machine | Kind::Circuit | Kind::Components => {
            in_machine((path, format), origin, (to, from), reading)
        }
    };
    sought.or_else(|| {
        let stopped = reading.take_stopped()?;
        Some(Sought::stopped(None, stopped.why))
    })
}

/// Reads a circuit, and finds out which states a run is to get to. Problems are added to the
/// reading.
pub fn seek_in_circuit(
    path: &Path,
    origin: &Origin,
    to: &str,
    reading: &mut Reading,
) -> Option<(Arc<Circuit>, CircuitGoal)> {
    let model = circuit(path, origin, reading)?;
    let goal = circuit_goal(&model.circuit, to, reading)?;
    Some((model.circuit, goal))
}

/// Finds out which states of a circuit a run is to get to. Problems are added to the reading.
pub(crate) fn circuit_goal(circuit: &Circuit, to: &str, reading: &mut Reading) -> Option<CircuitGoal> {
    let found = CircuitGoal::new(circuit, to, &Suggestions::default());
    found.map_err(|problems| reading.add(Input::text(reading.words.to, to), problems)).ok()
}

fn in_machine(
    (path, format): (&Path, Format),
    origin: &Origin,
    (to, from): (Option<&str>, Option<&str>),
    reading: &mut Reading,
) -> Option<Sought> {
    let java;
    let origin = if format == Format::Java {
        java = java::sought(origin, to, from);
        &java
    } else {
        origin
    };
    let model = model::model(path, format, origin, reading)?;
    Some(in_read_machine(&model, (to, from), reading))
}

/// Finds in a machine that was read before where a path is to lead and to start.
pub(crate) fn in_read_machine(
    model: &Model,
    (to, from): (Option<&str>, Option<&str>),
    reading: &mut Reading,
) -> Sought {
    let names = Names::new(&model.rsm, &model.states);
    let to = named(reading.words.to, to, |name| names.goal(name), reading);
    let from = named(reading.words.from, from, |name| names.nodes(name), reading);
    let program = model.program.clone();
    Sought { rsm: Ok(model.rsm.clone()), module: None, program, to, from }
}

fn in_smv(
    path: &Path,
    origin: &Origin,
    (to, from): (Option<&str>, Option<&str>),
    reading: &mut Reading,
) -> Option<Sought> {
    let file = SmvFile::read(path, origin.module.as_deref(), reading);
    let peer = model::peer(origin, reading);
    let mut file = file?;
    file.goes_with(peer.as_ref());
    let root = file.root;
    let to = to.map(|to| goal(&mut file, root, to, reading.words.no_formula));
    let module = Some(file.module(root).to_owned());
    let machine = match file.build(Labels::All, &origin.limits(), &mut reading.budget) {
        Ok(machine) => machine,
        Err(Stopped::Exhausted(why)) => return Some(Sought::stopped(module, why)),
        Err(Stopped::Wrong(found)) => {
            let Blamed { file: of_file, given } = file.blamed(&found);
            reading.add(file.input.clone(), of_file);
            for (_, problems) in given {
                // nothing else was given
                let text = to.as_ref().map_or("", |to| to.text());
                reading.add(Input::text(reading.words.to, text), problems);
            }
            return None;
        }
    };
    let (rsm, states) = match &peer {
        Some(peer) => (model::composed(&machine.rsm, peer, origin, reading)?, peer.states().to_vec()),
        None => (machine.rsm.clone(), Vec::new()),
    };
    let names = Names::new(&rsm, &states);
    let mut found = None;
    if let Some(to) = to {
        match to.goal(&machine, &names, &rsm, &mut reading.budget) {
            Ok(goal) => found = Some(goal),
            Err(Stopped::Exhausted(why)) => return Some(Sought::stopped(module, why)),
            Err(Stopped::Wrong(problems)) => {
                reading.add(Input::text(reading.words.to, to.text()), problems);
            }
        }
    }
    let from = named(reading.words.from, from, |name| names.nodes(name), reading);
    Some(Sought { rsm: Ok(rsm), module, program: None, to: found, from })
}

/// The meaning of a name, or its problem.
fn named<T>(
    flag: &str,
    name: Option<&str>,
    find: impl FnOnce(&str) -> Result<T, Diagnostic>,
    reading: &mut Reading,
) -> Option<T> {
    let name = name?;
    find(name).map_err(|problem| reading.add(Input::text(flag, name), problem.into())).ok()
}
