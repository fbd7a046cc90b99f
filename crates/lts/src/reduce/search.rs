//! The states of a block that reach a slice through inert transitions, and those that do not: both
//! are searched for in turn, and the search that ends first decides. So the cost is at most twice
//! that of the cheaper one, which a split may spend on either part.

use super::refine::Refiner;
use loris_base::{Budget, Exhausted};
use std::ops::Range;

/// Memory of searches.
pub(super) struct Search {
    /// for each state `UNSEEN`, `REACHES`, `AVOIDS`, or how many of its inert transitions are not
    /// known to lead to states that avoid the slice
    status: Vec<u32>,
    /// states that reach the slice
    reaching: Vec<u32>,
    /// states that do not
    avoiding: Vec<u32>,
    /// states with a number
    counted: Vec<u32>,
}

const UNSEEN: u32 = 0;
const REACHES: u32 = u32::MAX;
const AVOIDS: u32 = u32::MAX - 1;

/// States of a list, and the transitions into one of them that are left to be looked at.
#[derive(Default)]
struct Cursor {
    state: usize,
    incoming: Range<usize>,
}

impl Search {
    pub(super) fn new(states: usize) -> Self {
        Self { status: vec![UNSEEN; states], reaching: Vec::new(), avoiding: Vec::new(), counted: Vec::new() }
    }

    fn add(&mut self, state: u32, status: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.status[state as usize] != status {
            self.status[state as usize] = status;
            let list = if status == REACHES { &mut self.reaching } else { &mut self.avoiding };
            budget.reserve(list, 1)?;
            list.push(state);
        }
        Ok(())
    }

    fn reset(&mut self) {
        for state in self.reaching.drain(..).chain(self.avoiding.drain(..)).chain(self.counted.drain(..)) {
            self.status[state as usize] = UNSEEN;
        }
    }
}

impl Refiner<'_> {
    /// All states of a block that reach a slice, or all that do not, and which of the two. The
    /// range has the bottom states without a transition in the slice.
    pub(super) fn search(
        &mut self,
        slice: u32,
        lacking: Range<u32>,
        budget: &mut Budget,
    ) -> Result<(bool, Vec<u32>), Exhausted> {
        let mut search = std::mem::replace(&mut self.search, Search::new(0));
        let reaches = self.search_both(&mut search, slice, lacking, budget)?;
        let found = if reaches { &mut search.reaching } else { &mut search.avoiding };
        budget.charge(4 * found.len())?;
        let found = found.clone();
        search.reset();
        self.search = search;
        Ok((reaches, found))
    }

    fn search_both(
        &self,
        search: &mut Search,
        slice: u32,
        mut lacking: Range<u32>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let mut members = self.slices.list[slice as usize].range();
        let bunch = self.bunches.bunch(self.slices.order[members.start]);
        let (mut reaching, mut avoiding) = (Cursor::default(), Cursor::default());
        // steps that the first search is behind the second
        let mut behind = 0;
        loop {
            budget.spend(1)?;
            if let Some(place) = members.next() {
                let source = self.moves.source[self.slices.order[place] as usize];
                search.add(source, REACHES, budget)?;
            } else if let Some(place) = reaching.incoming.next() {
                let t = self.moves.incoming[place];
                if self.is_inert(t) {
                    search.add(self.moves.source[t as usize], REACHES, budget)?;
                }
            } else if let Some(&state) = search.reaching.get(reaching.state) {
                reaching = Cursor { state: reaching.state + 1, incoming: self.moves.incoming_range(state) };
            } else {
                return Ok(true);
            }
            if behind > 0 {
                behind -= 1;
                continue;
            }
            if let Some(place) = lacking.next() {
                search.add(self.states[place as usize], AVOIDS, budget)?;
            } else if let Some(place) = avoiding.incoming.next() {
                let t = self.moves.incoming[place];
                if self.is_inert(t) {
                    behind = self.avoid_one(search, self.moves.source[t as usize], bunch, budget)?;
                }
            } else if let Some(&state) = search.avoiding.get(avoiding.state) {
                avoiding = Cursor { state: avoiding.state + 1, incoming: self.moves.incoming_range(state) };
            } else {
                return Ok(false);
            }
        }
    }

    /// One more inert transition of a state leads to a state that avoids the bunch. If it is the
    /// last one, the state itself decides; else it would be a new bottom state, which happens once.
    /// Returns the number of transitions that were looked at.
    fn avoid_one(
        &self,
        search: &mut Search,
        state: u32,
        bunch: u32,
        budget: &mut Budget,
    ) -> Result<usize, Exhausted> {
        let left = match search.status[state as usize] {
            REACHES => return Ok(0),
            UNSEEN => {
                budget.reserve(&mut search.counted, 1)?;
                search.counted.push(state);
                self.inert[state as usize]
            }
            left => left,
        };
        if left > 1 {
            search.status[state as usize] = left - 1;
            return Ok(0);
        }
        let mut outgoing = self.moves.outgoing(state);
        let looked_at = outgoing.len();
        budget.spend(looked_at)?;
        let has = outgoing.any(|t| self.bunches.is_in(t, bunch));
        search.add(state, if has { REACHES } else { AVOIDS }, budget)?;
        Ok(looked_at)
    }
}
