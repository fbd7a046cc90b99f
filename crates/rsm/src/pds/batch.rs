//! Rules that are read and not yet numbered: the names of many are looked up together.

use super::scan::Name;
use loris_base::{NameKey, TOGETHER};

/// A rule with the names of its symbols.
pub(super) struct Line<'t> {
    pub(super) control: u32,
    pub(super) to: u32,
    /// where the rule is; `u32::MAX` past 4 GiB
    pub(super) offset: u32,
    /// the symbol, and those of its word, empty where there is none
    pub(super) names: [Name<'t>; 3],
    pub(super) keys: [NameKey; 3],
}

/// A few rules of a part of the input.
pub(super) struct Batch<'t> {
    pub(super) lines: Vec<Line<'t>>,
    text: &'t str,
    base: usize,
}

/// Rules whose names are looked up together.
const RULES: usize = TOGETHER / 3;

impl<'t> Batch<'t> {
    /// No rules of this part yet, which starts at `base`.
    pub(super) fn new(text: &'t str, base: usize) -> Self {
        Self { lines: Vec::with_capacity(RULES), text, base }
    }

    /// A name of this part as text.
    pub(super) fn text(&self, name: Name) -> &'t str {
        let start = name.offset - self.base;
        &self.text[start..start + name.text.len()]
    }

    /// Whether there is no room for another rule.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.lines.len() >= RULES
    }

    #[inline]
    pub(super) fn push(&mut self, (control, to): (u32, u32), offset: u32, names: [Name<'t>; 3]) {
        let keys = [NameKey::of(names[0].text), NameKey::of(names[1].text), NameKey::of(names[2].text)];
        self.lines.push(Line { control, to, offset, names, keys });
    }

    /// The hashes of all names.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u32> + '_ {
        let keys = self.lines.iter().flat_map(|line| line.keys.iter().zip(&line.names));
        keys.filter(|(_, name)| !name.text.is_empty()).map(|(key, _)| key.hash())
    }
}
