//! Another order of the variables, by sifting (Rudell 1993): each variable in turn moves through
//! all levels and stays where the table is smallest.
//!
//! Neighbouring levels change places by rewriting the nodes of the upper one in place, so that
//! every node keeps its function and handles stay valid. Nodes are counted by reference meanwhile;
//! those without references are removed at once, and the size of the table is exact. Variables of a
//! group move together. Variables that no function depends on together (the interaction matrix)
//! pass each other at no cost, and a variable moves on only where the levels ahead could make the
//! table smaller than the best place so far.
//!
//! A full run costs about twice the number of groups times the number of nodes; it ends early if
//! its allowance or the budget is used up, in whatever order it has got to.

use super::table::{Edge, FREE, NONE, Node, TRUE, Table};
use loris_base::{BitRows, BitSet, Budget, Exhausted, unite};
use std::sync::PoisonError;

/// A variable does not move on where the table has grown by more than a fifth.
const MOST_GROWTH: (usize, usize) = (6, 5);

/// With more variables than this, all count as interacting: the matrix would be too large.
const MOST_IN_MATRIX: usize = 1 << 13;

/// Nodes that one run may visit: this many for each node of the table, but at least `LEAST_VISITS`.
const VISITS_PER_NODE: usize = 200;
const LEAST_VISITS: usize = 1 << 20;

struct Sifting<'t> {
    table: &'t mut Table,
    refs: Vec<u32>,
    /// a row of bits per variable
    interacts: Option<BitRows>,
    /// groups of variables in the order of their levels, with the level of the first
    blocks: Vec<Vec<u32>>,
    /// nodes visited and not yet spent
    visited: usize,
    doomed: Vec<u32>,
}

impl Table {
    /// Sifts all groups of variables, those with most nodes first. No operation is running.
    pub(super) fn sift(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        self.siftings += 1;
        self.stack.clear();
        self.collect([TRUE, TRUE]);
        self.forget_all();
        let before = self.used;
        let done = Sifting::new(self).run(budget);
        self.limit = self.limit.max(self.nodes.len());
        if let Some(least) = self.policy.sift_at {
            // where sifting does not help, the next attempt comes later
            let factor = if self.used * 10 > before * 9 { 4 } else { 2 };
            self.sift_at = least.max(factor * self.used);
        }
        done
    }

    fn interactions(&self) -> Option<BitRows> {
        let variables = self.subtables.len();
        if variables > MOST_IN_MATRIX {
            return None;
        }
        let mut matrix = BitRows::new(variables, variables);
        let mut roots: Vec<u32> = {
            let roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
            roots.edges().map(|edge| edge >> 1).collect()
        };
        roots.sort_unstable();
        roots.dedup();
        let mut seen_by = vec![NONE; self.nodes.len()];
        let mut work = Vec::new();
        for &root in &roots {
            let mut support = BitSet::empty(variables);
            work.push(root);
            while let Some(at) = work.pop() {
                if at == 0 || seen_by[at as usize] == root {
                    continue;
                }
                seen_by[at as usize] = root;
                let node = self.nodes[at as usize];
                support.insert(node.var);
                work.extend([node.high >> 1, node.low >> 1]);
            }
            for var in support.iter() {
                unite(matrix.row_mut(var as usize), support.words());
            }
        }
        Some(matrix)
    }
}

impl<'t> Sifting<'t> {
    fn new(table: &'t mut Table) -> Self {
        let mut refs = vec![0_u32; table.nodes.len()];
        for node in &table.nodes[1..] {
            if node.var != FREE {
                refs[(node.high >> 1) as usize] += 1;
                refs[(node.low >> 1) as usize] += 1;
            }
        }
        {
            let roots = table.roots.lock().unwrap_or_else(PoisonError::into_inner);
            for edge in roots.edges() {
                refs[(edge >> 1) as usize] += 1;
            }
        }
        let mut blocks: Vec<Vec<u32>> = Vec::new();
        for &var in &table.var_at {
            match blocks.last_mut() {
                Some(block) if table.group_of[block[0] as usize] == table.group_of[var as usize] => {
                    block.push(var);
                }
                _ => blocks.push(vec![var]),
            }
        }
        let interacts = table.interactions();
        Self { table, refs, interacts, blocks, visited: 0, doomed: Vec::new() }
    }

