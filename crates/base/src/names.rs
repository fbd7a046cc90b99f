//! Names, each kept once, and the nearest of them to a misspelt one.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

crate::id! {
    /// An interned name.
    pub struct Symbol;
}

use crate::Idx;

/// An interner: all names in one string, found by hash.
///
/// ```
/// use loris_base::Names;
/// let mut names = Names::default();
/// let a = names.intern("a");
/// assert_eq!(names.intern("a"), a);
/// assert_eq!(&names[a], "a");
/// assert_eq!(names.find("b"), None);
/// ```
#[derive(Clone, Default)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
    table: HashTable<Symbol>,
}

fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

fn slice<'a>(text: &'a str, ends: &[u32], symbol: Symbol) -> &'a str {
    let i = symbol.index();
    let start = if i == 0 { 0 } else { ends[i - 1] as usize };
    &text[start..ends[i] as usize]
}

impl Names {
    /// The symbol of a name, new or old.
    ///
    /// # Panics
    /// When all names together pass 4 GiB.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let Self { text, ends, table } = self;
        let hash_of = |&symbol: &Symbol| hash(slice(text, ends, symbol));
        match table.entry(hash(name), |&symbol| slice(text, ends, symbol) == name, hash_of) {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let symbol = Symbol::new(ends.len());
                entry.insert(symbol);
                text.push_str(name);
                ends.push(u32::try_from(text.len()).expect("all names together stay under 4 GiB"));
                symbol
            }
        }
    }

    /// The symbol of a name that was interned.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.table.find(hash(name), |&symbol| slice(&self.text, &self.ends, symbol) == name).copied()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All names, in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| &self[Symbol::new(i)])
    }

    /// Gives back memory that was reserved for more names.
    pub fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl std::ops::Index<Symbol> for Names {
    type Output = str;
    fn index(&self, symbol: Symbol) -> &str {
        slice(&self.text, &self.ends, symbol)
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The candidate with the fewest edits from `name`, if it is near enough to be what was meant:
/// at most a third of the letters differ. O(|name| · length) per candidate, long names cut short.
///
/// ```
/// assert_eq!(loris_base::nearest("use_j", ["def_i", "use_i"].into_iter()), Some("use_i"));
/// assert_eq!(loris_base::nearest("zebra", ["def_i", "use_i"].into_iter()), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(256).collect();
    let allowed = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    let mut row = Vec::new();
    for candidate in candidates {
        let limit = best.map_or(allowed + 1, |(distance, _)| distance);
        if candidate.len().abs_diff(name.len()) / 4 >= limit {
            continue;
        }
        let distance = edits(&wanted, candidate, limit, &mut row);
        if distance < limit {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Levenshtein distance, or `limit` as soon as it is known not to be below it.
fn edits(wanted: &[char], candidate: &str, limit: usize, row: &mut Vec<usize>) -> usize {
    row.clear();
    row.extend(0..=wanted.len());
    for (i, c) in candidate.chars().take(256).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        let mut least = row[0];
        for (j, &w) in wanted.iter().enumerate() {
            let substituted = diagonal + usize::from(w != c);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
            least = least.min(row[j + 1]);
        }
        if least >= limit {
            return limit;
        }
    }
    row[wanted.len()]
}
