//! The results of operations: a table in which a new entry replaces the one in its place.

use super::table::Id;
use loris_base::{Budget, Exhausted};

/// What a result is of: the operation in the upper bits, the relation or a part of it in the lower.
pub(super) type Key = u32;

pub(super) const UNION: Key = 0;
pub(super) const INTERSECTION: Key = 1;
pub(super) const DIFFERENCE: Key = 2;
/// One step by some relation.
pub(super) const STEP: Key = 1 << 29;
/// One step by a part of a relation.
pub(super) const PART: Key = 2 << 29;
/// The closure under a relation.
pub(super) const CLOSE: Key = 3 << 29;
/// A step by a part, then the closure.
pub(super) const FIRE: Key = 4 << 29;

/// Relations and their parts have smaller numbers than this.
pub(super) const NUMBERS: u32 = 1 << 29;

/// It grows up to this many entries.
const MOST: usize = 1 << 24;

#[derive(Clone, Copy)]
struct Entry {
    a: Id,
    b: Id,
    key: Key,
    result: Id,
}

/// No operation has two empty sets as arguments.
const NONE: Entry = Entry { a: 0, b: 0, key: 0, result: 0 };

pub(super) struct Cache {
    /// the length is a power of two
    entries: Vec<Entry>,
    /// how often an entry replaced another since the table has this length
    replaced: usize,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self { entries: vec![NONE; 1 << 10], replaced: 0 }
    }

    /// Whether entries replace others so often that the table should be larger.
    pub(super) fn is_small(&self) -> bool {
        self.replaced > self.entries.len() && self.entries.len() < MOST
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    #[inline]
    fn place(&self, a: Id, b: Id, key: Key) -> usize {
        let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed.rotate_left(23) ^ u64::from(key)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 32) as usize & (self.entries.len() - 1)
    }

    #[inline]
    pub(super) fn get(&self, a: Id, b: Id, key: Key) -> Option<Id> {
        let entry = &self.entries[self.place(a, b, key)];
        (entry.a == a && entry.b == b && entry.key == key).then_some(entry.result)
    }

    #[inline]
    pub(super) fn put(&mut self, a: Id, b: Id, key: Key, result: Id) {
        let place = self.place(a, b, key);
        let entry = &mut self.entries[place];
        self.replaced += usize::from(entry.a != 0 || entry.b != 0);
        *entry = Entry { a, b, key, result };
    }

    /// Doubles the table.
    pub(super) fn grow(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let len = 2 * self.entries.len();
        budget.charge(len * size_of::<Entry>())?;
        // a turn shorter than this would never get over it; the next step ends what is to end
        let _ = budget.spend(self.entries.len());
        let old = std::mem::replace(&mut self.entries, vec![NONE; len]);
        budget.release(old.len() * size_of::<Entry>());
        for entry in old {
            if entry.a != 0 || entry.b != 0 {
                self.put(entry.a, entry.b, entry.key, entry.result);
            }
        }
        self.replaced = 0;
        Ok(())
    }

    /// Forgets the entries about nodes that are gone.
    pub(super) fn purge(&mut self, is_live: impl Fn(Id) -> bool) {
        for entry in &mut self.entries {
            if !(is_live(entry.a) && is_live(entry.b) && is_live(entry.result)) {
                *entry = NONE;
            }
        }
    }
}
