//! Operators that count steps, written out: `F [2, 3] p` is `X X (p | X p)`.
//!
//! Each step is one more node over the same operands, so that the formula is as long as the greater
//! bound. In CTL a quantifier stands before every `X`: the operands are conditions on states, which
//! quantifiers leave alone. In these words, `E [ p BU 1..2 q ]` is `p & EX (q | p & EX q)`.

use super::property::Properties;
use crate::ir::Span;
use crate::syntax::ast::{Bounded, Bounds};
use loris_logic::{FormulaId, Node};

/// A quantifier before each step: `E`, with `true`, `A`, or none.
type Quantifier = Option<bool>;

impl Properties<'_, '_, '_> {
    /// `op` of an operand.
    pub(super) fn bounded(&mut self, op: Bounded, bounds: Bounds, a: FormulaId, span: Span) -> FormulaId {
        let (quantifier, is_finally) = match op {
            Bounded::Ef => (Some(true), true),
            Bounded::Eg => (Some(true), false),
            Bounded::Af => (Some(false), true),
            Bounded::Ag => (Some(false), false),
            // those of the past are atoms
            Bounded::F | Bounded::O => (None, true),
            Bounded::G | Bounded::H => (None, false),
        };
        let mut result = a;
        for _ in bounds.low..bounds.high {
            let later = self.step(quantifier, result, span);
            result =
                self.build.add_at(if is_finally { Node::Or(a, later) } else { Node::And(a, later) }, span);
        }
        for _ in 0..bounds.low {
            result = self.step(quantifier, result, span);
        }
        result
    }

    /// `E [ a BU low..high b ]`, or `A`.
    pub(super) fn bounded_until(
        &mut self,
        exists: bool,
        bounds: Bounds,
        (a, b): (FormulaId, FormulaId),
        span: Span,
    ) -> FormulaId {
        let mut result = b;
        for left in 0..bounds.high {
            let later = self.step(Some(exists), result, span);
            result = self.build.add_at(Node::And(a, later), span);
            // this many steps are left to take after this one
            if left < bounds.high - bounds.low {
                result = self.build.add_at(Node::Or(b, result), span);
            }
        }
        result
    }

    /// One step later.
    fn step(&mut self, quantifier: Quantifier, of: FormulaId, span: Span) -> FormulaId {
        let next = self.build.add_at(Node::X(of), span);
        match quantifier {
            Some(exists) => self.quantify(exists, next, span),
            None => next,
        }
    }
}
