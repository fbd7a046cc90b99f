//! The tangles of a closed region: the strongly connected components of its strategy. O(n + m) for
//! the region, and a sort of the escapes of each tangle.

use super::{END, Learner, Region, Tangle};
use crate::Player;
use crate::arena::Arena;
use crate::solve::regions::{Regions, is_open};
use loris_base::{Budget, Exhausted, Search};

impl<A: Arena> Learner<'_, A> {
    /// Finds the tangles of a closed region. Those without escapes are won.
    pub(super) fn learn(
        &mut self,
        regions: &mut Regions,
        region: &Region,
        won: &mut Vec<u32>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mark = region.subgame.mark;
        let player = Player::of(mark);
        let places = region.start..regions.queue.len();
        for place in places.clone() {
            regions.hint[regions.queue[place] as usize] = place as u32;
        }
        budget.spend(places.len())?;
        let (mut found, mut ends): (Vec<u32>, Vec<usize>) = (Vec::new(), Vec::new());
        // nodes of the player have one edge, and those out of the region do not count
        let here: &Regions = regions;
        let arena = self.arena;
        let mut edge = |place: u32, done: usize| {
            let node = here.queue[place as usize];
            let next = if arena.owner(node) == player {
                (done == 0).then_some(here.strategy[node as usize])
            } else {
                arena.successors(node).get(done).copied()
            }?;
            Some(if here.level[next as usize] == mark { here.hint[next as usize] } else { place })
        };
        let heads = region.start as u32..region.heads as u32;
        // the lists of places, of ends of components, and of nodes that are won
        let held = 16 * places.len();
        budget.charge(held)?;
        self.search.each(heads, &mut edge, budget, |part, _| {
            found.extend(part);
            ends.push(found.len());
        })?;
        let mut start = 0;
        for (number, &end) in ends.iter().enumerate() {
            for &place in &found[start..end] {
                self.part_of[place as usize] = number as u32;
                self.search.low[place as usize] = Search::<u32>::UNSEEN;
            }
            start = end;
        }
        budget.spend(found.len())?;
        let mut start = 0;
        for (number, &end) in ends.iter().enumerate() {
            let part = &found[start..end];
            start = end;
            self.tangle(regions, region, part, number as u32, won, budget)?;
        }
        for place in places.clone() {
            regions.hint[regions.queue[place] as usize] = 0;
        }
        budget.release(held);
        Ok(())
    }

    /// Notes a strongly connected component as a tangle, or as won.
    fn tangle(
        &mut self,
        regions: &Regions,
        region: &Region,
        part: &[u32],
        number: u32,
        won: &mut Vec<u32>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mark = region.subgame.mark;
        let player = Player::of(mark);
        let nodes = || part.iter().map(|&place| regions.queue[place as usize]);
        if let &[place] = part {
            let node = regions.queue[place as usize];
            let has_loop = if self.arena.owner(node) == player {
                regions.strategy[node as usize] == node
            } else {
                self.arena.successors(node).contains(&node)
            };
            if !has_loop {
                return budget.spend(1);
            }
        }
        let first_escape = self.escapes.len();
        for node in nodes().filter(|&node| self.arena.owner(node) != player) {
            let successors = self.arena.successors(node);
            budget.spend(1 + successors.len())?;
            budget.reserve(&mut self.escapes, successors.len())?;
            self.escapes.extend(successors.iter().filter(|&&next| {
                let level = regions.level[next as usize];
                let is_inside = level == mark && self.part_of[regions.hint[next as usize] as usize] == number;
                is_open(level) && !is_inside
            }));
        }
        budget.spend(part.len())?;
        if self.escapes.len() == first_escape {
            budget.reserve(won, part.len())?;
            won.extend(nodes());
            return Ok(());
        }
        self.escapes[first_escape..].sort_unstable();
        let mut kept = first_escape;
        for place in first_escape..self.escapes.len() {
            if place == first_escape || self.escapes[place] != self.escapes[place - 1] {
                self.escapes[kept] = self.escapes[place];
                kept += 1;
            }
        }
        self.escapes.truncate(kept);
        let count = kept - first_escape;
        budget.reserve(&mut self.links, count)?;
        for &node in &self.escapes[first_escape..] {
            let link = self.links.len() as u32;
            let next = self.first_link.insert(node, link);
            if next.is_none() {
                budget.charge(LINK_BYTES)?;
            }
            self.links.push((self.tangles.len() as u32, next.unwrap_or(END)));
        }
        let first_member = self.members.len();
        budget.reserve(&mut self.members, part.len())?;
        self.members.extend(nodes().map(|node| (node, regions.strategy[node as usize])));
        budget.reserve(&mut self.tangles, 1)?;
        self.tangles.push(Tangle {
            player,
            priority: region.priority,
            members: first_member..self.members.len(),
            escapes: first_escape..kept,
            hint: 0,
            is_gone: false,
        });
        Ok(())
    }
}

/// What the table of links takes for one entry, about.
const LINK_BYTES: usize = 20;
