//! Sums, products and the like: of numbers, and of sets of numbers element by element.

use super::lower::Lowering;
use super::needs::Placed;
use super::types::{Type, Typed};
use crate::ir::{self, Binary};
use crate::syntax::ast::ExprId;

/// How deep cases of sets are taken apart.
const DEPTH: u32 = 64;
/// How many values a range has that is taken apart.
const RANGE: i64 = 4096;
/// How many results one operator may have.
const RESULTS: usize = 1 << 14;

/// Why a result is none.
enum Fault {
    /// It is too large.
    Number,
    /// A set cannot be taken apart.
    Set,
}

impl Lowering<'_, '_> {
    pub(super) fn arithmetic(&mut self, op: Binary, a: Placed, b: Placed, expr: ExprId) -> Typed {
        if matches!((a.0.ty, b.0.ty), (Type::Word { .. }, _) | (_, Type::Word { .. })) {
            return self.word_arithmetic(op, a, b, expr);
        }
        for (operand, at) in [a, b] {
            if operand.ty != Type::Integer {
                if !operand.is_wrong() {
                    self.no_number(operand.ty, at, &format!("an operand of `{}`", symbol(op)));
                }
                return self.wrong();
            }
        }
        if self.zero_divisor(op, b) {
            return self.wrong();
        }
        self.lifted = 0;
        let result = if a.0.set || b.0.set {
            self.over(a.0.expr, 0, expr, &mut |this, x| {
                this.over(b.0.expr, 0, expr, &mut |this, y| this.one(op, x, y, expr))
            })
        } else {
            self.one(op, a.0.expr, b.0.expr, expr)
        };
        match result {
            Ok(result) => Typed { expr: result, ty: Type::Integer, set: a.0.set || b.0.set, place: false },
            Err(Fault::Set) => {
                let help = "name each value in a set of its own";
                self.problems.error_help(self.span(expr), "this set is too large to compute with", help);
                self.wrong()
            }
            Err(Fault::Number) => {
                self.problems.unsupported(self.span(expr), "numbers beyond 2^62");
                self.wrong()
            }
        }
    }

    /// Warns of a division by zero, which may never be evaluated; where a constant is needed it is
    /// an error.
    pub(super) fn zero_divisor(&mut self, op: Binary, divisor: Placed) -> bool {
        if !self.tables.build.divides_by_zero(op, divisor.0.expr) {
            return false;
        }
        let span = self.span(divisor.1);
        if self.constant {
            self.problems.error(span, "division by zero");
        } else {
            self.problems.warning(span, "division by zero", None);
        }
        self.constant
    }

    fn one(&mut self, op: Binary, a: ir::ExprId, b: ir::ExprId, expr: ExprId) -> Result<ir::ExprId, Fault> {
        let span = self.span(expr);
        self.lifted += 1;
        if self.lifted > RESULTS {
            return Err(Fault::Set);
        }
        self.tables.build.number(op, a, b, span).ok_or(Fault::Number)
    }

    /// The set of the images of all elements. As deep as cases of sets are nested, to a limit.
    fn over(
        &mut self,
        set: ir::ExprId,
        depth: u32,
        expr: ExprId,
        to: &mut dyn FnMut(&mut Self, ir::ExprId) -> Result<ir::ExprId, Fault>,
    ) -> Result<ir::ExprId, Fault> {
        let span = self.span(expr);
        if depth > DEPTH {
            return Err(Fault::Set);
        }
        match self.tables.build.get(set).clone() {
            ir::Expr::Union(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|&part| self.over(part, depth + 1, expr, to))
                    .collect::<Result<_, _>>()?;
                Ok(self.tables.build.union(parts, span))
            }
            ir::Expr::Case(branches) => {
                let branches: Vec<_> = branches
                    .iter()
                    .map(|&(guard, value)| Ok((guard, self.over(value, depth + 1, expr, to)?)))
                    .collect::<Result<_, _>>()?;
                self.tables.build.case(branches, span).ok_or(Fault::Set)
            }
            ir::Expr::Range(low, high) => {
                let ends = (self.tables.build.constant(low), self.tables.build.constant(high));
                let (Some(low), Some(high)) = ends else { return Err(Fault::Set) };
                if high - low >= RANGE {
                    return Err(Fault::Set);
                }
                let mut parts = Vec::new();
                for value in low..=high {
                    let value = self.tables.build.value(value, span);
                    parts.push(to(self, value)?);
                }
                Ok(self.tables.build.union(parts, span))
            }
            _ => to(self, set),
        }
    }
}

/// How an operator is written.
pub(super) fn symbol(op: Binary) -> &'static str {
    match op {
        Binary::Plus => "+",
        Binary::Minus => "-",
        Binary::Times => "*",
        Binary::Divide => "/",
        Binary::Modulo => "mod",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "xor",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Equal | Binary::Same => "=",
        Binary::Unequal | Binary::Differ => "!=",
        Binary::Less => "<",
        Binary::AtMost => "<=",
        Binary::Min => "min",
        Binary::Max => "max",
    }
}
