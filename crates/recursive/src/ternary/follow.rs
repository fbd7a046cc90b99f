//! What follows from single values that became known, cell by cell.
//!
//! [`refine`](super::refine) looks at whole instances, which finds all that follows in them, cycles
//! included. An instance that has been looked at often is followed instead: a value that becomes known
//! is passed to the formulas it is an operand of and to the cells before it, by the expansion laws
//! EG φ = φ ∧ EX EG φ and E[φ₁ U φ₂] = φ₂ ∨ (φ₁ ∧ EX E[φ₁ U φ₂]) in three-valued logic. That finds every
//! EU that is true and every EG that is false; an EU that is false around a cycle, and an EG that is
//! true around one, wait for the next look at the whole, or are resolved to the same (Lemma 6).
//!
//! Linear in the edges at values that become known, but for vertices with many successors, which are
//! looked at in each round in which one of these becomes known.

use super::Interpretation;
use loris_base::{Budget, Exhausted, Truth};
use loris_logic::CoreNode;
use loris_rsm::Kind;

/// More successors than these are many.
const WIDE: usize = 16;

impl Interpretation<'_> {
    /// Evaluates what waits, and all that follows.
    pub(super) fn follow(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        // vertices with many successors are looked at when all else is quiet, each once
        let mut wide: Vec<(u32, u32)> = Vec::new();
        loop {
            while let Some((node, cell)) = self.waiting.pop() {
                budget.spend(1)?;
                if self.is_wide(cell as usize) {
                    wide.push((node, cell));
                } else {
                    self.evaluate(node, cell, budget)?;
                }
            }
            if wide.is_empty() {
                return Ok(());
            }
            wide.sort_unstable();
            wide.dedup();
            for (node, cell) in wide.drain(..) {
                self.evaluate(node, cell, budget)?;
            }
        }
    }

    /// Evaluates a formula at a cell; if it is known now, what it is needed for waits.
    fn evaluate(&mut self, node: u32, cell: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let at = cell as usize;
        let instance = self.owners[at];
        if self.value(node, at) != Truth::Unknown || !self.live[instance as usize] {
            return Ok(());
        }
        let (value, steps) = self.local(node, at);
        budget.spend(steps)?;
        if value == Truth::Unknown {
            return Ok(());
        }
        self.values[node as usize][at] = value;
        self.dirty.push(instance);
        let vertex = self.graph.shift(instance).vertex(at);
        if let Kind::Return(site) = self.rsm.kind(vertex)
            && self.formula.nodes()[node as usize].is_existential()
        {
            self.boxes.push((instance, site));
        }
        self.await_dependents(node, cell);
        Ok(())
    }

    /// Whether a cell has many successors.
    fn is_wide(&self, cell: usize) -> bool {
        let vertex = self.graph.shift(self.owners[cell]).vertex(cell);
        self.rsm.successors(vertex).len() > WIDE
    }

    /// Lets all be evaluated that a value is needed for directly.
    pub(super) fn await_dependents(&mut self, node: u32, cell: u32) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let nodes = self.formula.nodes();
        if nodes[node as usize].is_existential() {
            self.for_each_predecessor(cell as usize, |before| waiting.push((node, before as u32)));
        }
        for &parent in &self.parents[node as usize] {
            if matches!(nodes[parent as usize], CoreNode::Ex(_)) {
                self.for_each_predecessor(cell as usize, |before| waiting.push((parent, before as u32)));
            } else {
                waiting.push((parent, cell));
            }
        }
        self.waiting = waiting;
    }

    /// A formula at a cell, as far as its operands and the next cells say; and the steps that took.
    fn local(&self, node: u32, cell: usize) -> (Truth, usize) {
        let at = |node: u32| self.value(node, cell);
        let kind = self.formula.nodes()[node as usize];
        let next = match kind {
            CoreNode::True | CoreNode::Atom(_) => return (at(node), 0),
            CoreNode::Not(a) => return (!at(a), 0),
            CoreNode::And(a, b) => return (at(a).min(at(b)), 0),
            CoreNode::Or(a, b) => return (at(a).max(at(b)), 0),
            CoreNode::Ex(operand) => operand,
            CoreNode::Eg(_) | CoreNode::Eu(..) => node,
            CoreNode::E(_) => unreachable!("engines for CTL are given CTL"),
        };
        let instance = self.owners[cell];
        let vertex = self.graph.shift(instance).vertex(cell);
        if let Some(context) = self.context_at(node, instance, vertex) {
            return (context, 0);
        }
        if let Some(entry) = self.called_cell(instance, vertex) {
            return (self.value(node, entry), 0);
        }
        let (mut after, mut steps) = (Truth::False, 0);
        self.any_successor(cell, |successor| {
            steps += 1;
            after = after.max(self.value(next, successor));
            after == Truth::True
        });
        let value = match kind {
            CoreNode::Eg(along) => at(along).min(after),
            CoreNode::Eu(along, goal) => at(goal).max(at(along).min(after)),
            _ => after,
        };
        (value, steps)
    }
}
