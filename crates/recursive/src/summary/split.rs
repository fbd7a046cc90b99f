//! Splitting instances by the contexts of one more formula.
//!
//! Given `stays` and the summaries of ψ and where ψ is asked for, first find which exits matter
//! ([`Relevant`]). Then go top-down from the initial instance, whose context is known: ψ at all its
//! vertices follows ([`leave`]), and a call's context is ψ at the return ports of the exits that
//! matter. Each context that occurs is one instance; exits that do not matter do not distinguish
//! contexts. Linear in the instances that are made, with the edges of each.

use super::context_free::ContextFree;
use super::mode::{Rival, Stopped};
use super::relevant::Relevant;
use crate::contexts::{ContextTable, hash_words};
use crate::instances::{InstanceId, Instances, NONE};
use crate::operand::Lanes;
use crate::summaries::leave;
use crate::threads;
use loris_base::{Budget, Idx};
use loris_rsm::{Vertex, VertexKind};
use std::ops::Range;

/// Bytes of an entry of the table, with room for the table to grow.
const TABLE: usize = 40;

/// The contexts that occur: new instances, not yet a graph.
pub(super) struct Contexts {
    /// per new instance, the old one it is made of
    old: Vec<InstanceId>,
    /// per new instance, where its context starts in `words`
    starts: Vec<usize>,
    words: Vec<Lanes>,
    /// the formula at every cell of the new instances
    values: Vec<Lanes>,
    /// per new instance, the new instances its boxes call, one after the other
    callees: Vec<InstanceId>,
    table: ContextTable<InstanceId>,
    cells: usize,
}

/// The contexts of a formula that occur and matter, unless they make more than this many cells.
/// Another engine gets a turn when there are as many as it waits for, and again when there are half
/// as many more.
pub(super) fn contexts(
    graph: &Instances<'_>,
    decided: &ContextFree<'_>,
    relevant: &Relevant,
    (most, mut turns): (usize, Option<(&dyn Rival, usize)>),
    budget: &mut Budget,
) -> Result<Contexts, Stopped> {
    let rsm = graph.rsm;
    let mut contexts = Contexts {
        old: Vec::new(),
        starts: Vec::new(),
        words: Vec::new(),
        values: Vec::new(),
        callees: Vec::new(),
        table: ContextTable::default(),
        cells: 0,
    };
    let bottom: Vec<Lanes> =
        decided.context.iter().zip(relevant.row(graph.start)).map(|(&value, &mask)| value & mask).collect();
    contexts.intern(graph, graph.start, &bottom, most, budget)?;
    // an instance whose context does not matter needs no comparing
    let matters: Vec<bool> =
        graph.ids().map(|old| relevant.row(old).iter().any(|&lanes| lanes != 0)).collect();
    budget.charge(8 * graph.len())?;
    let mut only = vec![NONE; graph.len()];
    let mut word = Vec::new();
    let mut next = 0;
    // the instances whose values are known, and where those start
    let mut ahead = 0;
    let mut start = 0;
    // a large machine's instances get their values in advance, so that threads can share them
    let in_advance = turns.is_none() && budget.is_large(graph.cell_count());
    while next < contexts.old.len() {
        let old = contexts.old[next];
        if next == ahead {
            ahead = if in_advance { contexts.old.len() } else { next + 1 };
            start = contexts.values(graph, decided, next..ahead, budget)?;
        }
        let values = start;
        start += rsm.vertex_range(graph.component(old)).len();
        let first = rsm.vertex_range(graph.component(old)).start;
        for site in rsm.boxes(graph.component(old)) {
            let callee = graph.callee(old, site);
            let is_called =
                |port: Vertex| rsm.kind(port) == VertexKind::Call(site) && decided.reached[port.index()];
            if callee == NONE || !rsm.ports(site).any(is_called) {
                contexts.callees.push(NONE);
                continue;
            }
            if only[callee.index()] != NONE {
                contexts.callees.push(only[callee.index()]);
                continue;
            }
            word.clear();
            for (exit, &mask) in relevant.row(callee).iter().enumerate() {
                let mut value = 0;
                if mask != 0
                    && let Some(port) = rsm.return_port(site, exit)
                {
                    value = contexts.values[values + port.index() - first];
                }
                word.push(value & mask);
            }
            budget.spend(1 + word.len())?;
            let fresh = contexts.intern(graph, callee, &word, most, budget)?;
            contexts.callees.push(fresh);
            if !matters[callee.index()] {
                only[callee.index()] = fresh;
            }
        }
        next += 1;
        if let Some((rival, cells)) = &mut turns
            && contexts.cells >= *cells
        {
            if let Some(outcome) = rival.turn(budget)? {
                return Err(Stopped::Decided(outcome));
            }
            *cells = contexts.cells + contexts.cells / 2;
        }
    }
    Ok(contexts)
}

