//! Searches for a path, as the document of `loris reach --format json` and with traces.

use crate::answer::answer;
use crate::failure::{Failure, settle};
use crate::phrasing::WORDS;
use crate::request::{ReachRequest, parsed};
use loris_base::Interrupt;
use loris_check::{Model, Reachable, SearchOptions};
use loris_report::{Context, ReachReport, Report, json_reach, reach_report};
use loris_rsm::DeadEnds;
use loris_session::{Loaded, Setting};
use serde_json::Value;
use std::time::Instant;

/// Looks for a path in a model.
pub(crate) fn found(
    model: &Loaded,
    request: &str,
    interrupt: &Interrupt,
) -> Result<(Report, String), Failure> {
    let request: ReachRequest = parsed(request)?;
    if request.to.is_none() && !request.all {
        return Err(Failure::Usage("reach: give a target with to=, or all=True".to_owned()));
    }
    let is_circuit = model.model().is_some_and(|model| model.circuit().is_some());
    if is_circuit && (request.to.is_none() || request.start.is_some() || request.all) {
        let message =
            "a circuit has no nodes: give a condition on its states with to=, without start= and all=";
        return Err(Failure::Usage(message.to_owned()));
    }
    let start = Instant::now();
    let limits = request.limits.limits(interrupt);
    let mut reading = limits.reading(WORDS);
    let names = (request.to.as_deref(), request.start.as_deref());
    let origin = model.origin_of_call();
    let sought = model.seek(&origin, names, &mut reading);
    let warnings = settle(reading)?;
    let sought = sought.ok_or_else(Failure::unread)?;
    let search = SearchOptions {
        timeout: limits.timeout,
        memory: limits.left_alone(sought.model.as_ref().map_or(0, Model::bytes)),
        interrupt: Some(interrupt),
        ..SearchOptions::default()
    };
    let found = sought.search((request.to.is_some(), request.all), &search, start.elapsed());
    let setting = Setting::new(model.paths(), model.format(), model.origin());
    let mut setting = setting.exploring(&origin, sought.model.is_err());
    // no path goes on from a dead end: where they are an error, there are none, and the reading
    // does not matter
    if setting.semantics.dead_ends == DeadEnds::Error {
        setting.semantics.dead_ends = DeadEnds::Loop;
    }
    let context = setting.context(sought.model.as_ref().ok(), sought.module.as_deref());
    reported(&context, &request, (found.to.as_ref(), found.all.as_ref()), (warnings, start))
}

fn reported(
    context: &Context<'_>,
    request: &ReachRequest,
    (found, all): (Option<&Reachable>, Option<&Reachable>),
    (warnings, start): (Vec<Value>, Instant),
) -> Result<(Report, String), Failure> {
    let Some(main) = found.or(all) else { return Err(Failure::unread()) };
    let reached = ReachReport {
        to: request.to.as_deref(),
        from: request.start.as_deref(),
        found: main,
        nodes: all.map(|all| &all.nodes[..]),
    };
    let mut document = String::new();
    let written = json_reach(&mut document, context, &reached);
    debug_assert!(written.is_ok(), "a string takes everything");
    let report = reach_report(context, &reached, start.elapsed().as_secs_f64());
    Ok((report, answer(&document, &warnings)))
}
