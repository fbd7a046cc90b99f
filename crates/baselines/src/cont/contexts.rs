//! The loop of CONT (rsm-analysis, Fig. 3, lines 11 to 33): which contexts occur, and what holds
//! under each of them.
//!
//! A context contains the truth value of every member of the closure at the exit. Under a context
//! c,
//!
//! > Sat(Eρ) = N1(ρ) ∪ {N2(β) : (β, δ) ∈ DECOMP(ρ), c(Eδ)},  and at the exit itself Eρ iff c(Eρ);
//!
//! a box is called under the context that is true of its return port. Contexts that occur are
//! collected until there is none new (accumulated: erratum R2), starting with the initial component
//! under the empty stack. Invariant: the context of a pair is right under every stack that leads to
//! it, and those before `next` have had their boxes called. One copy of a component for each
//! context, at most 2^members, which for a fixed formula is linear in the machine.
//!
//! The paper starts with every component under the empty stack; they are not needed here.

use super::closure::Closure;
use super::existential::Existential;
use super::nodes::{leaving, never_leaving};
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::CoreId;
use loris_recursive::building_blocks::Lanes;
use loris_recursive::building_blocks::{InstanceId, Instances, NONE};
use loris_rsm::Vertex;
use rustc_hash::FxHashMap;

/// A member of the closure, with its values that are known without any context.
pub(super) struct Known {
    stays: Vec<bool>,
    /// N2 of each prefix, and the member that is to hold at the exit then, if not `true`
    pairs: Vec<(usize, Option<usize>)>,
}

/// All members of the closures of formulas of one level, with N1 and N2 at every cell.
#[derive(Default)]
pub(super) struct Level {
    members: Vec<Known>,
    leaves: Vec<Vec<bool>>,
    /// per formula, its node and its member
    pub(super) formulas: Vec<(CoreId, usize)>,
}

impl Level {
    /// Adds a formula whose operands are known at every cell.
    pub(super) fn add(
        &mut self,
        graph: &Instances<'_>,
        existential: &Existential,
        closure: &Closure,
        operands: &[Vec<Lanes>],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let (first, leaves) = (self.members.len(), self.leaves.len());
        // N1 and N2 give back the memory they hold: each is charged to a budget of its own
        self.formulas.push((existential.node, first));
        for prefix in &closure.prefixes {
            budget.charge(graph.cell_count())?;
            budget.spend(graph.cell_count() * prefix.len())?;
            self.leaves.push(leaving(graph, operands, prefix, &mut budget.clone())?);
        }
        for member in &closure.members {
            budget.charge(graph.cell_count())?;
            budget.spend(graph.cell_count() * member.stages.len())?;
            let stays = never_leaving(graph, operands, &member.stages, &mut budget.clone())?;
            let shifted =
                |&(prefix, member): &(usize, Option<usize>)| (prefix + leaves, member.map(|m| m + first));
            self.members.push(Known { stays, pairs: member.pairs.iter().map(shifted).collect() });
        }
        Ok(())
    }

    /// How many bits a context has.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether a cell is in Sat of a member under a context.
    fn sat(&self, member: usize, cell: usize, is_exit: bool, context: &[bool]) -> bool {
        let known = &self.members[member];
        if is_exit {
            return context[member];
        }
        let holds = |&(prefix, member): &(usize, Option<usize>)| {
            member.is_none_or(|member| context[member]) && self.leaves[prefix][cell]
        };
        known.stays[cell] || known.pairs.iter().any(holds)
    }
}

/// The pairs of a component and a context that occur.
pub(super) struct Contexts {
    /// per new instance, the old one it is a copy of, and its context
    pairs: Vec<(InstanceId, Vec<bool>)>,
    /// per new instance, the new instances its boxes call, one after the other
    callees: Vec<InstanceId>,
}

impl Contexts {
    /// Collects them, given the context at the bottom of the stack.
    pub(super) fn new(
        graph: &Instances<'_>,
        level: &Level,
        bottom: Vec<bool>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let rsm = graph.rsm;
        let mut contexts = Self { pairs: vec![(graph.start, bottom.clone())], callees: Vec::new() };
        let mut numbers: FxHashMap<(InstanceId, Vec<bool>), InstanceId> =
            FxHashMap::from_iter([((graph.start, bottom), InstanceId::new(0))]);
        let (mut next, mut cells) = (0, 0);
        while let Some((old, context)) = contexts.pairs.get(next).cloned() {
            let component = graph.component(old);
            let shift = graph.shift(old);
            cells += rsm.vertex_range(component).len();
            if cells >= u32::MAX as usize {
                return Err(Exhausted::Memory);
            }
            // its context twice, in blocks of their own, and its calls
            budget.charge(2 * (context.len() + 24) + 120 + 8 * rsm.boxes(component).len())?;
            for site in rsm.boxes(component) {
                let callee = graph.callee(old, site);
                if callee == NONE {
                    contexts.callees.push(NONE);
                    continue;
                }
                budget.spend(1 + level.len())?;
                let has_exit = !rsm.exits(graph.component(callee)).is_empty();
                let back = has_exit.then(|| rsm.return_port(site, 0)).flatten();
                // an exit that is not there has the context that is false of everything
                let at = |member: usize| {
                    back.is_some_and(|port| level.sat(member, shift.cell(port).index(), false, &context))
                };
                let key = (callee, (0..level.len()).map(at).collect::<Vec<bool>>());
                let fresh = InstanceId::new(numbers.len());
                let number = *numbers.entry(key).or_insert_with_key(|(callee, context)| {
                    contexts.pairs.push((*callee, context.clone()));
                    fresh
                });
                contexts.callees.push(number);
            }
            next += 1;
        }
        Ok(contexts)
    }

    /// The copies as a graph.
    pub(super) fn instances<'a>(
        &self,
        graph: &Instances<'a>,
        budget: &mut Budget,
    ) -> Result<Instances<'a>, Exhausted> {
        budget.spend(self.pairs.len() + self.callees.len())?;
        budget.charge(Instances::bytes_of(self.pairs.len(), self.callees.len()))?;
        let mut copies = Instances::empty(graph.rsm);
        let mut callees = self.callees.iter().copied();
        for &(old, _) in &self.pairs {
            let component = graph.component(old);
            copies.push(component, callees.by_ref().take(graph.rsm.boxes(component).len()));
        }
        copies.close();
        Ok(copies)
    }

    /// Values on the old graph, on the copies.
    pub(super) fn copy(
        &self,
        graph: &Instances<'_>,
        values: &[Lanes],
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let mut copied = Vec::new();
        for &(old, _) in &self.pairs {
            let first = graph.first_cell(old);
            let size = graph.rsm.vertex_range(graph.component(old)).len();
            budget.charge(8 * size)?;
            budget.spend(1 + size / 8)?;
            copied.extend_from_slice(&values[first..first + size]);
        }
        Ok(copied)
    }

    /// Where a member is true, on the copies.
    pub(super) fn labels(
        &self,
        graph: &Instances<'_>,
        level: &Level,
        member: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let mut labels = Vec::new();
        for (old, context) in &self.pairs {
            let shift = graph.shift(*old);
            let vertices = graph.rsm.vertex_range(graph.component(*old));
            budget.charge(8 * vertices.len())?;
            for vertex in vertices.map(Vertex::new) {
                budget.spend(level.members[member].pairs.len())?;
                let is_exit = graph.rsm.is_exit(vertex);
                labels.push(Lanes::from(level.sat(member, shift.cell(vertex).index(), is_exit, context)));
            }
        }
        Ok(labels)
    }
}
