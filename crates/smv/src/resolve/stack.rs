//! The stack of operands, and the placeholder for an operand that is wrong.

use super::lower::Lowering;
use super::scope::Operand;
use super::types::{Type, Typed};
use crate::ir::Span;
use crate::syntax::ast::ExprId;

impl<'t> Lowering<'_, 't> {
    pub(super) fn span(&self, expr: ExprId) -> Span {
        self.file.exprs.spans[expr]
    }

    /// The text there.
    pub(super) fn source(&self, expr: ExprId) -> &'t str {
        self.problems.source(self.span(expr))
    }

    pub(super) fn push(&mut self, typed: Typed) {
        self.operands.push(Operand::Value(typed));
    }

    /// The placeholder for an operand whose problem was reported.
    pub(super) fn wrong(&mut self) -> Typed {
        Typed::value(self.tables.build.value(0, (0, 0)), Type::Wrong)
    }

    pub(super) fn push_wrong(&mut self) {
        let wrong = self.wrong();
        self.push(wrong);
    }

    pub(super) fn value(&mut self, value: i64, ty: Type, expr: ExprId) -> Typed {
        Typed::value(self.tables.build.value(value, self.span(expr)), ty)
    }

    /// An operand that must be a value.
    pub(super) fn typed(&mut self, operand: &Operand, expr: ExprId) -> Typed {
        let what = match operand {
            Operand::Value(typed) => return *typed,
            Operand::Instance(scope) if !self.tables.scopes[*scope].is_instance => "the start of other names",
            Operand::Instance(_) => "an instance of a module",
            Operand::Array(_) | Operand::List(_) => "a whole array",
        };
        let message = format!("`{}` is {what}, where a value is needed", self.source(expr));
        self.problems.error(self.span(expr), message);
        self.wrong()
    }

    /// The operand of this expression, which is the last on the stack.
    pub(super) fn pop_value(&mut self, expr: ExprId) -> Typed {
        let operand = self.pop();
        self.typed(&operand, expr)
    }

    /// The operands of these expressions, which are the last on the stack.
    pub(super) fn pop_typed(&mut self, exprs: &[ExprId]) -> Vec<Typed> {
        let operands = self.operands.split_off(self.operands.len() - exprs.len());
        operands.into_iter().zip(exprs).map(|(operand, &expr)| self.typed(&operand, expr)).collect()
    }

    pub(super) fn pop(&mut self) -> Operand {
        self.operands.pop().expect("a value was pushed")
    }

    pub(super) fn push_operand(&mut self, operand: Operand) {
        self.operands.push(operand);
    }
}
