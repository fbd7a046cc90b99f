//! Operators on truth values, numbers and sets.

use super::lower::Lowering;
use super::needs::Placed;
use super::types::{Type, Typed};
use crate::ir;
use crate::syntax::ast::{Binary, Expr, ExprId, Unary};

impl Lowering<'_, '_> {
    pub(super) fn unary(&mut self, op: Unary, (a, at): Placed, expr: ExprId) -> Typed {
        let span = self.span(expr);
        match (op, a.ty) {
            (_, Type::Wrong) => a,
            (Unary::Not, Type::Word { .. }) => self.word_not((a, at), expr),
            (Unary::Not, _) => {
                let a = self.truth(a, at);
                if a.is_wrong() {
                    a
                } else {
                    Typed::value(self.tables.build.not(a.expr, span), Type::Boolean)
                }
            }
            (_, Type::Word { .. }) => {
                let zero = self.value(0, a.ty, expr);
                self.word_arithmetic(ir::Binary::Minus, (zero, at), (a, at), expr)
            }
            _ => {
                let zero = self.value(0, Type::Integer, expr);
                self.arithmetic(ir::Binary::Minus, (zero, at), (a, at), expr)
            }
        }
    }

    pub(super) fn binary(&mut self, op: Binary, a: Placed, b: Placed, expr: ExprId) -> Typed {
        use ir::Binary::{AtMost, Divide, Less, Minus, Modulo, Plus, Times};
        if a.0.is_wrong() || b.0.is_wrong() {
            return self.wrong();
        }
        let words = matches!(a.0.ty, Type::Word { .. });
        match op {
            Binary::Implies | Binary::Iff | Binary::Xor | Binary::Xnor if words => {
                self.word_logic(op, a, b, expr)
            }
            Binary::Implies => {
                let (a, b) = (self.truth(a.0, a.1), self.truth(b.0, b.1));
                let span = self.span(expr);
                let not = self.tables.build.not(a.expr, span);
                let or = self.tables.build.junction(false, [not, b.expr], span);
                self.truth_of(or, &[a, b])
            }
            Binary::Iff | Binary::Xnor => self.equivalent(true, a, b, expr),
            Binary::Xor => self.equivalent(false, a, b, expr),
            Binary::Equal => self.equal(ir::Binary::Equal, a, b, expr),
            Binary::Unequal => self.equal(ir::Binary::Unequal, a, b, expr),
            Binary::Less => self.order(Less, a, b, expr),
            Binary::AtMost => self.order(AtMost, a, b, expr),
            Binary::Greater => self.order(Less, b, a, expr),
            Binary::AtLeast => self.order(AtMost, b, a, expr),
            Binary::In => self.member(a, b, expr),
            Binary::Range => {
                let (a, b) = (self.number(a.0, a.1, "a bound"), self.number(b.0, b.1, "a bound"));
                self.range(a, b, expr)
            }
            Binary::Plus => self.arithmetic(Plus, a, b, expr),
            Binary::Minus => self.arithmetic(Minus, a, b, expr),
            Binary::Times => self.arithmetic(Times, a, b, expr),
            Binary::Divide => self.arithmetic(Divide, a, b, expr),
            Binary::Modulo => self.arithmetic(Modulo, a, b, expr),
            Binary::ShiftLeft => self.shift(true, a, b, expr),
            Binary::ShiftRight => self.shift(false, a, b, expr),
            Binary::Concat => self.concat(a, b, expr),
            Binary::And
            | Binary::Or
            | Binary::Union
            | Binary::Until
            | Binary::Releases
            | Binary::Since
            | Binary::Triggered => {
                unreachable!("chains and temporal operators are tasks of their own")
            }
        }
    }

    /// A truth value made of these, unless one of them is wrong.
    fn truth_of(&mut self, expr: ir::ExprId, operands: &[Typed]) -> Typed {
        if operands.iter().any(|operand| operand.is_wrong()) {
            self.wrong()
        } else {
            Typed::value(expr, Type::Boolean)
        }
    }

