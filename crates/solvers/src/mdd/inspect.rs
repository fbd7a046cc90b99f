//! Questions about sets.

use super::table::{ALL, EMPTY, Id};
use super::{Set, Store};
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// The bytes of an entry of a map from nodes to numbers.
const ENTRY: usize = 64;

impl Store {
    /// The number of tuples, rounded where it is large.
    pub fn count(&self, set: &Set, budget: &mut Budget) -> Result<f64, Exhausted> {
        self.sum([(*set.0, 0)], f64::from, |a, b| a + b, |a, b| a * b, budget)
    }

    /// A lower bound of the number of tuples in closures that a time limit has cut off.
    pub fn count_paused(&self, budget: &mut Budget) -> Result<f64, Exhausted> {
        let mut most = 0.0_f64;
        for pause in &self.table.paused {
            let count = self.sum(pause.widest(), f64::from, |a, b| a + b, |a, b| a * b, budget)?;
            most = most.max(count);
        }
        Ok(most)
    }

    /// The number of tuples, unless it is too large for the type.
    pub fn exact_count(&self, set: &Set, budget: &mut Budget) -> Result<Option<u128>, Exhausted> {
        self.sum(
            [(*set.0, 0)],
            |size| Some(u128::from(size)),
            |a: Option<u128>, b: Option<u128>| a?.checked_add(b?),
            |a, b| a?.checked_mul(b?),
            budget,
        )
    }

    /// The numbers of tuples below some nodes, each from a level on, in some arithmetic, added up.
    fn sum<N: Copy>(
        &self,
        roots: impl IntoIterator<Item = (Id, usize)>,
        number: impl Fn(u32) -> N,
        add: impl Fn(N, N) -> N,
        multiply: impl Fn(N, N) -> N,
        budget: &mut Budget,
    ) -> Result<N, Exhausted> {
        let table = &self.table;
        // per level, the number of all tuples from it on
        let mut alls = vec![number(1); table.sizes.len() + 1];
        for level in (0..table.sizes.len()).rev() {
            alls[level] = multiply(number(table.sizes[level]), alls[level + 1]);
        }
        let mut known: FxHashMap<Id, N> = FxHashMap::default();
        // nodes under way, with the next index and the sum so far
        let mut open: Vec<(Id, usize, N)> = Vec::new();
        let budget = &mut budget.holding(0)?;
        let value = |id: Id, level: usize, known: &FxHashMap<Id, N>| match id {
            EMPTY => Some(number(0)),
            ALL => Some(alls[level]),
            _ => known.get(&id).copied(),
        };
        let mut all = number(0);
        for (root, top) in roots {
            if root > ALL && !known.contains_key(&root) {
                open.push((root, 0, number(0)));
            }
            while let Some((id, index, so_far)) = open.pop() {
                let level = table.level(id);
                if index == table.len(id, level) {
                    budget.spend(index)?;
                    budget.raise((known.len() + 1) * ENTRY)?;
                    known.insert(id, so_far);
                    continue;
                }
                let child = table.entry(id, index).1;
                if let Some(found) = value(child, level + 1, &known) {
                    open.push((id, index + 1, add(so_far, found)));
                } else {
                    open.extend([(id, index, so_far), (child, 0, number(0))]);
                }
            }
            all = add(all, value(root, top, &known).unwrap_or(number(0)));
        }
        Ok(all)
    }

    /// Whether a tuple is in a set.
    pub fn contains(&self, set: &Set, tuple: &[u32]) -> bool {
        tuple.iter().fold(*set.0, |id, &value| self.table.child(id, value)) == ALL
    }

    /// The first tuple of a set.
    pub fn first(&self, set: &Set) -> Option<Vec<u32>> {
        let mut id = *set.0;
        if id == EMPTY {
            return None;
        }
        let mut tuple = Vec::with_capacity(self.table.sizes.len());
        for _ in 0..self.table.sizes.len() {
            let (value, child) = self.table.entry(id, 0);
            tuple.push(value);
            id = child;
        }
        Some(tuple)
    }

    /// For each level, the values that tuples of a set have there, in ascending order.
    pub fn values(&self, set: &Set) -> Vec<Vec<u32>> {
        let table = &self.table;
        let mut taken: Vec<Vec<bool>> = table.sizes.iter().map(|&size| vec![false; size as usize]).collect();
        // all values are taken from here on
        let mut all = table.sizes.len();
        let mut seen = vec![false; table.nodes()];
        let mut open = vec![*set.0];
        if *set.0 == ALL {
            all = 0;
        }
        while let Some(id) = open.pop() {
            if id <= ALL || std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            let level = table.level(id);
            for index in 0..table.len(id, level) {
                let (value, child) = table.entry(id, index);
                taken[level][value as usize] = true;
                open.push(child);
                if child == ALL {
                    all = all.min(level + 1);
                }
            }
        }
        let values = |(level, taken): (usize, &Vec<bool>)| {
            let values = (0..).zip(taken).filter(|&(_, &is_taken)| is_taken || level >= all);
            values.map(|(value, _)| value).collect()
        };
        taken.iter().enumerate().map(values).collect()
    }

    /// The number of nodes of a set.
    pub fn size(&self, set: &Set) -> usize {
        let table = &self.table;
        let mut seen = vec![false; table.nodes()];
        let mut open = vec![*set.0];
        let mut size = 0;
        while let Some(id) = open.pop() {
            if id > ALL && !std::mem::replace(&mut seen[id as usize], true) {
                size += 1;
                let level = table.level(id);
                open.extend((0..table.len(id, level)).map(|index| table.entry(id, index).1));
            }
        }
        size
    }
}
