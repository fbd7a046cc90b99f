//! Names of a machine that is done: found by symbol only, so that no table of hashes is kept.

use loris_base::{Idx, NameList, Names, Symbol};

/// All names in one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    text: Box<str>,
    ends: Box<[u32]>,
}

impl NameTable {
    pub(crate) fn of(names: &Names) -> Self {
        let mut text = String::with_capacity(names.iter().map(str::len).sum());
        let mut ends = Vec::with_capacity(names.len());
        for name in names.iter() {
            text.push_str(name);
            ends.push(text.len() as u32);
        }
        Self { text: text.into_boxed_str(), ends: ends.into_boxed_slice() }
    }

    /// These names, where they are.
    pub(crate) fn from_list(names: NameList) -> Self {
        let (text, ends) = names.into_parts();
        Self { text: text.into_boxed_str(), ends: ends.into_boxed_slice() }
    }

    /// The same names and one more, with its symbol.
    pub(crate) fn with(&self, name: &str) -> (Self, Symbol) {
        let text = format!("{}{name}", self.text);
        let ends: Box<[u32]> = self.ends.iter().copied().chain([text.len() as u32]).collect();
        let symbol = Symbol::new(self.ends.len());
        (Self { text: text.into_boxed_str(), ends }, symbol)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + 4 * self.ends.len()
    }
}

impl std::ops::Index<Symbol> for NameTable {
    type Output = str;
    fn index(&self, symbol: Symbol) -> &str {
        let i = symbol.index();
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.text[start..self.ends[i] as usize]
    }
}
