//! Formulas that can be decided apart from each other.
//!
//! The value of a formula in a state follows from those of the existential subformulas that stand
//! under no other. These are independent, and so are the alternatives of a goal: E[p U (a | b)] =
//! E[p U a] | E[p U b], EX (a | b) = EX a | EX b, where a conjunction is distributed over the
//! disjunctions in it as far as they ask for other formulas. Linear in the formula for each piece.

use super::core::Core;
use super::gates::{Gates, Lit};
use super::node::{CoreId, CoreNode};
use loris_base::{Idx, IndexVec, Symbol};

/// A goal is taken apart into no more pieces than this.
const MOST: usize = 64;

impl Core {
    /// The existential subformulas that stand under no other, each with formulas of which one must
    /// be true for it to be true.
    ///
    /// ```
    /// use loris_logic::{Core, parse};
    /// let core = Core::star(&parse("A G (p -> E F q & E X r) & E X p").expect("well-formed")).expect("CTL*");
    /// let pieces = core.pieces();
    /// let texts: Vec<Vec<String>> =
    ///     pieces.iter().map(|(_, any)| any.iter().map(|piece| piece.print(piece.root())).collect()).collect();
    /// assert_eq!(texts[0], ["E F (p & !E F q)", "E F (p & !E X r)"]);
    /// assert_eq!(texts[1], ["E X p"]);
    /// ```
    pub fn pieces(&self) -> Vec<(CoreId, Vec<Core>)> {
        let none = || IndexVec::<CoreId, bool>::from(vec![false; self.nodes().len()]);
        let (mut asks, mut is_top) = (none(), none());
        for node in self.ids() {
            let inner = self.children(node).any(|child| asks[child]);
            asks[node] = self.node(node).is_existential() || inner;
        }
        let mut left = vec![self.root()];
        let mut seen = none();
        while let Some(node) = left.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            if self.node(node).is_existential() {
                is_top[node] = true;
            } else {
                left.extend(self.children(node));
            }
        }
        let (mut gates, lits) = self.gates();
        let mut pieces = Vec::new();
        for node in self.ids().filter(|&node| is_top[node]) {
            let mut any = Vec::new();
            match self.node(node) {
                CoreNode::Eu(along, goal) => {
                    for goal in self.alternatives(goal, &asks) {
                        let goal = all(&mut gates, &lits, &goal);
                        any.push(gates.eu(lits[along], goal));
                    }
                }
                CoreNode::Ex(operand) => {
                    for operand in self.alternatives(operand, &asks) {
                        let operand = all(&mut gates, &lits, &operand);
                        any.push(gates.ex(operand));
                    }
                }
                _ => any.push(lits[node]),
            }
            let name = |atom: Symbol| self.atoms[atom.index()].clone();
            pieces.push((node, any.into_iter().map(|lit| Core::frozen(&gates, lit, name)).collect()));
        }
        pieces
    }

    /// Conjunctions of which one must be true for an operand to be true.
    fn alternatives(&self, operand: CoreId, asks: &IndexVec<CoreId, bool>) -> Vec<Vec<CoreId>> {
        let mut done: Vec<Vec<CoreId>> = Vec::new();
        // conjuncts that are settled, and those still to be taken apart
        let mut open: Vec<(Vec<CoreId>, Vec<CoreId>)> = vec![(Vec::new(), vec![operand])];
        while let Some((mut settled, mut left)) = open.pop() {
            let Some(node) = left.pop() else {
                done.push(settled);
                continue;
            };
            match self.node(node) {
                CoreNode::And(a, b) => left.extend([b, a]),
                CoreNode::Or(a, b) if asks[a] && asks[b] && done.len() + open.len() + 1 < MOST => {
                    let (mut first, mut second) = (left.clone(), left);
                    first.push(a);
                    second.push(b);
                    open.push((settled.clone(), second));
                    open.push((settled, first));
                    continue;
                }
                _ => settled.push(node),
            }
            open.push((settled, left));
        }
        done
    }
}

/// The conjunction of some nodes.
fn all(gates: &mut Gates, lits: &IndexVec<CoreId, Lit>, nodes: &[CoreId]) -> Lit {
    nodes.iter().fold(Lit::TRUE, |all, &node| gates.and(all, lits[node]))
}
