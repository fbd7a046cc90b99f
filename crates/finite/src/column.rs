//! Sets of states as operands: a bit for each state.

use loris_base::BitSet;

/// Bytes of a set of this many states.
pub(crate) fn bytes(states: usize) -> usize {
    BitSet::bytes_for(states) + size_of::<BitSet>()
}

/// A column as an operand, negated or not.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    pub(crate) column: &'a BitSet,
    pub(crate) negated: bool,
}

impl Value<'_> {
    /// The mask to xor the words with.
    #[inline]
    pub(crate) fn flip(self) -> u64 {
        if self.negated { u64::MAX } else { 0 }
    }

    /// Copies the set of states into a column of the same length.
    pub(crate) fn copy_into(self, column: &mut BitSet, states: usize) {
        let flip = self.flip();
        for (to, from) in column.words_mut().iter_mut().zip(self.column.words()) {
            *to = from ^ flip;
        }
        column.trim(states);
    }
}
