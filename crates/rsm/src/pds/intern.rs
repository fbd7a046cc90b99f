//! Names to numbers, fast where a name is used near its last use.

use loris_base::{Idx, NameKey, Names, RecentNames, Symbol};

/// An interner that looks among recently used names before it searches the whole table.
#[derive(Default)]
pub(super) struct Interner {
    pub(super) names: Names,
    bytes: usize,
    recent: RecentNames,
    /// the last name that was asked for
    last: Option<((u64, u64), u32, Symbol)>,
}

impl Interner {
    /// The number of a name, new or old, that is mostly the one of the last time; none if all names
    /// together would pass 4 GiB.
    #[inline]
    pub(super) fn number<'t, I: Idx>(&mut self, name: &[u8], text: impl FnOnce() -> &'t str) -> Option<I> {
        let words = NameKey::words(name);
        match self.last {
            Some((last, length, symbol))
                if last == words && length as usize == name.len() && length <= 16 =>
            {
                Some(I::new(symbol.index()))
            }
            _ => {
                let number: I = self.number_of(NameKey::of(name), name, text)?;
                self.last = Some((words, name.len() as u32, Symbol::new(number.index())));
                Some(number)
            }
        }
    }

    /// The number of a name with this key, by its bytes; as text only if it is not one of the
    /// recently used.
    #[inline]
    pub(super) fn number_of<'t, I: Idx>(
        &mut self,
        key: NameKey,
        name: &[u8],
        text: impl FnOnce() -> &'t str,
    ) -> Option<I> {
        match self.recent.find(key, name, &self.names) {
            Some(symbol) => Some(I::new(symbol.index())),
            None => self.number_in_table(key, text()),
        }
    }

    /// The number of a name with this key, new or old; bypasses the recently used names.
    #[inline]
    pub(super) fn merge(&mut self, key: NameKey, name: &str) -> Option<u32> {
        if u32::try_from(self.bytes + name.len()).is_err() {
            return self.names.find_key(key, name.as_bytes()).map(|symbol| symbol.index() as u32);
        }
        let known = self.names.len();
        let symbol = self.names.intern_key(key, name);
        self.bytes += if self.names.len() > known { name.len() } else { 0 };
        Some(symbol.index() as u32)
    }

    fn number_in_table<I: Idx>(&mut self, key: NameKey, name: &str) -> Option<I> {
        let symbol = Symbol::new(self.merge(key, name)? as usize);
        self.recent.add(key, name.len(), symbol);
        Some(I::new(symbol.index()))
    }
}
