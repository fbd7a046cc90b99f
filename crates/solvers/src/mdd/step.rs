//! Images: one step by a relation, within a set.

use super::cache::{PART, STEP};
use super::relation::{Part, Relation, STAY};
use super::table::{ALL, EMPTY, Id, LOOK, Table};
use loris_base::{Budget, Exhausted};

/// The children of a node that is being made, by value: they lie on the stack, followed by those of
/// the set it must stay in, and by flags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) level: usize,
    base: usize,
    size: usize,
}

impl Frame {
    /// The children by value, on the stack that they lie on.
    pub(super) fn children(self, stack: &[u32]) -> &[Id] {
        &stack[self.base..self.base + self.size]
    }
}

/// The first argument of an entry in the cache: where both sets are everything, the level is not
/// known from them.
#[inline]
pub(super) fn argument(set: Id, within: Id, level: usize) -> Id {
    if set == ALL && within == ALL { u32::MAX - level as u32 } else { set }
}

impl Table {
    /// The steps that a node takes which is made value by value: levels with many values are slow.
    #[inline]
    pub(super) fn width(&self, level: usize) -> usize {
        2 + self.sizes[level] as usize / 8
    }

    /// A node without children on a level, to stay within a set.
    pub(super) fn open(&mut self, level: usize, within: Id) -> Frame {
        let (base, size) = (self.stack.len(), self.sizes[level] as usize);
        self.stack.resize(base + size, EMPTY);
        if within == ALL {
            self.stack.resize(base + 2 * size, ALL);
        } else {
            self.stack.resize(base + 2 * size, EMPTY);
            for index in 0..self.len(within, level) {
                let (value, child) = self.entry(within, index);
                self.stack[base + size + value as usize] = child;
            }
        }
        self.stack.resize(base + 3 * size, 0);
        Frame { level, base, size }
    }

    #[inline]
    pub(super) fn at(&self, frame: Frame, value: u32) -> Id {
        self.stack[frame.base + value as usize]
    }

    #[inline]
    pub(super) fn limit(&self, frame: Frame, value: u32) -> Id {
        self.stack[frame.base + frame.size + value as usize]
    }

    #[inline]
    pub(super) fn flag(&mut self, frame: Frame, value: u32) -> &mut u32 {
        &mut self.stack[frame.base + 2 * frame.size + value as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, frame: Frame, value: u32, child: Id) {
        self.stack[frame.base + value as usize] = child;
    }

    /// Adds tuples below a value, and flags it if they are new.
    #[inline]
    pub(super) fn include(
        &mut self,
        frame: Frame,
        value: u32,
        more: Id,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let old = self.at(frame, value);
        if more == EMPTY || more == old {
            return Ok(());
        }
        self.stack.push(more);
        let all = self.union(old, more, budget)?;
        self.stack.pop();
        if all != old {
            self.set(frame, value, all);
            *self.flag(frame, value) = 1;
        }
        Ok(())
    }

    /// The node, finished.
    pub(super) fn seal(&mut self, frame: Frame, budget: &mut Budget) -> Result<Id, Exhausted> {
        let to = self.stack.len();
        for value in 0..frame.size {
            let child = self.stack[frame.base + value];
            if child != EMPTY {
                self.stack.extend([value as u32, child]);
            }
        }
        let made = self.make(frame.level, to, budget)?;
        self.stack.truncate(frame.base);
        Ok(made)
    }

    /// What one step leads to within a set.
    pub(super) fn step(
        &mut self,
        set: Id,
        within: Id,
        level: usize,
        relation: &Relation,
        budget: &mut Budget,
    ) -> Result<Id, Exhausted> {
        if set == EMPTY || within == EMPTY || level >= relation.end {
            return Ok(EMPTY);
        }
        let key = STEP | relation.number;
        let first = argument(set, within, level);
        budget.spend(LOOK)?;
        if let Some(found) = self.cache.get(first, within, key) {
            return Ok(found);
        }
        budget.spend(self.width(level))?;
        let frame = self.open(level, within);
        for index in 0..self.len(set, level) {
            let (value, child) = self.entry(set, index);
            let limit = self.limit(frame, value);
            let more = self.step(child, limit, level + 1, relation, budget)?;
            self.include(frame, value, more, budget)?;
            for &(_, to, part) in relation.top(level, value) {
                let limit = self.limit(frame, to);
                if limit != EMPTY && limit != self.at(frame, to) {
                    let more = self.part(child, limit, level + 1, (relation, part), budget)?;
                    self.include(frame, to, more, budget)?;
                }
            }
        }
        let result = self.seal(frame, budget)?;
        self.cache.put(first, within, key, result);
        Ok(result)
    }

    /// What a part of a relation leads to within a set.
    fn part(
        &mut self,
        set: Id,
        within: Id,
        level: usize,
        (relation, part): (&Relation, Part),
        budget: &mut Budget,
    ) -> Result<Id, Exhausted> {
        if set == EMPTY || within == EMPTY {
            return Ok(EMPTY);
        }
        if part == STAY {
            return self.intersection(set, within, budget);
        }
        let key = PART | part;
        let first = argument(set, within, level);
        budget.spend(LOOK)?;
        if let Some(found) = self.cache.get(first, within, key) {
            return Ok(found);
        }
        budget.spend(self.width(level))?;
        let frame = self.open(level, within);
        let len = self.len(set, level);
        if relation.level(part) > level {
            for index in 0..len {
                let (value, child) = self.entry(set, index);
                let limit = self.limit(frame, value);
                let more = self.part(child, limit, level + 1, (relation, part), budget)?;
                self.set(frame, value, more);
            }
        } else {
            let (moves, mut index) = (relation.moves(part), 0);
            budget.spend(moves.len() / 2)?;
            for &(from, to, below) in moves {
                while index < len && self.entry(set, index).0 < from {
                    index += 1;
                }
                if index == len {
                    break;
                }
                let (value, child) = self.entry(set, index);
                if value == from {
                    let limit = self.limit(frame, to);
                    let more = self.part(child, limit, level + 1, (relation, below), budget)?;
                    self.include(frame, to, more, budget)?;
                }
            }
        }
        let result = self.seal(frame, budget)?;
        self.cache.put(first, within, key, result);
        Ok(result)
    }
}
