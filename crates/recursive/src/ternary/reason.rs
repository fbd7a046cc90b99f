//! `GETNEXTEXPANSION` and `FINDREASON` (Algorithms 6 and 7): why is the verdict unknown?
//!
//! Follows unknown values from the initial nodes to what they depend on: operands, successors by the
//! expansion laws EG φ = φ ∧ EX EG φ and E[φ₁ U φ₂] = φ₂ ∨ (φ₁ ∧ EX E[φ₁ U φ₂]), from a call to the
//! callee's entry, from an exit to the return ports of all callers. A return port that knows what its
//! exit does not is a reason: its box is contextualized. If there is none, the pairs visited are closed
//! under dependence. The innermost formula among them has known operands at all its pairs, so these
//! depend on nothing but each other: they lie on or lead to global cycles and are resolved together
//! (Lemma 6). The paper resolves the pairs on cycles only; those that lead there would then need
//! contexts to learn the same.
//!
//! One visited set, an explicit stack: linear in the unknown pairs, where the paper's backtracking
//! is exponential and as deep as the model.

use super::Interpretation;
use loris_base::{Budget, Exhausted, Truth};
use loris_logic::CtlNode;
use loris_rsm::BoxId;
use rustc_hash::FxHashSet;

/// Why the verdict is unknown.
pub(super) enum Reason {
    /// This box of this instance knows more than its callee.
    Box(u32, BoxId),
    /// These formulas at these cells depend on each other only.
    Cycle(Vec<(u32, usize)>),
}

impl Interpretation<'_> {
    /// Finds a reason; the verdict must be unknown.
    pub(super) fn reason(&self, budget: &mut Budget) -> Result<Reason, Exhausted> {
        let root = self.formula.root();
        let shift = self.graph.shift(self.graph.start);
        let mut visited: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut stack: Vec<(u32, u32)> = Vec::new();
        for &node in self.rsm.initial().iter().rev() {
            let cell = shift.cell(node);
            if self.value(root, cell) == Truth::Unknown {
                stack.push((root, cell as u32));
            }
        }
        let mut innermost = u32::MAX;
        let mut reasons = Vec::new();
        while let Some((node, cell)) = stack.pop() {
            if !visited.insert((node, cell)) {
                continue;
            }
            if !matches!(self.formula.nodes()[node as usize], CtlNode::Not(_) | CtlNode::And(..) | CtlNode::Or(..)) {
                innermost = innermost.min(node);
            }
            reasons.clear();
            if let Some((instance, site)) = self.depends_on(node, cell as usize, &mut reasons) {
                return Ok(Reason::Box(instance, site));
            }
            budget.spend(1 + reasons.len())?;
            // the first reason is followed first
            let open = reasons.iter().rev().filter(|&&(node, cell)| self.value(node, cell as usize) == Truth::Unknown);
            stack.extend(open.copied());
        }
        let mut cycle: Vec<(u32, usize)> = visited
            .into_iter()
            .filter(|&(node, _)| node == innermost)
            .map(|(node, cell)| (node, cell as usize))
            .collect();
        cycle.sort_unstable();
        Ok(Reason::Cycle(cycle))
    }

    /// What an unknown value depends on, or the box to contextualize.
    fn depends_on(&self, node: u32, cell: usize, reasons: &mut Vec<(u32, u32)>) -> Option<(u32, BoxId)> {
        let kind = self.formula.nodes()[node as usize];
        match kind {
            CtlNode::True | CtlNode::Atom(_) => return None,
            CtlNode::Not(a) => {
                reasons.push((a, cell as u32));
                return None;
            }
            CtlNode::And(a, b) | CtlNode::Or(a, b) => {
                reasons.extend([(a, cell as u32), (b, cell as u32)]);
                return None;
            }
            CtlNode::Ex(_) | CtlNode::Eg(_) | CtlNode::Eu(..) => {}
        }
        let instance = self.owners[cell];
        let vertex = self.graph.shift(instance).vertex(cell);
        if self.rsm.is_exit(vertex) {
            let exit = self.rsm.exit_index(vertex)?;
            for call in self.graph.callers(instance).filter(|call| self.live[call.caller as usize]) {
                let Some(port) = self.rsm.return_port(call.site, exit) else { continue };
                let port = self.graph.shift(call.caller).cell(port);
                if self.value(node, port).is_known() {
                    return Some((call.caller, call.site));
                }
                reasons.push((node, port as u32));
            }
            return None;
        }
        if self.is_call_port(cell) {
            self.any_successor(cell, |entry| {
                reasons.push((node, entry as u32));
                true
            });
            return None;
        }
        let unknown = |node: u32| self.value(node, cell) == Truth::Unknown;
        let follow = match kind {
            CtlNode::Eg(a) if unknown(a) => Err(a),
            CtlNode::Eu(_, b) if unknown(b) => Err(b),
            CtlNode::Eu(a, _) if unknown(a) => Err(a),
            CtlNode::Ex(a) => Ok(a),
            _ => Ok(node),
        };
        match follow {
            Err(operand) => reasons.push((operand, cell as u32)),
            Ok(node) => {
                self.any_successor(cell, |successor| {
                    reasons.push((node, successor as u32));
                    false
                });
            }
        }
        None
    }
}
