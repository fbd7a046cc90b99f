//! Priority promotion gives way to another solver, and goes on where it was.

use super::Promotion;
use crate::arena::Arena;
use crate::solve::regions::{ALIVE, Regions};
use loris_base::{Budget, Exhausted};

/// What the other solver overwrites.
pub(in crate::solve) struct Paused {
    /// the stack of nodes, with their moves
    nodes: Vec<(u32, u32)>,
    /// when it was paused
    since: u64,
}

impl<A: Arena> Promotion<'_, A> {
    /// Lets all nodes that are not decided be alive and in the places of `left`.
    pub(in crate::solve) fn pause(
        &mut self,
        regions: &mut Regions,
        budget: &mut Budget,
    ) -> Result<Paused, Exhausted> {
        self.compact(regions, budget)?;
        let mut nodes = Vec::new();
        budget.reserve(&mut nodes, regions.queue.len())?;
        budget.spend(regions.queue.len())?;
        nodes.extend(regions.queue.iter().map(|&node| (node, regions.strategy[node as usize])));
        for place in self.left.clone() {
            regions.level[regions.nodes[place] as usize] = ALIVE;
        }
        Ok(Paused { nodes, since: budget.spent() })
    }

    /// Goes on with these nodes, which are alive. If they are as many as before, they must be in
    /// the same places, and the regions are what they were; else the search starts afresh.
    pub(in crate::solve) fn resume(
        &mut self,
        regions: &mut Regions,
        paused: Paused,
        left: std::ops::Range<usize>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        regions.queue.clear();
        budget.spend(paused.nodes.len())?;
        if left == self.left {
            // those that are decided stay decided
            for (number, region) in self.stack.iter().enumerate() {
                let end = self.stack.get(number + 1).map_or(paused.nodes.len(), |next| next.start);
                for &(node, next) in &paused.nodes[region.start..end] {
                    regions.queue.push(node);
                    if regions.level[node as usize] == ALIVE {
                        regions.level[node as usize] = region.mark;
                        regions.strategy[node as usize] = next;
                    }
                }
            }
            let passed = budget.spent() - paused.since;
            self.rebuilt += passed;
            self.restarted += passed;
        } else {
            self.left = left;
            regions.queue.extend(paused.nodes.iter().map(|&(node, _)| node));
            self.dissolve(regions, 0, budget)?;
        }
        budget.free(paused.nodes);
        Ok(())
    }
}
