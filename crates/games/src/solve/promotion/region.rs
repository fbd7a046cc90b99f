//! Regions of priority promotion, and the slots that nodes name instead of their depths.

use crate::Player;
use crate::solve::regions::{ALIVE, OTHER, Subgame};
use loris_base::{Budget, Exhausted};
use std::collections::BinaryHeap;
use std::ops::Range;

/// A region.
pub(super) struct Region {
    /// where its nodes start in the queue, which is the stack: they end where the next one starts
    pub(super) start: usize,
    /// the heads that may be open: those before them are closed
    pub(super) heads: Range<usize>,
    /// up to here, nodes have been searched for ways out
    pub(super) searched: usize,
    /// the depths of the regions above to which the opponent can go
    pub(super) ways_out: BinaryHeap<u32>,
    /// where the search for the heads of the next region starts
    pub(super) next: usize,
    /// the level of its nodes, which shows player and slot
    pub(super) mark: u32,
}

impl Region {
    /// What its attractor can grow by: all that is below is in no region.
    pub(super) fn subgame(&self) -> Subgame {
        Subgame { floor: ALIVE, low: ALIVE, high: ALIVE, mark: self.mark, compared: u32::MAX }
    }
}

/// The depths of regions by the slots that their nodes name.
#[derive(Default)]
pub(super) struct Slots {
    depths: Vec<u32>,
    free: Vec<u32>,
}

impl Slots {
    /// The level of nodes in a new region.
    pub(super) fn take(
        &mut self,
        player: Player,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
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

    /// Changes the depth of the region whose nodes have this level.
    pub(super) fn set(&mut self, mark: u32, depth: usize) {
        self.depths[(mark - OTHER) as usize / 2] = depth as u32;
    }

    pub(super) fn give_back(&mut self, mark: u32) {
        self.free.push((mark - OTHER) / 2);
    }

    /// Gives the memory back.
    pub(super) fn free(self, budget: &mut Budget) {
        budget.free(self.depths);
        budget.free(self.free);
    }

    /// The depth of a node's region; the largest number for a node that is in no region. The node
    /// must not be decided.
    pub(super) fn depth(&self, level: u32) -> u32 {
        if level == ALIVE { u32::MAX } else { self.depths[(level - OTHER) as usize / 2] }
    }
}
