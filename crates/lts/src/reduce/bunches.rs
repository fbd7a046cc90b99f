//! Bunches of transitions, each made of targets: the transitions of a bunch with one label into one
//! block. A bunch is a range of an array, and so is each target in it.

use super::slices::NONE;
use loris_base::{Budget, Exhausted};

/// Transitions of one bunch with one label into one block: a range of [`Bunches::order`].
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) bunch: u32,
    carved: u32,
}

/// All bunches.
#[derive(Default)]
pub(super) struct Bunches {
    pub(super) order: Vec<u32>,
    place: Vec<u32>,
    /// the target of each transition; [`INERT`] or [`DEAD`] if it is in no bunch
    pub(super) of: Vec<u32>,
    targets: Vec<Target>,
    free: Vec<u32>,
    /// start and end of each bunch
    ranges: Vec<(u32, u32)>,
    /// bunches that may have several targets
    worklist: Vec<u32>,
    is_listed: Vec<bool>,
    touched: Vec<u32>,
}

/// Silent, within a block.
pub(super) const INERT: u32 = NONE;
/// Not inert, from a block with one state, which nothing can split.
pub(super) const DEAD: u32 = NONE - 1;

impl Bunches {
    pub(super) fn new(transitions: usize) -> Self {
        Self {
            order: Vec::with_capacity(transitions),
            place: vec![0; transitions],
            of: vec![INERT; transitions],
            ..Self::default()
        }
    }

    /// Bytes for this many transitions, without bunches and targets.
    pub(super) fn bytes(transitions: usize) -> usize {
        12 * transitions
    }

    /// The bunch of a transition that is in one.
    #[inline]
    pub(super) fn bunch(&self, transition: u32) -> u32 {
        self.targets[self.of[transition as usize] as usize].bunch
    }

    /// Whether a transition is in this bunch.
    #[inline]
    pub(super) fn is_in(&self, transition: u32, bunch: u32) -> bool {
        let target = self.of[transition as usize];
        target < DEAD && self.targets[target as usize].bunch == bunch
    }

    /// A bunch without transitions, whose targets start at a place of `order`.
    pub(super) fn add_bunch(&mut self, start: usize, budget: &mut Budget) -> Result<u32, Exhausted> {
        let (start, bunch) = (start as u32, self.ranges.len() as u32);
        budget.reserve(&mut self.ranges, 1)?;
        budget.reserve(&mut self.is_listed, 1)?;
        self.ranges.push((start, start));
        self.is_listed.push(false);
        Ok(bunch)
    }

    /// A target of the last bunch with the transitions of the next range of `order`.
    pub(super) fn add(
        &mut self,
        range: std::ops::Range<usize>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let bunch = self.ranges.len() as u32 - 1;
        let (start, end) = (range.start as u32, range.end as u32);
        let target = self.allocate(Target { start, end, bunch, carved: NONE }, budget)?;
        for place in range {
            let transition = self.order[place] as usize;
            self.place[transition] = place as u32;
            self.of[transition] = target;
        }
        self.ranges[bunch as usize].1 = end;
        self.list(bunch, budget)
    }

    fn allocate(&mut self, target: Target, budget: &mut Budget) -> Result<u32, Exhausted> {
        if let Some(id) = self.free.pop() {
            self.targets[id as usize] = target;
            return Ok(id);
        }
        budget.reserve(&mut self.targets, 1)?;
        self.targets.push(target);
        Ok(self.targets.len() as u32 - 1)
    }

    fn list(&mut self, bunch: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        if !std::mem::replace(&mut self.is_listed[bunch as usize], true) {
            budget.reserve(&mut self.worklist, 1)?;
            self.worklist.push(bunch);
        }
        Ok(())
    }

    fn swap(&mut self, one: u32, other: u32) {
        let (a, b) = (self.order[one as usize], self.order[other as usize]);
        self.order[one as usize] = b;
        self.order[other as usize] = a;
        self.place[b as usize] = one;
        self.place[a as usize] = other;
    }

    /// Moves a transition, whose target state is in a new block, to a target of its own bunch that
    /// is being cut off.
    pub(super) fn carve(&mut self, transition: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let target = self.of[transition as usize];
        let Target { end, bunch, mut carved, .. } = self.targets[target as usize];
        if carved == NONE {
            carved = self.allocate(Target { start: end, end, bunch, carved: NONE }, budget)?;
            self.targets[target as usize].carved = carved;
            budget.reserve(&mut self.touched, 1)?;
            self.touched.push(target);
        }
        self.targets[target as usize].end -= 1;
        let last = self.targets[target as usize].end;
        self.swap(self.place[transition as usize], last);
        self.targets[carved as usize].start = last;
        self.of[transition as usize] = carved;
        Ok(())
    }

    /// Ends the cutting of targets: bunches that have more of them now are listed.
    pub(super) fn finish_carving(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        while let Some(target) = self.touched.pop() {
            let Target { start, end, bunch, .. } = self.targets[target as usize];
            self.targets[target as usize].carved = NONE;
            if start == end {
                budget.reserve(&mut self.free, 1)?;
                self.free.push(target);
            } else {
                self.list(bunch, budget)?;
            }
        }
        Ok(())
    }

    /// Takes a target of at most half of its bunch out of it and makes it a bunch of its own, if
    /// there is a bunch with several targets; returns its range.
    pub(super) fn separate(
        &mut self,
        budget: &mut Budget,
    ) -> Result<Option<std::ops::Range<u32>>, Exhausted> {
        while let Some(bunch) = self.worklist.pop() {
            self.is_listed[bunch as usize] = false;
            let (start, end) = self.ranges[bunch as usize];
            if start == end {
                continue;
            }
            let first = self.of[self.order[start as usize] as usize];
            let last = self.of[self.order[end as usize - 1] as usize];
            if first == last {
                continue;
            }
            let length = |target: u32| {
                let Target { start, end, .. } = self.targets[target as usize];
                end - start
            };
            let small = if length(first) <= length(last) { first } else { last };
            let other = self.add_bunch(0, budget)?;
            let Target { start: from, end: to, .. } = self.targets[small as usize];
            self.targets[small as usize].bunch = other;
            self.ranges[other as usize] = (from, to);
            self.ranges[bunch as usize] = if small == first { (to, end) } else { (start, from) };
            self.list(bunch, budget)?;
            return Ok(Some(from..to));
        }
        Ok(None)
    }
}
