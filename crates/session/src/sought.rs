//! A search for a path: a model, where to start and where to get.

use crate::java;
use crate::smv::goal;
use loris_base::{Diagnostic, Exhausted};
use loris_check::{
    CircuitGoal, Goal, GoalNames, Machine, Model, Prepared, Reachable, SearchOptions, Suggestions, reach,
    reached,
};
use loris_circuit::Circuit;
use loris_load::smv::{Blamed, SmvFile};
use loris_load::{Format, FormatKind, Input, Origin, ReadMachine, Reading, circuit, composed, machine, peer};
use loris_rsm::Vertex;
use loris_smv::{Labels, Stopped};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Where to look, and for what.
#[derive(Debug)]
pub struct Sought {
    /// The model, or the limit that was reached before it was made.
    pub model: Result<Model, Exhausted>,
    /// Of an SMV model, where runs start.
    pub module: Option<String>,
    /// Where to get.
    pub to: Option<Destination>,
    /// Where to start, if not in the initial nodes.
    pub from: Option<Vec<Vertex>>,
}

/// Where a path is to get.
#[derive(Debug)]
pub enum Destination {
    /// In a machine.
    Node(Goal),
    /// In a circuit.
    State(Box<CircuitGoal>),
}

/// What a search has found.
#[derive(Debug)]
pub struct Found {
    /// A path to the target, if one is asked for.
    pub to: Option<Reachable>,
    /// All nodes that runs get to, if they are asked for.
    pub all: Option<Reachable>,
}

impl Sought {
    /// Nothing was made, as a limit was reached.
    fn stopped(module: Option<String>, why: Exhausted) -> Self {
        Self { model: Err(why), module, to: None, from: None }
    }

    /// Looks for a path to the target, and for all nodes that can be reached. `is_sought` says
    /// whether there is a target, even if no model was made for it; that took the time `read`.
    pub fn search(
        &self,
        (is_sought, all): (bool, bool),
        search: &SearchOptions<'_>,
        read: Duration,
    ) -> Found {
        let search = &SearchOptions { from: self.from.as_deref(), ..*search };
        match (&self.model, &self.to) {
            (Err(why), _) => {
                let unknown = || Reachable::unknown(*why, read);
                Found { to: is_sought.then(unknown), all: all.then(unknown) }
            }
            (Ok(Model::Machine(machine)), to) => {
                let prepared = Prepared::new(&machine.rsm);
                let all = all.then(|| reached(&prepared, search));
                let to = match to {
                    Some(Destination::Node(goal)) => Some(reach(&prepared, goal, search)),
                    _ => None,
                };
                Found { to, all }
            }
            (Ok(model), Some(Destination::State(goal))) => {
                Found { to: model.circuit().map(|circuit| goal.reach(circuit, search)), all: None }
            }
            (Ok(_), _) => Found { to: None, all: None },
        }
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
        FormatKind::Modules => in_smv(path, origin, (to, from), reading),
        FormatKind::Circuit => in_circuit(path, origin, to, reading),
        FormatKind::Program => {
            in_machine((path, format), &java::sought(origin, to, from), (to, from), reading)
        }
        // those that have no machine are refused where it is to be read
        _ => in_machine((path, format), origin, (to, from), reading),
    };
    sought.or_else(|| {
        let stopped = reading.take_stopped()?;
        Some(Sought::stopped(None, stopped.why))
    })
}

fn in_circuit(path: &Path, origin: &Origin, to: Option<&str>, reading: &mut Reading) -> Option<Sought> {
    let model = circuit(path, origin, reading)?;
    in_read_circuit(&model.circuit, to, reading)
}

/// Finds out which states of a circuit a run is to get to. Problems are added to the reading.
pub(crate) fn in_read_circuit(
    circuit: &Arc<Circuit>,
    to: Option<&str>,
    reading: &mut Reading,
) -> Option<Sought> {
    let goal = to.map(|to| {
        let found = CircuitGoal::new(circuit, to, &Suggestions::default());
        found.map_err(|problems| reading.add(Input::text(reading.words.to, to), problems)).ok()
    });
    let to = match goal {
        Some(goal) => Some(Destination::State(Box::new(goal?))),
        None => None,
    };
    Some(Sought { model: Ok(Model::Symbolic(Arc::<Circuit>::clone(circuit))), module: None, to, from: None })
}

fn in_machine(
    (path, format): (&Path, Format),
    origin: &Origin,
    (to, from): (Option<&str>, Option<&str>),
    reading: &mut Reading,
) -> Option<Sought> {
    let model = machine(path, format, origin, reading)?;
    Some(in_read_machine(&model, (to, from), reading))
}

/// Finds in a machine that was read before where a path is to lead and to start.
pub(crate) fn in_read_machine(
    model: &ReadMachine,
    (to, from): (Option<&str>, Option<&str>),
    reading: &mut Reading,
) -> Sought {
    let names = GoalNames::new(&model.rsm, &model.states);
    let to = named(reading.words.to, to, |name| names.goal(name), reading).map(Destination::Node);
    let from = named(reading.words.from, from, |name| names.nodes(name), reading);
    let machine = Machine { rsm: model.rsm.clone(), program: model.program.as_deref().map(Arc::from) };
    Sought { model: Ok(Model::Machine(machine)), module: None, to, from }
}

fn in_smv(
    path: &Path,
    origin: &Origin,
    (to, from): (Option<&str>, Option<&str>),
    reading: &mut Reading,
) -> Option<Sought> {
    let file = SmvFile::read(path, origin.module.as_deref(), reading);
    let peer = peer(origin, reading);
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
        Some(peer) => (composed(&machine.rsm, peer, origin, reading)?, peer.states().to_vec()),
        None => (machine.rsm.clone(), Vec::new()),
    };
    let names = GoalNames::new(&rsm, &states);
    let mut found = None;
    if let Some(to) = to {
        match to.goal(&machine, &names, &rsm, &mut reading.budget) {
            Ok(goal) => found = Some(Destination::Node(goal)),
            Err(Stopped::Exhausted(why)) => return Some(Sought::stopped(module, why)),
            Err(Stopped::Wrong(problems)) => {
                reading.add(Input::text(reading.words.to, to.text()), problems);
            }
        }
    }
    let from = named(reading.words.from, from, |name| names.nodes(name), reading);
    Some(Sought { model: Ok(Model::machine(rsm)), module, to: found, from })
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
