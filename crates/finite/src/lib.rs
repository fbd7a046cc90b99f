//! CTL and fair CTL on finite Kripke structures, by fixpoints over explicit states.
//!
//! One call decides many properties over one state space. Their subformulas form one graph, in
//! which each is decided once; temporal operators that are ready at the same time are decided
//! together, up to 256 in one fixpoint, a bit each (`lanes.rs`). A lone operator gets an algorithm
//! of its own on bit sets, linear in the structure (`single.rs`).
//!
//! | | cost for n states, m edges, k temporal subformulas |
//! |---|---|
//! | time | O(k · (n + m)), in practice near O(⌈k / 256⌉ · (n + m)) |
//! | time under fairness | for each `EG`, O((1 + compassion) · (n + m) + n · (justice + compassion)) |
//! | memory | a bit per state for each subformula in use, as many as `schedule.rs` lets in |
//!
//! ```
//! use loris_base::{BitSet, Budget, Csr};
//! use loris_finite::{Fairness, Kripke, LabelledFormula, check};
//! use loris_logic::{Core, parse};
//!
//! // 0 → 1 → 2, and 1 loops; `done` holds in 2, which has no successor and so loops
//! let successors = Csr::from_pairs(3, [(0, 1), (1, 1), (1, 2)].into_iter());
//! let predecessors = successors.transposed(3);
//! let kripke = Kripke { successors: &successors, predecessors: &predecessors, initial: &[0] };
//! let labels = |_done: u32, column: &mut BitSet| _ = column.insert(2);
//!
//! let formulas = ["A G E F done", "A F done"].map(|text| Core::new(&parse(text).expect("well-formed")).expect("CTL"));
//! let properties = formulas.each_ref().map(|formula| LabelledFormula { formula, atoms: &[Some(0)] });
//! let decide = |fairness: &Fairness| {
//!     check(&kripke, &labels, &properties, fairness, &mut Budget::unlimited()).expect("no limit")
//! };
//! assert_eq!(decide(&Fairness::default()), [true, false]);
//!
//! // without staying in 1 for ever
//! let leaves = BitSet::of(3, [0, 2]);
//! assert_eq!(decide(&Fairness { justice: vec![leaves], ..Fairness::default() }), [true, true]);
//! ```

mod column;
mod dag;
pub mod distance;
mod fair;
mod kripke;
mod lanes;
mod schedule;
mod single;
#[cfg(test)]
mod tests;
mod transpose;

pub use kripke::{Fairness, Kripke, LabelledFormula, Labels};
pub use single::{always, next, until};

use loris_base::{BitSet, Budget, Exhausted, Search};
use schedule::Limits;

/// For each property, whether it holds in all initial states.
///
/// A label may be asked for more than once where there are more columns than memory is set aside
/// for.
pub fn check(
    kripke: &Kripke,
    labels: Labels,
    properties: &[LabelledFormula],
    fairness: &Fairness,
    budget: &mut Budget,
) -> Result<Vec<bool>, Exhausted> {
    let mut holds = vec![false; properties.len()];
    schedule::decide(kripke, labels, properties, fairness, Limits::default(), budget, |property, value| {
        let inside = |&state: &u32| value.column.contains(state) != value.negated;
        holds[property] = kripke.initial.iter().all(inside);
    })?;
    Ok(holds)
}

/// The states in which a property holds.
pub fn states(
    kripke: &Kripke,
    labels: Labels,
    property: LabelledFormula,
    fairness: &Fairness,
    budget: &mut Budget,
) -> Result<BitSet, Exhausted> {
    let mut states = BitSet::empty(0);
    schedule::decide(kripke, labels, &[property], fairness, Limits::default(), budget, |_, value| {
        states = value.column.clone();
        if value.negated {
            states.complement(kripke.states());
        }
    })?;
    Ok(states)
}

/// Calls `found` for each strongly connected set of states, all of them in `within`, that a fair
/// path can walk all of forever. States without successors loop on themselves, here as everywhere;
/// leave them out of `within` if they should not.
///
/// O((1 + pairs) · (n + m)) for n states and m edges, and O(n) for each condition.
pub fn fair_components(
    kripke: &Kripke,
    fairness: &Fairness,
    within: &BitSet,
    budget: &mut Budget,
    found: impl FnMut(&[u32]),
) -> Result<(), Exhausted> {
    let mut search = Search::within(kripke.states(), Search::<u32>::CLOSED, budget)?;
    fair::each(kripke, fairness, within, &mut search, budget, found)?;
    search.free(budget);
    Ok(())
}
