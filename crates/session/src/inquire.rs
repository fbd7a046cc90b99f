//! Reads a model and the questions about it, and plans how these are answered.

use crate::asked::{Asked, Asking, Language, What};
use crate::inquiry::{Case, Inquiry};
use crate::{Request, java, smv};
use loris_check::{Logic, Machine, Model, Processes};
use loris_circuit::{Circuit, Lit};
use loris_load::{
    CircuitModel, Format, FormatKind, Input, Origin, ReadMachine, Reading, circuit, dead_ends, machine,
    one_circuit, parallel,
};
use loris_logic::mu::MuFormula;
use loris_rsm::Rsm;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads a model and the questions about it, and plans how they are answered. Problems are added to
/// the reading, too many questions at once included.
pub fn inquire(
    paths: &[PathBuf],
    format: Format,
    origin: &Origin,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Option<Inquiry> {
    let [path] = paths else {
        return match format.kind() {
            FormatKind::Program => java::inquire(paths, origin, request, reading),
            FormatKind::Machine | FormatKind::Modules | FormatKind::Circuit | FormatKind::Processes => {
                of_processes(paths, None, origin, request, reading)
            }
        };
    };
    let is_given = !request.formulas.is_empty() || !request.files.is_empty();
    if request.logic == Some(Logic::Mu) && is_given {
        // it is decided on models whose states can be listed, as processes
        match format.kind() {
            FormatKind::Modules => return of_processes(paths, Some(format), origin, request, reading),
            FormatKind::Circuit => return of_one_circuit(path, origin, request, reading),
            FormatKind::Processes | FormatKind::Machine | FormatKind::Program => {}
        }
    }
    match format.kind() {
        FormatKind::Processes => of_processes(paths, Some(format), origin, request, reading),
        FormatKind::Modules => smv::inquire(path, origin, request, reading),
        FormatKind::Machine => of_machine((path, format), origin, request, reading),
        FormatKind::Program => java::inquire(paths, origin, request, reading),
        FormatKind::Circuit => of_circuit(path, origin, request, reading),
    }
}

/// The questions about a model that is one machine, each with its plan.
fn of_machine(
    (path, format): (&Path, Format),
    origin: &Origin,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Option<Inquiry> {
    let model = machine(path, format, origin, reading);
    let stopped = if model.is_none() { reading.take_stopped() } else { None };
    if stopped.is_some() {
        // questions about a model that was not read stay unknown, and can be reported
        reading.budget = reading.budget.bytes_only();
    }
    let language = match (&model, &stopped) {
        (Some(model), _) => Language::Labels(model),
        (None, Some(_)) => Language::AnyLabels,
        (None, None) => Language::NoLabels,
    };
    let asked = Asking::new(request, language, reading).all();
    if let (Some(stopped), true) = (&stopped, asked.is_empty()) {
        reading.stop(&Input::named(stopped.input.as_deref().unwrap_or_default()), stopped.why);
    }
    // without a model, nothing is wrong but that a limit was reached
    if model.is_none() && stopped.is_none() {
        return None;
    }
    let model = model.map(|ReadMachine { rsm, program, .. }| made(rsm, program));
    let inquiry = about(model, asked, request, reading);
    Some(Inquiry { stopped: stopped.map(|stopped| stopped.why), ..inquiry })
}

/// A machine, and how it was made of a program.
fn made(rsm: Rsm, program: Option<String>) -> Model {
    Model::Machine(Machine { rsm, program: program.map(Arc::from) })
}

/// The questions about a machine that was read before, each with its plan.
pub(crate) fn of_read_machine(model: &ReadMachine, request: &Request<'_>, reading: &mut Reading) -> Inquiry {
    let asked = Asking::new(request, Language::Labels(model), reading).all();
    about(Some(made(model.rsm.clone(), model.program.clone())), asked, request, reading)
}

/// The questions about one model, or one that was not made, each with its plan.
fn about(model: Option<Model>, asked: Vec<Asked>, request: &Request<'_>, reading: &mut Reading) -> Inquiry {
    let cases = vec![Case::of(model.clone(), asked, request, reading)];
    Inquiry { model, cases, stopped: None }
}

/// The questions about parallel processes, each with its plan.
fn of_processes(
    paths: &[PathBuf],
    format: Option<Format>,
    origin: &Origin,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Option<Inquiry> {
    let model = parallel(paths, format, origin, reading);
    let stopped = if model.is_none() { reading.take_stopped() } else { None };
    if let Some(stopped) = stopped {
        reading.stop(&Input::named(stopped.input.as_deref().unwrap_or_default()), stopped.why);
        return None;
    }
    let asked = Asking::new(request, Language::Processes(model.as_ref()), reading).all();
    Some(about(Some(Model::Processes(model?)), asked, request, reading))
}

/// The questions about processes that were read before, each with its plan.
pub(crate) fn of_read_processes(model: &Processes, request: &Request<'_>, reading: &mut Reading) -> Inquiry {
    let asked = Asking::new(request, Language::Processes(Some(model)), reading).all();
    about(Some(Model::Processes(model.clone())), asked, request, reading)
}

/// The questions about a circuit as a process. The inputs that a formula mentions are part of the
/// states, as in other logics, so that formulas that mention different ones are about different
/// processes.
fn of_one_circuit(
    path: &Path,
    origin: &Origin,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Option<Inquiry> {
    let asked = Asking::new(request, Language::States(dead_ends(origin)), reading).all();
    let circuit = circuit(path, origin, reading);
    let mut by_inputs: Vec<(Vec<bool>, Vec<Asked>)> = Vec::new();
    if let Some(circuit) = &circuit {
        for one in asked {
            let inputs = match &one.what {
                What::Mu(_, formula) => mentioned_inputs(&circuit.circuit, formula),
                _ => circuit.circuit.observed(&[]),
            };
            match by_inputs.iter_mut().find(|(known, _)| *known == inputs) {
                Some((_, group)) => group.push(one),
                None => by_inputs.push((inputs, vec![one])),
            }
        }
    }
    let mut cases = Vec::with_capacity(by_inputs.len());
    let mut first = None;
    for (inputs, asked) in by_inputs {
        let Some(model) = one_circuit(path, circuit.as_ref()?, &inputs, origin, reading) else { break };
        let model = Model::Processes(model);
        cases.push(Case::of(Some(model.clone()), asked, request, reading));
        first.get_or_insert(model);
    }
    if let Some(stopped) = reading.take_stopped() {
        reading.stop(&Input::named(stopped.input.as_deref().unwrap_or_default()), stopped.why);
        return None;
    }
    Some(Inquiry { model: Some(first?), cases, stopped: None })
}

/// The inputs of a circuit that are part of its states for a formula.
pub(crate) fn mentioned_inputs(circuit: &Circuit, formula: &MuFormula) -> Vec<bool> {
    let functions: Vec<Lit> = formula.atoms().iter().filter_map(|name| circuit.atom(name)).collect();
    circuit.observed(&functions)
}

/// The questions about a circuit, each with its plan.
fn of_circuit(path: &Path, origin: &Origin, request: &Request<'_>, reading: &mut Reading) -> Option<Inquiry> {
    let model = circuit(path, origin, reading);
    let stopped = if model.is_none() { reading.take_stopped() } else { None };
    if let Some(stopped) = stopped {
        // nothing is known of a circuit that was not read
        reading.stop(&Input::named(stopped.input.as_deref().unwrap_or_default()), stopped.why);
        return None;
    }
    let asked = Asking::new(request, Language::Circuit(model.as_ref()), reading).all();
    Some(about(Some(Model::Symbolic(model?.circuit)), asked, request, reading))
}

/// The questions about a circuit that was read before, each with its plan.
pub(crate) fn of_read_circuit(model: &CircuitModel, request: &Request<'_>, reading: &mut Reading) -> Inquiry {
    let asked = Asking::new(request, Language::Circuit(Some(model)), reading).all();
    let circuit = Arc::clone(&model.circuit);
    about(Some(Model::Symbolic(circuit)), asked, request, reading)
}
