//! Tables of contexts: long keys that differ in a few bits, distinguished by a hash that is kept.

use hashbrown::HashTable;

/// From a hash and an instance to that instance, or whatever else has contexts; keys themselves
/// live elsewhere.
///
/// The hash of every entry is kept, so that growing does not read the keys again.
pub struct ContextTable<T> {
    table: HashTable<(u64, T)>,
}

impl<T> Default for ContextTable<T> {
    fn default() -> Self {
        Self { table: HashTable::default() }
    }
}

impl<T: Copy + Eq> ContextTable<T> {
    /// The instance with this hash for which `same` holds.
    pub fn find(&self, hash: u64, same: impl Fn(T) -> bool) -> Option<T> {
        self.table
            .find(hash, |&(other, instance)| other == hash && same(instance))
            .map(|&(_, instance)| instance)
    }

    /// Adds an instance.
    pub fn insert(&mut self, hash: u64, instance: T) {
        self.table.insert_unique(hash, (hash, instance), |&(hash, _)| hash);
    }

    /// Removes an instance, if it is there.
    pub(crate) fn remove(&mut self, hash: u64, instance: T) {
        if let Ok(entry) = self.table.find_entry(hash, |&entry| entry == (hash, instance)) {
            entry.remove();
        }
    }

    /// Keeps the instances for which `keep` holds.
    pub(crate) fn retain(&mut self, keep: impl Fn(T) -> bool) {
        self.table.retain(|&mut (_, instance)| keep(instance));
    }
}

/// A hash that distinguishes words which differ in single bits, wherever those are.
pub fn hash_words(seed: u32, words: impl Iterator<Item = u64>) -> u64 {
    let mix = |hash: u64| {
        let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        hash ^ (hash >> 29)
    };
    mix(words.fold(mix(u64::from(seed) + 1), |hash, word| mix(hash.rotate_left(5) ^ word)))
}
