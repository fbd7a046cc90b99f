//! Makes expressions of the meaning, with constants folded.
//!
//! Operands are expressions made before, so that everything is known of them at once: whether they
//! are about the next state, or about inputs.

use crate::ir::{Binary, EXIT, Expr, ExprId, Exprs, LIMIT, Span, VariableId};
use loris_base::Idx;

/// Expressions of a structure in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Build {
    exprs: Exprs,
    /// Whether each of them reads the next state or inputs.
    about: Vec<About>,
    /// Whether variables may leave, so that a truth value need not be one.
    pub(super) exits: bool,
    /// The memory of the operands of long operators.
    lists: usize,
}

/// What an expression reads besides the present state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct About {
    /// The next state.
    pub(super) next: bool,
    /// Inputs.
    pub(super) input: bool,
}

impl Build {
    /// About how many bytes all expressions take, growing lists included.
    pub(super) fn bytes(&self) -> usize {
        // the operator, where it was written, what it reads, its place in the table of all
        let one = size_of::<Expr>() + size_of::<Span>() + size_of::<About>() + 8;
        3 * self.about.len() * one / 2 + self.lists
    }

    pub(super) fn exprs(&self) -> &Exprs {
        &self.exprs
    }

    /// Takes the expressions out, to be put back by [`Build::put_back`].
    pub(super) fn take(&mut self) -> Exprs {
        std::mem::take(&mut self.exprs)
    }

    pub(super) fn put_back(&mut self, exprs: Exprs) {
        self.exprs = exprs;
    }

    pub(super) fn get(&self, id: ExprId) -> &Expr {
        self.exprs.get(id)
    }

    pub(super) fn about(&self, id: ExprId) -> About {
        self.about[id.index()]
    }

    /// The value of a constant.
    pub(super) fn constant(&self, id: ExprId) -> Option<i64> {
        match *self.get(id) {
            Expr::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The operands of an expression, from left to right.
    pub(super) fn operands(&self, id: ExprId, to: impl FnMut(ExprId)) {
        self.get(id).operands(to);
    }

    /// Adds an expression as it is.
    fn add(&mut self, expr: Expr, span: Span, leaf: About) -> ExprId {
        let id = self.exprs.add(expr, span);
        if id.index() == self.about.len() {
            let (mut about, mut operands) = (leaf, 0);
            self.operands(id, |operand| {
                operands += 1;
                let operand = self.about[operand.index()];
                about.next |= operand.next;
                about.input |= operand.input;
            });
            self.about.push(about);
            // most lists are a heap block of their own
            self.lists += if operands > 2 { 16 + 8 * operands } else { 0 };
        }
        id
    }

    fn plain(&mut self, expr: Expr, span: Span) -> ExprId {
        self.add(expr, span, About::default())
    }

    pub(super) fn value(&mut self, value: i64, span: Span) -> ExprId {
        self.plain(Expr::Value(value), span)
    }

    pub(super) fn variable(&mut self, variable: VariableId, input: bool, span: Span) -> ExprId {
        self.add(Expr::Variable(variable), span, About { next: false, input })
    }

    pub(super) fn next(&mut self, variable: VariableId, span: Span) -> ExprId {
        self.add(Expr::Next(variable), span, About { next: true, input: false })
    }

    pub(super) fn not(&mut self, a: ExprId, span: Span) -> ExprId {
        match *self.get(a) {
            Expr::Value(value) => self.value(i64::from(value == 0), span),
            Expr::Not(inner) => self.present(inner, span),
            Expr::Binary(Binary::Same, x, y) => self.plain(Expr::Binary(Binary::Differ, x, y), span),
            Expr::Binary(Binary::Differ, x, y) => self.plain(Expr::Binary(Binary::Same, x, y), span),
            Expr::Binary(Binary::Equal, x, y) => self.plain(Expr::Binary(Binary::Unequal, x, y), span),
            Expr::Binary(Binary::Unequal, x, y) => self.plain(Expr::Binary(Binary::Equal, x, y), span),
            _ => self.plain(Expr::Not(a), span),
        }
    }

    /// The same value, but none where a variable has left.
    ///
    /// The value of an operator is never `EXIT`; where folding leaves nothing of the operator but
    /// its operand, that must stay so.
    pub(super) fn present(&mut self, a: ExprId, span: Span) -> ExprId {
        let may_be_exit = match self.get(a) {
            Expr::Variable(_) | Expr::Next(_) | Expr::Case(_) | Expr::Select { .. } => true,
            Expr::Value(value) => *value == EXIT,
            _ => false,
        };
        if !self.exits || !may_be_exit {
            return a;
        }
        let zero = self.value(0, span);
        self.plain(Expr::Binary(Binary::BitOr, a, zero), span)
    }

    /// All of them (`and`), or one of them.
    pub(super) fn junction(
        &mut self,
        and: bool,
        operands: impl IntoIterator<Item = ExprId>,
        span: Span,
    ) -> ExprId {
        let neutral = i64::from(and);
        let mut list = Vec::new();
        for operand in operands {
            match self.constant(operand) {
                Some(value) if value == neutral => {}
                Some(value) => return self.value(value, span),
                None => list.push(operand),
            }
        }
        match list[..] {
            [] => self.value(neutral, span),
            [one] => self.present(one, span),
            _ if and => self.plain(Expr::And(list.into()), span),
            _ => self.plain(Expr::Or(list.into()), span),
        }
    }

    /// `None` if a constant result is too large. A division by zero stays as it is: its evaluation
    /// reports it.
    pub(super) fn number(&mut self, op: Binary, a: ExprId, b: ExprId, span: Span) -> Option<ExprId> {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) if !self.divides_by_zero(op, b) => {
                let value = exact(op, x, y).filter(|value| (1 - LIMIT..LIMIT).contains(value))?;
                Some(self.value(value, span))
            }
            _ => Some(self.plain(Expr::Binary(op, a, b), span)),
        }
    }

