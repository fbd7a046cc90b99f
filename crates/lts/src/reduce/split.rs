//! Splits a block, gives the smaller part a new number, and moves its transitions to new slices and
//! targets. O(transitions of the smaller part).

use super::bunches::DEAD;
use super::refine::{Block, Refiner, Split};
use super::slices::NONE;
use loris_base::{Budget, Exhausted};
use std::ops::Range;

impl Refiner<'_> {
    /// Splits a block into the states that reach a slice of it through inert transitions, and the
    /// others. The range has the bottom states without a transition in the slice, which are some
    /// and come first or last among the bottom states. Follows a watched slice of the block, or
    /// none.
    pub(super) fn split(
        &mut self,
        block: u32,
        slice: u32,
        lacking: Range<u32>,
        watched: u32,
        budget: &mut Budget,
    ) -> Result<Split, Exhausted> {
        let Block { start, bottoms_end, end } = self.blocks[block as usize];
        // the first part, the second part, and whether the second one reaches the slice
        let (first, second, second_reaches) = if bottoms_end == end {
            let cut = if lacking.start == start { lacking.end } else { lacking.start };
            let part = |start, end| Block { start, bottoms_end: end, end };
            (part(start, cut), part(cut, end), lacking.start == start)
        } else {
            let (reaches, found) = self.search(slice, lacking, budget)?;
            let (first, second) = self.move_behind(block, &found);
            budget.release(4 * found.len());
            (first, second, reaches)
        };
        let new = self.blocks.len() as u32;
        budget.reserve(&mut self.blocks, 1)?;
        let second_is_new = second.len() <= first.len();
        let (kept, cut) = if second_is_new { (first, second) } else { (second, first) };
        self.blocks[block as usize] = kept;
        self.blocks.push(cut);
        self.slices.add_block(budget)?;
        for place in cut.start..cut.end {
            self.block_of[self.states[place as usize] as usize] = new;
        }
        let new_reaches = second_is_new == second_reaches;
        let visible = self.move_transitions(new, budget)?;
        self.bunches.finish_carving(budget)?;
        let (kept_watched, new_watched) = self.finish_slices(block, new, watched, budget)?;
        let (reaching, other) = if new_reaches { (new, block) } else { (block, new) };
        let watched = if new_reaches { (new_watched, kept_watched) } else { (kept_watched, new_watched) };
        let list = visible;
        let visible = self.make_visible(reaching, &list, budget)?;
        budget.free(list);
        if kept.len() == 1 {
            self.retire(block, budget)?;
        }
        let alone = |block: u32| self.blocks[block as usize].len() == 1;
        let unless_alone = |block: u32, slice: u32| if alone(block) { NONE } else { slice };
        let watched = (unless_alone(reaching, watched.0), unless_alone(other, watched.1));
        Ok(Split { reaching, other, visible: unless_alone(reaching, visible), watched })
    }

    /// Moves states of a block to its end; both parts have their bottom states first.
    fn move_behind(&mut self, block: u32, moved: &[u32]) -> (Block, Block) {
        let Block { start, bottoms_end, end } = self.blocks[block as usize];
        let (mut bottoms, mut others) = (bottoms_end, end);
        for &state in moved {
            let last = if self.inert[state as usize] == 0 { &mut bottoms } else { &mut others };
            *last -= 1;
            let last = *last;
            self.exchange(self.place[state as usize], last);
        }
        // now: bottom states that stay, those that move, others that stay, others that move; the
        // two in the middle change places, as far as one of them is long
        let (moving, staying) = (bottoms_end - bottoms, others - bottoms_end);
        for i in 0..moving.min(staying) {
            self.exchange(bottoms + i, others - 1 - i);
        }
        let cut = bottoms + staying;
        let first = Block { start, bottoms_end: bottoms, end: cut };
        (first, Block { start: cut, bottoms_end: cut + moving, end })
    }

    /// Moves the transitions from and to the states of a new block to new slices and targets.
    /// Returns those that are no longer inert.
    fn move_transitions(&mut self, new: u32, budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
        let Block { start, end, .. } = self.blocks[new as usize];
        let is_single = start + 1 == end;
        let mut visible = Vec::new();
        for place in start..end {
            let state = self.states[place as usize];
            let incoming = self.moves.incoming_range(state);
            budget.spend(1 + incoming.len() + self.moves.outgoing(state).len())?;
            for t in self.moves.outgoing(state) {
                if self.is_inert(t) {
                    if self.block_of[self.moves.target[t as usize] as usize] != new {
                        budget.reserve(&mut visible, 1)?;
                        visible.push(t);
                    }
                } else if self.slices.of[t as usize] == NONE {
                    // its source was alone already
                } else if is_single {
                    let slice = self.slices.of[t as usize];
                    if self.slices.list[slice as usize].carved == NONE {
                        // only to be looked at when transitions have moved: nothing is cut off
                        self.slices.list[slice as usize].carved = slice;
                        budget.reserve(&mut self.slices.touched, 1)?;
                        self.slices.touched.push(slice);
                    }
                    self.slices.remove(t);
                } else {
                    self.slices.carve(t, budget)?;
                }
            }
            for place in incoming {
                let t = self.moves.incoming[place];
                if self.is_inert(t) {
                    if self.source_block(t) != new {
                        budget.reserve(&mut visible, 1)?;
                        visible.push(t);
                    }
                } else if self.slices.of[t as usize] != NONE {
                    self.bunches.carve(t, budget)?;
                }
            }
        }
        Ok(visible)
    }

    /// Ends the cutting of slices of a block for a new one; returns the two parts of the watched
    /// slice.
    fn finish_slices(
        &mut self,
        block: u32,
        new: u32,
        watched: u32,
        budget: &mut Budget,
    ) -> Result<(u32, u32), Exhausted> {
        let mut parts = (watched, NONE);
        while let Some(old) = self.slices.touched.pop() {
            let carved = std::mem::replace(&mut self.slices.list[old as usize].carved, NONE);
            let slice = self.slices.list[old as usize];
            if carved != old {
                self.slices.link(carved, new);
                if slice.is_queued {
                    self.queue(carved, budget)?;
                }
                if old == watched {
                    parts.1 = carved;
                }
            }
            if slice.is_empty() {
                if old == watched {
                    parts.0 = NONE;
                }
                self.slices.discard(old, block, budget)?;
            }
        }
        Ok(parts)
    }

    /// Makes a bunch and a slice of transitions from a block that are no longer inert; moves states
    /// without inert transitions to the bottom states. Returns the slice, or `NONE`.
    fn make_visible(&mut self, block: u32, visible: &[u32], budget: &mut Budget) -> Result<u32, Exhausted> {
        if visible.is_empty() {
            return Ok(NONE);
        }
        budget.spend(visible.len())?;
        for &t in visible {
            let source = self.moves.source[t as usize];
            self.inert[source as usize] -= 1;
            if self.inert[source as usize] == 0 {
                let first = self.blocks[block as usize].bottoms_end;
                self.exchange(self.place[source as usize], first);
                self.blocks[block as usize].bottoms_end += 1;
            }
        }
        if self.blocks[block as usize].len() == 1 {
            for &t in visible {
                self.bunches.of[t as usize] = DEAD;
            }
            return Ok(NONE);
        }
        let start = self.bunches.order.len();
        self.bunches.order.extend_from_slice(visible);
        self.bunches.add_bunch(start, budget)?;
        self.bunches.add(start..start + visible.len(), budget)?;
        let start = self.slices.order.len();
        self.slices.order.extend_from_slice(visible);
        let slice = self.slices.add(start..start + visible.len(), block, budget)?;
        for &t in visible {
            self.count(t, budget)?;
        }
        for &t in visible {
            self.forget_counter(t);
        }
        Ok(slice)
    }

    /// Takes the transitions of a block with one state out of its slices.
    pub(super) fn retire(&mut self, block: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let state = self.states[self.blocks[block as usize].start as usize];
        budget.spend(1 + self.moves.outgoing(state).len())?;
        for t in self.moves.outgoing(state) {
            if self.slices.of[t as usize] != NONE {
                self.slices.remove(t);
            }
        }
        while self.slices.first(block) != NONE {
            self.slices.discard(self.slices.first(block), block, budget)?;
        }
        Ok(())
    }
}
