//! Consequences of single values that became known, cell by cell.
//!
//! [`refine`](super::refine) looks at whole instances, which finds all that follows in them, cycles
//! included. An instance that has been looked at often is followed instead: a value that becomes
//! known is passed to the formulas it is an operand of and to the cells before it, by the expansion
//! laws EG φ = φ ∧ EX EG φ and E[φ₁ U φ₂] = φ₂ ∨ (φ₁ ∧ EX E[φ₁ U φ₂]) in three-valued logic. That
//! finds every EU that is true and every EG that is false; an EU that is false around a cycle, and
//! an EG that is true around one, wait for the next look at the whole, or are resolved to the same
//! (Lemma 6).
//!
//! Linear in the edges at values that become known. A vertex with many successors is not looked at
//! as a whole whenever one of these becomes known: one true successor is enough, and those that are
//! false are counted from the first on.

use super::interpretation::Interpretation;
use super::news::{AFTER_FALSE, AFTER_TRUE, News, Waiting, after};
use crate::instances::CellId;
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::{CoreId, CoreNode};
use loris_rsm::{Vertex, VertexKind};

impl Interpretation<'_> {
    /// Evaluates the items that wait, and all consequences.
    pub(super) fn follow(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        while let Some(waiting) = self.waiting.pop() {
            budget.spend(1)?;
            self.evaluate(waiting, budget)?;
        }
        // twice while it grows
        budget.grow(&mut self.seen_bytes, 32 * self.seen.capacity())
    }

    /// Evaluates a formula at a cell; if it is known now, the formulas that need it wait.
    fn evaluate(&mut self, waiting: Waiting, budget: &mut Budget) -> Result<(), Exhausted> {
        let (node, cell) = (waiting.node(), waiting.cell);
        let instance = self.owners[cell.index()];
        if self.value(node, cell) != Truth::Unknown || !self.live[instance.index()] {
            return Ok(());
        }
        let (value, steps) = self.local(node, cell, waiting.marked);
        budget.spend(steps)?;
        if value == Truth::Unknown {
            return Ok(());
        }
        self.values[node.index()][cell.index()] = value;
        self.dirty.push(instance);
        let vertex = self.graph.shift(instance).vertex(cell);
        if let VertexKind::Return(site) = self.rsm.kind(vertex)
            && let Some(exit) = self.rsm.exit_index(vertex)
            && let Ok(existential) = self.existentials.binary_search(&node)
        {
            let place = self.place(exit, existential) as u32;
            self.news.push(News { instance, site, place });
        }
        self.await_dependents(node, cell);
        Ok(())
    }

    /// Lets all be evaluated that a value is needed for directly.
    pub(super) fn await_dependents(&mut self, node: CoreId, cell: CellId) {
        self.await_predecessors(node, cell);
        let mut waiting = std::mem::take(&mut self.waiting);
        let mark = after(self.value(node, cell));
        for &parent in &self.parents[node.index()] {
            if matches!(self.formula.node(parent), CoreNode::Ex(_)) {
                self.for_each_predecessor(cell, |before| {
                    waiting.push(Waiting::after(parent, mark, before));
                });
            } else {
                waiting.push(Waiting::new(parent, cell));
            }
        }
        self.waiting = waiting;
    }

    /// Lets an existential formula be evaluated at the cells before one where it is known.
    pub(super) fn await_predecessors(&mut self, node: CoreId, cell: CellId) {
        let mark = match self.formula.node(node) {
            // at call ports only it is the same there
            CoreNode::Ex(_) => 0,
            kind if kind.is_existential() => after(self.value(node, cell)),
            _ => return,
        };
        let mut waiting = std::mem::take(&mut self.waiting);
        self.for_each_predecessor(cell, |before| {
            waiting.push(Waiting::after(node, mark, before));
        });
        self.waiting = waiting;
    }

    /// A formula at a cell, as far as its operands and the next cells determine it; and the steps
    /// that took.
    fn local(&mut self, node: CoreId, cell: CellId, marks: u32) -> (Truth, usize) {
        let at = |node: CoreId| self.value(node, cell);
        let kind = self.formula.node(node);
        let next = match kind {
            CoreNode::True | CoreNode::Atom(_) => return (at(node), 0),
            CoreNode::Not(a) => return (!at(a), 0),
            CoreNode::And(a, b) => return (at(a).min(at(b)), 0),
            CoreNode::Or(a, b) => return (at(a).max(at(b)), 0),
            CoreNode::Ex(operand) => operand,
            CoreNode::Eg(_) | CoreNode::Eu(..) => node,
        };
        let instance = self.owners[cell.index()];
        let vertex = self.graph.shift(instance).vertex(cell);
        if let Some(context) = self.context_at(node, instance, vertex) {
            return (context, 0);
        }
        if let Some(entry) = self.called_cell(instance, vertex) {
            return (self.value(node, entry), 0);
        }
        let (after, steps) = match marks {
            marks if marks & AFTER_TRUE != 0 => (Truth::True, 0),
            marks => self.after(node, next, cell, marks & AFTER_FALSE != 0),
        };
        let at = |node: CoreId| self.value(node, cell);
        let value = match kind {
            CoreNode::Eg(along) => at(along).min(after),
            CoreNode::Eu(along, goal) => at(goal).max(at(along).min(after)),
            _ => after,
        };
        (value, steps)
    }

    /// The greatest value of a formula at the successors of a cell, and the steps that took.
    ///
    /// If it is one of many successors that became false, those in front that are false are not
    /// looked at again, and the first one that is not is enough. One behind it that is true was
    /// looked at when it became true; if that did not decide, an operand is unknown, and all are
    /// looked at once it is known.
    fn after(&mut self, node: CoreId, next: CoreId, cell: CellId, is_false: bool) -> (Truth, usize) {
        let shift = self.graph.shift(self.owners[cell.index()]);
        let successors = self.rsm.successor_rows().row(shift.vertex(cell).index());
        let value = |successor: u32| self.value(next, shift.cell(Vertex::new(successor as usize)));
        if !is_false || successors.len() <= self.wide {
            let (mut after, mut steps) = (Truth::False, 0);
            for &successor in successors {
                steps += 1;
                after = after.max(value(successor));
                if after == Truth::True {
                    break;
                }
            }
            return (after, steps);
        }
        let seen = self.seen.get(&(node, cell)).copied().unwrap_or(0) as usize;
        let more = successors[seen..].iter().take_while(|&&successor| value(successor) == Truth::False);
        let more = more.count();
        let after = successors.get(seen + more).map_or(Truth::False, |&successor| value(successor));
        self.seen.insert((node, cell), (seen + more) as u32);
        (after, 1 + more)
    }
}