    /// Whether an operator has no result, whatever its first operand.
    pub(super) fn divides_by_zero(&self, op: Binary, divisor: ExprId) -> bool {
        matches!(op, Binary::Divide | Binary::Modulo) && self.constant(divisor) == Some(0)
    }

    /// A relation between any values.
    pub(super) fn compare(&mut self, op: Binary, a: ExprId, b: ExprId, span: Span) -> ExprId {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                let holds = match op {
                    Binary::Equal | Binary::Same => x == y,
                    Binary::Unequal | Binary::Differ => x != y,
                    Binary::Less => x < y,
                    _ => x <= y,
                };
                self.value(i64::from(holds), span)
            }
            _ => self.plain(Expr::Binary(op, a, b), span),
        }
    }

    /// Word arithmetic, before it is cut to a width: modulo 2⁶⁴.
    pub(super) fn wrapping(&mut self, op: Binary, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let value = match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => match op {
                Binary::Plus => Some(x.wrapping_add(y)),
                Binary::Minus => Some(x.wrapping_sub(y)),
                Binary::Times => Some(x.wrapping_mul(y)),
                Binary::ShiftLeft => Some(x.wrapping_shl(u32::try_from(y).unwrap_or(0).min(63))),
                _ => exact(op, x, y),
            },
            _ => None,
        };
        match value {
            Some(value) => self.value(value, span),
            None => self.plain(Expr::Binary(op, a, b), span),
        }
    }

    pub(super) fn wrap(&mut self, of: ExprId, signed: bool, width: u32, span: Span) -> ExprId {
        match *self.get(of) {
            Expr::Value(value) => self.value(wrap(value, signed, width), span),
            Expr::Wrap { of, width: inner, .. } if inner >= width => {
                self.plain(Expr::Wrap { of, signed, width }, span)
            }
            _ => self.plain(Expr::Wrap { of, signed, width }, span),
        }
    }

    pub(super) fn count(&mut self, operands: &[ExprId], span: Span) -> ExprId {
        match operands.iter().map(|&operand| self.constant(operand)).sum::<Option<i64>>() {
            Some(value) => self.value(value, span),
            None => self.plain(Expr::Count(operands.into()), span),
        }
    }

    /// `None` if no branch is left.
    pub(super) fn case(
        &mut self,
        branches: impl IntoIterator<Item = (ExprId, ExprId)>,
        span: Span,
    ) -> Option<ExprId> {
        let mut list: Vec<(ExprId, ExprId)> = Vec::new();
        for (guard, value) in branches {
            match self.constant(guard) {
                Some(0) => {}
                Some(_) if list.is_empty() => return Some(value),
                Some(_) => {
                    list.push((guard, value));
                    break;
                }
                None => list.push((guard, value)),
            }
        }
        if list.is_empty() { None } else { Some(self.plain(Expr::Case(list.into()), span)) }
    }

    pub(super) fn select(&mut self, index: ExprId, low: i64, elements: Vec<ExprId>, span: Span) -> ExprId {
        match self.constant(index) {
            Some(value) => elements[usize::try_from(value - low).expect("constant indices were checked")],
            None => self.plain(Expr::Select { index, low, elements: elements.into() }, span),
        }
    }

    /// The union of sets; small unions among them are dissolved.
    pub(super) fn union(&mut self, sets: impl IntoIterator<Item = ExprId>, span: Span) -> ExprId {
        const SMALL: usize = 64;
        let mut list: Vec<ExprId> = Vec::new();
        for set in sets {
            match self.get(set) {
                Expr::Union(parts) if parts.len() <= SMALL => list.extend(parts),
                _ => list.push(set),
            }
        }
        if list.len() < SMALL {
            for i in (1..list.len()).rev() {
                if list[..i].contains(&list[i]) {
                    list.remove(i);
                }
            }
        } else {
            let mut known = rustc_hash::FxHashSet::default();
            list.retain(|&part| known.insert(part));
        }
        if let [one] = list[..] { one } else { self.plain(Expr::Union(list.into()), span) }
    }

    pub(super) fn range(&mut self, low: ExprId, high: ExprId, span: Span) -> ExprId {
        if low == high { self.present(low, span) } else { self.plain(Expr::Range(low, high), span) }
    }

    /// Whether `set` is a value or a union of values.
    pub(super) fn constants(&self, set: ExprId) -> Option<Vec<i64>> {
        match self.get(set) {
            Expr::Value(value) => Some(vec![*value]),
            Expr::Union(parts) => parts.iter().map(|&part| self.constant(part)).collect(),
            _ => None,
        }
    }

    pub(super) fn member(&mut self, value: ExprId, set: ExprId, span: Span) -> ExprId {
        match (self.constant(value), self.get(set)) {
            (Some(value), Expr::Union(parts)) if parts.iter().all(|&part| self.constant(part).is_some()) => {
                let found = parts.iter().any(|&part| self.constant(part) == Some(value));
                self.value(i64::from(found), span)
            }
            _ => self.plain(Expr::In(value, set), span),
        }
    }
}

/// The lower bits of a number, as signed or not.
pub(super) fn wrap(value: i64, signed: bool, width: u32) -> i64 {
    let shift = 64 - width;
    if signed { value << shift >> shift } else { (value.cast_unsigned() << shift >> shift).cast_signed() }
}

fn exact(op: Binary, x: i64, y: i64) -> Option<i64> {
    match op {
        Binary::Plus => x.checked_add(y),
        Binary::Minus => x.checked_sub(y),
        Binary::Times => x.checked_mul(y),
        Binary::Divide => x.checked_div(y),
        Binary::Modulo => x.checked_rem(y),
        Binary::BitAnd => Some(x & y),
        Binary::BitOr => Some(x | y),
        Binary::BitXor => Some(x ^ y),
        Binary::ShiftLeft => Some(x.wrapping_shl(u32::try_from(y).ok()?.min(63))),
        Binary::ShiftRight => Some(x >> u32::try_from(y).ok()?.min(63)),
        Binary::Min => Some(x.min(y)),
        Binary::Max => Some(x.max(y)),
        Binary::Equal | Binary::Unequal | Binary::Same | Binary::Differ | Binary::Less | Binary::AtMost => {
            None
        }
    }
}
