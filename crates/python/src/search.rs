//! Searches for a path, as the document of `loris reach --format json` and with traces.

use crate::answer::{answer, path};
use crate::failure::{Failure, settle};
use crate::model::{bytes, unread};
use crate::request::{ReachRequest, parsed};
use loris_base::Interrupt;
use loris_check::{Prepared, Reachable, Runs, SearchOptions, reach, reached};
use loris_evidence::AtExit;
use loris_load::{Loaded, Sought};
use loris_report::{Context, Reached, Report, Subject, json_reach, reach_report};
use loris_rsm::{DeadEnds, Rsm, Semantics};
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
    if model.circuit().is_some() {
        return in_circuit(model, &request, interrupt);
    }
    let start = Instant::now();
    let mut reading = request.limits.reading(interrupt);
    let names = (request.to.as_deref(), request.start.as_deref());
    let origin = model.origin_of_call();
    let sought = model.seek(&origin, names, &mut reading);
    let warnings = settle(reading)?;
    let Sought { rsm, module, program, to, from } = sought.ok_or_else(unread)?;
    let search = SearchOptions {
        from: from.as_deref(),
        timeout: request.limits.time(),
        memory: request.limits.left_alone(rsm.as_ref().map_or(0, Rsm::bytes)),
        interrupt: Some(interrupt),
        ..SearchOptions::default()
    };
    let (all, found) = match &rsm {
        Ok(rsm) => {
            let prepared = Prepared::new(rsm);
            let all = request.all.then(|| reached(&prepared, &search));
            (all, to.map(|to| reach(&prepared, &to, &search)))
        }
        Err(why) => {
            let unknown = || Reachable::unknown(*why, start.elapsed());
            (request.all.then(unknown), request.to.as_ref().map(|_| unknown()))
        }
    };
    let path = path(model);
    let peer = model.origin().with.as_ref().map(|peer| peer.display().to_string());
    let subject = module.as_deref().map(|module| Subject { module, instance: "", is_one_of_many: false });
    let context = Context {
        with: peer.as_deref(),
        rsm: rsm.as_ref().ok(),
        program: program.as_deref(),
        explored: rsm.as_ref().err().and_then(|_| origin.states_explored()),
        subject,
        ..context(model, &path)
    };
    reported(&context, &request, (found.as_ref(), all.as_ref()), (warnings, start))
}

fn in_circuit(
    model: &Loaded,
    request: &ReachRequest,
    interrupt: &Interrupt,
) -> Result<(Report, String), Failure> {
    let (Some(to), None, false) = (&request.to, &request.start, request.all) else {
        let message =
            "a circuit has no nodes: give a condition on its states with to=, without start= and all=";
        return Err(Failure::Usage(message.to_owned()));
    };
    let start = Instant::now();
    let mut reading = request.limits.reading(interrupt);
    let goal = model.circuit_goal(to, &mut reading);
    let warnings = settle(reading)?;
    let (goal, circuit) = goal.zip(model.circuit()).ok_or_else(unread)?;
    let search = SearchOptions {
        timeout: request.limits.time(),
        memory: request.limits.left_alone(bytes(model)),
        interrupt: Some(interrupt),
        ..SearchOptions::default()
    };
    let found = goal.reach(circuit, &search);
    let path = path(model);
    let context = Context { circuit: Some(circuit), valuations: Some(&**circuit), ..context(model, &path) };
    reported(&context, request, (Some(&found), None), (warnings, start))
}

/// The context of a search.
fn context<'a>(model: &'a Loaded, path: &'a str) -> Context<'a> {
    // no path goes on from a dead end: where they are an error, there are none, and the reading
    // does not matter
    let dead_ends = match model.origin().semantics.dead_ends {
        DeadEnds::Error => DeadEnds::Loop,
        other => other,
    };
    Context {
        path,
        format: model.format().name(),
        with: None,
        rsm: None,
        program: None,
        circuit: None,
        parallel: None,
        valuations: None,
        explored: None,
        subject: None,
        semantics: Semantics { dead_ends, ..model.origin().semantics },
        at_exit: AtExit::Loop,
        runs: Runs::All,
    }
}

fn reported(
    context: &Context<'_>,
    request: &ReachRequest,
    (found, all): (Option<&Reachable>, Option<&Reachable>),
    (warnings, start): (Vec<Value>, Instant),
) -> Result<(Report, String), Failure> {
    let Some(main) = found.or(all) else { return Err(unread()) };
    let reached = Reached {
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
