//! The call sites of one copy after the other, found by callee and uncovered symbol.

use super::copies::Site;
use crate::ids::NONE;
use rustc_hash::FxHashMap;

/// The site of the present copy by symbol, callee and tail: mostly the symbol suffices.
#[derive(Default)]
pub(super) struct SiteIndex {
    /// per symbol: the last copy that has a site with it, and the first such site
    first: Vec<(u32, u32)>,
    /// by copy, tail, symbol and callee: all others
    further: FxHashMap<(u32, u32, u32, u32), u32>,
}

impl SiteIndex {
    pub(super) fn new(symbols: usize) -> Self {
        Self { first: vec![(NONE, 0); symbols], further: FxHashMap::default() }
    }

    /// The bytes of an index for this many symbols.
    pub(super) fn bytes(symbols: usize) -> usize {
        8 * symbols
    }

    /// The site of a copy for a tail, a symbol and a callee, of those that were given to it; `next`
    /// if it is new, and whether it is the first of its symbol then.
    #[inline]
    pub(super) fn site(
        &mut self,
        copy: u32,
        (tail, below, callee): (u32, u32, u32),
        next: u32,
        sites: &[Site],
    ) -> (u32, bool) {
        let first = &mut self.first[below as usize];
        if first.0 != copy {
            *first = (copy, next);
            return (next, true);
        }
        let known = first.1;
        // the one that is new now is not in the list yet
        let is_it = |site: &Site| (site.tail, site.callee) == (tail, callee);
        if sites.get(known as usize).is_some_and(is_it) {
            return (known, false);
        }
        (*self.further.entry((copy, tail, below, callee)).or_insert(next), false)
    }
}
