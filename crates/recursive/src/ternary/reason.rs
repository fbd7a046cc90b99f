//! `GETNEXTEXPANSION` and `FINDREASON` (Algorithms 6 and 7): why is the verdict unknown?
//!
//! Follows unknown values from the initial nodes to what they depend on: operands, successors by the
//! expansion laws EG φ = φ ∧ EX EG φ and E[φ₁ U φ₂] = φ₂ ∨ (φ₁ ∧ EX E[φ₁ U φ₂]), from a call to the
//! callee's entry, from an exit to the return port of a caller. A return port that knows what its
//! exit does not is a reason: its box is contextualized.
//!
//! At an exit the search first asks only the caller it came from, then, if that leads nowhere, all
//! callers. If even so there is no reason, the pairs visited are closed under dependence. The
//! innermost formula among them has known operands at all its pairs, so these depend on nothing but
//! each other: they lie on or lead to global cycles and are resolved together (Lemma 6). The paper
//! resolves the pairs on cycles only; those that lead there would then need contexts to learn the same.
//!
//! One visited set a search, an explicit stack: linear in the unknown pairs, where the paper's
//! backtracking is exponential and as deep as the model.

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

/// The call through which a search came, and the one below it; `TOP` for none.
struct Caller {
    instance: u32,
    site: BoxId,
    below: u32,
}

const TOP: u32 = u32::MAX;

/// A formula at a cell, and the call through which it was met.
type Pair = (u32, u32, u32);

impl Interpretation<'_> {
    /// Finds a reason; the verdict must be unknown.
    pub(super) fn reason(&self, budget: &mut Budget) -> Result<Reason, Exhausted> {
        match self.follow(false, budget)? {
            Reason::Cycle(_) => self.follow(true, budget),
            found @ Reason::Box(..) => Ok(found),
        }
    }

    /// Follows what unknown values depend on, at exits to all callers or to the one it came from.
    fn follow(&self, all_callers: bool, budget: &mut Budget) -> Result<Reason, Exhausted> {
        let root = self.formula.root();
        let shift = self.graph.shift(self.graph.start);
        let mut visited: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut stack: Vec<Pair> = Vec::new();
        let mut callers: Vec<Caller> = Vec::new();
        for &node in self.rsm.initial().iter().rev() {
            let cell = shift.cell(node);
            if self.value(root, cell) == Truth::Unknown {
                stack.push((root, cell as u32, TOP));
            }
        }
        let mut innermost = u32::MAX;
        let mut reasons = Vec::new();
        while let Some((node, cell, caller)) = stack.pop() {
            if !visited.insert((node, cell)) {
                continue;
            }
            if self.formula.nodes()[node as usize].is_existential() {
                innermost = innermost.min(node);
            }
            reasons.clear();
            let pair = (node, cell, caller);
            if let Some((instance, site)) = self.depends_on(pair, all_callers, &mut callers, &mut reasons) {
                return Ok(Reason::Box(instance, site));
            }
            budget.spend(1 + reasons.len())?;
            // the first reason is followed first
            let open = |&&(node, cell, _): &&Pair| self.value(node, cell as usize) == Truth::Unknown;
            stack.extend(reasons.iter().rev().filter(open).copied());
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
    fn depends_on(
        &self,
        (node, cell, caller): Pair,
        all_callers: bool,
        callers: &mut Vec<Caller>,
        reasons: &mut Vec<Pair>,
    ) -> Option<(u32, BoxId)> {
        let kind = self.formula.nodes()[node as usize];
        match kind {
            CtlNode::True | CtlNode::Atom(_) => return None,
            CtlNode::Not(a) => {
                reasons.push((a, cell, caller));
                return None;
            }
            CtlNode::And(a, b) | CtlNode::Or(a, b) => {
                reasons.extend([(a, cell, caller), (b, cell, caller)]);
                return None;
            }
            CtlNode::Ex(_) | CtlNode::Eg(_) | CtlNode::Eu(..) => {}
        }
        let at = cell as usize;
        let instance = self.owners[at];
        let vertex = self.graph.shift(instance).vertex(at);
        if self.rsm.is_exit(vertex) {
            let exit = self.rsm.exit_index(vertex)?;
            let mut ask = |instance: u32, site: BoxId, below: u32| {
                let port = self.graph.shift(instance).cell(self.rsm.return_port(site, exit)?);
                reasons.push((node, port as u32, below));
                self.value(node, port).is_known().then_some((instance, site))
            };
            return if all_callers {
                let mut live = self.graph.callers(instance).filter(|call| self.live[call.caller as usize]);
                live.find_map(|call| ask(call.caller, call.site, TOP))
            } else {
                let caller = callers.get(caller as usize)?;
                ask(caller.instance, caller.site, caller.below)
            };
        }
        if self.is_call_port(at) {
            let site = self.rsm.box_of(vertex)?;
            callers.push(Caller { instance, site, below: caller });
            let inside = callers.len() as u32 - 1;
            self.any_successor(at, |entry| {
                reasons.push((node, entry as u32, inside));
                true
            });
            return None;
        }
        let unknown = |node: u32| self.value(node, at) == Truth::Unknown;
        let follow = match kind {
            CtlNode::Eg(a) if unknown(a) => Err(a),
            CtlNode::Eu(_, b) if unknown(b) => Err(b),
            CtlNode::Eu(a, _) if unknown(a) => Err(a),
            CtlNode::Ex(a) => Ok(a),
            _ => Ok(node),
        };
        match follow {
            Err(operand) => reasons.push((operand, cell, caller)),
            Ok(node) => {
                self.any_successor(at, |successor| {
                    reasons.push((node, successor as u32, caller));
                    false
                });
            }
        }
        None
    }
}
