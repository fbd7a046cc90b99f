//! The state of the engine while it decides a formula: which subformulas are known where, and which
//! of the others the verdict can still depend on.

use super::bottom::Bottom;
use super::decided::{Known, last_exit};
use super::existential::Existential;
use super::mode::{Growth, Mode, Stopped};
use crate::instances::Instances;
use crate::operand::{Atoms, Lanes, Operand};
use crate::prepared::Prepared;
use crate::summaries::{Condensed, Summaries};
use crate::threads;
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::{Core, CoreId};
use loris_rsm::LabelId;
use std::cell::{Cell, OnceCell, RefCell};

/// The number of cells at which there is a first second thought.
fn enough(prepared: &Prepared<'_>) -> usize {
    prepared.growth().saturating_mul(prepared.rsm().vertex_count())
}

/// A run of which nothing is decided yet.
pub(super) fn start<'p, 'a>(
    prepared: &'p Prepared<'a>,
    formula: &'p Core,
    labels: &[&[Option<LabelId>]],
    mode: &'p Mode<'p>,
    budget: &mut Budget,
) -> Result<Evaluation<'p, 'a>, Stopped> {
    let rsm = prepared.rsm();
    let atoms = Atoms::new(rsm, formula.atoms().len(), labels, budget)?;
    let existentials = Existential::all(formula, budget)?;
    let last = last_exit(rsm, formula, &atoms, mode.at_exit, budget)?;
    let bottom = Bottom::new(&existentials, &last, atoms.active, budget)?;
    let fixed = Cell::new(budget.used());
    Ok(Evaluation {
        prepared,
        formula,
        mode,
        bottom,
        existentials,
        root: Operand::new(formula, formula.root()),
        graph: Instances::plain(rsm, |_| true, budget)?,
        is_plain: true,
        exits: OnceCell::new(),
        reached: OnceCell::new(),
        condensed: OnceCell::new(),
        fixed,
        at_start: vec![None; formula.nodes().len()],
        next_look: Cell::new(enough(prepared)),
        settled: RefCell::new(vec![(0, 0); rsm.initial().len()]),
        known: Known {
            values: vec![Vec::new(); formula.nodes().len()],
            asked: vec![Vec::new(); formula.nodes().len()],
        },
        atoms,
        contexts: 1,
        checks: Cell::new(0),
    })
}

/// A formula that is being decided on a graph that grows by contexts.
pub(super) struct Evaluation<'p, 'a> {
    pub(super) prepared: &'p Prepared<'a>,
    pub(super) formula: &'p Core,
    pub(super) mode: &'p Mode<'p>,
    pub(super) bottom: Bottom,
    /// the existential formulas with their operands, children first
    pub(super) existentials: Vec<(CoreId, Existential)>,
    pub(super) root: Operand,
    pub(super) graph: Instances<'a>,
    /// whether the graph is still one instance per component
    pub(super) is_plain: bool,
    /// per node of the formula, its value at each initial node, once decided
    pub(super) at_start: Vec<Option<Vec<Lanes>>>,
    /// the number of cells at which there is a second thought
    pub(super) next_look: Cell<usize>,
    /// per initial node, the lanes in which the root is known to be true, and to be false, by a
    /// look
    pub(super) settled: RefCell<Vec<(Lanes, Lanes)>>,
    pub(super) known: Known,
    pub(super) atoms: Atoms,
    pub(super) contexts: usize,
    pub(super) checks: Cell<usize>,
    /// the data that all properties share, once this one has asked for it
    pub(super) exits: OnceCell<&'p Summaries>,
    pub(super) reached: OnceCell<&'p [bool]>,
    pub(super) condensed: OnceCell<&'p Condensed>,
    /// bytes that stay declared to the end, for these among others
    pub(super) fixed: Cell<usize>,
}

