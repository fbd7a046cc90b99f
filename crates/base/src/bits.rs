//! Sets of small numbers, a bit each: in words of any owner, and as a type of their own.

use crate::{Budget, Exhausted};

/// By number of a variable: its values in the 64 valuations of six variables, where valuation `v`
/// gives variable `i` the bit `i` of `v`. So a word is a function of six variables, and operations
/// on words are operations on such functions.
///
/// ```
/// use loris_base::VALUES_IN_64;
/// assert!((0..64).all(|v| (0..6).all(|i| VALUES_IN_64[i] >> v & 1 == v >> i & 1)));
/// ```
pub const VALUES_IN_64: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// How many words hold this many bits.
#[inline]
pub const fn words_for(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// Whether a number is in a set; what does not fit its words is not.
#[inline]
pub fn has_bit(words: &[u64], number: usize) -> bool {
    words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

/// Adds a number to a set; whether it is new.
#[inline]
pub fn set_bit(words: &mut [u64], number: usize) -> bool {
    let (word, bit) = (&mut words[number / 64], 1 << (number % 64));
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

/// Takes a number out of a set.
#[inline]
pub fn clear_bit(words: &mut [u64], number: usize) {
    words[number / 64] &= !(1 << (number % 64));
}

/// The numbers of a word, in ascending order.
#[inline]
pub fn ones_of(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// The numbers of a set, in ascending order.
#[inline]
pub fn ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(words).flat_map(|(i, &word)| ones_of(word).map(move |bit| 64 * i + bit))
}

/// Adds all numbers of a set to another one; whether one is new.
#[inline]
pub fn unite(to: &mut [u64], from: &[u64]) -> bool {
    let mut is_new = 0;
    for (to, from) in to.iter_mut().zip(from) {
        is_new |= from & !*to;
        *to |= from;
    }
    is_new != 0
}

/// A set of small numbers.
///
/// It does not know how many numbers there are: all that do not fit its words are outside, and bits
/// past the last number are 0.
///
/// ```
/// use loris_base::BitSet;
/// let mut set = BitSet::of(100, [3, 64]);
/// assert!(set.insert(99) && !set.insert(3));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 99]);
/// set.complement(100);
/// assert_eq!((set.count(), set.contains(64), set.contains(5)), (97, false, true));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// None of this many numbers.
    pub fn empty(numbers: usize) -> Self {
        Self(vec![0; words_for(numbers)])
    }

    /// Some of this many numbers.
    pub fn of(numbers: usize, members: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self::empty(numbers);
        let words = &mut set.0[..];
        members.into_iter().for_each(|number| _ = set_bit(words, number as usize));
        set
    }

    /// None of this many numbers, charged to a budget.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn within(numbers: usize, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(Self::bytes_for(numbers))?;
        Ok(Self::empty(numbers))
    }

    /// Bytes of the words of a set of this many numbers.
    pub const fn bytes_for(numbers: usize) -> usize {
        8 * words_for(numbers)
    }

    /// Appends the number `len`, which is how many were appended before, within a budget.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn push_within(&mut self, len: usize, value: bool, budget: &mut Budget) -> Result<(), Exhausted> {
        if len.is_multiple_of(64) {
            budget.reserve(&mut self.0, 1)?;
            self.0.push(0);
        }
        if value {
            self.insert(len as u32);
        }
        Ok(())
    }

    /// Whether a number is in the set.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        has_bit(&self.0, number as usize)
    }

    /// Adds a number; whether it is new.
    #[inline]
    pub fn insert(&mut self, number: u32) -> bool {
        set_bit(&mut self.0, number as usize)
    }

    /// Takes a number away.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        clear_bit(&mut self.0, number as usize);
    }

    /// Number `64 * i + j` is bit j of word i.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The words, for others to keep.
    pub fn into_words(self) -> Vec<u64> {
        self.0
    }

    /// For writing whole words.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// How many numbers are in the set.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The numbers in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.0)
    }

    /// The numbers outside, of this many.
    pub fn complement(&mut self, numbers: usize) {
        self.0.iter_mut().for_each(|word| *word = !*word);
        self.trim(numbers);
    }

    /// Clears bits past the last of this many numbers, which are as many as when the set was made.
    pub fn trim(&mut self, numbers: usize) {
        if let (Some(last), rest @ 1..) = (self.0.last_mut(), numbers % 64) {
            *last &= (1 << rest) - 1;
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * self.0.capacity()
    }
}

