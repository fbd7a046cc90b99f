//! Splitting instances by the contexts of one more formula.
//!
//! Given `stays` and the rows of ψ and where ψ is asked for, first find which exits matter
//! ([`relevant`]): those in the row of a cell that is asked and does not stay, and those of the
//! callers through which these are reached. Then go top-down from the initial instance: a call's
//! context is ψ at the return ports of the exits that matter. Each context that occurs is one
//! instance; exits that do not matter do not tell contexts apart.

use super::rows::Rows;
use super::{Mode, Stopped};
use crate::contexts::{ContextTable, hash_words};
use crate::instances::{Instances, NONE};
use crate::operand::Lanes;
use loris_base::{Budget, Idx};
use loris_rsm::{Kind, Vertex};

/// An existential formula whose context-free part is known, on a graph with its stages.
pub(super) struct Decided<'r> {
    pub(super) stays: Vec<Lanes>,
    pub(super) rows: &'r Rows,
    pub(super) asked: Vec<Lanes>,
    /// its values at the exits under the empty stack
    pub(super) context: Vec<Lanes>,
    /// per vertex, whether a run gets there
    pub(super) reached: &'r [bool],
}

/// The contexts of a formula that occur and matter; nothing if contexts do not matter.
pub(super) fn split(
    graph: &Instances<'_>,
    decided: &Decided<'_>,
    mode: &Mode,
    budget: &mut Budget,
) -> Result<Option<Contexts>, Stopped> {
    let relevant = relevant(graph, decided, budget)?;
    if relevant.words.iter().all(|&lanes| lanes == 0) {
        return Ok(None);
    }
    contexts(graph, decided, &relevant, mode, budget).map(Some)
}

/// Bytes of an entry of the table, with room for the table to grow.
const TABLE: usize = 40;

/// For each exit of each instance, the lanes in which its context matters.
struct Relevant {
    starts: Vec<usize>,
    words: Vec<Lanes>,
}

impl Relevant {
    fn row(&self, instance: u32) -> &[Lanes] {
        &self.words[self.starts[instance as usize]..self.starts[instance as usize + 1]]
    }
}

fn relevant(graph: &Instances<'_>, decided: &Decided<'_>, budget: &mut Budget) -> Result<Relevant, Stopped> {
    let rsm = graph.rsm;
    let mut starts = Vec::with_capacity(graph.len() + 1);
    let mut total = 0;
    for instance in 0..graph.len() as u32 {
        starts.push(total);
        total += rsm.exits(graph.component(instance)).len();
    }
    starts.push(total);
    budget.charge(8 * (total + starts.len()) + 16 * graph.len())?;
    let mut words = vec![0; total];
    let mut waiting = vec![false; graph.len()];
    for instance in 0..graph.len() as u32 {
        let shift = graph.shift(instance);
        let start = starts[instance as usize];
        let mut grown = false;
        for vertex in rsm.vertex_range(graph.component(instance)) {
            budget.spend(1)?;
            let cell = shift.cell(Vertex::new(vertex));
            let open = decided.asked[cell] & !decided.stays[cell];
            if open != 0 && decided.reached[vertex] {
                decided.rows.for_each(graph, instance, vertex, |exit, lanes| {
                    words[start + exit] |= lanes & open;
                    grown = true;
                });
            }
        }
        waiting[instance as usize] = grown;
    }
    // what matters to a callee matters to its callers: callees first, and again where they recurse
    let order = graph.callees_first();
    while waiting.contains(&true) {
        for &instance in &order {
            if !std::mem::replace(&mut waiting[instance as usize], false) {
                continue;
            }
            for call in graph.callers(instance) {
                let shift = graph.shift(call.caller);
                let start = starts[call.caller as usize];
                let mut grown = false;
                for exit in 0..rsm.exits(graph.component(instance)).len() {
                    let lanes = words[starts[instance as usize] + exit];
                    let Some(port) = rsm.return_port(call.site, exit).filter(|_| lanes != 0) else {
                        continue;
                    };
                    let open = lanes & !decided.stays[shift.cell(port)];
                    if open != 0 {
                        decided.rows.for_each(graph, call.caller, port.index(), |exit, lanes| {
                            let word = &mut words[start + exit];
                            grown |= lanes & open & !*word != 0;
                            *word |= lanes & open;
                        });
                    }
                    budget.spend(1)?;
                }
                waiting[call.caller as usize] |= grown;
            }
        }
    }
    Ok(Relevant { starts, words })
}

