//! Numbers for those places of a frame that are met: a table while they are few, an array
//! afterwards.
//!
//! In a product with a large automaton, runs meet few places of some frames and all places of
//! others. Either way, memory is proportional to the places met.

use super::arena::PlaceId;
use super::frame::NONE;
use loris_base::Idx;
use rustc_hash::FxHashMap;

/// Frames of so few places are arrays from the start.
const FEW: usize = 64;
/// A frame becomes an array when one place in this many is met.
const SHARE: usize = 8;
/// Bytes of a number in a table that is at least half full and may just have doubled.
const ENTRY: usize = 27;

/// The places of a frame that are met, with their numbers.
pub(super) enum Places {
    /// of this many places
    Table(usize, FxHashMap<PlaceId, u32>),
    Array(Vec<u32>),
}

impl Places {
    /// Of this many places, none is met.
    pub(super) fn new(size: usize) -> Self {
        if size <= FEW { Self::Array(vec![NONE; size]) } else { Self::Table(size, FxHashMap::default()) }
    }

    /// The number of a place, if it was met.
    #[inline]
    pub(super) fn get(&self, place: PlaceId) -> Option<u32> {
        match self {
            Self::Array(numbers) => Some(numbers[place.index()]).filter(|&number| number != NONE),
            Self::Table(_, numbers) => numbers.get(&place).copied(),
        }
    }

    /// Gives a number to a place that has none. Returns how many bytes are held in addition, or
    /// fewer if negative.
    pub(super) fn insert(&mut self, place: PlaceId, number: u32) -> isize {
        match self {
            Self::Array(numbers) => {
                numbers[place.index()] = number;
                0
            }
            Self::Table(size, numbers) if numbers.len() * SHARE < *size => {
                numbers.insert(place, number);
                ENTRY.cast_signed()
            }
            Self::Table(size, numbers) => {
                let mut all = vec![NONE; *size];
                #[expect(clippy::iter_over_hash_type, reason = "each goes to a place of its own")]
                for (&place, &number) in &*numbers {
                    all[place.index()] = number;
                }
                all[place.index()] = number;
                let change = (4 * *size).cast_signed() - (ENTRY * numbers.len()).cast_signed();
                *self = Self::Array(all);
                change
            }
        }
    }

    /// Bytes held before anything is met.
    pub(super) fn least_bytes(size: usize) -> usize {
        size_of::<Self>() + if size <= FEW { 4 * size } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few or many, in whatever order: places have the numbers they were given, others have none.
    #[test]
    fn numbers_stay() {
        for (size, stride) in [(10, 3), (64, 5), (1000, 97), (1000, 7), (1000, 1)] {
            let mut places = Places::new(size);
            let met: Vec<PlaceId> = (0..size).rev().step_by(stride).map(PlaceId::new).collect();
            let mut bytes = Places::least_bytes(size);
            for (number, &place) in (0..).zip(&met) {
                assert_eq!(places.get(place), None);
                bytes = bytes.checked_add_signed(places.insert(place, number)).expect("not negative");
            }
            for place in (0..size).map(PlaceId::new) {
                let number = met.iter().position(|&other| other == place).map(|number| number as u32);
                assert_eq!(places.get(place), number);
            }
            assert!(bytes <= size_of::<Places>() + SHARE * ENTRY * met.len() + 4 * FEW);
        }
    }
}
