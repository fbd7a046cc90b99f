//! Bit sets over states.

/// A set of states, a bit for each.
///
/// It does not know how many states there are; all that do not fit its words are outside, and bits
/// past the last state are 0.
///
/// ```
/// use loris_finite::Column;
/// let mut column = Column::of(100, [3, 64]);
/// column.insert(99);
/// assert_eq!(column.iter().collect::<Vec<_>>(), [3, 64, 99]);
/// column.complement(100);
/// assert_eq!((column.count(), column.contains(64), column.contains(5)), (97, false, true));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column(Box<[u64]>);

impl Column {
    /// No state of this many.
    pub fn empty(states: usize) -> Self {
        Self(vec![0; states.div_ceil(64)].into_boxed_slice())
    }

    /// Some states of this many.
    pub fn of(states: usize, members: impl IntoIterator<Item = u32>) -> Self {
        let mut column = Self::empty(states);
        members.into_iter().for_each(|state| column.insert(state));
        column
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: u32) -> bool {
        self.0.get(state as usize / 64).is_some_and(|word| word >> (state % 64) & 1 == 1)
    }

    /// Adds a state.
    #[inline]
    pub fn insert(&mut self, state: u32) {
        self.0[state as usize / 64] |= 1 << (state % 64);
    }

    /// Takes a state away.
    #[inline]
    pub fn remove(&mut self, state: u32) {
        self.0[state as usize / 64] &= !(1 << (state % 64));
    }

    /// State `64 * i + j` is bit j of word i.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// For writing whole words.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// How many states are in the set.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The states in the set, in their order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).flat_map(|(i, &word)| bits(word).map(move |bit| 64 * i + bit))
    }

    /// The states outside, of this many.
    pub fn complement(&mut self, states: usize) {
        self.0.iter_mut().for_each(|word| *word = !*word);
        self.trim(states);
    }

    /// Clears bits past the last state.
    pub(crate) fn trim(&mut self, states: usize) {
        if let Some(last) = self.0.last_mut() {
            *last &= mask(states);
        }
    }

    pub(crate) fn bytes(states: usize) -> usize {
        8 * states.div_ceil(64) + size_of::<Self>()
    }
}

/// The bits of the last word that stand for states.
pub(crate) fn mask(states: usize) -> u64 {
    match states % 64 {
        0 => u64::MAX,
        rest => (1 << rest) - 1,
    }
}

/// The bits that are set, from the lowest.
#[inline]
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// A column as an operand, negated or not.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    pub(crate) column: &'a Column,
    pub(crate) negated: bool,
}

impl Value<'_> {
    /// The mask to xor the words with.
    #[inline]
    pub(crate) fn flip(self) -> u64 {
        if self.negated { u64::MAX } else { 0 }
    }

    /// Copies the set of states into a column of the same length.
    pub(crate) fn copy_into(self, column: &mut Column, states: usize) {
        let flip = self.flip();
        for (to, from) in column.0.iter_mut().zip(&self.column.0) {
            *to = from ^ flip;
        }
        column.trim(states);
    }
}
