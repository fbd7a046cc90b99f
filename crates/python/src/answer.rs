//! Verdicts on properties, as the document of `loris check --format json` and with traces.

use crate::failure::{Failure, settle};
use crate::model::{bytes, unread};
use crate::request::{CheckRequest, parsed};
use loris_base::Interrupt;
use loris_check::{Answer, Heading, Options};
use loris_load::{Case, Inquiry, Loaded, Plans, Request};
use loris_report::{Context, Report, Subject, check_report, json_report};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// An answer in its context.
type Answered<'a> = (Context<'a>, (&'a Heading, &'a Answer));

/// Checks properties of a model.
pub(crate) fn checked(
    model: &Loaded,
    request: &str,
    interrupt: &Interrupt,
) -> Result<(Report, String), Failure> {
    let start = Instant::now();
    let request: CheckRequest = parsed(request)?;
    let mut options = request.options(interrupt)?;
    let mut reading = request.limits.reading(interrupt);
    let asked = Request {
        formulas: &request.properties,
        files: &request.files,
        automata: &request.automata,
        logic: request.logic()?,
        unknown_atoms: request.unknown_atoms()?,
        shard: None,
        options: &options.clone(),
    };
    let origin = model.origin_of_call();
    let inquiry = model.inquire(&origin, &asked, &mut reading);
    let read = start.elapsed();
    let warnings = settle(reading)?;
    let inquiry = inquiry.ok_or_else(unread)?;
    let size = size(model, &inquiry);
    options.memory = request.limits.left(size);
    options.shared_memory = request.limits.room().map(|all| all.saturating_sub(size));
    let answers = answers(&inquiry, &options, read)?;

    let path = path(model);
    let peer = model.origin().with.as_ref().map(|peer| peer.display().to_string());
    let context = Context {
        path: &path,
        format: model.format().name(),
        with: peer.as_deref(),
        rsm: inquiry.rsm.as_ref(),
        program: inquiry.program.as_deref(),
        circuit: inquiry.circuit.as_deref(),
        parallel: inquiry.parallel.as_ref().map(|parallel| (&*parallel.system, parallel.dead_ends)),
        valuations: None,
        explored: inquiry.stopped.and_then(|_| origin.states_explored()),
        subject: None,
        semantics: model.origin().semantics,
        at_exit: options.at_exit,
        runs: options.runs,
    };
    let is_one_of_many = inquiry.cases.len() > 1;
    let results: Vec<Answered<'_>> = answers
        .iter()
        .map(|(case, index, answer)| {
            let context = context_of(&context, case, *index, is_one_of_many);
            (context, (&case.questions[*index], answer))
        })
        .collect();
    let seconds = start.elapsed().as_secs_f64();
    let mut document = String::new();
    let written = json_report(&mut document, &context, &results, seconds);
    debug_assert!(written.is_ok(), "a string takes everything");
    let report = check_report(&context, &results, seconds);
    Ok((report, answer(&document, &warnings)))
}

/// A document, which is JSON, and the warnings beside it.
pub(crate) fn answer(document: &str, warnings: &[Value]) -> String {
    format!("{{\"document\": {document}, \"warnings\": {}}}", json!(warnings))
}

/// The paths of a model in one line.
pub(crate) fn path(model: &Loaded) -> String {
    model.paths().iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
}

/// How many bytes the model of an inquiry holds.
fn size(model: &Loaded, inquiry: &Inquiry) -> usize {
    match (&inquiry.rsm, model.rsm()) {
        (Some(_), None) => inquiry.machine_bytes(),
        _ => bytes(model),
    }
}

/// All answers, in the order of their questions.
fn answers<'a>(
    inquiry: &'a Inquiry,
    options: &Options,
    read: Duration,
) -> Result<Vec<(&'a Case, usize, Answer)>, Failure> {
    let mut all = Vec::new();
    for case in &inquiry.cases {
        let answers = case.answers(options, (inquiry.stopped, read), |_, _| ());
        let answers = answers.map_err(|error| Failure::Internal(error.to_string()))?;
        for (index, answer) in answers.into_iter().enumerate() {
            let answer = answer.map_err(|panic| {
                let text = &case.questions[index].text;
                Failure::Internal(format!("the engine panicked on \"{text}\": {}", panic.0))
            })?;
            all.push((case, index, answer));
        }
    }
    all.sort_by_key(|(case, index, _)| case.places[*index].number);
    Ok(all)
}

/// The context of one question of a case.
fn context_of<'a>(context: &Context<'a>, case: &'a Case, index: usize, is_one_of_many: bool) -> Context<'a> {
    let (module, instance) = (case.module.as_deref(), &*case.places[index].instance);
    let subject = module.map(|module| Subject { module, instance, is_one_of_many });
    let valuations = match &case.plans {
        Plans::Symbolic(symbolic, _) => Some(symbolic.names()),
        _ => None,
    };
    let parallel = match &case.plans {
        Plans::Components(system, _) => context.parallel.map(|(_, dead_ends)| (&**system, dead_ends)),
        _ => context.parallel,
    };
    let program = case.program.as_deref();
    Context { rsm: case.rsm.as_ref(), parallel, program, valuations, subject, ..*context }
}
