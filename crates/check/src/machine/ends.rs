//! Evidence about a machine whose runs may end, from evidence about the one that loops there
//! instead.

use loris_evidence::{Evidence, PathId};
use loris_logic::{Formula, Node, parse_printed, without_ends as taken_back};

/// Lets evidence show the formula that was asked, and not its replacement: `E X p & !end` is
/// `E X p` again. Its paths take no step that is only there for engines, as none of these operators
/// holds by such a step.
pub(crate) fn without_ends(evidence: &mut Evidence) {
    for path in evidence.paths.ids() {
        let path = &mut evidence.paths[path];
        if let Ok(formula) = parse_printed(&path.shows) {
            path.shows = taken_back(&formula).to_string();
        }
    }
    let first = evidence.paths.ids().take(1);
    let roots: Vec<PathId> = first.chain(evidence.also.iter().copied()).collect();
    for root in roots {
        lift(evidence, root);
    }
}

/// A state that showed `E X p & !end` by a path for `E X p` becomes that path.
fn lift(evidence: &mut Evidence, root: PathId) {
    let path = &evidence.paths[root];
    let is_next = parse_printed(&path.shows).is_ok_and(|formula| is_next(&formula));
    if path.states.len() != 1 || !is_next {
        return;
    }
    let shown = path.because.iter().find(|claim| evidence.paths[claim.evidence].shows == path.shows);
    if let Some(claim) = shown {
        evidence.paths[root] = evidence.paths[claim.evidence].clone();
    }
}

/// Whether a formula is `E X p`, and more than that there is a next state.
fn is_next(formula: &Formula) -> bool {
    match formula.node(formula.root()) {
        Node::E(path) => matches!(formula.node(path), Node::X(of) if formula.node(of) != Node::True),
        _ => false,
    }
}
