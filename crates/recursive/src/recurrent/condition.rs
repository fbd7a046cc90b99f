//! Recurrence conditions, as sets of states.

use loris_base::BitSet;
use loris_logic::{Predicate, Recurrence};

/// A condition on the states of a structure: if those of the first set recur, so do those of the
/// second. Without the first, those of the second recur in any case.
pub(super) struct Condition {
    pub(super) often: Option<BitSet>,
    pub(super) then: BitSet,
}

impl Condition {
    /// A condition whose atom `k` holds in the states of the `k`-th column.
    pub(super) fn new(pair: &Recurrence, atoms: &[BitSet], states: usize) -> Self {
        let often = (!pair.is_unconditional()).then(|| column(&pair.often, atoms, states));
        Self { often, then: column(&pair.then, atoms, states) }
    }
}

/// The states in which a predicate holds; its atom `k` holds in those of the `k`-th column.
pub(super) fn column(predicate: &Predicate, atoms: &[BitSet], states: usize) -> BitSet {
    let mut column = BitSet::empty(states);
    for (i, word) in column.words_mut().iter_mut().enumerate() {
        *word = predicate.lanes(u64::MAX, |atom| atoms[atom as usize].words()[i]);
    }
    // states past the last are in no set
    let mut all = BitSet::empty(states);
    all.complement(states);
    column.words_mut().iter_mut().zip(all.words()).for_each(|(word, all)| *word &= all);
    column
}
