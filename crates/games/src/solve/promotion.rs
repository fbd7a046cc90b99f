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
//! Sources: Benerecetti, Dell'Erba and Mogavero 2016, with promotion on the way up as in their later
//! NPP: a region that grew is judged at once, and nothing below is built anew before. Invariant: the
//! regions lie on a stack, above the others in the game means below them on the stack, and in each
//! the player can force the play to stay and win, or to leave it from an open head or upwards. Each
//! region is the attractor of its heads and its promoted regions among itself and what is below.
//!
//! Costs: a descent takes O(n + m). A promotion takes time only for what is dissolved, for the
//! region that grows if it was never searched for ways out, and, up to a logarithm over a chain of
//! promotions, for the smaller of the two regions and their lists of ways out: nodes have the
//! number of a slot, and a slot has the depth of its region. The number of promotions between two
//! dominions can be exponential in the number of priorities, but seldom is. For each region some 80
//! bytes, and its ways out; no more per node. Oracle: `tests/common/mod.rs`.

use super::regions::{ALIVE, OTHER, Regions, Subgame};
use crate::Player;
use crate::arena::Arena;
use loris_base::{Budget, Exhausted};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Decides nodes that are alive, among which everyone can move. Gives up when the budget has
/// counted this many steps, and returns the places of the nodes that are not decided: those are
/// alive.
pub(super) fn promotion(
    arena: &impl Arena,
    regions: &mut Regions,
    rest: Range<usize>,
    limit: u64,
    budget: &mut Budget,
) -> Result<Range<usize>, Exhausted> {
    let before = budget.used();
    let nodes = &mut regions.nodes[rest.clone()];
    budget.spend(nodes.len().saturating_mul(2))?;
    nodes.sort_unstable_by_key(|&node| Reverse(arena.priority(node)));
    regions.queue.clear();
    let edges: usize = nodes.iter().map(|&node| arena.successors(node).len()).sum();
    let mut search = Promotion {
        arena,
        per_node: 1 + (edges / nodes.len()) as u64,
        left: rest,
        stack: Vec::new(),
        slots: Slots::default(),
        is_exact: true,
        rebuilt: budget.spent(),
        restarted: budget.spent(),
    };
    let mut decided = 0;
    while search.left.len() > decided && budget.spent() <= limit {
        if !search.descend(regions, budget)? {
            continue;
        }
        if !search.climb(regions, budget)? {
            continue;
        }
        decided += search.win(regions, budget)?;
        if 2 * decided > search.left.len() {
            // so that descents do not pass most nodes in vain
            search.restart(regions, budget)?;
            decided = 0;
        }
    }
    search.restart(regions, budget)?;
    let left = search.left;
    budget.free(search.stack);
    budget.release(budget.used() - before);
    Ok(left)
}

/// A region.
struct Region {
    /// where its nodes start in the queue, which is the stack: they end where the next one starts
    start: usize,
    /// the heads that may be open: those before them are closed
    heads: Range<usize>,
    /// up to here, nodes have been searched for ways out
    searched: usize,
    /// the depths of the regions above to which the opponent can go
    ways_out: BinaryHeap<u32>,
    /// where the search for the heads of the next region starts
    next: usize,
    /// the level of its nodes, which shows player and slot
    mark: u32,
}

impl Region {
    /// What its attractor can grow by: all that is below is in no region.
    fn subgame(&self) -> Subgame {
        Subgame { floor: ALIVE, low: ALIVE, high: ALIVE, mark: self.mark, compared: u32::MAX }
    }
}

/// The depths of regions by the slots that their nodes name.
#[derive(Default)]
struct Slots {
    depths: Vec<u32>,
    free: Vec<u32>,
}

impl Slots {
    /// The level of nodes in a new region.
    fn take(&mut self, player: Player, depth: usize, budget: &mut Budget) -> Result<u32, Exhausted> {
        let slot = if let Some(slot) = self.free.pop() {
            slot
        } else {
            budget.reserve(&mut self.depths, 1)?;
            budget.reserve(&mut self.free, self.depths.len() + 1)?;
            self.depths.push(0);
            self.depths.len() as u32 - 1
        };
        self.depths[slot as usize] = depth as u32;
        Ok(OTHER + 2 * slot + player.number())
    }

    fn give_back(&mut self, mark: u32) {
        self.free.push((mark - OTHER) / 2);
    }

    /// The depth of a node's region; the largest number for a node that is in no region. The node
    /// must not be decided.
    fn depth(&self, level: u32) -> u32 {
        if level == ALIVE { u32::MAX } else { self.depths[(level - OTHER) as usize / 2] }
    }
}

