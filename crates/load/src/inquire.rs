//! Reads a model and the questions about it, and plans how these are answered.

use crate::asked::{Asked, Asking, Language, What};
use crate::circuit::{CircuitModel, circuit};
use crate::components::{ParallelModel, dead_ends, one_circuit, parallel};
use crate::inquiry::{Case, Inquiry, Planned, Plans, Subject, Symbolic};
use crate::java;
use crate::model::{self, Model, Origin};
use crate::reading::{Input, Reading};
use crate::smv;
use crate::{Format, Kind, Request};
use loris_base::{Budget, Exhausted};
use loris_check::{Logic, Suggestions, plan_circuit, plan_components};
use loris_circuit::{Circuit, Lit};
use loris_logic::Fairness;
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
    if format == Format::Java {
        return java::inquire(paths, origin, request, reading);
    }
    let [path] = paths else { return of_components(paths, None, origin, request, reading) };
    let is_given = !request.formulas.is_empty() || !request.files.is_empty();
    if request.logic == Some(Logic::Mu) && is_given {
        // it is decided on models whose states can be listed, as processes
        match format.kind() {
            Kind::Modules => return of_components(paths, Some(format), origin, request, reading),
            Kind::Circuit => return of_one_circuit(path, origin, request, reading),
            Kind::Components | Kind::Machine => {}
        }
    }
    match format.kind() {
        Kind::Components => of_components(paths, Some(format), origin, request, reading),
        Kind::Modules => smv::inquire(path, origin, request, reading),
        Kind::Machine => of_machine((path, format), origin, request, reading),
        Kind::Circuit => of_circuit(path, origin, request, reading),
    }
}

/// The questions about a model that is one machine, each with its plan.
fn of_machine(
    (path, format): (&Path, Format),
    origin: &Origin,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Option<Inquiry> {
    let model = model::model(path, format, origin, reading);
    let stopped = if model.is_none() { reading.take_stopped() } else { None };
    if stopped.is_some() {
        // questions about a model that was not read stay unknown, and can be reported
        reading.budget = Budget::unlimited();
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
    let (rsm, program) = match model {
        Some(Model { rsm, program, .. }) => (Some(rsm), program),
        // nothing is wrong but that a limit was reached
        None if stopped.is_some() => (None, None),
        None => return None,
    };
    Some(about_machine((rsm, program), asked, stopped.map(|stopped| stopped.why), request, reading))
}

/// The questions about a machine that was read before, each with its plan.
pub(crate) fn of_read_machine(model: &Model, request: &Request<'_>, reading: &mut Reading) -> Inquiry {
    let asked = Asking::new(request, Language::Labels(model), reading).all();
    about_machine((Some(model.rsm.clone()), model.program.clone()), asked, None, request, reading)
}

/// The questions about a machine, or one that was not made, each with its plan.
fn about_machine(
    (rsm, program): (Option<Rsm>, Option<String>),
    asked: Vec<Asked>,
    stopped: Option<Exhausted>,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Inquiry {
    let case = case((rsm.clone(), program.clone()), asked, request, reading);
    Inquiry { rsm, program, circuit: None, parallel: None, cases: vec![case], stopped }
}

/// The questions about one machine, or one that was not made, each with its plan.
pub(crate) fn case(
    (rsm, program): (Option<Rsm>, Option<String>),
    asked: Vec<Asked>,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Case {
    let subject = Subject { rsm: rsm.as_ref(), machine: None, is_finite: false };
    let (questions, places, plans) = subject.planned(asked, request, |_| Fairness::default(), reading);
    Case { rsm, program, module: None, questions, places, plans }
}

/// The questions about parallel processes, each with its plan.
fn of_components(
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
    let asked = Asking::new(request, Language::Components(model.as_ref()), reading).all();
    Some(about_components(model?, asked, request, reading))
}

/// The questions about processes that were read before, each with its plan.
pub(crate) fn of_read_components(
    model: &ParallelModel,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Inquiry {
    let asked = Asking::new(request, Language::Components(Some(model)), reading).all();
    about_components(model.clone(), asked, request, reading)
}

/// The questions about processes, each with its plan.
fn about_components(
    model: ParallelModel,
    asked: Vec<Asked>,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Inquiry {
    let cases = vec![case_of_components(&model, asked, request, reading)];
    Inquiry { rsm: None, program: None, circuit: None, parallel: Some(model), cases, stopped: None }
}

fn case_of_components(
    model: &ParallelModel,
    asked: Vec<Asked>,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Case {
    let mut planned = Planned::new(request, None);
    for one in asked {
        let expected = one.expected;
        let (question, at) = one.question(None, Fairness::default());
        let plan = plan_components(&model.system, &question, request.options);
        planned.add((question, at, expected), plan, reading);
    }
    let Planned { questions, places, plans, .. } = planned;
    let plans = Plans::Components(Arc::clone(&model.system), plans);
    Case { rsm: None, program: None, module: None, questions, places, plans }
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
        cases.push(case_of_components(&model, asked, request, reading));
        first.get_or_insert(model);
    }
    if let Some(stopped) = reading.take_stopped() {
        reading.stop(&Input::named(stopped.input.as_deref().unwrap_or_default()), stopped.why);
        return None;
    }
    Some(Inquiry { rsm: None, program: None, circuit: None, parallel: Some(first?), cases, stopped: None })
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
    Some(about_circuit(&model?, asked, request, reading))
}

/// The questions about a circuit that was read before, each with its plan.
pub(crate) fn of_read_circuit(model: &CircuitModel, request: &Request<'_>, reading: &mut Reading) -> Inquiry {
    let asked = Asking::new(request, Language::Circuit(Some(model)), reading).all();
    about_circuit(model, asked, request, reading)
}

/// The questions about a circuit, each with its plan.
fn about_circuit(
    model: &CircuitModel,
    asked: Vec<Asked>,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Inquiry {
    let suggestions = Suggestions::or(reading.words.unknown_atoms);
    let mut planned = Planned::new(request, None);
    for one in asked {
        let expected = one.expected;
        let (question, at) = one.question(None, Fairness::default());
        let plan = plan_circuit(&model.circuit, &question, request.options, &suggestions);
        planned.add((question, at, expected), plan, reading);
    }
    let Planned { questions, places, plans, .. } = planned;
    let plans = Plans::Symbolic(Symbolic::Circuit(Arc::clone(&model.circuit)), plans);
    let case = Case { rsm: None, program: None, module: None, questions, places, plans };
    let circuit = Some(Arc::clone(&model.circuit));
    Inquiry { rsm: None, program: None, circuit, parallel: None, cases: vec![case], stopped: None }
}
