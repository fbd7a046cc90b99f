//! Formulas that can be decided apart from each other.
//!
//! The value of a formula in a state follows from those of the existential subformulas that stand
//! under no other. These are independent, and so are the alternatives of a goal: E[p U (a | b)] =
//! E[p U a] | E[p U b], EX (a | b) = EX a | EX b, where a conjunction is distributed over the
//! disjunctions in it as far as they ask for other formulas. Linear in the formula for each piece.

use super::gates::{Gates, Lit};
use super::{Core, CoreNode, star};

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
    pub fn pieces(&self) -> Vec<(u32, Vec<Core>)> {
        let nodes = self.nodes();
        let mut asks = vec![false; nodes.len()];
        let mut is_top = vec![false; nodes.len()];
        for (node, kind) in nodes.iter().enumerate() {
            let inner = self.children(node as u32).any(|child| asks[child as usize]);
            asks[node] = kind.is_existential() || inner;
        }
        let mut left = vec![self.root()];
        let mut seen = vec![false; nodes.len()];
        while let Some(node) = left.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            if nodes[node as usize].is_existential() {
                is_top[node as usize] = true;
            } else {
                left.extend(self.children(node));
            }
        }
        let (mut gates, lits) = self.gates();
        let mut pieces = Vec::new();
        for node in (0..nodes.len() as u32).filter(|&node| is_top[node as usize]) {
            let mut any = Vec::new();
            match nodes[node as usize] {
                CoreNode::Eu(along, goal) => {
                    for goal in self.alternatives(goal, &asks) {
                        let goal = all(&mut gates, &lits, &goal);
                        any.push(gates.eu(lits[along as usize], goal));
                    }
                }
                CoreNode::Ex(operand) => {
                    for operand in self.alternatives(operand, &asks) {
                        let operand = all(&mut gates, &lits, &operand);
                        any.push(gates.ex(operand));
                    }
                }
                _ => any.push(lits[node as usize]),
            }
            let name = |atom| self.atoms[loris_base::Idx::index(atom)].clone();
            pieces.push((node, any.into_iter().map(|lit| Core::frozen(&gates, lit, name)).collect()));
        }
        pieces
    }

    /// Conjunctions of which one must be true for an operand to be true.
    fn alternatives(&self, operand: u32, asks: &[bool]) -> Vec<Vec<u32>> {
        let asks = |node: u32| asks[node as usize];
        let mut done: Vec<Vec<u32>> = Vec::new();
        // conjuncts that are settled, and those still to be taken apart
        let mut open: Vec<(Vec<u32>, Vec<u32>)> = vec![(Vec::new(), vec![operand])];
        while let Some((mut settled, mut left)) = open.pop() {
            let Some(node) = left.pop() else {
                done.push(settled);
                continue;
            };
            match self.nodes()[node as usize] {
                CoreNode::And(a, b) => left.extend([b, a]),
                CoreNode::Or(a, b) if asks(a) && asks(b) && done.len() + open.len() + 1 < MOST => {
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

    /// The formula as gates, and the gate of each of its nodes.
    pub(super) fn gates(&self) -> (Gates, Vec<Lit>) {
        let mut core = Gates::default();
        let mut lits: Vec<Lit> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let of = |child: u32| lits[child as usize];
            let lit = match node {
                CoreNode::True => Lit::TRUE,
                CoreNode::Atom(atom) => core.atom(loris_base::Idx::new(atom as usize)),
                CoreNode::Not(a) => !of(a),
                CoreNode::And(a, b) => core.and(of(a), of(b)),
                CoreNode::Or(a, b) => core.or(of(a), of(b)),
                CoreNode::Ex(a) => core.ex(of(a)),
                CoreNode::Eg(a) => core.eg(of(a)),
                CoreNode::Eu(a, b) => core.eu(of(a), of(b)),
                CoreNode::E(path) => {
                    let path = &self.paths[path as usize];
                    star::rebuild(&mut core, &path.formula, |atom| {
                        lits[path.operands[atom as usize] as usize]
                    })
                }
            };
            lits.push(lit);
        }
        (core, lits)
    }
}

/// The conjunction of some nodes.
fn all(gates: &mut Gates, lits: &[Lit], nodes: &[u32]) -> Lit {
    nodes.iter().fold(Lit::TRUE, |all, &node| gates.and(all, lits[node as usize]))
}
