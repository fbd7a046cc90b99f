//! Coarsest partition that is stable under all transitions, for strong and for branching
//! bisimulation, in O(m log n) time for n states and m transitions.
//!
//! After Jansen, Groote, Keiren and Wijs, *An O(m log n) algorithm for branching bisimilarity on
//! labelled transition systems* (TACAS 2020). Silent transitions within a block are *inert*; they
//! have no cycles. A state without them is a *bottom* state. All other transitions are in
//! *bunches*, and all transitions from one block in one bunch are a *slice*.
//!
//! The invariant: if a block has transitions in a bunch, then all of its bottom states have; and
//! all transitions from one block with one label into one block are in one bunch. So, when each
//! bunch has transitions with one label into one block only, all states of a block reach the same
//! labels and blocks through inert transitions.
//!
//! The loop takes a target (one label into one block) of at most half of its bunch out of it, as a
//! bunch of its own, and splits blocks by both ([`Refiner::separate`]). When a split makes silent
//! transitions visible, states become bottom states that may lack transitions of any bunch. The
//! block of those that reach them is cut off, and all of its slices are queued
//! ([`Refiner::settle`], [`Refiner::drain`]). A state becomes a bottom state once.
//!
//! For strong bisimulation no transition is inert, and all states are bottom states. Blocks with
//! one state cannot be split; their transitions leave the slices.

use super::bunches::{Bunches, INERT};
use super::moves::Moves;
use super::slices::{NONE, Slices};
use loris_base::{Budget, Exhausted};
use std::ops::Range;

/// States of a block: a range of [`Refiner::states`], bottom states first.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) start: u32,
    /// where the other states start
    pub(super) bottoms_end: u32,
    pub(super) end: u32,
}

impl Block {
    pub(super) fn len(self) -> u32 {
        self.end - self.start
    }
}

/// What a split found: the block of states that reach a slice.
#[derive(Clone, Copy)]
pub(super) struct Split {
    pub(super) reaching: u32,
    /// the slice of the transitions from there that are no longer inert, or `NONE`
    pub(super) visible: u32,
    /// the part of the watched slice from those that reach, and from the others; or `NONE`
    pub(super) watched: (u32, u32),
    pub(super) other: u32,
}

/// The state of a refinement.
pub(super) struct Refiner<'m> {
    pub(super) moves: &'m Moves,
    pub(super) states: Vec<u32>,
    pub(super) place: Vec<u32>,
    pub(super) block_of: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    /// for each state the number of its inert transitions
    pub(super) inert: Vec<u32>,
    pub(super) slices: Slices,
    pub(super) bunches: Bunches,
    queue: Vec<u32>,
    /// for each transition in a slice, a counter for its source and bunch
    counter_of: Vec<u32>,
    counters: Vec<u32>,
    free_counters: Vec<u32>,
    /// for each state, the counter of the bunch that is being made
    new_counter: Vec<u32>,
    /// whether a state lost its last transition of the bunch that is being separated
    lost: Vec<bool>,
    pub(super) search: super::search::Search,
}

impl<'m> Refiner<'m> {
    /// Charges for all arrays whose size is known.
    fn charge(moves: &Moves, budget: &mut Budget) -> Result<(), Exhausted> {
        let (n, m) = (moves.state_count(), moves.len());
        budget.charge(Slices::bytes(m, 0) + Bunches::bytes(m) + 8 * m + 22 * n)
    }

    /// A partition by classes, which are numbers below `classes`.
    pub(super) fn new(
        moves: &'m Moves,
        class_of: Vec<u32>,
        classes: usize,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        Self::charge(moves, budget)?;
        let n = moves.state_count();
        let mut refiner = Refiner {
            moves,
            states: vec![0; n],
            place: vec![0; n],
            block_of: class_of,
            blocks: Vec::new(),
            inert: vec![0; n],
            slices: Slices::new(moves.len(), classes),
            bunches: Bunches::new(moves.len()),
            queue: Vec::new(),
            counter_of: vec![NONE; moves.len()],
            counters: Vec::new(),
            free_counters: Vec::new(),
            new_counter: vec![NONE; n],
            lost: vec![false; n],
            search: super::search::Search::new(n),
        };
        refiner.make_blocks(classes, budget)?;
        refiner.make_bunches(budget)?;
        refiner.make_counters(budget)?;
        Ok(refiner)
    }

