//! Priority promotion (Benerecetti, Dell'Erba and Mogavero 2016) on the rest of a component.
//!
//! Every node has a region, at first its own priority. From the top down, the nodes of a region
//! attract in the subgame of lower regions for the player whom the region favours. If the opponent
//! can leave the region for a lower one, or the player cannot stay, the search goes on below. Else
//! the player wins unless the opponent flees to a higher region, which the same player rules. The
//! region is promoted to the lowest of these, and all regions below start again. A region without
//! such a way out is won, with all that it attracts.
//!
//! Regions are levels of [`Regions`]: `OTHER` + the compressed priority. Invariant: in each region
//! above the current one the player can force the play to its top priority or out of it to a region
//! above. Exponential at worst, but seldom. 12 more bytes per node. Oracle: `tests/common/mod.rs`.

use super::regions::{ALIVE, OTHER, Regions, Subgame};
use crate::Player;
use crate::arena::Arena;
use crate::solution::NONE;
use loris_base::{Budget, Exhausted};
use std::ops::Range;

/// Decides nodes that are alive, among which everyone can move.
pub(super) fn promotion(
    arena: &impl Arena,
    regions: &mut Regions,
    rest: Range<usize>,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let levels = Levels::new(arena, regions, rest.clone(), budget)?;
    let held = 8 * rest.len() + (size_of::<Vec<u32>>() + size_of::<usize>()) * (levels.count + 1);
    budget.charge(held)?;
    let lists = vec![Vec::new(); levels.count];
    let mut search = Promotion { arena, levels: &levels, starts: Vec::new(), lists };
    let mut left = rest;
    while !left.is_empty() {
        search.restart(regions, left.clone(), budget)?;
        search.dominion(regions, budget)?;
        // the nodes that are not decided come first
        let mut end = left.start;
        for place in left.clone() {
            if regions.level[regions.nodes[place] as usize] >= OTHER {
                regions.nodes.swap(place, end);
                end += 1;
            }
        }
        budget.spend(left.len())?;
        left.end = end;
    }
    budget.release(held);
    levels.release(budget);
    Ok(())
}

/// The priorities of the nodes, compressed: neighbours that favour one player count as one.
struct Levels {
    /// the smallest priority of each level, ascending
    least: Vec<u32>,
    /// whether the lowest level favours `Odd`
    shift: u32,
    count: usize,
    bytes: usize,
}

impl Levels {
    fn new(
        arena: &impl Arena,
        regions: &Regions,
        rest: Range<usize>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let bytes = 4 * rest.len();
        budget.charge(bytes)?;
        let mut least: Vec<u32> = regions.nodes[rest].iter().map(|&node| arena.priority(node)).collect();
        budget.spend(2 * least.len())?;
        least.sort_unstable();
        least.dedup_by_key(|priority| Player::of(*priority));
        let shift = least.first().map_or(0, |priority| priority % 2);
        let count = least.len() + shift as usize;
        Ok(Self { least, shift, count, bytes })
    }

    /// The level of a priority, which favours the same player.
    fn of(&self, priority: u32) -> u32 {
        self.shift + self.least.partition_point(|&least| least <= priority) as u32 - 1
    }

    fn release(self, budget: &mut Budget) {
        budget.release(self.bytes);
    }
}

struct Promotion<'a, A> {
    arena: &'a A,
    levels: &'a Levels,
    /// where the nodes whose priority has this level start, and where the last ones end
    starts: Vec<usize>,
    /// the nodes of each region that was built; empty if it was not
    lists: Vec<Vec<u32>>,
}

