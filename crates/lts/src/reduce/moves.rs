//! The transitions that a refinement works on: sorted by source, found by target, with labels that
//! are numbered densely.

use super::cycles::Contraction;
use crate::graph::{Graph, SILENT};
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Transitions in flat arrays.
pub(super) struct Moves {
    pub(super) source: Vec<u32>,
    pub(super) target: Vec<u32>,
    pub(super) label: Vec<u32>,
    /// how many labels there are; 0 is the silent one
    pub(super) labels: usize,
    /// whether transitions with label 0 are silent
    has_silent: bool,
    starts: Vec<u32>,
    incoming_starts: Vec<u32>,
    /// transitions by target
    pub(super) incoming: Vec<u32>,
}

impl Moves {
    /// The transitions between contracted states, without silent loops. With `divergence`, those
    /// that stand for cycles get a transition with a label of its own to one further state.
    pub(super) fn new(
        graph: &Graph,
        contraction: Option<&Contraction>,
        divergence: bool,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let n =
            contraction.map_or(graph.node_count(), |contraction| contraction.count + usize::from(divergence));
        let m = graph.edge_count() + if divergence { n } else { 0 };
        if n >= u32::MAX as usize - 1 || m >= u32::MAX as usize - 1 {
            return Err(Exhausted::States);
        }
        budget.charge(16 * m + 8 * (n + 1))?;
        budget.spend(n + 3 * m)?;
        let mut labels = Labels::new(graph, budget)?;
        let mut moves = Moves {
            source: Vec::with_capacity(m),
            target: Vec::with_capacity(m),
            label: Vec::with_capacity(m),
            labels: 0,
            has_silent: contraction.is_some(),
            starts: Vec::with_capacity(n + 1),
            incoming_starts: vec![0; n + 1],
            incoming: Vec::new(),
        };
        match contraction {
            None => {
                for state in 0..graph.node_count() {
                    moves.starts.push(moves.source.len() as u32);
                    for edge in graph.edges(state) {
                        moves.push(state as u32, labels.dense(edge.label), edge.target);
                    }
                }
            }
            Some(contraction) => {
                for component in 0..contraction.count {
                    moves.starts.push(moves.source.len() as u32);
                    for &state in contraction.members(component) {
                        for edge in graph.edges(state as usize) {
                            let target = contraction.component_of[edge.target as usize];
                            if edge.label != SILENT || target as usize != component {
                                moves.push(component as u32, labels.dense(edge.label), target);
                            }
                        }
                    }
                    if divergence && contraction.is_cyclic[component] {
                        moves.push(component as u32, labels.divergence(), contraction.count as u32);
                    }
                }
                if divergence {
                    moves.starts.push(moves.source.len() as u32);
                }
            }
        }
        moves.labels = labels.count + 1;
        labels.drop(budget);
        moves.starts.push(moves.source.len() as u32);
        moves.sort_by_target();
        Ok(moves)
    }

    fn push(&mut self, source: u32, label: u32, target: u32) {
        self.source.push(source);
        self.label.push(label);
        self.target.push(target);
        self.incoming_starts[target as usize] += 1;
    }

    /// Drops the transitions of states that are alone in their class: nothing splits that.
    pub(super) fn drop_single(
        &mut self,
        class_of: &[u32],
        classes: usize,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        budget.charge(classes)?;
        budget.spend(class_of.len() + 2 * self.len())?;
        // 0, 1, or 2 for more
        let mut sizes = vec![0u8; classes];
        for &class in class_of {
            let size = &mut sizes[class as usize];
            *size = (*size + 1).min(2);
        }
        let mut kept = 0;
        self.incoming_starts.fill(0);
        for state in 0..self.state_count() {
            let (start, end) = (self.starts[state] as usize, self.starts[state + 1] as usize);
            // earlier ones have moved, and this one's start with them
            self.starts[state] = kept as u32;
            if sizes[class_of[state] as usize] > 1 {
                for t in start..end {
                    self.source[kept] = self.source[t];
                    self.label[kept] = self.label[t];
                    self.target[kept] = self.target[t];
                    self.incoming_starts[self.target[t] as usize] += 1;
                    kept += 1;
                }
            }
        }
        let states = self.state_count();
        self.starts[states] = kept as u32;
        let dropped = self.len() - kept;
        for list in [&mut self.source, &mut self.label, &mut self.target] {
            list.truncate(kept);
            list.shrink_to_fit();
        }
        self.incoming = Vec::new();
        self.sort_by_target();
        budget.release(classes + 16 * dropped);
        Ok(())
    }

    fn sort_by_target(&mut self) {
        let mut end = 0;
        for start in &mut self.incoming_starts {
            end += *start;
            *start = end;
        }
        self.incoming = vec![0; self.len()];
        for (t, &target) in self.target.iter().enumerate().rev() {
            let cursor = &mut self.incoming_starts[target as usize];
            *cursor -= 1;
            self.incoming[*cursor as usize] = t as u32;
        }
    }

    pub(super) fn state_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.source.len()
    }

    #[inline]
    pub(super) fn is_silent(&self, t: usize) -> bool {
        self.has_silent && self.label[t] == SILENT
    }

    #[inline]
    pub(super) fn outgoing(&self, state: u32) -> Range<u32> {
        self.starts[state as usize]..self.starts[state as usize + 1]
    }

    #[inline]
    pub(super) fn incoming_range(&self, state: u32) -> Range<usize> {
        self.incoming_starts[state as usize] as usize..self.incoming_starts[state as usize + 1] as usize
    }

    #[inline]
    pub(super) fn incoming(&self, state: u32) -> &[u32] {
        &self.incoming[self.incoming_range(state)]
    }
}

/// Numbers labels densely, in the order they come, from 1; the silent one is 0. The number after
/// all of them is left for divergence.
struct Labels {
    /// by label, if labels are small; 0 where none is given
    table: Vec<u32>,
    map: FxHashMap<u32, u32>,
    count: usize,
    divergence: u32,
    held: usize,
}

impl Labels {
    fn new(graph: &Graph, budget: &mut Budget) -> Result<Self, Exhausted> {
        let largest = graph.all_edges().iter().map(|edge| edge.label).max().unwrap_or(0) as usize;
        let is_small = largest <= 4 * graph.edge_count() + 1024;
        // a map has at most as many labels as there are edges
        let held = if is_small { 4 * (largest + 1) } else { 20 * graph.edge_count() };
        budget.charge(held)?;
        let table = if is_small { vec![0; largest + 1] } else { Vec::new() };
        Ok(Self { table, map: FxHashMap::default(), count: 0, divergence: 0, held })
    }

    #[inline]
    fn dense(&mut self, label: u32) -> u32 {
        if label == SILENT {
            return SILENT;
        }
        let slot = match self.table.get_mut(label as usize) {
            Some(slot) => slot,
            None => self.map.entry(label).or_insert(0),
        };
        if *slot == 0 {
            self.count += 1;
            *slot = self.count as u32;
        }
        *slot
    }

    fn divergence(&mut self) -> u32 {
        if self.divergence == 0 {
            self.count += 1;
            self.divergence = self.count as u32;
        }
        self.divergence
    }

    fn drop(self, budget: &mut Budget) {
        budget.release(self.held);
    }
}
