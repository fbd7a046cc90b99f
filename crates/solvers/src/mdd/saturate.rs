//! Closures under a relation by saturation: every node is closed under the events that begin at its
//! level or below before nodes above it are made, so that sets grow from below and intermediate
//! ones stay small.

use super::cache::{CLOSE, FIRE};
use super::relation::{Part, Relation, STAY};
use super::step::{Frame, argument};
use super::table::{ALL, EMPTY, Id, LOOK, Table};
use loris_base::{Budget, Exhausted};

impl Table {
    /// What steps within `within` lead to from `set`, which is a part of it: the least set with
    /// `set` that each step within leaves only to itself. `is_free` says that nothing limits the
    /// whole computation.
    pub(super) fn close(
        &mut self,
        set: Id,
        within: Id,
        (relation, is_free): (&Relation, bool),
        budget: &mut Budget,
    ) -> Result<Id, Exhausted> {
        if set <= ALL || set == within {
            return Ok(set);
        }
        let level = self.level(set);
        if level >= relation.end {
            return Ok(set);
        }
        let key = CLOSE | relation.number;
        budget.spend(LOOK)?;
        if let Some(found) = self.cache.get(set, within, key) {
            return Ok(found);
        }
        budget.spend(self.width(level))?;
        let frame = self.open(level, within);
        for index in 0..self.len(set, level) {
            let (value, child) = self.entry(set, index);
            let limit = self.limit(frame, value);
            let closed = self.close(child, limit, (relation, is_free), budget)?;
            self.set(frame, value, closed);
            *self.flag(frame, value) = 1;
        }
        self.exhaust(frame, (relation, is_free), budget)?;
        let result = self.seal(frame, budget)?;
        self.cache.put(set, within, key, result);
        self.cache.put(result, within, key, result);
        Ok(result)
    }

    /// Fires the events that begin at the level of a node until nothing is new.
    fn exhaust(
        &mut self,
        frame: Frame,
        (relation, is_free): (&Relation, bool),
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let level = frame.level;
        if !relation.has_top(level) {
            return Ok(());
        }
        loop {
            budget.spend(self.width(level))?;
            let mut is_done = true;
            for value in 0..self.sizes[level] {
                if std::mem::take(self.flag(frame, value)) == 0 {
                    continue;
                }
                is_done = false;
                for &(_, to, part) in relation.top(level, value) {
                    let limit = self.limit(frame, to);
                    if limit == EMPTY || limit == self.at(frame, to) {
                        continue;
                    }
                    let child = self.at(frame, value);
                    let more = self.fire(child, limit, level + 1, (relation, part, is_free), budget)?;
                    self.include(frame, to, more, budget)?;
                }
            }
            if is_done {
                return Ok(());
            }
        }
    }

    /// What a part of a relation leads to within a set, closed.
    fn fire(
        &mut self,
        set: Id,
        within: Id,
        level: usize,
        (relation, part, is_free): (&Relation, Part, bool),
        budget: &mut Budget,
    ) -> Result<Id, Exhausted> {
        if set == EMPTY || within == EMPTY {
            return Ok(EMPTY);
        }
        if part == STAY {
            // a set that was closed under another limit need not be closed under this one
            if is_free {
                return Ok(set);
            }
            let kept = self.intersection(set, within, budget)?;
            self.stack.push(kept);
            let closed = self.close(kept, within, (relation, is_free), budget)?;
            self.stack.pop();
            return Ok(closed);
        }
        let key = FIRE | part;
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
                let more = self.fire(child, limit, level + 1, (relation, part, is_free), budget)?;
                self.set(frame, value, more);
                *self.flag(frame, value) = u32::from(more != EMPTY);
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
                    let more = self.fire(child, limit, level + 1, (relation, below, is_free), budget)?;
                    self.include(frame, to, more, budget)?;
                }
            }
        }
        self.exhaust(frame, (relation, is_free), budget)?;
        let result = self.seal(frame, budget)?;
        self.cache.put(first, within, key, result);
        if result > ALL {
            self.cache.put(result, within, CLOSE | relation.number, result);
        }
        Ok(result)
    }
}