    fn run(mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut order: Vec<(usize, u32)> = self
            .blocks
            .iter()
            .map(|block| (block.iter().map(|&var| self.table.subtables[var as usize].count).sum(), block[0]))
            .collect();
        order.sort_unstable_by_key(|&(nodes, var)| (usize::MAX - nodes, var));
        let mut allowance = LEAST_VISITS.max(VISITS_PER_NODE * self.table.used);
        for (nodes, var) in order {
            if nodes == 0 {
                break;
            }
            let at = self.blocks.iter().position(|block| block[0] == var).expect("blocks only move");
            self.sift_block(at, budget)?;
            let visited = std::mem::take(&mut self.visited);
            if visited >= allowance {
                break;
            }
            allowance -= visited;
        }
        Ok(())
    }

    /// Moves a block to the place where the table is smallest.
    fn sift_block(&mut self, from: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let last = self.blocks.len() - 1;
        let (mut at, mut best, mut least) = (from, from, self.table.used);
        let down_first = last - from <= from;
        let mut ended = Ok(());
        for down in [down_first, !down_first] {
            // passing a block can remove its nodes and some of the moving one's, but no others
            let moving = self.blocks[at].clone();
            let own = self.count(&moving);
            let ahead = if down { at + 1..last + 1 } else { 0..at };
            let mut removable: usize =
                ahead.map(|other| self.count_interacting(&moving, &self.blocks[other])).sum();
            while ended.is_ok() && if down { at < last } else { at > 0 } {
                if self.table.used.saturating_sub(removable + own) >= least {
                    break;
                }
                let visited = self.visited;
                let passed = if down { at + 1 } else { at - 1 };
                removable -= self.count_interacting(&moving, &self.blocks[passed]);
                self.exchange(at.min(passed));
                at = passed;
                ended = budget.spend(self.visited - visited + 1);
                let size = self.table.used;
                if size < least {
                    (best, least) = (at, size);
                }
                if size / MOST_GROWTH.0 > least / MOST_GROWTH.1 {
                    break;
                }
            }
        }
        while at < best {
            self.exchange(at);
            at += 1;
        }
        while at > best {
            self.exchange(at - 1);
            at -= 1;
        }
        ended
    }

    fn count(&self, block: &[u32]) -> usize {
        block.iter().map(|&var| self.table.subtables[var as usize].count).sum()
    }

    /// The nodes of the variables of a block that interact with some variable of another.
    fn count_interacting(&self, with: &[u32], block: &[u32]) -> usize {
        let interacting = block.iter().filter(|&&y| with.iter().any(|&x| self.interact(x, y)));
        interacting.map(|&var| self.table.subtables[var as usize].count).sum()
    }

    fn interact(&self, x: u32, y: u32) -> bool {
        self.interacts.as_ref().is_none_or(|matrix| matrix.contains(x as usize, y as usize))
    }

    /// Exchanges a block with the next one.
    fn exchange(&mut self, at: usize) {
        let (upper, lower) = (self.blocks[at].len(), self.blocks[at + 1].len());
        let first = self.table.level_of[self.blocks[at][0] as usize];
        for moved in 0..lower as u32 {
            for over in (0..upper as u32).rev() {
                self.swap(first + moved + over);
            }
        }
        self.blocks.swap(at, at + 1);
    }

