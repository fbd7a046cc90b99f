//! A counterexample as one path.

use loris_evidence::{Evidence, State};

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
