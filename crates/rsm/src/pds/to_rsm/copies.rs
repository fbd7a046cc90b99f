//! The content of each copy of a procedure: rows of long lists.

use super::tails::SourcePlace;
use crate::account::ahead;
use crate::ids::NONE;
use loris_base::Csr;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// All copies of procedures, by number. The first is that where runs start.
pub(super) struct Copies {
    /// per copy its procedure, `NONE` for the one where runs start
    pub(super) class: Vec<u32>,
    /// for each exit after a pop of the procedure, the labels of the symbol it uncovers
    pub(super) contexts: Csr,
    pub(super) entries: Csr,
    /// the numbers of entries in copies that have many
    entry_numbers: FxHashMap<(u32, u32), u32>,
    /// the places that are nodes: first the entries, in order
    pub(super) nodes: Csr,
    /// the nodes that are exits before a pop, counted within the copy
    pub(super) before: Csr,
    /// for each of these, the position of the control state it returns into
    pub(super) before_positions: Vec<u32>,
    /// per copy, the positions of exits after a pop that are used
    after: Vec<u64>,
    words: usize,
    pub(super) sites: Vec<Site>,
    site_ends: Vec<u32>,
    /// per site, the positions that are returned into
    returned: Vec<u64>,
    /// for all calls of nodes, in order, the site
    pub(super) call_sites: Vec<u32>,
    /// where those of each copy end
    call_ends: Vec<u32>,
    /// (site, entry) of calls of further entries
    further: Vec<(u32, u32)>,
}

/// A call site of a copy: the callee, and the symbol that is uncovered when it returns.
pub(super) struct Site {
    pub(super) tail: u32,
    pub(super) below: u32,
    pub(super) callee: u32,
    /// the head of a call, and the place in the input
    pub(super) top: u32,
    pub(super) offset: u32,
    /// the first entry that an edge calls, `NONE` if there is none
    pub(super) called: u32,
    /// whether it is the first site of its copy with this symbol
    pub(super) is_first: bool,
    /// whether edges call further entries
    pub(super) calls_further: bool,
}

/// More entries than are searched one by one.
const MANY: usize = 16;

impl Copies {
    pub(super) fn new(class: Vec<u32>, contexts: Csr, entries: Csr, words: usize, heads: usize) -> Self {
        let mut entry_numbers = FxHashMap::default();
        for copy in (0..class.len()).filter(|&copy| entries.row(copy).len() > MANY) {
            let row = entries.row(copy).iter().enumerate();
            entry_numbers.extend(row.map(|(number, &head)| ((copy as u32, head), number as u32)));
        }
        Self {
            contexts,
            entries,
            entry_numbers,
            nodes: Csr::with_capacity(class.len(), heads),
            class,
            before: Csr::default(),
            before_positions: Vec::new(),
            after: Vec::new(),
            words,
            sites: Vec::new(),
            site_ends: Vec::new(),
            returned: Vec::new(),
            call_sites: Vec::new(),
            call_ends: Vec::new(),
            further: Vec::new(),
        }
    }

    /// How many copies there are.
    pub(super) fn len(&self) -> usize {
        self.class.len()
    }

    /// Whether runs start here and nothing calls it.
    pub(super) fn is_start(&self, copy: usize) -> bool {
        self.class[copy] == NONE
    }

    /// The positions of exits after a pop that are used.
    pub(super) fn after(&self, copy: usize) -> &[u64] {
        &self.after[copy * self.words..][..self.words]
    }

    /// The sites of a copy.
    pub(super) fn sites_of(&self, copy: usize) -> Range<usize> {
        let start = copy.checked_sub(1).map_or(0, |before| self.site_ends[before]);
        start as usize..self.site_ends[copy] as usize
    }

    /// How many calls of nodes there are before a copy.
    pub(super) fn calls_before(&self, copy: usize) -> usize {
        copy.checked_sub(1).map_or(0, |before| self.call_ends[before] as usize)
    }

    /// The positions that a site is returned into.
    #[inline]
    pub(super) fn returned(&self, site: usize) -> &[u64] {
        &self.returned[site * self.words..][..self.words]
    }

    /// Notes that a site is returned into some positions; those that are new.
    #[inline]
    pub(super) fn add_returned(&mut self, site: usize, word: usize, positions: u64) -> u64 {
        let known = &mut self.returned[site * self.words + word];
        let fresh = positions & !*known;
        *known |= fresh;
        fresh
    }

    /// Adds a site to the copy at hand.
    pub(super) fn add_site(&mut self, site: Site) {
        self.sites.push(site);
        self.returned.resize(self.returned.len() + self.words, 0);
    }

    /// Ends the copy at hand.
    pub(super) fn close(&mut self, nodes: &[SourcePlace], before: &[u32], after: &[u64]) {
        self.nodes.push_row(nodes.iter().copied());
        self.before.push_row(before.iter().copied());
        self.after.extend_from_slice(after);
        self.site_ends.push(self.sites.len() as u32);
        self.call_ends.push(self.call_sites.len() as u32);
    }

    /// The number of a head among the entries of a copy.
    ///
    /// # Panics
    /// If it is none of them.
    #[inline]
    pub(super) fn entry(&self, copy: u32, head: u32) -> u32 {
        let row = self.entries.row(copy as usize);
        if row.len() > MANY {
            return self.entry_numbers[&(copy, head)];
        }
        let number = row.iter().position(|&entry| entry == head);
        number.expect("what is called is an entry") as u32
    }

    /// Notes that an edge calls a head that is not an exit at a site. An exit has a port anyway.
    #[inline]
    pub(super) fn call(&mut self, number: usize, head: u32) {
        let entry = self.entry(self.sites[number].callee, head);
        let site = &mut self.sites[number];
        if site.called == NONE {
            site.called = entry;
        } else if site.called != entry {
            site.calls_further = true;
            self.further.push((number as u32, entry));
        }
    }

    /// The further entries that edges call at a site, once all are noted.
    pub(super) fn further(&self, site: usize) -> &[(u32, u32)] {
        if !self.sites[site].calls_further {
            return &[];
        }
        let start = self.further.partition_point(|&(other, _)| (other as usize) < site);
        let length = self.further[start..].partition_point(|&(other, _)| other as usize == site);
        &self.further[start..start + length]
    }

    /// The exits before a pop that are entries, and those that are not.
    #[inline]
    pub(super) fn exits_before(&self, copy: usize) -> (&[u32], &[u32]) {
        let (row, entries) = (self.before.row(copy), self.entries.row(copy).len() as u32);
        row.split_at(row.partition_point(|&node| node < entries))
    }

    /// The positions that the exits before a pop return into, in their order.
    #[inline]
    pub(super) fn positions_before(&self, copy: usize) -> &[u32] {
        let start = self.before.start(copy);
        &self.before_positions[start..start + self.before.row(copy).len()]
    }

    /// Records that all calls of edges are noted.
    pub(super) fn all_called(&mut self) {
        self.further.sort_unstable();
        self.further.dedup();
    }

    /// The bytes it may hold after some more nodes and sites of the present copy.
    pub(super) fn bytes_ahead(&self, nodes: usize, sites: usize) -> usize {
        self.nodes.bytes_ahead(1, nodes)
            + self.before.bytes_ahead(1, nodes)
            + ahead(&self.before_positions, nodes)
            + ahead(&self.after, self.words)
            + ahead(&self.sites, sites)
            + ahead(&self.site_ends, 1)
            + ahead(&self.call_ends, 1)
            + ahead(&self.returned, sites * self.words)
            + ahead(&self.call_sites, sites)
            + ahead(&self.further, sites)
    }
}
