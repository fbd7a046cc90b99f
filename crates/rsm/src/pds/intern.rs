//! Names to numbers, fast where a name is used near its last use.

use loris_base::{Idx, Names, Symbol};

/// An interner that looks at the last name of the same ending before it searches the table of all.
pub(super) struct Interner {
    pub(super) names: Names,
    bytes: usize,
    recent: Vec<Symbol>,
}

const RECENT: usize = 4096;

/// A place by length and last eight bytes: names that are used together differ there.
#[inline]
fn place(name: &[u8]) -> usize {
    let end = match name.last_chunk::<8>() {
        Some(end) => u64::from_le_bytes(*end),
        None => name.iter().fold(0, |end, &byte| end << 8 | u64::from(byte)),
    };
    ((end ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

impl Interner {
    pub(super) fn new() -> Self {
        Self { names: Names::default(), bytes: 0, recent: vec![Symbol::new(0); RECENT] }
    }

    /// The number of a name, new or old; none if all names together would pass 4 GiB.
    #[inline]
    pub(super) fn number<I: Idx>(&mut self, name: &str) -> Option<I> {
        let recent = self.recent[place(name.as_bytes())];
        if recent.index() < self.names.len() && self.names.is(recent, name.as_bytes()) {
            return Some(I::new(recent.index()));
        }
        self.number_in_table(name)
    }

    fn number_in_table<I: Idx>(&mut self, name: &str) -> Option<I> {
        let symbol = if u32::try_from(self.bytes + name.len()).is_ok() {
            let known = self.names.len();
            let symbol = self.names.intern(name);
            self.bytes += if self.names.len() > known { name.len() } else { 0 };
            symbol
        } else {
            self.names.find(name)?
        };
        self.recent[place(name.as_bytes())] = symbol;
        Some(I::new(symbol.index()))
    }
}
