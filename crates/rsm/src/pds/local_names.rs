//! The names of one block of text, numbered as they are met: a table that stays in the nearest
//! caches.

use loris_base::NameKey;

/// A name in a block: its first and its last eight bytes, zeros where there are none, which are all
/// of a name of at most sixteen bytes, given its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalName {
    pub(super) first: u64,
    pub(super) last: u64,
    /// where it starts in the block
    pub(super) start: u32,
    pub(super) length: u32,
}

impl LocalName {
    /// Its bytes.
    #[inline]
    pub(super) fn bytes<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        &text[self.range()]
    }

    /// Where it stands.
    #[inline]
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }

    #[inline]
    fn is(&self, other: &Self, text: &[u8]) -> bool {
        (self.first, self.last, self.length) == (other.first, other.last, other.length)
            && (self.length <= 16 || self.bytes(text) == other.bytes(text))
    }

    #[inline]
    fn hash(&self, text: &[u8]) -> u32 {
        if self.length > 16 {
            return NameKey::of(self.bytes(text)).hash();
        }
        // both halves of a product, which depends on every bit of both factors
        let last = self.last ^ u64::from(self.length) ^ SEEDS[1];
        let product = u128::from(self.first ^ SEEDS[0]) * u128::from(last);
        (product as u64 ^ (product >> 64) as u64) as u32
    }
}

/// Numbers without a pattern.
const SEEDS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

/// The names of a block. Numbers count from 1; the empty name has number 0.
pub(super) struct LocalNames {
    list: Vec<LocalName>,
    /// (hash, number), 0 where there is none; a power of two, at least half of them free
    slots: Vec<(u32, u32)>,
}

impl Default for LocalNames {
    fn default() -> Self {
        Self { list: Vec::new(), slots: vec![(0, 0); 64] }
    }
}

impl LocalNames {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.slots.fill((0, 0));
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The names, in the order of their numbers.
    pub(super) fn list(&self) -> &[LocalName] {
        &self.list
    }

    /// The number of a name, new or old.
    #[inline]
    pub(super) fn number(&mut self, name: LocalName, text: &[u8]) -> u32 {
        if name.length == 0 {
            return 0;
        }
        let hash = name.hash(text);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (other, number) = self.slots[slot];
            if number == 0 {
                return self.insert(slot, hash, name);
            }
            if other == hash && self.list[number as usize - 1].is(&name, text) {
                return number;
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline(never)]
    fn insert(&mut self, slot: usize, hash: u32, name: LocalName) -> u32 {
        self.list.push(name);
        let number = self.list.len() as u32;
        self.slots[slot] = (hash, number);
        if 2 * self.list.len() > self.slots.len() {
            self.grow();
        }
        number
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = vec![(0, 0); 2 * self.slots.len()];
        let mask = slots.len() - 1;
        for &(hash, number) in self.slots.iter().filter(|slot| slot.1 != 0) {
            let mut slot = hash as usize & mask;
            while slots[slot].1 != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = (hash, number);
        }
        self.slots = slots;
    }
}