    fn make_blocks(&mut self, classes: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let n = self.moves.state_count();
        budget.spend(n + self.moves.len())?;
        for t in 0..self.moves.len() {
            if self.moves.is_silent(t) && self.is_within(t) {
                self.inert[self.moves.source[t] as usize] += 1;
            }
        }
        budget.reserve(&mut self.blocks, classes)?;
        self.blocks.resize(classes, Block { start: 0, bottoms_end: 0, end: 0 });
        for state in 0..n {
            let block = &mut self.blocks[self.block_of[state] as usize];
            block.end += 1;
            block.bottoms_end += u32::from(self.inert[state] == 0);
        }
        let mut start = 0;
        for block in &mut self.blocks {
            let (bottoms, all) = (block.bottoms_end, block.end);
            // both ends as cursors, which arrive there when all states are in place
            *block = Block { start, bottoms_end: start, end: start + bottoms };
            start += all;
        }
        for state in 0..n {
            let block = &mut self.blocks[self.block_of[state] as usize];
            let cursor = if self.inert[state] == 0 { &mut block.bottoms_end } else { &mut block.end };
            self.states[*cursor as usize] = state as u32;
            self.place[state] = *cursor;
            *cursor += 1;
        }
        Ok(())
    }

    fn is_within(&self, t: usize) -> bool {
        let (source, target) = (self.moves.source[t] as usize, self.moves.target[t] as usize);
        self.block_of[source] == self.block_of[target]
    }

    /// A bunch for each label, sorted by blocks.
    fn make_bunches(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let (labels, m) = (self.moves.labels, self.moves.len());
        budget.charge(8 * (labels + 1))?;
        budget.spend(labels + 4 * m)?;
        let is_in: Vec<bool> = (0..m).map(|t| !(self.moves.is_silent(t) && self.is_within(t))).collect();
        budget.charge(is_in.len())?;
        let mut starts = vec![0u32; labels + 1];
        for t in (0..m).filter(|&t| is_in[t]) {
            starts[self.moves.label[t] as usize + 1] += 1;
        }
        for label in 0..labels {
            starts[label + 1] += starts[label];
        }
        let total = starts[labels] as usize;
        let (mut by_source, mut by_target) = (starts.clone(), starts.clone());
        self.slices.order.resize(total, 0);
        self.bunches.order.resize(total, 0);
        // states by blocks, so that the transitions with one label are sorted by blocks
        for &state in &self.states {
            for t in self.moves.outgoing(state).filter(|&t| is_in[t as usize]) {
                let cursor = &mut by_source[self.moves.label[t as usize] as usize];
                self.slices.order[*cursor as usize] = t;
                *cursor += 1;
            }
            for &t in self.moves.incoming(state).iter().filter(|&&t| is_in[t as usize]) {
                let cursor = &mut by_target[self.moves.label[t as usize] as usize];
                self.bunches.order[*cursor as usize] = t;
                *cursor += 1;
            }
        }
        for label in 0..labels {
            let (start, end) = (starts[label] as usize, starts[label + 1] as usize);
            if start == end {
                continue;
            }
            self.bunches.add_bunch(start, budget)?;
            for range in groups(start..end, |i| self.source_block(self.slices.order[i])) {
                let block = self.source_block(self.slices.order[range.start]);
                self.slices.add(range, block, budget)?;
            }
            let target_block =
                |i: usize| self.block_of[self.moves.target[self.bunches.order[i] as usize] as usize];
            for range in groups(start..end, target_block) {
                self.bunches.add(range, budget)?;
            }
        }
        budget.release(8 * (labels + 1) + is_in.len());
        Ok(())
    }

    pub(super) fn source_block(&self, t: u32) -> u32 {
        self.block_of[self.moves.source[t as usize] as usize]
    }

    /// A counter for each state and label.
    fn make_counters(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let labels = self.moves.labels;
        budget.charge(8 * labels)?;
        budget.spend(labels + self.moves.len())?;
        let mut latest = vec![(NONE, 0u32); labels];
        for state in 0..self.moves.state_count() as u32 {
            for t in self.moves.outgoing(state) {
                if self.slices.of[t as usize] == NONE {
                    continue;
                }
                let slot = &mut latest[self.moves.label[t as usize] as usize];
                if slot.0 != state {
                    budget.reserve(&mut self.counters, 1)?;
                    *slot = (state, self.counters.len() as u32);
                    self.counters.push(0);
                }
                self.counter_of[t as usize] = slot.1;
                self.counters[slot.1 as usize] += 1;
            }
        }
        budget.release(8 * labels);
        Ok(())
    }

