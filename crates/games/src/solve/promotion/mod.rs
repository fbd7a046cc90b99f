//! Priority promotion on the rest of a component, with a stack of regions.
//!
//! The search takes the nodes that are in no region, from the largest priority down to the first
//! that favours the other player, as the heads of a new region, and attracts to them among the
//! nodes that are in no region. If the opponent can leave a region for a node below, or the player
//! cannot stay at a head, the region is open, and the search goes on below. Else the opponent can
//! only flee to regions above, which the same player rules: the region is promoted to the lowest of
//! these, and all regions between the two are dissolved. A closed region without such a way out is
//! won, with all that it attracts; the regions that this cannot have changed are kept.
//!
//! Sources: Benerecetti, Dell'Erba and Mogavero 2016, with promotion on the way up as in their
//! later NPP: a region that grew is judged at once, and nothing below is built anew before.
//! Invariant: the regions lie on a stack, the most important one first. In each, the player can
//! force the play to stay and win, or to leave it from an open head or to a region above. When it
//! was built or grew, it was all that it could attract of what lay below.
//!
//! Costs: a descent takes O(n + m). A promotion takes time only for what is dissolved, for the
//! region that grows if it was never searched for ways out, and, up to a logarithm over a chain of
//! promotions, for the smaller of the two regions and their lists of ways out: nodes have the
//! number of a slot, and a slot has the depth of its region. The number of promotions between two
//! dominions can be exponential in the number of priorities, but seldom is. For each region some 80
//! bytes, and its ways out; no more per node. Oracle: `tests/common/mod.rs`.

mod pause;
mod region;
mod win;

use super::regions::{ALIVE, Regions, is_open};
use crate::Player;
use crate::arena::Arena;
use loris_base::{Budget, Exhausted};
use region::{Region, Slots};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The search for dominions, which can be paused.
pub(super) struct Promotion<'a, A> {
    arena: &'a A,
    /// the places of nodes that may not be decided, the largest priority first
    pub(super) left: Range<usize>,
    /// how many of them are decided
    decided: usize,
    /// the regions, the most important one first
    stack: Vec<Region>,
    slots: Slots,
    /// steps that building a region takes per node, on average
    per_node: u64,
    /// whether all regions are maximal and those above the lowest one open
    is_exact: bool,
    /// when regions were dissolved to be exact again, and when all were
    rebuilt: u64,
    restarted: u64,
}

impl<'a, A: Arena> Promotion<'a, A> {
    /// A search that decides nodes that are alive, among which everyone can move.
    pub(super) fn new(
        arena: &'a A,
        regions: &mut Regions,
        rest: Range<usize>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let nodes = &mut regions.nodes[rest.clone()];
        budget.spend(nodes.len().saturating_mul(2))?;
        nodes.sort_unstable_by_key(|&node| Reverse(arena.priority(node)));
        let edges: usize = nodes.iter().map(|&node| arena.successors(node).len()).sum();
        regions.queue.clear();
        Ok(Self {
            arena,
            per_node: 1 + (edges / nodes.len().max(1)) as u64,
            left: rest,
            decided: 0,
            stack: Vec::new(),
            slots: Slots::default(),
            is_exact: true,
            rebuilt: budget.spent(),
            restarted: budget.spent(),
        })
    }

    /// How many nodes are not decided.
    pub(super) fn undecided(&self) -> usize {
        self.left.len() - self.decided
    }

    /// Decides nodes until the budget has counted this many steps. Whether all are decided.
    pub(super) fn run(
        &mut self,
        regions: &mut Regions,
        limit: u64,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        while self.undecided() > 0 && budget.spent() <= limit {
            if !self.descend(regions, budget)? || !self.climb(regions, budget)? {
                continue;
            }
            self.decided += self.win(regions, budget)?;
            if 2 * self.decided > self.left.len() {
                // so that descents do not pass most nodes in vain
                self.dissolve(regions, 0, budget)?;
                self.compact(regions, budget)?;
            }
        }
        Ok(self.undecided() == 0)
    }

