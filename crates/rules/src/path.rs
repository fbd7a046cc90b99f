//! A counterexample as one path, and as a trace in the source.

use loris_evidence::{Evidence, State};
use loris_findings::{Importance, Location, Trace, TraceBuilder, TraceStep};
use std::sync::Arc;

/// The states of the first path of evidence, then those of the path that its last claim relies on,
/// and so on.
pub(crate) fn states(evidence: &Evidence) -> Vec<&State> {
    let mut states: Vec<&State> = Vec::new();
    let mut path = evidence.paths.iter().next();
    // a path comes before those it relies on, so that this ends
    while let Some(found) = path {
        let claim = found.because.last();
        states.extend(&found.states[..claim.map_or(found.states.len(), |claim| claim.state)]);
        path = claim.map(|claim| &evidence.paths[claim.evidence]);
    }
    states
}

/// A step of a counterexample in a program.
pub(crate) struct Step {
    /// The class, with dots between packages.
    pub(crate) class: String,
    /// The name of the method.
    pub(crate) method: String,
    /// The source file with the path of its package.
    pub(crate) file: Option<Arc<str>>,
    /// The line in the source file.
    pub(crate) line: Option<u32>,
    /// How many calls deep the step is, from 0.
    pub(crate) depth: u32,
    /// What happens, in a few words.
    pub(crate) text: String,
    /// Whether the step matters; others are shown on request.
    pub(crate) important: bool,
}

/// Steps as a trace, with calls where they go deeper.
pub(crate) fn trace(message: &str, steps: &[Step]) -> Option<Trace> {
    let name = |step: &Step| format!("{}.{}", step.class, step.method);
    let first = steps.first()?;
    let mut trace = TraceBuilder::new(message, name(first));
    for step in steps {
        trace.descend(step.depth.saturating_sub(first.depth) as usize, &name(step));
        let place = Location { file: step.file.clone(), line: step.line, ..Location::default() };
        let importance = if step.important { Importance::Essential } else { Importance::Unimportant };
        let text = TraceStep::new(&*step.text).at(place.within(name(step), "function"));
        trace.step(TraceStep { importance, ..text });
    }
    Some(trace.finish())
}