    /// Refines until nothing splits. The classes afterwards are `block_of`.
    pub(super) fn run(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        for block in 0..self.blocks.len() as u32 {
            if self.blocks[block as usize].len() == 1 {
                self.retire(block, budget)?;
            } else {
                self.queue_all(block, budget)?;
            }
        }
        self.drain(budget)?;
        while let Some(target) = self.bunches.separate(budget)? {
            self.separate(target, budget)?;
        }
        Ok(())
    }

    /// Splits blocks by a bunch that has just been separated from another, and by that other.
    fn separate(&mut self, target: Range<u32>, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.spend(target.len())?;
        for place in target.clone() {
            let t = self.bunches.order[place as usize];
            if self.slices.of[t as usize] != NONE {
                self.slices.carve(t, budget)?;
                self.count_anew(t, budget)?;
            }
        }
        for place in target.clone() {
            let t = self.bunches.order[place as usize];
            self.new_counter[self.moves.source[t as usize] as usize] = NONE;
        }
        // collected now, as splits change the order of the bunch
        let mut losers = Vec::new();
        for place in target {
            let source = self.moves.source[self.bunches.order[place as usize] as usize];
            if self.lost[source as usize] {
                budget.reserve(&mut losers, 1)?;
                losers.push(source);
            }
        }
        let touched = std::mem::take(&mut self.slices.touched);
        for &old in &touched {
            let new = std::mem::replace(&mut self.slices.list[old as usize].carved, NONE);
            let block = self.source_block(self.slices.order[self.slices.list[new as usize].start as usize]);
            self.slices.link(new, block);
            if self.slices.list[old as usize].is_empty() {
                // all bottom states had transitions of the old bunch: now all have of the new one
                self.slices.discard(old, block, budget)?;
            } else {
                self.split_by_both(block, new, old, budget)?;
            }
        }
        budget.free(touched);
        for &state in &losers {
            self.lost[state as usize] = false;
        }
        budget.free(losers);
        Ok(())
    }

    /// Moves a transition from the counter of its source for the old bunch to that for the new.
    fn count_anew(&mut self, t: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let source = self.moves.source[t as usize] as usize;
        let old = self.counter_of[t as usize];
        self.counters[old as usize] -= 1;
        if self.counters[old as usize] == 0 {
            self.lost[source] = true;
            budget.reserve(&mut self.free_counters, 1)?;
            self.free_counters.push(old);
        }
        self.count(t, budget)
    }

    /// Counts a transition for the bunch that is being made.
    pub(super) fn count(&mut self, t: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let source = self.moves.source[t as usize] as usize;
        if self.new_counter[source] == NONE {
            self.new_counter[source] = if let Some(counter) = self.free_counters.pop() {
                counter
            } else {
                budget.reserve(&mut self.counters, 1)?;
                self.counters.push(0);
                self.counters.len() as u32 - 1
            };
        }
        let counter = self.new_counter[source];
        self.counters[counter as usize] += 1;
        self.counter_of[t as usize] = counter;
        Ok(())
    }

    /// Ends the counting for a bunch.
    pub(super) fn forget_counter(&mut self, t: u32) {
        self.new_counter[self.moves.source[t as usize] as usize] = NONE;
    }

    /// Splits a block by a slice of the new bunch, then those that reach it by the slice of the old
    /// bunch that is left.
    fn split_by_both(
        &mut self,
        block: u32,
        new: u32,
        old: u32,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let range = self.slices.list[new as usize].range();
        budget.spend(range.len())?;
        // bottom states without a transition of the old bunch; all of them have one of the new
        let mut losers = Vec::new();
        for place in range.clone() {
            let source = self.moves.source[self.slices.order[place] as usize];
            if self.lost[source as usize] && self.inert[source as usize] == 0 {
                budget.reserve(&mut losers, 1)?;
                losers.push(source);
            }
        }
        let bottoms = self.blocks[block as usize].start..self.blocks[block as usize].bottoms_end;
        let having = self.gather(block, range);
        let (mut rest, mut left) = (block, old);
        if bottoms.start + having < bottoms.end {
            let split = self.split(block, new, bottoms.start + having..bottoms.end, old, budget)?;
            (rest, left) = self.settle(split.reaching, split.visible, split.watched.0, budget)?;
        }
        if rest != NONE && left != NONE && !losers.is_empty() {
            let mut front = self.blocks[rest as usize].start;
            for &state in &losers {
                if self.place[state as usize] >= front {
                    self.exchange(self.place[state as usize], front);
                    front += 1;
                }
            }
            let lacking = self.blocks[rest as usize].start..front;
            let split = self.split(rest, left, lacking, NONE, budget)?;
            self.settle(split.reaching, split.visible, NONE, budget)?;
        }
        budget.free(losers);
        self.drain(budget)
    }

