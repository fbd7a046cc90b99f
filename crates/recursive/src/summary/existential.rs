//! An existential formula as the engine sees it: operands, and a track with stages.

use super::track::Track;
use crate::operand::{Lanes, Operand};
use loris_base::{Budget, Exhausted};
use loris_logic::{Core, CoreId, CoreNode};

/// An existential formula: its operands, and the automaton it follows along a run.
pub(crate) struct Existential {
    pub(crate) operands: Vec<Operand>,
    /// nothing for EX
    pub(crate) track: Option<Track>,
}

impl Existential {
    /// The existential formulas of a formula with their nodes, children first.
    pub(crate) fn all(formula: &Core, budget: &mut Budget) -> Result<Vec<(CoreId, Self)>, Exhausted> {
        let of = |node: CoreId| {
            let operands = formula.children(node).map(|child| Operand::new(formula, child)).collect();
            Ok((node, Self { operands, track: Track::new(formula, node, budget)? }))
        };
        formula.existentials().map(of).collect()
    }

    /// How many stages there are.
    pub(crate) fn copies(&self) -> usize {
        self.track.as_ref().map_or(1, Track::len)
    }

    /// The stages a run may start at.
    pub(super) fn initial(&self) -> &[u32] {
        self.track.as_ref().map_or(&[0], |track| &track.initial)
    }

    /// Where stages are asked for, given where the formula is: at those it may start at, unless one
    /// of them is true without leaving.
    pub(super) fn wanted(&self, asked: &[Lanes], stays: &[Lanes]) -> Vec<Lanes> {
        let copies = self.copies();
        let mut wanted = vec![0; stays.len()];
        for (cell, &asked) in asked.iter().enumerate() {
            let stages = cell * copies..(cell + 1) * copies;
            let initial = self.initial().iter().map(|&stage| stages.start + stage as usize);
            let known = initial.clone().fold(0, |lanes, at| lanes | stays[at]);
            initial.for_each(|at| wanted[at] = asked & !known);
        }
        wanted
    }

    /// From values at every stage to the formula's: that of the stages it may start at.
    pub(super) fn at_first(&self, values: Vec<Lanes>) -> Vec<Lanes> {
        if self.copies() == 1 && self.initial() == [0] {
            return values;
        }
        let any =
            |stages: &[Lanes]| self.initial().iter().fold(0, |lanes, &stage| lanes | stages[stage as usize]);
        values.chunks(self.copies()).map(any).collect()
    }

    /// Whether it is E[true U φ].
    pub(super) fn is_future(&self, formula: &Core, node: CoreId) -> bool {
        matches!(formula.node(node), CoreNode::Eu(..)) && self.operands[0].is_true()
    }
}
