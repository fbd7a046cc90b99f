//! A set of nodes, a bit each.

use loris_base::{Budget, Exhausted};

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The empty set of numbers below `len`, charged to the budget.
    pub(crate) fn within(len: usize, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(Self::bytes_for(len))?;
        Ok(Self { words: vec![0; len.div_ceil(64)] })
    }

    /// Bytes of a set of numbers below `len`.
    pub(crate) fn bytes_for(len: usize) -> usize {
        8 * len.div_ceil(64)
    }

    /// Appends the number `len`, which is the number of those appended before, within a budget.
    pub(crate) fn push_within(
        &mut self,
        len: usize,
        value: bool,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        if len.is_multiple_of(64) {
            budget.reserve(&mut self.words, 1)?;
            self.words.push(0);
        }
        if value {
            self.insert(len as u32);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words[number as usize / 64] >> (number % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        self.words[number as usize / 64] |= 1 << (number % 64);
    }

    #[inline]
    pub(crate) fn remove(&mut self, number: u32) {
        self.words[number as usize / 64] &= !(1 << (number % 64));
    }

    /// How many numbers there are in the set.
    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.words.capacity()
    }
}