    /// `a & b & …`, `a | b | …`, `a union b union …`
    pub(super) fn chain(
        &mut self,
        op: Binary,
        parts: &[ExprId],
        operands: Vec<Typed>,
        expr: ExprId,
    ) -> Typed {
        if op == Binary::Union {
            return self.set(operands, parts, expr);
        }
        if operands.iter().any(|operand| matches!(operand.ty, Type::Word { .. })) {
            let mut operands = operands.into_iter().zip(parts.iter().copied());
            let first = operands.next().expect("a chain has two operands");
            let op = if op == Binary::And { ir::Binary::BitAnd } else { ir::Binary::BitOr };
            let folded = operands.fold(first, |a, b| (self.word_bits(op, a, b, expr), b.1));
            return folded.0;
        }
        let truths: Vec<Typed> =
            operands.iter().zip(parts).map(|(&operand, &part)| self.truth(operand, part)).collect();
        let span = self.span(expr);
        let and = op == Binary::And;
        let all = self.tables.build.junction(and, truths.iter().map(|truth| truth.expr), span);
        self.truth_of(all, &truths)
    }

    /// Equal or unequal truth values. Where no variable leaves, that is a question of values, which
    /// is the simpler one.
    fn equivalent(&mut self, equal: bool, a: Placed, b: Placed, expr: ExprId) -> Typed {
        use ir::Binary::{Differ, Equal, Same, Unequal};
        let (a, b) = (self.truth(a.0, a.1), self.truth(b.0, b.1));
        let op = match (self.tables.recursive, equal) {
            (true, true) => Same,
            (true, false) => Differ,
            (false, true) => Equal,
            (false, false) => Unequal,
        };
        let equal = self.tables.build.compare(op, a.expr, b.expr, self.span(expr));
        self.truth_of(equal, &[a, b])
    }

    /// Makes two operands comparable, or reports an error.
    fn comparable(&mut self, mut a: Placed, mut b: Placed, expr: ExprId) -> Option<(Placed, Placed)> {
        if a.0.ty == Type::Boolean {
            b.0 = self.as_truth(b.0, b.1);
        } else if b.0.ty == Type::Boolean {
            a.0 = self.as_truth(a.0, a.1);
        }
        if a.0.ty.join(b.0.ty).is_some() {
            return Some((a, b));
        }
        let message = format!("{} is compared with {}", a.0.ty, b.0.ty);
        match (a.0.ty, b.0.ty) {
            (Type::Boolean | Type::Word { .. }, Type::Integer)
            | (Type::Integer, Type::Boolean | Type::Word { .. }) => {
                let help = "`toint` makes a number of words and truth values";
                self.problems.error_help(self.span(expr), message, help);
            }
            // of two symbolic constants, one is something else
            (Type::Symbol, _) | (_, Type::Symbol)
                if let Some(name) = self.hidden(a.1).or(self.hidden(b.1)) =>
            {
                let help =
                    format!("here `{name}` is not the symbolic constant, but something else of that name");
                self.problems.error_help(self.span(expr), message, help);
            }
            _ => self.problems.error(self.span(expr), message),
        }
        None
    }

    /// A name that means something else, but is a symbolic constant, too.
    fn hidden(&self, expr: ExprId) -> Option<&str> {
        match self.file.exprs.nodes[expr] {
            Expr::Name(name) if self.tables.constants.contains_key(&name) => Some(&self.file.names[name]),
            _ => None,
        }
    }

    pub(super) fn equal(&mut self, op: ir::Binary, a: Placed, b: Placed, expr: ExprId) -> Typed {
        let a = (self.single(a.0, a.1), a.1);
        let b = (self.single(b.0, b.1), b.1);
        let Some((a, b)) = self.comparable(a, b, expr) else { return self.wrong() };
        self.never(a, b);
        let equal = self.tables.build.compare(op, a.0.expr, b.0.expr, self.span(expr));
        self.truth_of(equal, &[a.0, b.0])
    }

