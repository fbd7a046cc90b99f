//! Rules that are read and not yet numbered: the names of many are looked up together.

use super::scan::Token;
use loris_base::{NameKey, TOGETHER};

/// A rule with the names of its symbols.
pub(super) struct Line<'t> {
    pub(super) control: u32,
    pub(super) to: u32,
    /// where the rule is; `u32::MAX` past 4 GiB
    pub(super) offset: u32,
    /// the symbol, and those of its word, empty where there is none
    pub(super) names: [&'t str; 3],
    pub(super) keys: [NameKey; 3],
}

/// A few rules.
pub(super) struct Batch<'t> {
    pub(super) lines: Vec<Line<'t>>,
}

/// Rules whose names are looked up together.
const RULES: usize = TOGETHER / 3;

impl<'t> Batch<'t> {
    pub(super) fn new() -> Self {
        Self { lines: Vec::with_capacity(RULES) }
    }

    /// Whether there is no room for another rule.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.lines.len() >= RULES
    }

    #[inline]
    pub(super) fn push(&mut self, (control, to): (u32, u32), offset: u32, names: [Token<'t>; 3]) {
        let [one, two, three] = [names[0].text, names[1].text, names[2].text];
        let key = |name: &str| NameKey::of(name.as_bytes());
        let keys = [key(one), key(two), key(three)];
        self.lines.push(Line { control, to, offset, names: [one, two, three], keys });
    }

    /// The hashes of all names.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u32> + '_ {
        let keys = self.lines.iter().flat_map(|line| line.keys.iter().zip(&line.names));
        keys.filter(|(_, name)| !name.is_empty()).map(|(key, _)| key.hash())
    }
}
