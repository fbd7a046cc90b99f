//! Functions, with operands in parentheses.

use super::lower::Lowering;
use super::types::{Type, Typed};
use crate::ir;
use crate::syntax::ast::{ExprId, Function};

impl Lowering<'_, '_> {
    /// The parser saw to it that there are as many operands as there should be.
    pub(super) fn apply(
        &mut self,
        function: Function,
        operands: &[Typed],
        parts: &[ExprId],
        expr: ExprId,
    ) -> Typed {
        if operands.iter().any(|operand| operand.is_wrong()) {
            return self.wrong();
        }
        if function == Function::Count {
            return self.count(operands, parts, expr);
        }
        let a = (self.single(operands[0], parts[0]), parts[0]);
        if a.0.is_wrong() {
            return a.0;
        }
        let name = function.name();
        let span = self.span(expr);
        let what = format!("an operand of `{name}`");
        match function {
            Function::Bool => self.truth_from(a.0, a.1, expr),
            Function::ToInt => match a.0.ty {
                Type::Integer | Type::Boolean | Type::Word { .. } => {
                    Typed::value(self.tables.build.present(a.0.expr, span), Type::Integer)
                }
                ty => self.no_number(ty, a.1, &what),
            },
            Function::Word1 => {
                let a = self.truth(a.0, a.1);
                if a.is_wrong() {
                    return a;
                }
                let word = self.tables.build.present(a.expr, span);
                Typed::value(word, Type::Word { signed: false, width: 1 })
            }
            Function::Signed | Function::Unsigned => {
                let signed = function == Function::Signed;
                let Some((_, width)) = self.word(a, &what) else { return self.wrong() };
                let wrapped = self.tables.build.wrap(a.0.expr, signed, width, span);
                Typed::value(wrapped, Type::Word { signed, width })
            }
            Function::Extend | Function::Resize => {
                let word = self.word(a, &what);
                let by = self.constant_operand((operands[1], parts[1]));
                let (Some((signed, width)), Some(by)) = (word, by) else { return self.wrong() };
                let negative = function == Function::Extend && by < 0;
                let to = if function == Function::Extend { i64::from(width).saturating_add(by) } else { by };
                if negative {
                    self.problems.error(self.span(parts[1]), "`extend` adds bits, and not fewer than none");
                    return self.wrong();
                }
                match self.word_type(signed, to, expr) {
                    Some(Type::Word { width: to, .. }) => self.resize(a.0, to, expr),
                    _ => self.wrong(),
                }
            }
            Function::Uwconst | Function::Swconst => self.constant_word(function, operands, parts, expr),
            Function::Abs => {
                let a = self.number(a.0, a.1, &what);
                let zero = self.value(0, Type::Integer, expr);
                let minus = self.tables.build.number(ir::Binary::Minus, zero.expr, a.expr, span);
                let minus = minus.unwrap_or(a.expr);
                self.numeric(ir::Binary::Max, &[a, Typed::value(minus, a.ty)], expr)
            }
            Function::Floor => {
                let a = self.number(a.0, a.1, &what);
                Typed { expr: self.tables.build.present(a.expr, span), place: false, ..a }
            }
            Function::Min | Function::Max => {
                let op = if function == Function::Min { ir::Binary::Min } else { ir::Binary::Max };
                let b = self.number(operands[1], parts[1], &what);
                let a = self.number(a.0, a.1, &what);
                self.numeric(op, &[a, b], expr)
            }
            Function::Sizeof => match self.word(a, &what) {
                Some((_, width)) => self.value(i64::from(width), Type::Integer, expr),
                None => self.wrong(),
            },
            Function::Count | Function::Read | Function::Write | Function::ConstArray => {
                unreachable!("was done before")
            }
        }
    }

    fn numeric(&mut self, op: ir::Binary, operands: &[Typed; 2], expr: ExprId) -> Typed {
        let [a, b] = *operands;
        if a.is_wrong() || b.is_wrong() {
            return self.wrong();
        }
        let span = self.span(expr);
        let result = self.tables.build.number(op, a.expr, b.expr, span).unwrap_or(a.expr);
        Typed::value(result, Type::Integer)
    }

    fn count(&mut self, operands: &[Typed], parts: &[ExprId], expr: ExprId) -> Typed {
        let truths: Vec<Typed> =
            operands.iter().zip(parts).map(|(&operand, &part)| self.truth(operand, part)).collect();
        if truths.iter().any(|truth| truth.is_wrong()) {
            return self.wrong();
        }
        let exprs: Vec<ir::ExprId> = truths.iter().map(|truth| truth.expr).collect();
        Typed::value(self.tables.build.count(&exprs, self.span(expr)), Type::Integer)
    }

    fn truth_from(&mut self, a: Typed, at: ExprId, expr: ExprId) -> Typed {
        match a.ty {
            Type::Boolean => {
                let span = self.span(expr);
                Typed::value(self.tables.build.present(a.expr, span), Type::Boolean)
            }
            Type::Integer | Type::Word { width: 1, .. } => {
                let zero = self.value(0, a.ty, expr);
                let span = self.span(expr);
                let number = self.tables.build.present(a.expr, span);
                let unequal = self.tables.build.compare(ir::Binary::Unequal, number, zero.expr, span);
                Typed::value(unequal, Type::Boolean)
            }
            ty => {
                let message =
                    format!("`bool` takes a number, a truth value or a word of width 1, but this is {ty}");
                self.problems.error(self.span(at), message);
                self.wrong()
            }
        }
    }

    /// `uwconst(value, width)`, `swconst(value, width)`
    fn constant_word(
        &mut self,
        function: Function,
        operands: &[Typed],
        parts: &[ExprId],
        expr: ExprId,
    ) -> Typed {
        let signed = function == Function::Swconst;
        let value = self.constant_operand((operands[0], parts[0]));
        let width = self.constant_operand((operands[1], parts[1]));
        let (Some(value), Some(width)) = (value, width) else { return self.wrong() };
        let Some(Type::Word { width, .. }) = self.word_type(signed, width, expr) else {
            return self.wrong();
        };
        if super::build::wrap(value, signed, width) != value {
            let sign = if signed { "a signed" } else { "an unsigned" };
            let message = format!("{value} does not fit into {sign} word of width {width}");
            self.problems.error(self.span(parts[0]), message);
            return self.wrong();
        }
        self.value(value, Type::Word { signed, width }, expr)
    }
}
