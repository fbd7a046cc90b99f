//! Union, intersection and difference, and sets written down.

use super::cache::{DIFFERENCE, INTERSECTION, UNION};
use super::table::{ALL, EMPTY, Id, LOOK, Table};
use loris_base::{Budget, Exhausted};
use std::cmp::Ordering;

impl Table {
    pub(super) fn union(&mut self, a: Id, b: Id, budget: &mut Budget) -> Result<Id, Exhausted> {
        if a == b || b == EMPTY {
            return Ok(a);
        }
        if a == EMPTY {
            return Ok(b);
        }
        if a == ALL || b == ALL {
            return Ok(ALL);
        }
        let (a, b) = (a.min(b), a.max(b));
        budget.spend(LOOK)?;
        if let Some(found) = self.cache.get(a, b, UNION) {
            return Ok(found);
        }
        let level = self.level(a);
        let (base, len_a, len_b) = (self.stack.len(), self.len(a, level), self.len(b, level));
        budget.spend(len_a + len_b)?;
        let (mut i, mut j) = (0, 0);
        while i < len_a && j < len_b {
            let ((value_a, child_a), (value_b, child_b)) = (self.entry(a, i), self.entry(b, j));
            let (value, child) = match value_a.cmp(&value_b) {
                Ordering::Less => (value_a, child_a),
                Ordering::Greater => (value_b, child_b),
                Ordering::Equal => (value_a, self.union(child_a, child_b, budget)?),
            };
            i += usize::from(value_a <= value_b);
            j += usize::from(value_b <= value_a);
            self.stack.extend([value, child]);
        }
        for index in i..len_a {
            let (value, child) = self.entry(a, index);
            self.stack.extend([value, child]);
        }
        for index in j..len_b {
            let (value, child) = self.entry(b, index);
            self.stack.extend([value, child]);
        }
        let result = self.make(level, base, budget)?;
        self.cache.put(a, b, UNION, result);
        Ok(result)
    }

    pub(super) fn intersection(&mut self, a: Id, b: Id, budget: &mut Budget) -> Result<Id, Exhausted> {
        if a == b || b == ALL || a == EMPTY {
            return Ok(a);
        }
        if a == ALL || b == EMPTY {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        budget.spend(LOOK)?;
        if let Some(found) = self.cache.get(a, b, INTERSECTION) {
            return Ok(found);
        }
        let level = self.level(a);
        let (base, len_a, len_b) = (self.stack.len(), self.len(a, level), self.len(b, level));
        budget.spend(len_a + len_b)?;
        let (mut i, mut j) = (0, 0);
        while i < len_a && j < len_b {
            let ((value_a, child_a), (value_b, child_b)) = (self.entry(a, i), self.entry(b, j));
            if value_a == value_b {
                let child = self.intersection(child_a, child_b, budget)?;
                if child != EMPTY {
                    self.stack.extend([value_a, child]);
                }
            }
            i += usize::from(value_a <= value_b);
            j += usize::from(value_b <= value_a);
        }
        let result = self.make(level, base, budget)?;
        self.cache.put(a, b, INTERSECTION, result);
        Ok(result)
    }

    /// What is in `a` and not in `b`.
    pub(super) fn difference(&mut self, a: Id, b: Id, budget: &mut Budget) -> Result<Id, Exhausted> {
        if a == b || b == ALL || a == EMPTY {
            return Ok(EMPTY);
        }
        if b == EMPTY {
            return Ok(a);
        }
        budget.spend(LOOK)?;
        if let Some(found) = self.cache.get(a, b, DIFFERENCE) {
            return Ok(found);
        }
        let level = self.level(b);
        let (base, len_a, len_b) = (self.stack.len(), self.len(a, level), self.len(b, level));
        budget.spend(len_a + len_b)?;
        let mut j = 0;
        for i in 0..len_a {
            let (value, child_a) = self.entry(a, i);
            while j < len_b && self.entry(b, j).0 < value {
                j += 1;
            }
            let child_b = if j < len_b && self.entry(b, j).0 == value { self.entry(b, j).1 } else { EMPTY };
            let child = self.difference(child_a, child_b, budget)?;
            if child != EMPTY {
                self.stack.extend([value, child]);
            }
        }
        let result = self.make(level, base, budget)?;
        self.cache.put(a, b, DIFFERENCE, result);
        Ok(result)
    }

    /// The tuples whose values on the named levels, in ascending order, are among those listed in
    /// ascending order.
    pub(super) fn product(&mut self, locals: &[(u32, &[u32])], budget: &mut Budget) -> Result<Id, Exhausted> {
        let (mut below, mut rest) = (ALL, locals.len());
        let lowest = locals.last().map_or(0, |&(level, _)| level as usize + 1);
        for level in (0..lowest).rev() {
            let base = self.stack.len();
            if rest > 0 && locals[rest - 1].0 as usize == level {
                rest -= 1;
                for &value in locals[rest].1 {
                    self.stack.extend([value, below]);
                }
            } else {
                for value in 0..self.sizes[level] {
                    self.stack.extend([value, below]);
                }
            }
            if below == EMPTY {
                self.stack.truncate(base);
            }
            below = self.make(level, base, budget)?;
        }
        Ok(below)
    }
}
