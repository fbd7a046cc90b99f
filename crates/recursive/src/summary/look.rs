//! A three-valued look at the rest of a formula, before a graph is split by many contexts.
//!
//! On the graph as it is, a formula whose contexts are not distinguished lies between two bounds:
//! where it is true without leaving, and where it is true if it is so at every exit. CTL's
//! operators are monotone, so bounds of operands give bounds of the formulas above them, up to the
//! root. Where these meet at the initial nodes the verdict is known, in these lanes, and no context
//! is needed for it.
//!
//! Two passes for each later formula that is wanted, one for each bound, both linear in the graph.

use super::evaluation::Evaluation;
use super::without_context::Passing;
use crate::operand::{Lanes, Operand};
use crate::summaries::leave;
use loris_base::{Budget, Exhausted, Idx};

/// Bounds of a formula, at every cell: where it is true in every context, and where in some.
struct Bounds {
    low: Vec<Lanes>,
    high: Vec<Lanes>,
}

impl Evaluation<'_, '_> {
    /// Decides the root, in lanes where that is possible without contexts of a formula, given where
    /// it is true without leaving and how it is passed on. The formulas must be those of CTL.
    pub(super) fn look(
        &self,
        level: usize,
        stays: &[Lanes],
        passing: &Passing<'_>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let before = budget.used();
        let nodes = self.formula.nodes().len();
        let mut bounds: Vec<Option<Bounds>> = (0..nodes).map(|_| None).collect();
        // per node of the formula, its bounds at each initial node
        let mut at_start: Vec<Option<Vec<(Lanes, Lanes)>>> = vec![None; nodes];
        budget.charge(8 * stays.len())?;
        let high = self.high(stays, passing, budget)?;
        bounds[self.existentials[level].0.index()] = Some(Bounds { low: stays.to_vec(), high });
        for later in level + 1..self.existentials.len() {
            if !self.is_wanted(later) {
                continue;
            }
            let node = self.existentials[later].0.index();
            self.checks.set(self.checks.get() + self.graph.len());
            let (mut low, mut high) = (Vec::new(), Vec::new());
            for operand in &self.existentials[later].1.operands {
                let (yes, maybe) = self.bounds(operand, &bounds, budget)?;
                low.push(yes);
                high.push(maybe);
            }
            let (low_stays, low_passing) = self.without_context(later, &self.graph, low, budget)?;
            let low_start =
                self.values_at_start(later, &self.graph, &low_stays, low_passing.view(), budget)?;
            drop(low_passing);
            let (high_stays, high_passing) = self.without_context(later, &self.graph, high, budget)?;
            let high_start =
                self.values_at_start(later, &self.graph, &high_stays, high_passing.view(), budget)?;
            at_start[node] = Some(low_start.into_iter().zip(high_start).collect());
            let high = self.high(&high_stays, &high_passing, budget)?;
            bounds[node] = Some(Bounds { low: low_stays, high });
        }
        for initial in 0..self.graph.rsm.initial().len() {
            let active = self.atoms.active;
            let (yes, no) = self.root_given(initial, |node| {
                let (low, high) = at_start[node.index()].as_ref()?[initial];
                Some((low, !high & active))
            });
            let mut settled = self.settled.borrow_mut();
            settled[initial].0 |= yes;
            settled[initial].1 |= no;
        }
        budget.settle(before)
    }

    /// Where a formula may be true: without leaving, or if it is true at every exit.
    fn high(
        &self,
        stays: &[Lanes],
        passing: &Passing<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        budget.charge(8 * stays.len())?;
        let mut high = stays.to_vec();
        let mut context = Vec::new();
        for instance in self.graph.ids() {
            let component = self.graph.component(instance);
            context.clear();
            context.resize(self.graph.rsm.exits(component).len(), self.atoms.active);
            let first = self.graph.first_cell(instance);
            let values = &mut high[first..first + self.graph.rsm.vertex_range(component).len()];
            leave(&self.graph, passing.view(), instance, &context, values, budget)?;
        }
        Ok(high)
    }

    /// Where an operand is surely true, and where it may be, given bounds of some formulas and the
    /// values of those that are decided.
    fn bounds(
        &self,
        operand: &Operand,
        bounds: &[Option<Bounds>],
        budget: &mut Budget,
    ) -> Result<(Vec<Lanes>, Vec<Lanes>), Exhausted> {
        let active = self.atoms.active;
        let cells = self.graph.cell_count();
        budget.charge(16 * cells)?;
        let (mut low, mut high) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
        let mut scratch = Vec::new();
        for instance in self.graph.ids() {
            for vertex in self.graph.rsm.vertex_range(self.graph.component(instance)) {
                budget.spend(1 + operand.existentials.len())?;
                let cell = low.len();
                let (yes, no) = operand.ternary(
                    active,
                    |k| self.atoms.at(k, vertex),
                    |node| match (&bounds[node.index()], self.known.values[node.index()].get(cell)) {
                        (Some(bounds), _) => (bounds.low[cell], !bounds.high[cell] & active),
                        (None, Some(&value)) => (value, !value & active),
                        (None, None) => (0, 0),
                    },
                    &mut scratch,
                );
                low.push(yes);
                high.push(!no & active);
            }
        }
        Ok((low, high))
    }
}
