//! How far it is to the exits, for exit-bound components: lengths of summaries R(place, exit).
//!
//! Derived backwards from exits, among places that runs get to. A length may shrink while places
//! are still being reached, but a length too large is never used: the shorter way has a place not
//! yet reached, so that a run along it is back later than now, and so is one along a longer way.

use super::arena::{Arena, PlaceId};
use super::explore::Explored;
use super::frame::{Frame, Item, LONG, NONE};
use loris_base::{Budget, Exhausted, Idx};

impl<A: Arena> Explored<'_, A> {
    fn width(&self, frame: Frame) -> usize {
        self.arena.sides(frame.site).1
    }

    fn row(&self, frame: Frame, place: PlaceId) -> usize {
        frame.lengths + place.index() * self.width(frame)
    }

    /// The length of a shortest way from a place of an exit-bound component to an exit.
    pub(crate) fn exit_length(&self, frame: Frame, place: PlaceId, exit: u32) -> u32 {
        self.exit_lengths.lengths[self.row(frame, place) + exit as usize]
    }

    /// A place was settled: its row follows from those of its successors.
    pub(super) fn join(&mut self, item: Item, frame: Frame, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.arena.is_exit(frame.site, item.place) {
            let column = self.arena.exit_number(frame.site, item.place) as usize;
            let at = self.row(frame, item.place) + column;
            self.exit_lengths.lengths[at] = 0;
            self.facts += 1;
            self.exit_lengths.queue.push_back(item);
        } else if let Some(ways) = self.ways_through(frame, item.place) {
            for (exit, length) in ways {
                if let Some(back) = self.arena.back(frame.site, item.place, exit) {
                    self.shorten(item, back, length, budget)?;
                }
            }
        } else {
            let mut after = Vec::new();
            self.arena.successors(frame.site, item.place, |place| after.push(place));
            for place in after {
                self.shorten(item, place, 1, budget)?;
            }
        }
        Ok(())
    }

    /// From a place one gets to `via`, of the same frame, in this many steps.
    pub(super) fn shorten(
        &mut self,
        item: Item,
        via: PlaceId,
        steps: u32,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let frame = self.frames[item.frame.index()];
        budget.spend(1 + self.width(frame))?;
        let (to, from) = (self.row(frame, item.place), self.row(frame, via));
        let mut shrank = false;
        for column in 0..self.width(frame) {
            let rest = self.exit_lengths.lengths[from + column];
            if rest == NONE {
                continue;
            }
            let length = rest.saturating_add(steps).min(LONG);
            let known = &mut self.exit_lengths.lengths[to + column];
            if length < *known {
                self.facts += u64::from(*known == NONE);
                *known = length;
                shrank = true;
            }
        }
        if shrank {
            self.exit_lengths.queue.push_back(item);
        }
        Ok(())
    }

    /// Notifies callers of an entry where runs from it leave.
    pub(super) fn announce(&mut self, item: Item, budget: &mut Budget) -> Result<(), Exhausted> {
        let frame = self.frames[item.frame.index()];
        let Some(gate) = self.gate_at(frame, item.place) else { return Ok(()) };
        for column in 0..self.width(frame) {
            let length = self.exit_lengths.lengths[self.row(frame, item.place) + column];
            if length != NONE {
                self.learn(gate, column as u32, length, budget)?;
            }
        }
        Ok(())
    }

    /// Carries shrunken rows back to where runs came from.
    pub(super) fn relax(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut before = Vec::new();
        while let Some(item) = self.exit_lengths.queue.pop_front() {
            let frame = self.frames[item.frame.index()];
            self.announce(item, budget)?;
            self.charge(budget)?;
            before.clear();
            self.arena.predecessors(frame.site, item.place, |place| before.push(place));
            let edges = before.len();
            self.arena.calls_before(frame.site, item.place, |port| before.push(port));
            budget.spend(1 + before.len())?;
            for (number, &place) in before.iter().enumerate() {
                let source = Item { frame: item.frame, place };
                if self.time(source) == NONE {
                    continue;
                }
                if number < edges {
                    self.shorten(source, item.place, 1, budget)?;
                    continue;
                }
                // a call port: by any way that comes back here
                let ways = self.ways_through(frame, place).expect("a call port calls");
                for (exit, length) in ways {
                    if self.arena.back(frame.site, place, exit) == Some(item.place) {
                        self.shorten(source, item.place, length, budget)?;
                    }
                }
            }
        }
        Ok(())
    }
}