/// Sets of numbers below a bound, one after the other in one list.
///
/// ```
/// use loris_base::BitRows;
/// let mut rows = BitRows::new(3, 100);
/// assert!(rows.insert(0, 70) && rows.insert(2, 7) && rows.unite(2, 0) && !rows.unite(2, 0));
/// assert_eq!(rows.iter(2).collect::<Vec<_>>(), [7, 70]);
/// assert!(rows.contains(2, 70) && !rows.contains(1, 70));
/// ```
#[derive(Clone, Debug, Default)]
pub struct BitRows {
    words: usize,
    bits: Vec<u64>,
}

impl BitRows {
    /// This many empty sets of numbers below a bound.
    pub fn new(rows: usize, bound: usize) -> Self {
        let words = words_for(bound);
        Self { words, bits: vec![0; rows * words] }
    }

    /// How many words a set has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The words of a set.
    #[inline]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }

    /// The words of a set, for writing.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.bits[row * self.words..(row + 1) * self.words]
    }

    /// Whether a number is in a set.
    #[inline]
    pub fn contains(&self, row: usize, number: usize) -> bool {
        has_bit(self.row(row), number)
    }

    /// Adds a number to a set; whether it is new.
    #[inline]
    pub fn insert(&mut self, row: usize, number: usize) -> bool {
        set_bit(self.row_mut(row), number)
    }

    /// The numbers of a set, in ascending order.
    pub fn iter(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        ones(self.row(row))
    }

    /// Adds all numbers of a set to another one; whether one is new.
    pub fn unite(&mut self, to: usize, from: usize) -> bool {
        if to == from {
            return false;
        }
        // two rows of one list
        let (at, end) = (to.min(from) * self.words, to.max(from) * self.words);
        let (before, after) = self.bits.split_at_mut(end);
        let (first, second) = (&mut before[at..at + self.words], &mut after[..self.words]);
        if to < from { unite(first, second) } else { unite(second, first) }
    }
}

#[cfg(test)]
mod tests {
    use super::{BitRows, BitSet};
    use crate::Rng;
    use std::collections::BTreeSet;

    /// A set after some insertions and removals is what a set of the library is.
    fn check(bound: usize, seed: u64) {
        let rng = &mut Rng::new(seed);
        let (mut set, mut expected) = (BitSet::empty(bound), BTreeSet::new());
        for _ in 0..bound {
            let number = rng.below(bound) as u32;
            if rng.below(3) == 0 {
                set.remove(number);
                expected.remove(&number);
            } else {
                assert_eq!(set.insert(number), expected.insert(number));
            }
        }
        assert!(set.iter().eq(expected.iter().copied()));
        assert_eq!(set.count(), expected.len());
        assert!((0..2 * bound as u32).all(|number| set.contains(number) == expected.contains(&number)));
        assert_eq!(BitSet::of(bound, expected.iter().copied()), set);
        set.complement(bound);
        assert!(set.iter().eq((0..bound as u32).filter(|number| !expected.contains(number))));
    }

    #[test]
    fn sets_of_all_sizes() {
        for bound in [0, 1, 5, 63, 64, 65, 127, 128, 200] {
            (0..20).for_each(|seed| check(bound, seed));
        }
    }

    #[test]
    fn rows_are_apart() {
        for (to, from) in [(0, 2), (2, 0), (1, 0), (1, 1)] {
            let mut rows = BitRows::new(3, 65);
            let mut expected = [BTreeSet::from([0]), BTreeSet::from([64]), BTreeSet::from([1, 63])];
            for (row, numbers) in expected.iter().enumerate() {
                assert!(numbers.iter().all(|&number| rows.insert(row, number as usize)));
            }
            assert_eq!(rows.unite(to, from), to != from);
            let added = expected[from].clone();
            expected[to].extend(added);
            for (row, numbers) in expected.iter().enumerate() {
                assert!(rows.iter(row).eq(numbers.iter().copied()));
            }
        }
    }
}