impl<'p> Evaluation<'p, '_> {
    /// Decides all formulas that the verdict depends on.
    pub(super) fn finish(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        for level in 0..self.existentials.len() {
            if !self.is_wanted(level) {
                continue;
            }
            // the passes of a step are as much work as making the graph was
            if let Growth::Look(Some(rival)) = self.mode.growth
                && self.graph.cell_count() >= enough(self.prepared)
                && let Some(outcome) = rival.turn(budget)?
            {
                return Err(Stopped::Decided(outcome));
            }
            self.step(level, budget)?;
        }
        Ok(())
    }

    /// The data that all properties share: it is requested once, and stays declared.
    pub(super) fn shared<T: Copy>(
        &self,
        cell: &OnceCell<T>,
        budget: &mut Budget,
        ask: impl FnOnce(&mut Budget) -> Result<T, Exhausted>,
    ) -> Result<T, Exhausted> {
        if let Some(&known) = cell.get() {
            return Ok(known);
        }
        let before = budget.used();
        let asked = ask(budget)?;
        self.fixed.set(self.fixed.get() + budget.used() - before);
        Ok(*cell.get_or_init(|| asked))
    }

    pub(super) fn exits(&self, budget: &mut Budget) -> Result<&'p Summaries, Exhausted> {
        self.shared(&self.exits, budget, |budget| self.prepared.reachable_exits(budget))
    }

    pub(super) fn reached(&self, budget: &mut Budget) -> Result<&'p [bool], Exhausted> {
        let summaries = self.exits(budget)?;
        self.shared(&self.reached, budget, |budget| self.prepared.reached(summaries, budget))
    }

    pub(super) fn condensed(&self, budget: &mut Budget) -> Result<&'p Condensed, Exhausted> {
        let summaries = self.exits(budget)?;
        self.shared(&self.condensed, budget, |budget| self.prepared.condensed(summaries, budget))
    }

    /// The root at an initial node as far as it is known: (surely true, surely false).
    pub(super) fn root_at(&self, initial: usize) -> (Lanes, Lanes) {
        let (yes, no) = self.root_given(initial, |_| None);
        let settled = self.settled.borrow()[initial];
        (yes | settled.0, no | settled.1)
    }

    /// The same, given more about some formulas there.
    pub(super) fn root_given(
        &self,
        initial: usize,
        given: impl Fn(CoreId) -> Option<(Lanes, Lanes)>,
    ) -> (Lanes, Lanes) {
        let active = self.atoms.active;
        let vertex = self.graph.rsm.initial()[initial].index();
        self.root.ternary(
            active,
            |k| self.atoms.at(k, vertex),
            |node| match &self.at_start[node.index()] {
                Some(values) => (values[initial], !values[initial] & active),
                None => given(node).unwrap_or_default(),
            },
            &mut Vec::new(),
        )
    }

    /// The lanes in which the verdict is open: not known to be true at all initial nodes, and not
    /// known to be false at one.
    pub(super) fn open(&self) -> Lanes {
        let roots = (0..self.graph.rsm.initial().len()).map(|initial| self.root_at(initial));
        let active = self.atoms.active;
        if self.mode.each_initial {
            return roots.fold(0, |open, (yes, no)| open | active & !(yes | no));
        }
        let (all, any) = roots.fold((active, 0), |(all, any), (yes, no)| (all & yes, any | no));
        active & !(all | any)
    }

    /// Whether the verdict can still depend on this formula: the root is open in some lane, and it
    /// or a wanted formula mentions this one.
    pub(super) fn is_wanted(&self, level: usize) -> bool {
        let open = self.open() != 0;
        let mut wanted = vec![false; self.formula.nodes().len()];
        for &node in &self.root.existentials {
            wanted[node.index()] = open;
        }
        for (node, existential) in self.existentials[level + 1..].iter().rev() {
            if wanted[node.index()] {
                for &inner in existential.operands.iter().flat_map(|operand| &operand.existentials) {
                    wanted[inner.index()] = true;
                }
            }
        }
        wanted[self.existentials[level].0.index()]
    }

    /// The operands of later formulas that mention this one.
    pub(super) fn askers(&self, level: usize) -> Vec<&Operand> {
        let node = self.existentials[level].0;
        let later = self.existentials[level + 1..].iter().flat_map(|(_, later)| &later.operands);
        later.filter(|operand| operand.existentials.contains(&node)).collect()
    }

    /// Per cell, the lanes in which a later formula's operand depends on the value of this one;
    /// nothing if no later formula mentions it.
    pub(super) fn asked(&self, level: usize, budget: &mut Budget) -> Result<Option<Vec<Lanes>>, Exhausted> {
        let operands = self.askers(level);
        if operands.is_empty() {
            return Ok(None);
        }
        budget.charge(8 * self.graph.cell_count())?;
        let (active, open) = (self.atoms.active, self.open());
        let (atoms, values) = (&self.atoms, &self.known.values);
        let asked = |scratch: &mut Vec<(Lanes, Lanes)>, cell: usize, vertex: usize| {
            let known = |node: CoreId| match values[node.index()].get(cell) {
                Some(&value) => (value, !value & active),
                None => (0, 0),
            };
            let lanes = operands.iter().fold(0, |lanes, operand| {
                let (yes, no) = operand.ternary(active, |k| atoms.at(k, vertex), known, scratch);
                lanes | !(yes | no)
            });
            lanes & open
        };
        let asked = threads::fill(&self.graph, operands.len(), budget, asked)?;
        Ok(Some(asked))
    }
}
