//! When runs first get to the places of frames.
//!
//! Frames of small products are arrays, one after the other; those of large ones hold only the
//! places met ([`Places`]). A *slot* is the place of a time in either representation.

use super::frame::{Item, NONE};
use super::places::Places;
use loris_base::Idx;

/// The time of each place of all frames.
pub(crate) struct Times {
    /// by slot
    values: Vec<u32>,
    sparse: Option<Sparse>,
}

#[derive(Default)]
struct Sparse {
    /// per frame, the slots of places that are met
    frames: Vec<Places>,
    /// by slot, the place met
    met: Vec<Item>,
    /// bytes of all tables
    tables: usize,
}

/// Bytes of a slot of a sparse frame beside its table; lists double.
const SLOT: usize = 2 * (4 + size_of::<Item>());

impl Times {
    /// No frame yet.
    pub(super) fn new(is_sparse: bool) -> Self {
        Self { values: Vec::new(), sparse: is_sparse.then(Sparse::default) }
    }

    pub(super) fn reserve(&mut self, places: usize) {
        if self.sparse.is_none() {
            self.values.reserve(places);
        }
    }

    /// Bytes that a new frame of this many places takes at once.
    pub(super) fn bytes_of_frame(&self, size: usize) -> usize {
        if self.sparse.is_some() { Places::least_bytes(size) } else { 4 * size }
    }

    /// Bytes held beside those of new frames.
    pub(super) fn bytes(&self) -> usize {
        self.sparse.as_ref().map_or(0, |sparse| sparse.tables + SLOT * sparse.met.len())
    }

    /// Makes the next frame; returns where its times start, if that is in one piece.
    pub(super) fn frame(&mut self, size: usize) -> usize {
        let base = self.values.len();
        match &mut self.sparse {
            Some(sparse) => sparse.frames.push(Places::new(size)),
            None => self.values.resize(base + size, NONE),
        }
        base
    }

    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The times of frames from this base on, if they are in one piece.
    #[inline]
    pub(super) fn dense(&self, base: usize) -> Option<&[u32]> {
        if self.sparse.is_none() { Some(&self.values[base..]) } else { None }
    }

    /// The same, to be changed.
    #[inline]
    pub(super) fn dense_mut(&mut self, base: usize) -> Option<&mut [u32]> {
        if self.sparse.is_none() { Some(&mut self.values[base..]) } else { None }
    }

    /// The slot of a place, if it has one; `base` is that of its frame.
    #[inline]
    pub(super) fn slot(&self, base: usize, item: Item) -> Option<usize> {
        match &self.sparse {
            None => Some(base + item.place.index()),
            Some(sparse) => sparse.frames[item.frame.index()].get(item.place).map(|slot| slot as usize),
        }
    }

    /// The time of a place, [`NONE`] if it was not met.
    #[inline]
    pub(super) fn get(&self, base: usize, item: Item) -> u32 {
        self.slot(base, item).map_or(NONE, |slot| self.values[slot])
    }

    /// Makes the time of a place this early. Returns the time it had, if that was later.
    #[inline]
    pub(super) fn lower(&mut self, base: usize, item: Item, time: u32) -> Option<u32> {
        let slot = match &mut self.sparse {
            None => base + item.place.index(),
            Some(sparse) => sparse.slot(&mut self.values, item),
        };
        let known = &mut self.values[slot];
        (*known > time).then(|| std::mem::replace(known, time))
    }

    /// All places of sparse frames that were met, with their times.
    pub(super) fn met(&self) -> impl Iterator<Item = (Item, u32)> + '_ {
        let met = self.sparse.as_ref().map_or(&[][..], |sparse| &sparse.met);
        met.iter().copied().zip(self.values.iter().copied())
    }
}

impl Sparse {
    /// The slot of a place, which is met now if it was not before.
    fn slot(&mut self, values: &mut Vec<u32>, item: Item) -> usize {
        let places = &mut self.frames[item.frame.index()];
        if let Some(slot) = places.get(item.place) {
            return slot as usize;
        }
        let slot = values.len();
        self.tables = self.tables.saturating_add_signed(places.insert(item.place, slot as u32));
        self.met.push(item);
        values.push(NONE);
        slot
    }
}