    fn order(&mut self, op: ir::Binary, a: Placed, b: Placed, expr: ExprId) -> Typed {
        let (left, right) = (self.single(a.0, a.1), self.single(b.0, b.1));
        if left.is_wrong() || right.is_wrong() {
            return self.wrong();
        }
        if !matches!((left.ty, right.ty), (Type::Word { .. }, _) | (_, Type::Word { .. })) {
            let what = "what is less or greater";
            let (left, right) = (self.number(left, a.1, what), self.number(right, b.1, what));
            if left.is_wrong() || right.is_wrong() {
                return self.wrong();
            }
        } else if self.comparable((left, a.1), (right, b.1), expr).is_none() || left.ty != right.ty {
            return self.wrong();
        }
        Typed::value(self.tables.build.compare(op, left.expr, right.expr, self.span(expr)), Type::Boolean)
    }

    /// The type of a value that may be any of these. `0` and `1` beside truth values count as such.
    pub(super) fn join(&mut self, operands: &mut [Typed], parts: &[ExprId]) -> Type {
        if operands.iter().any(|operand| operand.ty == Type::Boolean) {
            for (operand, &part) in operands.iter_mut().zip(parts) {
                *operand = self.as_truth(*operand, part);
            }
        }
        let mut ty = Type::Exit;
        for (operand, &part) in operands.iter().zip(parts) {
            let Some(joined) = ty.join(operand.ty) else {
                let message = format!("this is {}, but what comes before is {ty}", operand.ty);
                self.problems.error(self.span(part), message);
                return Type::Wrong;
            };
            ty = joined;
        }
        ty
    }

    /// A case of guards and values in turn.
    pub(super) fn case(&mut self, operands: &[Typed], exprs: &[ExprId], expr: ExprId) -> Typed {
        let (mut guards, mut values, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (pair, exprs) in operands.chunks(2).zip(exprs.chunks(2)) {
            guards.push(self.truth(pair[0], exprs[0]));
            values.push(pair[1]);
            parts.push(exprs[1]);
        }
        let ty = self.join(&mut values, &parts);
        if ty == Type::Wrong || guards.iter().any(|guard| guard.is_wrong()) {
            return self.wrong();
        }
        let set = values.iter().any(|value| value.set);
        let branches = guards.iter().zip(&values).map(|(guard, value)| (guard.expr, value.expr));
        let branches: Vec<_> = branches.collect();
        if let Some(case) = self.tables.build.case(branches, self.span(expr)) {
            return Typed { expr: case, ty, set, place: false };
        }
        let help = "end it with `TRUE : …;`";
        self.problems.error_help(self.span(expr), "no branch of this case can be taken", help);
        self.wrong()
    }

    /// `{a, b, …}`, `a union b union …`
    pub(super) fn set(&mut self, mut operands: Vec<Typed>, parts: &[ExprId], expr: ExprId) -> Typed {
        let ty = self.join(&mut operands, parts);
        if operands.is_empty() {
            self.problems.error(self.span(expr), "an empty set");
            return self.wrong();
        }
        if ty == Type::Wrong {
            return self.wrong();
        }
        let union = self.tables.build.union(operands.iter().map(|operand| operand.expr), self.span(expr));
        let set = operands.iter().any(|operand| operand.set)
            || matches!(self.tables.build.get(union), ir::Expr::Union(_));
        Typed { expr: union, ty, set, place: false }
    }

    pub(super) fn range(&mut self, a: Typed, b: Typed, expr: ExprId) -> Typed {
        if a.is_wrong() || b.is_wrong() {
            return self.wrong();
        }
        let span = self.span(expr);
        if let (Some(low), Some(high)) =
            (self.tables.build.constant(a.expr), self.tables.build.constant(b.expr))
            && low > high
        {
            self.problems.error(span, format!("the range {low}..{high} is empty"));
            return self.wrong();
        }
        let range = self.tables.build.range(a.expr, b.expr, span);
        Typed { expr: range, ty: Type::Integer, set: range != a.expr, place: false }
    }

    fn member(&mut self, a: Placed, b: Placed, expr: ExprId) -> Typed {
        let a = (self.single(a.0, a.1), a.1);
        let Some((a, b)) = self.comparable(a, b, expr) else { return self.wrong() };
        self.never(a, b);
        let span = self.span(expr);
        let member = if b.0.set {
            self.tables.build.member(a.0.expr, b.0.expr, span)
        } else {
            self.tables.build.compare(ir::Binary::Equal, a.0.expr, b.0.expr, span)
        };
        self.truth_of(member, &[a.0, b.0])
    }
}