    /// Moves the bottom states that are sources of transitions in a range of slices to the front of
    /// their block; returns how many they are.
    fn gather(&mut self, block: u32, range: Range<usize>) -> u32 {
        let start = self.blocks[block as usize].start;
        let mut front = start;
        for place in range {
            let source = self.moves.source[self.slices.order[place] as usize];
            let at = self.place[source as usize];
            if self.inert[source as usize] == 0 && at >= front {
                self.exchange(at, front);
                front += 1;
            }
        }
        front - start
    }

    /// Exchanges two states of a block.
    pub(super) fn exchange(&mut self, one: u32, other: u32) {
        let (a, b) = (self.states[one as usize], self.states[other as usize]);
        self.states[one as usize] = b;
        self.states[other as usize] = a;
        self.place[b as usize] = one;
        self.place[a as usize] = other;
    }

    /// Restores the invariant for a block with transitions that are no longer inert, all in the
    /// slice `visible`: cuts off the states that reach them and queues the slices of those. Returns
    /// the block that is left and its part of a watched slice, or `NONE`.
    fn settle(
        &mut self,
        block: u32,
        visible: u32,
        watched: u32,
        budget: &mut Budget,
    ) -> Result<(u32, u32), Exhausted> {
        if visible == NONE {
            return Ok((block, watched));
        }
        let Block { start, bottoms_end, .. } = self.blocks[block as usize];
        // bottom states with a visible transition are new ones, the others are old
        let having = self.gather(block, self.slices.list[visible as usize].range());
        if start + having == bottoms_end {
            self.queue_all(block, budget)?;
            return Ok((NONE, NONE));
        }
        let split = self.split(block, visible, start + having..bottoms_end, watched, budget)?;
        if self.blocks[split.reaching as usize].len() > 1 {
            self.queue_all(split.reaching, budget)?;
        }
        Ok((split.other, split.watched.1))
    }

    /// Queues all slices of a block whose bottom states are all new, and marks the transitions of
    /// those.
    fn queue_all(&mut self, block: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let Block { start, bottoms_end, .. } = self.blocks[block as usize];
        for place in start..bottoms_end {
            let outgoing = self.moves.outgoing(self.states[place as usize]);
            budget.spend(1 + outgoing.len())?;
            for t in outgoing {
                self.slices.mark(t);
            }
        }
        let mut slice = self.slices.first(block);
        while slice != NONE {
            self.queue(slice, budget)?;
            slice = self.slices.next(slice);
        }
        Ok(())
    }

    pub(super) fn queue(&mut self, slice: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        if !std::mem::replace(&mut self.slices.list[slice as usize].is_queued, true) {
            budget.reserve(&mut self.queue, 1)?;
            self.queue.push(slice);
        }
        Ok(())
    }

    /// Splits blocks by queued slices until there are none. The bottom states that have transitions
    /// of such a slice are the sources of those that are marked.
    fn drain(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        while let Some(id) = self.queue.pop() {
            budget.spend(1)?;
            let slice = &mut self.slices.list[id as usize];
            slice.is_queued = false;
            if slice.is_empty() {
                self.slices.release(id, budget)?;
                continue;
            }
            let marked = slice.start as usize..(slice.start + slice.marked) as usize;
            slice.marked = 0;
            budget.spend(marked.len())?;
            let block = self.source_block(self.slices.order[self.slices.list[id as usize].start as usize]);
            let having = self.gather(block, marked);
            let Block { start, bottoms_end, .. } = self.blocks[block as usize];
            if start + having < bottoms_end {
                let split = self.split(block, id, start + having..bottoms_end, NONE, budget)?;
                self.settle(split.reaching, split.visible, NONE, budget)?;
            }
        }
        Ok(())
    }

    /// Whether a transition is inert.
    #[inline]
    pub(super) fn is_inert(&self, t: u32) -> bool {
        self.bunches.of[t as usize] == INERT
    }
}

/// Cuts a range where a key of its members changes.
fn groups(range: Range<usize>, key: impl Fn(usize) -> u32) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut start = range.start;
    for i in range.clone().skip(1) {
        if key(i) != key(i - 1) {
            groups.push(start..i);
            start = i;
        }
    }
    groups.push(start..range.end);
    groups
}
