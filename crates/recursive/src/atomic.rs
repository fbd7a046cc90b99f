//! Tables that only grow, or only shrink, and that several threads may change at the same time.
//!
//! If they do (`SHARED`), a change is one atomic operation, and operations on all tables have one
//! order that all threads see. Otherwise they are plain words and bytes.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// The order that operations are seen in.
const fn order(shared: bool) -> Ordering {
    if shared { Ordering::SeqCst } else { Ordering::Relaxed }
}

/// Sets of up to 64 bits.
pub(crate) struct Words<const SHARED: bool>(Vec<AtomicU64>);

impl<const SHARED: bool> Words<SHARED> {
    pub(crate) fn new(words: Vec<u64>) -> Self {
        Self(words.into_iter().map(AtomicU64::new).collect())
    }

    /// This many empty sets.
    pub(crate) fn empty(count: usize) -> Self {
        if SHARED {
            // memory that is touched for the first time is work
            return Self((0..count).into_par_iter().map(|_| AtomicU64::new(0)).collect());
        }
        Self::new(vec![0; count])
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> u64 {
        self.0[place].load(order(SHARED))
    }

    /// Adds bits; returns those that were not there.
    #[inline]
    pub(crate) fn add(&self, place: usize, bits: u64) -> u64 {
        let word = &self.0[place];
        let held = word.load(order(SHARED));
        let new = bits & !held;
        if new == 0 {
            return 0;
        }
        if SHARED {
            return bits & !word.fetch_or(bits, Ordering::SeqCst);
        }
        word.store(held | new, Ordering::Relaxed);
        new
    }

    /// Leaves only these bits; whether others were there.
    #[inline]
    pub(crate) fn keep(&self, place: usize, bits: u64) -> bool {
        let word = &self.0[place];
        if SHARED {
            return word.fetch_and(bits, Ordering::SeqCst) & !bits != 0;
        }
        let held = word.load(Ordering::Relaxed);
        word.store(held & bits, Ordering::Relaxed);
        held & !bits != 0
    }

    pub(crate) fn into_inner(self) -> Vec<u64> {
        self.0.into_iter().map(AtomicU64::into_inner).collect()
    }
}

/// Sets of up to 8 flags.
pub(crate) struct Flags<const SHARED: bool>(Vec<AtomicU8>);

impl<const SHARED: bool> Flags<SHARED> {
    pub(crate) fn new(flags: Vec<u8>) -> Self {
        Self(flags.into_iter().map(AtomicU8::new).collect())
    }

    #[inline]
    pub(crate) fn has(&self, place: usize, flag: u8) -> bool {
        self.0[place].load(order(SHARED)) & flag != 0
    }

    /// Sets a flag; whether it was not set.
    #[inline]
    pub(crate) fn set(&self, place: usize, flag: u8) -> bool {
        let flags = &self.0[place];
        let held = flags.load(order(SHARED));
        if held & flag != 0 {
            return false;
        }
        if SHARED {
            return flags.fetch_or(flag, Ordering::SeqCst) & flag == 0;
        }
        flags.store(held | flag, Ordering::Relaxed);
        true
    }

    #[inline]
    pub(crate) fn clear(&self, place: usize, flag: u8) {
        let flags = &self.0[place];
        if SHARED {
            flags.fetch_and(!flag, Ordering::SeqCst);
        } else {
            flags.store(flags.load(Ordering::Relaxed) & !flag, Ordering::Relaxed);
        }
    }

    pub(crate) fn into_inner(self) -> Vec<u8> {
        self.0.into_iter().map(AtomicU8::into_inner).collect()
    }
}

/// Numbers of which any that was ever written will do.
pub(crate) struct Hints(Vec<AtomicU32>);

impl Hints {
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![0; count].into_iter().map(AtomicU32::new).collect())
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> u32 {
        self.0[place].load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, place: usize, number: u32) {
        self.0[place].store(number, Ordering::Relaxed);
    }
}
