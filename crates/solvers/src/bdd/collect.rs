//! Garbage collection: nodes that no handle and no running operation needs become free.
//!
//! Mark and sweep, linear in the table. It may run inside an operation, whose intermediate results
//! are all on its stack; results in the cache survive if all they mention does.

use super::table::{Edge, FREE, NONE, Table};
use loris_base::BitSet;
use std::sync::PoisonError;

impl Table {
    /// Marks all nodes that an edge leads to.
    pub(super) fn mark(&self, edge: Edge, marks: &mut BitSet, work: &mut Vec<u32>) {
        if edge == NONE || !marks.insert(edge >> 1) {
            return;
        }
        work.push(edge >> 1);
        while let Some(at) = work.pop() {
            let node = self.nodes[at as usize];
            for child in [node.high >> 1, node.low >> 1] {
                if marks.insert(child) {
                    work.push(child);
                }
            }
        }
    }

    /// Collects garbage; `kept` is in use besides handles and the stack.
    pub(super) fn collect(&mut self, kept: [Edge; 2]) {
        self.collections += 1;
        let mut marks = BitSet::empty(self.nodes.len());
        let mut work = Vec::new();
        marks.insert(0);
        {
            let roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
            for edge in roots.edges().chain(kept) {
                self.mark(edge, &mut marks, &mut work);
            }
        }
        for frame in &self.stack {
            for edge in frame.key.into_iter().chain(frame.low).chain([frame.high]) {
                self.mark(edge, &mut marks, &mut work);
            }
        }
        for subtable in &mut self.subtables {
            subtable.clear();
        }
        self.free = NONE;
        self.used = 1;
        // from the end, so that the first free nodes are handed out first
        for at in (1..self.nodes.len()).rev() {
            if marks.contains(at as u32) {
                let var = self.nodes[at].var as usize;
                self.subtables[var].insert(&mut self.nodes, at as u32);
                self.used += 1;
            } else {
                self.nodes[at].var = FREE;
                self.nodes[at].next = self.free;
                self.free = at as u32;
            }
        }
        let nodes = self.nodes.len() as u32;
        // the last operand of a substitution is a number, not an edge: its results may be forgotten
        // early
        self.forget(|edge| edge >> 1 < nodes && marks.contains(edge >> 1));
    }
}
