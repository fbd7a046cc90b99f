//! Values at the initial nodes, under the empty stack: all that the verdict is about.

use super::evaluation::Evaluation;
use crate::instances::Instances;
use crate::operand::{Lanes, Operand};
use crate::summaries::{self, Along, Summaries, leave};
use crate::threads;
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::CoreId;
use loris_rsm::Vertex;
use std::sync::atomic::{AtomicU64, Ordering};

impl Evaluation<'_, '_> {
    /// E[true U φ] at the initial nodes, where it is not asked for elsewhere: is the goal true at a
    /// cell that a run gets to? Stops as soon as it has been seen in all lanes. The exits at the
    /// bottom of the stack are seen on the way; a sink comes after them.
    pub(super) fn reachable_at_start(
        &self,
        level: usize,
        goal: &Operand,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let summaries = self.exits(budget)?;
        let after = self.values_at_start(level, &self.graph, &[], (Along::Everything, summaries), budget)?;
        let (atoms, values) = (&self.atoms, &self.known.values);
        let value = |scratch: &mut Vec<Lanes>, cell: usize, vertex: usize| {
            let existential = |node: CoreId| values[node.index()][cell];
            goal.value(atoms.active, |k| atoms.at(k, vertex), existential, scratch)
        };
        let mut all = Vec::new();
        for (&initial, &after) in self.graph.rsm.initial().iter().zip(&after) {
            let found = AtomicU64::new(after);
            let see = |lanes: Lanes| {
                let known = found.load(Ordering::Relaxed);
                if lanes & !known != 0 {
                    found.fetch_or(lanes, Ordering::Relaxed);
                }
                lanes | known == atoms.active
            };
            if self.prepared.has_one_way_in() {
                // then a vertex that is reached in one instance of a component is reached in all
                let reached = self.reached(budget)?;
                threads::visit(&self.graph, budget, |scratch, cell, vertex| {
                    reached[vertex] && see(value(scratch, cell, vertex))
                })?;
            } else {
                let graph = &self.graph;
                summaries::forward(graph, summaries, &[initial], budget, |scratch, instance, vertex| {
                    see(value(scratch, graph.shift(instance).cell(vertex).index(), vertex.index()))
                })?;
            }
            all.push(found.into_inner());
        }
        Ok(all)
    }

    /// A formula at the initial nodes, under the empty stack; `stays` is empty if nothing is known
    /// of runs that do not leave.
    pub(super) fn values_at_start(
        &self,
        level: usize,
        graph: &Instances<'_>,
        stays: &[Lanes],
        passing: (Along<'_>, &Summaries),
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let context = self.bottom.context(level);
        let existential = &self.existentials[level].1;
        let (start, copies) = (graph.start, existential.copies());
        let range = graph.rsm.vertex_range(graph.component(start));
        let first = graph.first_cell(start);
        budget.charge(8 * range.len())?;
        let mut values = stays.get(first..first + range.len()).unwrap_or_default().to_vec();
        values.resize(range.len(), 0);
        leave(graph, passing, start, &context, &mut values, budget)?;
        budget.release(8 * range.len());
        let value = |vertex: &Vertex| {
            let stage = |&stage: &u32| values[vertex.index() * copies + stage as usize - range.start];
            existential.initial().iter().fold(0, |lanes, at| lanes | stage(at)) & self.atoms.active
        };
        Ok(self.graph.rsm.initial().iter().map(value).collect())
    }
}
