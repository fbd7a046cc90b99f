//! What happens in priority promotion when a region is won.

use super::Promotion;
use super::region::Region;
use crate::Player;
use crate::arena::Arena;
use crate::solve::regions::{ALIVE, OTHER, Regions, Subgame, is_open};
use loris_base::{Budget, Exhausted};

impl<A: Arena> Promotion<'_, A> {
    /// Decides the lowest region, which is won, and all that it attracts in what is left of the
    /// game. Returns how many nodes were decided.
    ///
    /// A region above that is still right without these nodes can be kept, but may not be maximal
    /// any more, or not open. Regions are dissolved from the first such one on if they were built
    /// in less time than has passed since this was done last; else only from the first one on in
    /// which the loser has to move into what is decided, and the search goes on below.
    pub(super) fn win(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<usize, Exhausted> {
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
}