impl Contexts {
    /// The new instance of an old one under a context.
    fn intern(
        &mut self,
        graph: &Instances<'_>,
        old: InstanceId,
        context: &[Lanes],
        most: usize,
        budget: &mut Budget,
    ) -> Result<InstanceId, Stopped> {
        let hash = hash_words(old.index() as u32, context.iter().copied());
        let same = |fresh: InstanceId| {
            let start = self.starts[fresh.index()];
            self.old[fresh.index()] == old && &self.words[start..start + context.len()] == context
        };
        if let Some(fresh) = self.table.find(hash, same) {
            return Ok(fresh);
        }
        let fresh = InstanceId::new(self.old.len());
        let cells = graph.rsm.vertex_range(graph.component(old)).len();
        self.cells += cells;
        if self.cells > most {
            return Err(Stopped::TooLarge);
        }
        // its values, its context, its calls, and its entries in the table and the vectors
        budget.charge(
            8 * (cells + context.len()) + 4 * graph.rsm.boxes(graph.component(old)).len() + 12 + TABLE,
        )?;
        self.old.push(old);
        self.starts.push(self.words.len());
        self.words.extend_from_slice(context);
        self.table.insert(hash, fresh);
        Ok(fresh)
    }

    /// The graph of the new instances.
    pub(super) fn instances<'a>(
        &self,
        graph: &Instances<'a>,
        budget: &mut Budget,
    ) -> Result<Instances<'a>, Stopped> {
        budget.spend(self.old.len() + self.callees.len())?;
        budget.charge(Instances::bytes_of(self.old.len(), self.callees.len()))?;
        let mut fresh = Instances::empty(graph.rsm);
        let mut callees = self.callees.iter().copied();
        for &old in &self.old {
            let component = graph.component(old);
            let boxes = graph.rsm.boxes(component).len();
            fresh.push(component, callees.by_ref().take(boxes));
        }
        fresh.close();
        Ok(fresh)
    }

    /// Values on the old graph, carried over to the new one. All graphs have the same instances.
    pub(super) fn copy(
        &self,
        graph: &Instances<'_>,
        values: &[Lanes],
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Stopped> {
        let cells = self.old.iter().map(|&old| graph.rsm.vertex_range(graph.component(old)).len()).sum();
        budget.charge(8 * cells)?;
        let mut copied = Vec::with_capacity(cells);
        for &old in &self.old {
            let first = graph.first_cell(old);
            let size = graph.rsm.vertex_range(graph.component(old)).len();
            budget.spend(size)?;
            copied.extend_from_slice(&values[first..first + size]);
        }
        Ok(copied)
    }

    /// Finds the formula's values in new instances, those before them being known; returns where
    /// they start.
    fn values(
        &mut self,
        graph: &Instances<'_>,
        decided: &ContextFree<'_>,
        fresh: Range<usize>,
        budget: &mut Budget,
    ) -> Result<usize, Stopped> {
        let start = self.values.len();
        let size = |fresh: usize| graph.rsm.vertex_range(graph.component(self.old[fresh])).len();
        let cells: usize = fresh.clone().map(size).sum();
        budget.spend(cells)?;
        self.values.resize(start + cells, 0);
        let mut rest = &mut self.values[start..];
        let mut parts = Vec::new();
        for fresh in fresh {
            let (values, others) = std::mem::take(&mut rest).split_at_mut(size(fresh));
            rest = others;
            parts.push((fresh, values));
        }
        let (old, starts, words) = (&self.old, &self.starts, &self.words);
        threads::each(cells, parts, budget, |(fresh, values), budget| {
            let old = old[fresh];
            let first = graph.first_cell(old);
            values.copy_from_slice(&decided.stays[first..first + values.len()]);
            let exits = graph.rsm.exits(graph.component(old)).len();
            let context = &words[starts[fresh]..starts[fresh] + exits];
            leave(graph, (decided.along, decided.summaries), old, context, values, budget)
        })?;
        Ok(start)
    }

    /// The values of the formula at every cell of the new graph.
    pub(super) fn into_values(self) -> Vec<Lanes> {
        self.values
    }
}