/// The contexts that occur: new instances, not yet a graph.
pub(super) struct Contexts {
    /// per new instance, the old one it is made of
    old: Vec<u32>,
    /// per new instance, where its context starts in `words`
    starts: Vec<usize>,
    words: Vec<Lanes>,
    /// per new instance, the new instances its boxes call, one after the other
    callees: Vec<u32>,
    table: ContextTable,
    cells: usize,
}

fn contexts(
    graph: &Instances<'_>,
    decided: &Decided<'_>,
    relevant: &Relevant,
    mode: &Mode,
    budget: &mut Budget,
) -> Result<Contexts, Stopped> {
    let rsm = graph.rsm;
    let mut contexts = Contexts {
        old: Vec::new(),
        starts: Vec::new(),
        words: Vec::new(),
        callees: Vec::new(),
        table: ContextTable::default(),
        cells: 0,
    };
    let bottom: Vec<Lanes> =
        decided.context.iter().zip(relevant.row(graph.start)).map(|(&value, &mask)| value & mask).collect();
    contexts.intern(graph, graph.start, &bottom, mode, budget)?;
    // an instance whose context does not matter needs no comparing
    let matters: Vec<bool> =
        (0..graph.len() as u32).map(|old| relevant.row(old).iter().any(|&lanes| lanes != 0)).collect();
    budget.charge(8 * graph.len())?;
    let mut only = vec![NONE; graph.len()];
    let mut word = Vec::new();
    let mut next = 0;
    while next < contexts.old.len() {
        let old = contexts.old[next];
        let shift = graph.shift(old);
        for site in rsm.boxes(graph.component(old)) {
            let callee = graph.callee(old, site);
            let is_called =
                |port: Vertex| rsm.kind(port) == Kind::Call(site) && decided.reached[port.index()];
            if callee == NONE || !rsm.ports(site).any(is_called) {
                contexts.callees.push(NONE);
                continue;
            }
            if only[callee as usize] != NONE {
                contexts.callees.push(only[callee as usize]);
                continue;
            }
            word.clear();
            for (exit, &mask) in relevant.row(callee).iter().enumerate() {
                let mut value = 0;
                if mask != 0
                    && let Some(port) = rsm.return_port(site, exit)
                {
                    value = decided.stays[shift.cell(port)];
                    let context = &contexts.words[contexts.starts[next]..];
                    decided
                        .rows
                        .for_each(graph, old, port.index(), |exit, lanes| value |= lanes & context[exit]);
                }
                word.push(value & mask);
            }
            budget.spend(1 + word.len())?;
            let fresh = contexts.intern(graph, callee, &word, mode, budget)?;
            contexts.callees.push(fresh);
            if !matters[callee as usize] {
                only[callee as usize] = fresh;
            }
        }
        next += 1;
    }
    Ok(contexts)
}

impl Contexts {
    /// The new instance of an old one under a context.
    fn intern(
        &mut self,
        graph: &Instances<'_>,
        old: u32,
        context: &[Lanes],
        mode: &Mode,
        budget: &mut Budget,
    ) -> Result<u32, Stopped> {
        let hash = hash_words(old, context.iter().copied());
        let same = |fresh: u32| {
            let start = self.starts[fresh as usize];
            self.old[fresh as usize] == old && &self.words[start..start + context.len()] == context
        };
        if let Some(fresh) = self.table.find(hash, same) {
            return Ok(fresh);
        }
        let fresh = self.old.len() as u32;
        let cells = graph.rsm.vertex_range(graph.component(old)).len();
        self.cells += cells;
        if self.cells > mode.most_cells {
            return Err(Stopped::TooLarge);
        }
        // its context, its calls, and its entries in the table and the vectors
        budget.charge(8 * context.len() + 4 * graph.rsm.boxes(graph.component(old)).len() + 12 + TABLE)?;
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

    /// The values of the formula itself.
    pub(super) fn values(
        &self,
        graph: &Instances<'_>,
        decided: &Decided<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Stopped> {
        let mut values = self.copy(graph, &decided.stays, budget)?;
        let mut cell = 0;
        for (&old, &start) in self.old.iter().zip(&self.starts) {
            for vertex in graph.rsm.vertex_range(graph.component(old)) {
                budget.spend(1)?;
                let value = &mut values[cell];
                decided
                    .rows
                    .for_each(graph, old, vertex, |exit, lanes| *value |= lanes & self.words[start + exit]);
                cell += 1;
            }
        }
        Ok(values)
    }
}