    /// Exchanges the variable of a level with that of the next.
    fn swap(&mut self, level: u32) {
        let (x, y) = (self.table.var_at[level as usize], self.table.var_at[level as usize + 1]);
        self.visited += 1;
        self.table.var_at.swap(level as usize, level as usize + 1);
        self.table.level_of.swap(x as usize, y as usize);
        if !self.interact(x, y) {
            return;
        }
        for at in self.dependent(x, y) {
            let Node { high: f1, low: f0, .. } = self.table.nodes[at as usize];
            let split = |edge: Edge| {
                if self.table.var(edge) == y { self.table.children(edge) } else { (edge, edge) }
            };
            let ((f11, f10), (f01, f00)) = (split(f1), split(f0));
            let high = self.refer(x, f11, f01);
            let low = self.refer(x, f10, f00);
            self.release(f1);
            self.release(f0);
            self.table.nodes[at as usize] = Node { var: y, high, low, next: NONE };
            self.table.subtables[y as usize].insert(&mut self.table.nodes, at);
        }
    }

    /// Takes the nodes of `x` with a child of `y` out of the table of `x`.
    fn dependent(&mut self, x: u32, y: u32) -> Vec<u32> {
        let table = &mut *self.table;
        let mut subtable = std::mem::take(&mut table.subtables[x as usize]);
        self.visited += subtable.count + subtable.buckets.len() / 4;
        let mut moved = Vec::new();
        for bucket in &mut subtable.buckets {
            let (mut at, mut kept) = (*bucket, NONE);
            while at != NONE {
                let node = table.nodes[at as usize];
                if table.var(node.high) == y || table.var(node.low) == y {
                    moved.push(at);
                } else {
                    table.nodes[at as usize].next = kept;
                    kept = at;
                }
                at = node.next;
            }
            *bucket = kept;
        }
        subtable.count -= moved.len();
        table.subtables[x as usize] = subtable;
        moved
    }

    /// A node, referred to once more.
    fn refer(&mut self, var: u32, high: Edge, low: Edge) -> Edge {
        if high == low {
            self.refs[(high >> 1) as usize] += 1;
            return high;
        }
        let flip = high & 1;
        let (high, low) = (high ^ flip, low ^ flip);
        if let Some(found) = self.table.subtables[var as usize].find(&self.table.nodes, high, low) {
            self.refs[found as usize] += 1;
            return found << 1 | flip;
        }
        let at = self.table.allocate(Node { var, high, low, next: NONE });
        if self.refs.len() <= at as usize {
            self.refs.push(0);
        }
        self.refs[at as usize] = 1;
        self.refs[(high >> 1) as usize] += 1;
        self.refs[(low >> 1) as usize] += 1;
        self.table.subtables[var as usize].insert(&mut self.table.nodes, at);
        at << 1 | flip
    }

    /// A node is referred to once less; if that was the last time, it becomes free.
    fn release(&mut self, edge: Edge) {
        self.doomed.push(edge >> 1);
        while let Some(at) = self.doomed.pop() {
            self.refs[at as usize] -= 1;
            if at == 0 || self.refs[at as usize] > 0 {
                continue;
            }
            let table = &mut *self.table;
            let Node { var, high, low, .. } = table.nodes[at as usize];
            table.subtables[var as usize].remove(&mut table.nodes, at);
            table.nodes[at as usize].var = FREE;
            table.nodes[at as usize].next = table.free;
            table.free = at;
            table.used -= 1;
            self.doomed.extend([high >> 1, low >> 1]);
        }
    }
}

impl Table {
    /// Checks the invariants of the table: for tests.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        let mut seen = BitSet::empty(self.nodes.len());
        let mut count = 1;
        for (var, subtable) in self.subtables.iter().enumerate() {
            let mut nodes = 0;
            for &bucket in &subtable.buckets {
                let mut at = bucket;
                while at != NONE {
                    let node = self.nodes[at as usize];
                    assert!(seen.insert(at) && node.var as usize == var && node.high != node.low);
                    assert_eq!(node.high & 1, 0);
                    assert_eq!(subtable.find(&self.nodes, node.high, node.low), Some(at));
                    let level = self.level_of[var];
                    assert!(level < self.level(node.high) && level < self.level(node.low));
                    nodes += 1;
                    at = node.next;
                }
            }
            assert_eq!(nodes, subtable.count);
            count += nodes;
        }
        assert_eq!(count, self.used);
        for (level, &var) in self.var_at.iter().enumerate() {
            assert_eq!(self.level_of[var as usize] as usize, level);
        }
    }
}
