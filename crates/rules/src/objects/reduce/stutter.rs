//! Which formulas do not notice that silent steps are left out.
//!
//! Leaving out repetitions of nodes without atoms changes nothing for `E G` and `E U`. `E X` may
//! notice it, but only at nodes without atoms: steps of all others are kept one by one. So a
//! formula may have `X` where it does not count at nodes without atoms, as in `p -> A X q`.

use loris_base::Idx;
use loris_logic::{CoreId, CoreNode, CtlCore};

/// What is known of a formula at nodes without atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    /// It is true or false at all of them.
    Constant(bool),
    /// It may differ between them, but is not changed by leaving some out.
    Stable,
    /// It may be changed.
    Sensitive,
}

/// Whether a formula keeps its truth value when silent steps are left out.
pub(crate) fn is_insensitive(core: &CtlCore) -> bool {
    let mut known: Vec<Silence> = Vec::with_capacity(core.nodes().len());
    for id in core.ids() {
        let at = |id: CoreId| known[id.index()];
        let stable = |id: CoreId| at(id) != Silence::Sensitive;
        let silence = match core.node(id) {
            CoreNode::True => Silence::Constant(true),
            CoreNode::Atom(_) => Silence::Constant(false),
            CoreNode::Not(child) => match at(child) {
                Silence::Constant(value) => Silence::Constant(!value),
                other => other,
            },
            CoreNode::And(left, right) => joined(at(left), at(right), false),
            CoreNode::Or(left, right) => joined(at(left), at(right), true),
            CoreNode::Ex(child) if stable(child) => Silence::Sensitive,
            CoreNode::Eg(child) if stable(child) => Silence::Stable,
            CoreNode::Eu(left, right) if stable(left) && stable(right) => Silence::Stable,
            CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) => return false,
        };
        known.push(silence);
    }
    known.last().is_some_and(|&silence| silence != Silence::Sensitive)
}

/// The same of a conjunction or disjunction; `decisive` is the value that one side decides it by.
fn joined(left: Silence, right: Silence, decisive: bool) -> Silence {
    if left == Silence::Constant(decisive) || right == Silence::Constant(decisive) {
        return Silence::Constant(decisive);
    }
    match (left, right) {
        (Silence::Sensitive, _) | (_, Silence::Sensitive) => Silence::Sensitive,
        (Silence::Constant(_), Silence::Constant(_)) => Silence::Constant(!decisive),
        _ => Silence::Stable,
    }
}
