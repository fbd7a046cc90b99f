//! Which formula implies which, as far as their shapes show.
//!
//! Yes is sure; no may be wrong. The search stops a few operators deep, so that it costs constant
//! time.

use crate::ltl::{LtlBuilder, LtlId, LtlNode};

/// How many operators deep to look.
const DEPTH: u32 = 5;

pub(super) fn implies(formulas: &LtlBuilder, strong: LtlId, weak: LtlId) -> bool {
    search(formulas, strong, weak, DEPTH)
}

fn search(formulas: &LtlBuilder, strong: LtlId, weak: LtlId, depth: u32) -> bool {
    use LtlNode::{And, False, Or, R, True, U, X};
    let (left, right) = (formulas.node(strong), formulas.node(weak));
    if strong == weak || left == False || right == True {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    let implies = |strong: LtlId, weak: LtlId| search(formulas, strong, weak, depth);
    let is = |id: LtlId, node: LtlNode| formulas.node(id) == node;
    // a formula that a whole disjunction implies is implied by each part; dually for conjunctions
    match (left, right) {
        (Or(a, b), _) => return implies(a, weak) && implies(b, weak),
        (_, And(a, b)) => return implies(strong, a) && implies(strong, b),
        _ => {}
    }
    let from_left = match left {
        And(a, b) => implies(a, weak) || implies(b, weak),
        // the second operand of a release holds now; an until holds because of either operand now
        R(_, b) => implies(b, weak),
        U(a, b) => implies(a, weak) && implies(b, weak),
        _ => false,
    };
    let from_right = || match right {
        Or(a, b) => implies(strong, a) || implies(strong, b),
        U(_, b) => implies(strong, b),
        R(a, b) => implies(strong, a) && implies(strong, b),
        _ => false,
    };
    // U and R are monotone; what follows from G a at once follows from it later, too; what implies
    // F b later implies it now
    let together = || match (left, right) {
        (X(a), X(b)) => implies(a, b),
        (U(a, b), U(c, d)) | (R(a, b), R(c, d)) if implies(a, c) && implies(b, d) => true,
        (R(a, _), X(b)) if is(a, False) => implies(strong, b),
        (R(a, _), R(c, d)) if is(a, False) && is(c, False) => implies(strong, d),
        (X(a), U(c, _)) if is(c, True) => implies(a, weak),
        (U(a, b), U(c, _)) if is(a, True) && is(c, True) => implies(b, weak),
        _ => false,
    };
    from_left || from_right() || together()
}
