//! Machines and circuits as parts of a composition.

use crate::circuit::circuit;
use crate::format::Format;
use crate::model::{ReadMachine, model};
use crate::origin::Origin;
use crate::reading::{Input, Reading};
use loris_base::{Diagnostic, Stopped};
use loris_lts::{ListedMachine, Process, ProcessSource, StateInputs, circuit_process, run_together};
use loris_rsm::{DeadEnds, Semantics};
use std::path::Path;

/// A part that was read, and where from.
pub(crate) type Part = (ProcessSource, Input);

/// Reads a machine. Problems are added to the reading, calls, exits and fairness conditions
/// included.
pub(crate) fn machine_part(
    path: &Path,
    name: &str,
    format: Format,
    origin: &Origin,
    reading: &mut Reading,
) -> Option<Part> {
    // what a dead end means is a matter of the composition
    let semantics = Semantics { dead_ends: DeadEnds::Stop, ..origin.semantics };
    let origin = Origin { with: None, module: None, semantics, ..origin.clone() };
    let ReadMachine { rsm, fairness, input, .. } = model(path, format, &origin, reading)?;
    let made = ListedMachine::new(name, rsm, &mut reading.budget).and_then(|machine| {
        if fairness.is_empty() {
            Ok(machine)
        } else {
            Err(Diagnostic::global("a model with fairness conditions cannot be used as a process").into())
        }
    });
    settled(made, &input, reading).map(|machine| (ProcessSource::Machine(machine), input))
}

/// Reads a circuit as a process among others. Problems are added to the reading.
pub(crate) fn circuit_part(path: &Path, name: &str, origin: &Origin, reading: &mut Reading) -> Option<Part> {
    let origin = Origin { with: None, module: None, ..origin.clone() };
    let model = circuit(path, &origin, reading)?;
    let made = circuit_process(&model.circuit, name, StateInputs::Named, &mut reading.budget);
    let made = made.and_then(|started| match started.initial[..] {
        [] => Err(Diagnostic::global("the circuit has no initial state").into()),
        _ => Ok(started),
    });
    settled(made, &model.input, reading).map(|started| (ProcessSource::Started(started), model.input))
}

/// All parts as processes, and whether they begin with a step to their initial states.
pub(crate) fn together(parts: Vec<Part>, reading: &mut Reading) -> Option<(Vec<Process>, bool)> {
    let (sources, inputs): (Vec<ProcessSource>, Vec<Input>) = parts.into_iter().unzip();
    match run_together(sources, &mut reading.budget) {
        Ok(made) => Some(made),
        Err((number, why)) => settled(Err(why), &inputs[number], reading),
    }
}

/// What was made; or else the reading has the problems.
pub(crate) fn settled<T>(made: Result<T, Stopped>, input: &Input, reading: &mut Reading) -> Option<T> {
    match made {
        Ok(made) => Some(made),
        Err(Stopped::Wrong(problems)) => {
            reading.add(input.clone(), problems);
            None
        }
        Err(Stopped::Exhausted(why)) => {
            reading.stop(input, why);
            None
        }
    }
}
