//! Initial stacks of more than one symbol: the symbols below the top, and heads above that.

use super::search::HeadSearch;
use crate::pds::Configuration;
use loris_base::{Budget, Exhausted, Idx};
use rustc_hash::{FxHashMap, FxHashSet};

/// A head, or a head with more of an initial stack below: `heads + i` is the `i`-th of these.
pub(super) type SourcePlace = u32;

/// The symbols below the tops of initial stacks.
pub(super) struct Tails {
    /// the uppermost symbol and the rest; tail 0 is empty
    list: Vec<(u32, u32)>,
    /// where runs start
    pub(super) starts: Vec<(u32, u32)>,
    /// (tail, head) of places past the heads
    places: Vec<(u32, u32)>,
    numbers: FxHashMap<(u32, u32), SourcePlace>,
}

impl Tails {
    /// Meets all heads that occur in runs from these configurations.
    pub(super) fn met(
        search: &mut HeadSearch,
        initial: &[Configuration],
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut list = vec![(0, 0)];
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let (mut starts, mut work) = (Vec::new(), Vec::new());
        for initial in initial {
            let Some((&top, below)) = initial.stack.split_first() else { continue };
            let mut tail = 0;
            for symbol in below.iter().rev().map(|symbol| symbol.index() as u32) {
                tail = *known.entry((symbol, tail)).or_insert_with(|| {
                    list.push((symbol, tail));
                    list.len() as u32 - 1
                });
            }
            // a symbol of a stack is a tail, of which there is a table
            budget.charge(48 * below.len())?;
            let (control, top) = (initial.control.index() as u32, top.index() as u32);
            starts.push((tail, search.meet(control, top, budget)?));
        }
        work.extend_from_slice(&starts);
        let mut seen: FxHashSet<(u32, u32)> = starts.iter().copied().collect();
        while let Some((tail, head)) = work.pop() {
            if tail == 0 {
                continue;
            }
            // a set that is complete: all that follows from the head has been met
            let (symbol, rest) = list[tail as usize];
            for position in search.pops(head) {
                let next = (rest, search.meet(search.returns[position as usize], symbol, budget)?);
                budget.spend(1)?;
                if seen.insert(next) {
                    budget.charge(32)?;
                    work.push(next);
                }
            }
        }
        Ok(Self { list, starts, places: Vec::new(), numbers: FxHashMap::default() })
    }

    /// The place of a head above a tail, new or old.
    #[inline]
    pub(super) fn place(&mut self, heads: usize, tail: u32, head: u32) -> SourcePlace {
        if tail == 0 {
            return head;
        }
        *self.numbers.entry((tail, head)).or_insert_with(|| {
            self.places.push((tail, head));
            (heads + self.places.len() - 1) as u32
        })
    }

    /// The place of a head above a tail, if it is one.
    pub(super) fn find(&self, tail: u32, head: u32) -> Option<SourcePlace> {
        if tail == 0 { Some(head) } else { self.numbers.get(&(tail, head)).copied() }
    }

    /// The head of a place, and the tail below it.
    #[inline]
    pub(super) fn head(&self, heads: usize, place: SourcePlace) -> (u32, u32) {
        match (place as usize).checked_sub(heads) {
            None => (place, 0),
            Some(i) => (self.places[i].1, self.places[i].0),
        }
    }

    /// The uppermost symbol of a tail, and the rest.
    pub(super) fn split(&self, tail: u32) -> (u32, u32) {
        self.list[tail as usize]
    }

    /// How many places there are that are not heads.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}
