//! Operators of PSL as formulas of LTL. Operands that stand twice are shared, not copied.

use super::property::Properties;
use crate::ir::{PropertyKind, Span};
use crate::syntax::ast::{Bounds, Expr, ExprId, File, Psl, Unary};
use loris_logic::{FormulaId, Node};

/// The logic of a property of PSL: CTL if there is a quantifier in it, else LTL.
pub(super) fn kind(file: &File, root: ExprId) -> PropertyKind {
    let mut stack = vec![root];
    while let Some(at) = stack.pop() {
        let node = &file.exprs.nodes[at];
        let unary = match node {
            Expr::Unary(unary, _) => Some(unary),
            Expr::Quantified(..) => return PropertyKind::Ctl,
            _ => None,
        };
        if let Some(
            Unary::Ex | Unary::Ef | Unary::Eg | Unary::Ax | Unary::Af | Unary::Ag | Unary::E | Unary::A,
        ) = unary
        {
            return PropertyKind::Ctl;
        }
        node.operands(|operand| stack.push(operand));
    }
    PropertyKind::Ltl
}

impl Properties<'_, '_, '_> {
    /// An operator of its two operands.
    pub(super) fn psl(&mut self, op: Psl, (a, b): (FormulaId, FormulaId), span: Span) -> FormulaId {
        let node = match op {
            Psl::WeakUntil => Node::W(a, b),
            Psl::UntilTogether => {
                let both = self.build.add_at(Node::And(a, b), span);
                Node::U(a, both)
            }
            Psl::Before | Psl::BeforeStrong => {
                let not = self.build.add_at(Node::Not(b), span);
                let first = self.build.add_at(Node::And(a, not), span);
                if op == Psl::Before { Node::W(not, first) } else { Node::U(not, first) }
            }
            Psl::NextEvent { strong, all, bounds } => {
                return self.next_event(strong, all, bounds, (a, b), span);
            }
        };
        self.build.add_at(node, span)
    }

    /// `b` where `a` holds for the `low`-th time, and up to the `high`-th.
    fn next_event(
        &mut self,
        strong: bool,
        all: bool,
        Bounds { low, high }: Bounds,
        (a, b): (FormulaId, FormulaId),
        span: Span,
    ) -> FormulaId {
        let not = self.build.add_at(Node::Not(a), span);
        // from the last occurrence to the first
        let mut rest: Option<FormulaId> = None;
        for number in (1..=high).rev() {
            let later = rest.map(|rest| self.build.add_at(Node::X(rest), span));
            let here = match later {
                None => b,
                Some(later) if number < low => later,
                Some(later) => {
                    self.build.add_at(if all { Node::And(b, later) } else { Node::Or(b, later) }, span)
                }
            };
            let event = self.build.add_at(Node::And(a, here), span);
            let node = if strong { Node::U(not, event) } else { Node::W(not, event) };
            rest = Some(self.build.add_at(node, span));
        }
        rest.unwrap_or(b)
    }
}
