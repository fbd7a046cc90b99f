//! Path formulas over state formulas: the operands of an `E` that is not an operator of CTL.

use super::node::CoreId;
use crate::formula::{FormulaBuilder, FormulaId, Node};
use crate::ltl::{Ltl, LtlId, LtlNode};
use loris_base::Idx;

/// A path formula under an `E`.
///
/// Its atoms stand for its maximal state subformulas, in the order in which they are met, each
/// once: `G (p -> F q)` has the operands `p` and `q`, `X X (p & !q)` only `p & !q`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PathFormula {
    /// The formula of the path, over atoms `0..operands.len()`; neither a boolean combination of
    /// atoms nor an operator that [`CoreNode`](super::CoreNode) has.
    pub formula: Ltl,
    /// For each atom the node that it stands for.
    pub operands: Vec<CoreId>,
}

impl PathFormula {
    /// The formula in ordinary syntax over operands that are written already, by their nodes.
    pub(super) fn write(&self, build: &mut FormulaBuilder, written: &[FormulaId]) -> FormulaId {
        let formula = &self.formula;
        let operand = |atom: u32| written[self.operands[atom as usize].index()];
        let mut ids: Vec<FormulaId> = Vec::with_capacity(formula.nodes().len());
        for &node in formula.nodes() {
            let of = |child: LtlId| ids[child.index()];
            let id = match node {
                LtlNode::True => build.add(Node::True),
                LtlNode::False => build.add(Node::False),
                LtlNode::Atom(atom) => operand(atom),
                LtlNode::NotAtom(atom) => build.add(Node::Not(operand(atom))),
                LtlNode::And(a, b) => build.add(Node::And(of(a), of(b))),
                LtlNode::Or(a, b) => build.add(Node::Or(of(a), of(b))),
                LtlNode::X(a) => build.add(Node::X(of(a))),
                LtlNode::U(a, b) if formula.node(a) == LtlNode::True => build.add(Node::F(of(b))),
                LtlNode::R(a, b) if formula.node(a) == LtlNode::False => build.add(Node::G(of(b))),
                LtlNode::U(a, b) => build.add(Node::U(of(a), of(b))),
                LtlNode::R(a, b) => build.add(Node::R(of(a), of(b))),
            };
            ids.push(id);
        }
        ids[formula.root().index()]
    }
}
