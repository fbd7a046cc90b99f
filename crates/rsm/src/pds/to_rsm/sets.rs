//! A set of positions for each of many heads, in as few bits as a set needs.

use loris_base::{ones_of, words_for};

/// Sets of numbers below a bound, one after the other.
pub(super) struct Sets {
    /// bits of a set, as a power of two, if several share a word
    shared: Option<u32>,
    /// words of a set; one if they share it
    words: usize,
    bits: Vec<u64>,
    count: usize,
}

impl Sets {
    /// No sets yet, of numbers below this one.
    pub(super) fn new(bound: usize) -> Self {
        let shared = (1..=32).contains(&bound).then(|| bound.next_power_of_two().trailing_zeros());
        Self { shared, words: words_for(bound), bits: Vec::new(), count: 0 }
    }

    /// How many sets there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// How many words a set is asked for by.
    #[inline]
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Adds an empty set.
    #[inline]
    pub(super) fn push(&mut self) {
        self.count += 1;
        let words = match self.shared {
            Some(log) => words_for(self.count << log),
            None => self.count * self.words,
        };
        self.bits.resize(words, 0);
    }

    /// The word of a set, and where the set starts in it.
    #[inline]
    fn place(&self, set: u32, word: usize) -> (usize, u32) {
        match self.shared {
            Some(log) => {
                let bit = (set as usize) << log;
                (bit / 64, bit as u32 % 64)
            }
            None => (set as usize * self.words + word, 0),
        }
    }

    /// 64 numbers of a set as bits.
    #[inline]
    pub(super) fn word(&self, set: u32, word: usize) -> u64 {
        let (place, shift) = self.place(set, word);
        let mask = self.shared.map_or(u64::MAX, |log| (1 << (1 << log)) - 1);
        self.bits[place] >> shift & mask
    }

    /// Whether a number is in a set.
    pub(super) fn contains(&self, set: u32, number: u32) -> bool {
        self.word(set, number as usize / 64) >> (number % 64) & 1 == 1
    }

    /// Adds a number to a set; whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, set: u32, number: u32) -> bool {
        let (place, shift) = self.place(set, number as usize / 64);
        let bit = 1 << (shift + number % 64);
        let is_new = self.bits[place] & bit == 0;
        self.bits[place] |= bit;
        is_new
    }

    /// The numbers of a set, in ascending order.
    pub(super) fn iter(&self, set: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.words)
            .flat_map(move |word| ones_of(self.word(set, word)).map(move |bit| 64 * word as u32 + bit))
    }

    /// Bytes that it may hold after some more sets.
    pub(super) fn bytes_ahead(&self, more: usize) -> usize {
        match self.shared {
            Some(log) => ((self.count + more) << log).div_ceil(8),
            None => 8 * self.words * (self.count + more),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sets;

    /// Numbers put into sets below a bound are found there, and nowhere else.
    fn check(bound: usize) {
        let mut sets = Sets::new(bound);
        let member = |set: usize, number: usize| (set * 7 + number * 3) % 5 < 2;
        for set in 0..100 {
            sets.push();
            for number in (0..bound).filter(|&number| member(set, number)) {
                assert!(sets.insert(set as u32, number as u32));
                assert!(!sets.insert(set as u32, number as u32));
            }
        }
        for set in 0..100 {
            let expected: Vec<u32> = (0..bound).filter(|&n| member(set, n)).map(|n| n as u32).collect();
            assert_eq!(sets.iter(set as u32).collect::<Vec<_>>(), expected);
            let found = (0..bound as u32).filter(|&number| sets.contains(set as u32, number));
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn sets_of_all_widths() {
        for bound in [0, 1, 2, 3, 5, 16, 31, 32, 33, 63, 64, 65, 130] {
            check(bound);
        }
    }
}
