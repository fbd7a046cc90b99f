//! Verdicts on properties, as the document of `loris check --format json` and with traces.

use crate::failure::{Failure, settle};
use crate::phrasing::WORDS;
use crate::request::{CheckRequest, parsed};
use loris_base::Interrupt;
use loris_check::Model;
use loris_report::Report;
use loris_session::{Loaded, Request, Setting};
use serde_json::{Value, json};
use std::time::Instant;

/// Checks properties of a model.
pub(crate) fn checked(
    model: &Loaded,
    request: &str,
    interrupt: &Interrupt,
) -> Result<(Report, String), Failure> {
    let start = Instant::now();
    let request: CheckRequest = parsed(request)?;
    let limits = request.limits.limits(interrupt);
    let mut options = request.options(&limits)?;
    let mut reading = limits.reading(WORDS);
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
    let inquiry = inquiry.ok_or_else(Failure::unread)?;
    let size = match (&inquiry.model, model.model()) {
        (Some(_), None) => inquiry.bytes(),
        (_, made) => made.as_ref().map_or(0, Model::bytes),
    };
    options.memory = limits.left(size);
    options.shared_memory = limits.left_for_all(size);
    let setting = Setting::new(model.paths(), model.format(), model.origin()).asking(&options);
    let setting = setting.exploring(&origin, inquiry.stopped.is_some());
    let answers = inquiry.answers(&setting, &options, read, |_, _, _, _| ());
    let answers = answers.map_err(|error| Failure::Internal(error.to_string()))?;
    for one in &answers.all {
        if let Err(panic) = &one.answer {
            let text = &one.question.text;
            return Err(Failure::Internal(format!("the engine panicked on \"{text}\": {}", panic.0)));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let mut document = String::new();
    let written = answers.write_json(&mut document, seconds, true);
    debug_assert!(written.is_ok(), "a string takes everything");
    Ok((answers.report(seconds), answer(&document, &warnings)))
}

/// A document, which is JSON, and the warnings beside it.
pub(crate) fn answer(document: &str, warnings: &[Value]) -> String {
    format!("{{\"document\": {document}, \"warnings\": {}}}", json!(warnings))
}
