//! The result of the engine: verdicts, and the graph and values that evidence is made of.

use crate::instances::Instances;
use crate::last_exit::LastExit;
use crate::operand::{Atoms, Lanes};
use crate::recurrent;
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::AtExit;
use loris_logic::Core;
use loris_rsm::Rsm;

/// The result of a run over properties of one shape.
pub(crate) struct Decided<'a> {
    /// per initial node, the lanes in which the formula is true
    pub(crate) values: Vec<Lanes>,
    pub(crate) contexts: usize,
    pub(crate) checks: usize,
    /// the last instance graph and the values on it, for evidence
    pub(crate) graph: Instances<'a>,
    pub(crate) known: Known,
    pub(crate) atoms: Atoms,
    pub(super) at_start: Vec<Option<Vec<Lanes>>>,
    /// per node of the formula, its value at the sink, if that is known already
    pub(super) sink: Option<Vec<Lanes>>,
}

impl<'a> Decided<'a> {
    /// The values on a machine without calls: all of them, in the only context.
    pub(super) fn finite(
        rsm: &'a Rsm,
        formula: &Core,
        atoms: Atoms,
        values: recurrent::Values,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.charge(8 * rsm.vertex_count() * formula.existentials().count())?;
        let asked = |values: &Vec<Lanes>| vec![atoms.active; values.len()];
        let known =
            Known { asked: values.existentials.iter().map(asked).collect(), values: values.existentials };
        let root = values.initial.last().cloned().unwrap_or_default();
        let at_start = values.initial.into_iter().zip(formula.nodes());
        let at_start = at_start.map(|(values, node)| node.is_existential().then_some(values)).collect();
        Ok(Self {
            values: root,
            contexts: 1,
            checks: formula.existentials().count(),
            graph: Instances::plain(rsm, |_| true, budget)?,
            known,
            atoms,
            at_start,
            sink: Some(values.sink),
        })
    }

    /// The values of formulas where runs end.
    pub(crate) fn last_exit(
        &self,
        formula: &Core,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<LastExit, Exhausted> {
        match &self.sink {
            Some(sink) => Ok(LastExit::of_sink(self.atoms.active, sink.clone())),
            None => last_exit(self.graph.rsm, formula, &self.atoms, at_exit, budget),
        }
    }

    /// The value of an existential formula at an initial node, if it was decided; of one property
    /// only.
    pub(crate) fn at_start(&self, node: usize, initial: usize) -> Option<bool> {
        self.at_start[node].as_ref().map(|values| values[initial] != 0)
    }
}

/// Values of the existential formulas decided so far, at every cell.
#[derive(Default)]
pub(crate) struct Known {
    /// per node of the formula; empty if not decided
    pub(crate) values: Vec<Vec<Lanes>>,
    /// per node of the formula, where its value was asked for, if that is kept
    pub(crate) asked: Vec<Vec<Lanes>>,
}

impl Known {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.values.iter().chain(&self.asked).map(|values| 8 * values.len()).sum()
    }
}

/// The value of a formula at the exits at the bottom of the stack.
pub(super) fn last_exit(
    rsm: &Rsm,
    formula: &Core,
    atoms: &Atoms,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<LastExit, Exhausted> {
    let exits = rsm.exits(rsm.initial_component());
    let atom = |exit: usize, atom: u32| atoms.at(atom, exits[exit].index());
    LastExit::new(formula, (exits.len(), at_exit), atoms.active, atom, budget)
}
