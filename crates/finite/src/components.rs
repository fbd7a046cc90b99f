//! Strongly connected components of a part of the structure.
//!
//! Tarjan's algorithm (1972) with one number per state, as low as is known (Pearce 2016), and an
//! explicit stack. Invariant: a state on the stack of open ones has a number of one that is open,
//! too, and can be reached from it. Components come successors first. O(n + m) for the states and
//! edges of the part; 4 bytes per state, and at most 16 per state of the part. Oracle:
//! `src/tests/naive.rs`, through fairness.

use crate::{Column, Kripke};
use loris_base::{Budget, Exhausted};

const UNSEEN: u32 = 0;
const CLOSED: u32 = u32::MAX;

/// The arrays, to be used for one part after another.
pub(crate) struct Components {
    low: Vec<u32>,
    open: Vec<u32>,
    path: Vec<Step>,
    count: u32,
}

struct Step {
    state: u32,
    /// How many successors were looked at.
    done: u32,
    number: u32,
}

impl Components {
    pub(crate) fn new(states: usize) -> Self {
        Self { low: vec![UNSEEN; states], open: Vec::new(), path: Vec::new(), count: 0 }
    }

    /// Bytes held, at most.
    pub(crate) fn bytes(states: usize) -> usize {
        20 * states
    }

    /// Calls `found` for each component of the states of `part`.
    pub(crate) fn each(
        &mut self,
        kripke: &Kripke,
        part: &Column,
        budget: &mut Budget,
        mut found: impl FnMut(&[u32]),
    ) -> Result<(), Exhausted> {
        part.iter().for_each(|state| self.low[state as usize] = UNSEEN);
        self.count = 0;
        for root in part.iter() {
            if self.low[root as usize] == UNSEEN {
                self.enter(root);
            }
            while let Some(step) = self.path.last_mut() {
                let row = kripke.successors.row(step.state as usize);
                if let Some(&next) = row.get(step.done as usize) {
                    step.done += 1;
                    let (low, state) = (self.low[next as usize], step.state as usize);
                    if !part.contains(next) || low == CLOSED {
                        continue;
                    }
                    if low == UNSEEN {
                        self.enter(next);
                    } else {
                        self.low[state] = self.low[state].min(low);
                    }
                } else {
                    budget.spend(1 + row.len())?;
                    self.leave(&mut found);
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, state: u32) {
        self.count += 1;
        self.low[state as usize] = self.count;
        self.open.push(state);
        self.path.push(Step { state, done: 0, number: self.count });
    }

    /// Closes the component of the last state on the path if that came to it first.
    fn leave(&mut self, found: &mut impl FnMut(&[u32])) {
        let Some(step) = self.path.pop() else { return };
        let low = self.low[step.state as usize];
        if low < step.number {
            if let Some(parent) = self.path.last() {
                let parent = &mut self.low[parent.state as usize];
                *parent = (*parent).min(low);
            }
            return;
        }
        let above = self.open.iter().rev().take_while(|&&member| member != step.state).count();
        let start = self.open.len() - above - 1;
        for &member in &self.open[start..] {
            self.low[member as usize] = CLOSED;
        }
        found(&self.open[start..]);
        self.open.truncate(start);
    }
}