    /// Builds the next region. If nothing is left for it, which can only be if the regions are not
    /// exact, dissolves all of them instead, and returns false.
    fn descend(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<bool, Exhausted> {
        let from = self.stack.last().map_or(self.left.start, |region| region.next);
        let alive = |&place: &usize| regions.level[regions.nodes[place] as usize] == ALIVE;
        let Some(first) = (from..self.left.end).find(alive) else {
            assert!(!self.is_exact, "a region with nothing below it is closed");
            self.dissolve(regions, 0, budget)?;
            return Ok(false);
        };
        let player = Player::of(self.arena.priority(regions.nodes[first]));
        let mark = self.slots.take(player, self.stack.len(), budget)?;
        let start = regions.queue.len();
        let mut region = Region {
            start,
            heads: start..start,
            searched: start,
            ways_out: BinaryHeap::new(),
            next: first,
            mark,
        };
        while region.next < self.left.end {
            let node = regions.nodes[region.next];
            if regions.level[node as usize] == ALIVE {
                if Player::of(self.arena.priority(node)) != player {
                    break;
                }
                regions.seed(node, region.subgame());
            }
            region.next += 1;
        }
        budget.spend(1 + region.next - from)?;
        region.heads.end = regions.queue.len();
        regions.attract(self.arena, region.subgame(), start, budget)?;
        budget.reserve(&mut self.stack, 1)?;
        self.stack.push(region);
        Ok(true)
    }

    /// Promotes the lowest region while it is closed. Whether it is won.
    fn climb(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<bool, Exhausted> {
        loop {
            if !self.is_closed(regions, budget)? {
                return Ok(false);
            }
            let depth = self.stack.len() - 1;
            self.search_ways_out(regions, depth, regions.queue.len(), budget)?;
            let ways_out = &mut self.stack[depth].ways_out;
            while ways_out.peek().is_some_and(|&way| way as usize >= depth) {
                ways_out.pop();
                budget.spend(1)?;
            }
            let Some(&above) = ways_out.peek() else { return Ok(true) };
            self.promote(regions, above as usize, budget)?;
        }
    }

    /// Whether the player can stay in the lowest region and the opponent cannot leave it for a node
    /// below. Only heads are in question, and those that were closed once still are. Gives heads of
    /// the player a move that stays.
    fn is_closed(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<bool, Exhausted> {
        let region = self.stack.last_mut().expect("a region was built");
        let player = Player::of(region.mark);
        while !region.heads.is_empty() {
            let node = regions.queue[region.heads.start];
            let successors = self.arena.successors(node);
            budget.spend(1 + successors.len())?;
            let level = |next: u32| regions.level[next as usize];
            if level(node) != region.mark {
                // decided
            } else if self.arena.owner(node) == player {
                let stays = successors.iter().find(|&&next| level(next) == region.mark);
                let Some(&next) = stays else { return Ok(false) };
                regions.strategy[node as usize] = next;
            } else if successors.iter().any(|&next| level(next) == ALIVE) {
                return Ok(false);
            }
            region.heads.start += 1;
        }
        Ok(true)
    }

    /// Notes the regions above to which the opponent can go from a region, up to a place on the
    /// stack.
    fn search_ways_out(
        &mut self,
        regions: &Regions,
        depth: usize,
        end: usize,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let region = &mut self.stack[depth];
        let player = Player::of(region.mark);
        let before = region.ways_out.capacity();
        let mut last = u32::MAX;
        for &node in &regions.queue[region.searched..end] {
            if self.arena.owner(node) == player || regions.level[node as usize] != region.mark {
                continue;
            }
            let successors = self.arena.successors(node);
            budget.spend(1 + successors.len())?;
            for &next in successors {
                let level = regions.level[next as usize];
                if level == region.mark || !is_open(level) {
                    continue;
                }
                let way = self.slots.depth(level);
                if way < depth as u32 && way != last {
                    debug_assert_eq!(Player::of(level), player);
                    region.ways_out.push(way);
                    last = way;
                }
            }
        }
        region.searched = end;
        budget.charge(size_of::<u32>() * (region.ways_out.capacity() - before))
    }

    /// Adds the lowest region to one above, and dissolves those between.
    fn promote(&mut self, regions: &mut Regions, above: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let end = self.stack[above + 1].start;
        self.search_ways_out(regions, above, end, budget)?;
        let mut promoted = self.stack.pop().expect("a region is promoted");
        for between in self.stack.drain(above + 1..) {
            self.slots.give_back(between.mark);
            budget.release(size_of::<u32>() * between.ways_out.capacity());
        }
        let gap = promoted.start - end;
        let added = regions.queue.len() - promoted.start;
        budget.spend(1 + gap)?;
        for place in end..promoted.start {
            let level = &mut regions.level[regions.queue[place] as usize];
            if is_open(*level) {
                *level = ALIVE;
            }
        }
        // the promoted nodes come first
        for place in 0..gap.min(added) {
            let last = regions.queue.len() - 1 - place;
            regions.queue.swap(end + place, last);
        }
        // the smaller part changes its level
        let region = self.stack.last_mut().expect("the region above was kept");
        let (given_up, changed) = if added <= end - region.start {
            (promoted.mark, end..end + added)
        } else {
            let given_up = std::mem::replace(&mut region.mark, promoted.mark);
            self.slots.set(promoted.mark, above);
            (given_up, region.start..end)
        };
        budget.spend(changed.len())?;
        for &node in &regions.queue[changed] {
            let level = &mut regions.level[node as usize];
            if *level == given_up {
                *level = region.mark;
            }
        }
        self.slots.give_back(given_up);
        let capacity = |heap: &BinaryHeap<u32>| size_of::<u32>() * heap.capacity();
        budget.release(capacity(&region.ways_out) + capacity(&promoted.ways_out));
        region.ways_out.append(&mut promoted.ways_out);
        budget.charge(capacity(&region.ways_out))?;
        // Nodes that were below before have an escape below still, unless one that was dissolved is
        // attracted.
        region.searched = end + added;
        let subgame = region.subgame();
        // what was decided since stays out
        let mut kept = end + added;
        for place in end + added..regions.queue.len() {
            let node = regions.queue[place];
            if regions.level[node as usize] == ALIVE {
                regions.queue[kept] = node;
                kept += 1;
            }
        }
        regions.queue.truncate(kept);
        regions.retain_attracted(self.arena, subgame, end + added, budget)?;
        regions.attract(self.arena, subgame, end + added, budget)
    }

    /// Dissolves the regions from a depth on.
    fn dissolve(
        &mut self,
        regions: &mut Regions,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        if depth == 0 {
            self.is_exact = true;
            (self.rebuilt, self.restarted) = (budget.spent(), budget.spent());
        }
        let Some(region) = self.stack.get(depth) else { return Ok(()) };
        for &node in &regions.queue[region.start..] {
            let level = &mut regions.level[node as usize];
            if is_open(*level) {
                *level = ALIVE;
            }
        }
        budget.spend(1 + regions.queue.len() - region.start)?;
        regions.queue.truncate(region.start);
        for region in self.stack.drain(depth..) {
            self.slots.give_back(region.mark);
            budget.release(size_of::<u32>() * region.ways_out.capacity());
        }
        Ok(())
    }

    /// Puts the nodes that are not decided first.
    fn compact(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.spend(self.left.len())?;
        let mut end = self.left.start;
        let mut stack = self.stack.iter_mut().peekable();
        for place in self.left.clone() {
            // the search for the heads of a next region starts at the same node as before
            while let Some(region) = stack.next_if(|region| region.next == place) {
                region.next = end;
            }
            if is_open(regions.level[regions.nodes[place] as usize]) {
                regions.nodes.swap(place, end);
                end += 1;
            }
        }
        for region in stack {
            region.next = end;
        }
        self.left.end = end;
        self.decided = 0;
        Ok(())
    }

    /// Gives the memory back.
    pub(super) fn free(mut self, regions: &mut Regions, budget: &mut Budget) -> Result<(), Exhausted> {
        self.dissolve(regions, 0, budget)?;
        budget.free(self.stack);
        self.slots.free(budget);
        Ok(())
    }
}