/// Whether a level is that of a node that is not decided.
pub(super) fn is_open(level: u32) -> bool {
    (OTHER..=ALIVE).contains(&level)
}

struct Promotion<'a, A> {
    arena: &'a A,
    /// the places of nodes that may not be decided, the largest priority first
    left: Range<usize>,
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

impl<A: Arena> Promotion<'_, A> {
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
            self.slots.depths[(promoted.mark - OTHER) as usize / 2] = above as u32;
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

    /// Decides the lowest region, which is won, and all that it attracts in what is left of the
    /// game. Returns how many nodes were decided.
    ///
    /// A region above that is still right without these nodes can be kept, but may not be maximal
    /// any more, or not open. Regions are dissolved from the first such one on if they were built
    /// in less time than has passed since this was done last; else only from the first one on in
    /// which the loser has to move into what is decided, and the search goes on below.
    fn win(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<usize, Exhausted> {
        let depth = self.stack.len() - 1;
        let Region { start, mark, .. } = self.stack[depth];
        let winner = Player::of(mark);
        let won = Subgame::at_depth(1, winner).mark;
        let all = Subgame { floor: OTHER, low: OTHER, high: ALIVE, mark: won, compared: u32::MAX };
        let affordable = self.affordable(regions, self.rebuilt, budget);
        let restarts = !self.is_exact && self.affordable(regions, self.restarted, budget) == 0;
        let (mut wrong, mut changed) = (depth as u32, depth as u32);
        let mut kept = start;
        for place in start..regions.queue.len() {
            let node = regions.queue[place];
            if regions.level[node as usize] == mark {
                regions.level[node as usize] = won;
                regions.queue[kept] = node;
                kept += 1;
            }
        }
        regions.queue.truncate(kept);
        // nodes of regions above have their place in the queue already
        let mut above: Vec<u32> = Vec::new();
        let (mut done, mut decided) = (start, 0);
        loop {
            let node = if let Some(&node) = regions.queue.get(done) {
                done += 1;
                node
            } else if let Some(node) = above.pop() {
                node
            } else {
                break;
            };
            decided += 1;
            let mut steps = 1;
            for before in self.arena.predecessors(node) {
                steps += 1;
                let level = regions.level[before as usize];
                if !is_open(level) {
                    continue;
                }
                changed = changed.min(self.slots.depth(level));
                if self.arena.owner(before) == winner {
                    regions.strategy[before as usize] = node;
                } else {
                    let successors = self.arena.successors(before);
                    if regions.can_avoid(before, successors, all) {
                        if regions.strategy[before as usize] == node && Player::of(level) != winner {
                            wrong = wrong.min(self.slots.depth(level));
                        }
                        if changed > 0 && changed as usize >= affordable {
                            // it may be attracted now by a region to which it can still move
                            steps += successors.len();
                            changed = changed.min(self.lowest(regions, successors));
                        }
                        continue;
                    }
                }
                regions.level[before as usize] = won;
                if level == ALIVE {
                    regions.queue.push(before);
                } else {
                    budget.reserve(&mut above, 1)?;
                    above.push(before);
                }
            }
            budget.spend(steps)?;
        }
        budget.free(above);
        if restarts {
            self.dissolve(regions, 0, budget)?;
        } else if changed as usize >= affordable {
            self.dissolve(regions, changed as usize, budget)?;
            self.rebuilt = budget.spent();
        } else {
            self.is_exact = false;
            self.dissolve(regions, wrong as usize, budget)?;
        }
        Ok(decided)
    }

    /// The first depth from which on regions can be built anew in the time that has passed.
    fn affordable(&self, regions: &Regions, since: u64, budget: &Budget) -> usize {
        let nodes = 2 * (budget.spent() - since) / self.per_node;
        let first = (regions.queue.len() as u64).saturating_sub(nodes);
        self.stack.partition_point(|region| (region.start as u64) < first)
    }

    /// The depth of the lowest region of these nodes; the largest number if one is in no region.
    fn lowest(&self, regions: &Regions, nodes: &[u32]) -> u32 {
        let levels = nodes.iter().map(|&node| regions.level[node as usize]);
        levels.filter(|&level| is_open(level)).map(|level| self.slots.depth(level)).max().unwrap_or(0)
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

    /// Dissolves all regions, and puts the nodes that are not decided first.
    fn restart(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<(), Exhausted> {
        self.dissolve(regions, 0, budget)?;
        budget.spend(self.left.len())?;
        let mut end = self.left.start;
        for place in self.left.clone() {
            if is_open(regions.level[regions.nodes[place] as usize]) {
                regions.nodes.swap(place, end);
                end += 1;
            }
        }
        self.left.end = end;
        Ok(())
    }
}