impl<A: Arena> Promotion<'_, A> {
    /// Puts all nodes into the regions of their priorities.
    fn restart(
        &mut self,
        regions: &mut Regions,
        left: Range<usize>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        self.lists.iter_mut().for_each(Vec::clear);
        budget.spend(3 * left.len() + self.lists.len())?;
        let nodes = &mut regions.nodes[left.clone()];
        nodes.sort_unstable_by_key(|&node| self.arena.priority(node));
        self.starts.clear();
        for (place, &node) in left.clone().zip(nodes.iter()) {
            let level = self.own_level(node);
            regions.level[node as usize] = OTHER + level;
            while self.starts.len() <= level as usize {
                self.starts.push(place);
            }
        }
        self.starts.resize(self.levels.count + 1, left.end);
        Ok(())
    }

    /// The level of a node's priority.
    fn own_level(&self, node: u32) -> u32 {
        self.levels.of(self.arena.priority(node))
    }

    /// Finds a region that is won, and decides all nodes that it attracts.
    fn dominion(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut level = self.levels.count as u32 - 1;
        loop {
            let subgame = Subgame {
                floor: OTHER,
                low: OTHER,
                high: OTHER + level,
                mark: OTHER + level,
                compared: u32::MAX,
            };
            regions.queue.clear();
            let list = &self.lists[level as usize];
            regions.queue.extend_from_slice(list);
            if list.is_empty() {
                let own = &regions.nodes[self.starts[level as usize]..self.starts[level as usize + 1]];
                let level = &regions.level;
                let there = own.iter().filter(|&&node| level[node as usize] == subgame.mark);
                regions.queue.extend(there);
                budget.spend(own.len())?;
            }
            budget.spend(1 + list.len())?;
            let own = regions.queue.len();
            regions.attract(self.arena, subgame, 0, budget)?;
            self.lists[level as usize].clear();
            self.lists[level as usize].extend_from_slice(&regions.queue);
            if regions.queue.is_empty() || !self.is_closed(regions, own, subgame, budget)? {
                // as every node can move, the lowest region is closed
                debug_assert!(level > 0);
                level -= 1;
                continue;
            }
            let Some(higher) = self.way_out(regions, subgame, budget)? else {
                let won = Player::of(subgame.mark);
                let all = Subgame { high: ALIVE, mark: Subgame::at_depth(1, won).mark, ..subgame };
                for place in 0..regions.queue.len() {
                    let node = regions.queue[place];
                    regions.level[node as usize] = all.mark;
                }
                return regions.attract(self.arena, all, 0, budget);
            };
            self.promote(regions, level, higher, budget)?;
            level = higher;
        }
    }

    /// Whether the player can stay in the region of the queue and the opponent cannot leave it for
    /// a lower one. Gives the first nodes, which were not attracted, a move that stays.
    fn is_closed(
        &self,
        regions: &mut Regions,
        own: usize,
        subgame: Subgame,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let player = Player::of(subgame.mark);
        for place in 0..regions.queue.len() {
            let node = regions.queue[place];
            let successors = self.arena.successors(node);
            budget.spend(1 + successors.len())?;
            let level = |next: u32| regions.level[next as usize];
            if self.arena.owner(node) != player {
                let lower = |&next: &u32| subgame.low <= level(next) && level(next) < subgame.mark;
                if successors.iter().any(lower) {
                    return Ok(false);
                }
            } else if place < own {
                let chosen = regions.strategy[node as usize];
                if chosen != NONE && level(chosen) == subgame.mark {
                    continue;
                }
                let Some(&next) = successors.iter().find(|&&next| level(next) == subgame.mark) else {
                    return Ok(false);
                };
                regions.strategy[node as usize] = next;
            }
        }
        Ok(true)
    }

    /// The lowest of the higher regions to which the opponent can go from that of the queue.
    fn way_out(
        &self,
        regions: &Regions,
        subgame: Subgame,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Exhausted> {
        let player = Player::of(subgame.mark);
        let mut lowest = None;
        for &node in &regions.queue {
            if self.arena.owner(node) == player {
                continue;
            }
            let successors = self.arena.successors(node);
            budget.spend(1 + successors.len())?;
            let levels = successors.iter().map(|&next| regions.level[next as usize]);
            let higher = levels.filter(|&level| level > subgame.mark && level < ALIVE).min();
            lowest = lowest.into_iter().chain(higher).min();
        }
        Ok(lowest.map(|level| level - OTHER))
    }

    /// Adds a region to a higher one, and lets all below that one start again.
    fn promote(
        &mut self,
        regions: &mut Regions,
        level: u32,
        higher: u32,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let promoted = std::mem::take(&mut self.lists[level as usize]);
        for &node in &promoted {
            regions.level[node as usize] = OTHER + higher;
        }
        self.lists[higher as usize].extend_from_slice(&promoted);
        budget.spend(promoted.len())?;
        // those below were not built, and lost nodes to the dissolved ones only
        for between in level..higher {
            let dissolved = std::mem::take(&mut self.lists[between as usize]);
            budget.spend(1 + dissolved.len())?;
            for node in dissolved {
                regions.level[node as usize] = OTHER + self.own_level(node);
            }
        }
        Ok(())
    }
}
