//! Strongly connected components of the nodes that are alive, successors first.
//!
//! The search works in the arrays of [`Regions`], which are free at that time and whose levels are
//! its numbers: the path goes from a node to the one above it by `strategy`, with its number in
//! `hint`, and the open nodes are in `queue`. O(n + m).

use super::regions::{ALIVE, OTHER, Regions, WAITING};
use crate::arena::Arena;
use crate::solution::NONE;
use loris_base::{BitSet, Budget, Exhausted, Path, Search};

const _: () = assert!(
    ALIVE == Search::<u32>::UNSEEN && WAITING == Search::<u32>::CLOSED && OTHER == Search::<u32>::FIRST
);

/// Appends to a list the nodes that are alive and reachable from the roots, component by component,
/// and lets them wait. Returns the set of the places where a component ends: that of its last node.
///
/// No other node may have a level of [`OTHER`] or more that is less than [`ALIVE`]. The list must
/// have room for all of them.
pub(super) fn components(
    arena: &impl Arena,
    regions: &mut Regions,
    roots: impl Iterator<Item = u32>,
    found: &mut Vec<u32>,
    budget: &mut Budget,
) -> Result<BitSet, Exhausted> {
    let mut ends = BitSet::within(found.capacity(), budget)?;
    let (level, mut open) = (std::mem::take(&mut regions.level), std::mem::take(&mut regions.queue));
    open.clear();
    let path = Linked { above: &mut regions.strategy, numbers: &mut regions.hint, last: NONE };
    let mut search = Search::new(level, open, path);
    let mut edge = |node: u32, done: usize| arena.successors(node).get(done).copied();
    search.each(roots, &mut edge, budget, |members, _| {
        found.extend(members.iter().rev());
        ends.insert(found.len() as u32 - 1);
    })?;
    (regions.level, regions.queue) = (search.low, search.open);
    Ok(ends)
}

/// A path in the arrays of nodes.
struct Linked<'r> {
    above: &'r mut [u32],
    numbers: &'r mut [u32],
    last: u32,
}

impl Path<u32> for Linked<'_> {
    #[inline]
    fn push(&mut self, node: u32, _: &mut Budget) -> Result<(), Exhausted> {
        self.above[node as usize] = std::mem::replace(&mut self.last, node);
        self.numbers[node as usize] = 0;
        Ok(())
    }

    #[inline]
    fn number(&mut self, node: u32) -> &mut u32 {
        &mut self.numbers[node as usize]
    }

    #[inline]
    fn pop(&mut self, node: u32) -> Option<u32> {
        self.numbers[node as usize] = 0;
        self.last = std::mem::replace(&mut self.above[node as usize], NONE);
        (self.last != NONE).then_some(self.last)
    }
}
