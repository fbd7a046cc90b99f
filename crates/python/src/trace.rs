//! Traces and proofs as data for Python.

use loris_report::{Call, Finding, Location, Proof, Trace, TraceStep};
use serde_json::{Value, json};

/// What a finding shows: its traces, and its proof.
pub(crate) fn shown(finding: &Finding) -> Value {
    let traces: Vec<Value> = finding.traces.iter().map(trace).collect();
    json!({"traces": traces, "proof": finding.proof.as_ref().map(proof)})
}

fn trace(trace: &Trace) -> Value {
    let steps: Vec<Value> = trace.steps.iter().enumerate().map(|(at, one)| step(trace, at, one)).collect();
    let frames = trace.frames.iter().map(|frame| {
        let Call { site, callee, location, .. } = &frame.call;
        json!({"parent": frame.parent, "site": site, "callee": callee, "source": source(location.as_ref())})
    });
    json!({
        "shows": trace.shows,
        "frames": frames.collect::<Vec<_>>(),
        "variables": trace.variables,
        "steps": steps,
        "loop": trace.repeats.map(|repeats| [repeats.from, repeats.to]),
        "relied_on_by": trace.relied_on_by.map(|relied| [relied.trace, relied.step]),
    })
}

fn step(trace: &Trace, at: usize, step: &TraceStep) -> Value {
    let logical = step.location.as_ref().and_then(|location| location.logical.as_ref());
    // nodes that have names of their own; others are named by their values
    let has_name = logical.is_some_and(|logical| logical.kind == "element");
    json!({
        "component": trace.component(at),
        "node": has_name.then_some(&step.text),
        "text": step.text,
        "labels": step.labels,
        "frame": step.frame,
        "changes": step.changes,
        "note": step.note,
        "source": source(step.location.as_ref()),
    })
}

/// A place in a file, if it is one.
fn source(location: Option<&Location>) -> Option<Value> {
    let location = location?;
    let file = location.file.as_deref()?;
    Some(json!({"file": file, "line": location.line, "column": location.column}))
}

fn proof(proof: &Proof) -> Value {
    match proof {
        Proof::Invariant { shows, clauses } => {
            json!({"kind": "invariant", "shows": shows, "clauses": clauses})
        }
        Proof::Strategy { shows, moves, total } => {
            let moves: Vec<Value> = moves.iter().map(|step| json!([step.from, step.to])).collect();
            json!({"kind": "strategy", "shows": shows, "moves": moves, "total": total})
        }
    }
}
