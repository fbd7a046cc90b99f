//! Words of bits. A word is kept as the number it means, signed or not; results are cut to their
//! width.

use super::arithmetic::symbol;
use super::lower::Lowering;
use super::needs::Placed;
use super::types::{Type, Typed};
use crate::ir;
use crate::syntax::ast::{Binary, ExprId};

/// The widest word.
const BITS: u32 = 62;

impl Lowering<'_, '_> {
    /// A word that is written out.
    pub(super) fn word_constant(&mut self, signed: bool, width: u32, bits: u64, expr: ExprId) -> Typed {
        match self.word_type(signed, i64::from(width), expr) {
            Some(ty) => self.value(super::build::wrap(bits.cast_signed(), signed, width), ty, expr),
            None => self.wrong(),
        }
    }

    pub(super) fn word_type(&mut self, signed: bool, width: i64, expr: ExprId) -> Option<Type> {
        match u32::try_from(width) {
            Ok(width @ 1..=BITS) => return Some(Type::Word { signed, width }),
            _ if width < 1 => self.problems.error(self.span(expr), "a word has at least one bit"),
            _ => self.problems.unsupported(self.span(expr), &format!("words beyond {BITS} bits")),
        }
        None
    }

    /// A single word: whether it is signed, and its width.
    pub(super) fn word(&mut self, (a, at): Placed, what: &str) -> Option<(bool, u32)> {
        let a = self.single(a, at);
        match a.ty {
            Type::Word { signed, width } => Some((signed, width)),
            Type::Wrong => None,
            ty => {
                self.problems.error(self.span(at), format!("{what} is a word, but this is {ty}"));
                None
            }
        }
    }

    /// Two words of one type.
    fn alike(&mut self, op: &str, a: Placed, b: Placed, expr: ExprId) -> Option<(bool, u32)> {
        let what = format!("an operand of `{op}`");
        let (left, right) = (self.word(a, &what), self.word(b, &what));
        let (left, right) = (left?, right?);
        if left == right {
            return Some(left);
        }
        let message = format!("`{op}` of {} and {}", a.0.ty, b.0.ty);
        let help = if left.0 == right.0 {
            "`extend` and `resize` change the width"
        } else {
            "`signed` and `unsigned` change the sign"
        };
        self.problems.error_help(self.span(expr), message, help);
        None
    }

    pub(super) fn word_arithmetic(&mut self, op: ir::Binary, a: Placed, b: Placed, expr: ExprId) -> Typed {
        let Some((signed, width)) = self.alike(symbol(op), a, b, expr) else { return self.wrong() };
        let span = self.span(expr);
        if self.zero_divisor(op, b) {
            return self.wrong();
        }
        let result = self.tables.build.wrapping(op, a.0.expr, b.0.expr, span);
        Typed::value(self.tables.build.wrap(result, signed, width, span), a.0.ty)
    }

    /// `&`, `|` and `xor`, bit by bit.
    pub(super) fn word_bits(&mut self, op: ir::Binary, a: Placed, b: Placed, expr: ExprId) -> Typed {
        if self.alike(symbol(op), a, b, expr).is_none() {
            return self.wrong();
        }
        Typed::value(self.pure(op, a.0.expr, b.0.expr, expr), a.0.ty)
    }

    /// An operator that has a result for all operands.
    fn pure(&mut self, op: ir::Binary, a: ir::ExprId, b: ir::ExprId, expr: ExprId) -> ir::ExprId {
        let span = self.span(expr);
        self.tables.build.wrapping(op, a, b, span)
    }

    pub(super) fn word_not(&mut self, a: Placed, expr: ExprId) -> Typed {
        let Some((signed, width)) = self.word(a, "an operand of `!`") else { return self.wrong() };
        let ones = self.value(super::build::wrap(-1, signed, width), a.0.ty, expr);
        let result = self.pure(ir::Binary::BitXor, a.0.expr, ones.expr, expr);
        Typed::value(result, a.0.ty)
    }

    /// `->`, `<->`, `xor`, `xnor`, bit by bit.
    pub(super) fn word_logic(&mut self, op: Binary, a: Placed, b: Placed, expr: ExprId) -> Typed {
        let sign = match op {
            Binary::Implies => "->",
            Binary::Iff => "<->",
            Binary::Xor => "xor",
            _ => "xnor",
        };
        if self.alike(sign, a, b, expr).is_none() {
            return self.wrong();
        }
        if op == Binary::Implies {
            let not = self.word_not(a, expr);
            return Typed::value(self.pure(ir::Binary::BitOr, not.expr, b.0.expr, expr), a.0.ty);
        }
        let differ = Typed::value(self.pure(ir::Binary::BitXor, a.0.expr, b.0.expr, expr), a.0.ty);
        if op == Binary::Xor { differ } else { self.word_not((differ, expr), expr) }
    }

    pub(super) fn shift(&mut self, left: bool, a: Placed, b: Placed, expr: ExprId) -> Typed {
        let Some((signed, width)) = self.word(a, "what is shifted") else { return self.wrong() };
        let amount = self.single(b.0, b.1);
        if !matches!(amount.ty, Type::Integer | Type::Word { signed: false, .. }) {
            if !amount.is_wrong() {
                let message =
                    format!("a word is shifted by a number or an unsigned word, but this is {}", amount.ty);
                self.problems.error(self.span(b.1), message);
            }
            return self.wrong();
        }
        let span = self.span(expr);
        let amount = match self.tables.build.constant(amount.expr) {
            Some(value) if !(0..=i64::from(width)).contains(&value) => {
                let message = format!("a word of width {width} cannot be shifted by {value}");
                self.problems.error(self.span(b.1), message);
                return self.wrong();
            }
            Some(_) => amount.expr,
            // the evaluation need not consider shifts by more than there are bits
            None => {
                let most = self.value(i64::from(width), Type::Integer, expr);
                self.pure(ir::Binary::Min, amount.expr, most.expr, expr)
            }
        };
        let op = if left { ir::Binary::ShiftLeft } else { ir::Binary::ShiftRight };
        let result = self.pure(op, a.0.expr, amount, expr);
        let result = if left { self.tables.build.wrap(result, signed, width, span) } else { result };
        Typed::value(result, a.0.ty)
    }

    pub(super) fn concat(&mut self, a: Placed, b: Placed, expr: ExprId) -> Typed {
        let what = "an operand of `::`";
        let (high, low) = (self.word(a, what), self.word(b, what));
        let (Some((sign, high)), Some((low_sign, low))) = (high, low) else { return self.wrong() };
        let Some(ty) = self.word_type(false, i64::from(high + low), expr) else { return self.wrong() };
        let span = self.span(expr);
        let build = &mut self.tables.build;
        let upper = if sign { build.wrap(a.0.expr, false, high, span) } else { a.0.expr };
        let lower = if low_sign { build.wrap(b.0.expr, false, low, span) } else { b.0.expr };
        let amount = self.value(i64::from(low), Type::Integer, expr);
        let upper = self.pure(ir::Binary::ShiftLeft, upper, amount.expr, expr);
        Typed::value(self.pure(ir::Binary::BitOr, upper, lower, expr), ty)
    }

    /// `a[high:low]`
    pub(super) fn bits(&mut self, a: Placed, high: Placed, low: Placed, expr: ExprId) -> Typed {
        let word = self.word(a, "what bits are taken of");
        let high = self.constant_operand(high);
        let low = self.constant_operand(low);
        let (Some((_, width)), Some(high), Some(low)) = (word, high, low) else { return self.wrong() };
        if low < 0 || high < low || high >= i64::from(width) {
            let message = format!("bits [{high}:{low}] are not within [{}:0]", width - 1);
            self.problems.error(self.span(expr), message);
            return self.wrong();
        }
        self.cut(a.0, low, u32::try_from(high - low + 1).unwrap_or(width), expr)
    }

    fn cut(&mut self, a: Typed, low: i64, width: u32, expr: ExprId) -> Typed {
        let amount = self.value(low, Type::Integer, expr);
        let shifted =
            if low == 0 { a.expr } else { self.pure(ir::Binary::ShiftRight, a.expr, amount.expr, expr) };
        let span = self.span(expr);
        let result = self.tables.build.wrap(shifted, false, width, span);
        Typed::value(result, Type::Word { signed: false, width })
    }

    /// A number that is known.
    pub(super) fn constant_operand(&mut self, (a, at): Placed) -> Option<i64> {
        match self.tables.build.constant(a.expr) {
            _ if a.is_wrong() => None,
            Some(value) if a.ty == Type::Integer => Some(value),
            _ => {
                self.problems.error(self.span(at), "a constant number is needed here");
                None
            }
        }
    }

    /// `resize(a, width)`: a signed word that becomes shorter keeps its sign and its lower bits.
    pub(super) fn resize(&mut self, a: Typed, to: u32, expr: ExprId) -> Typed {
        let Type::Word { signed, width } = a.ty else { return self.wrong() };
        let ty = Type::Word { signed, width: to };
        if to >= width {
            let span = self.span(expr);
            return Typed { expr: self.tables.build.present(a.expr, span), ty, place: false, ..a };
        }
        if !signed {
            return self.cut(a, 0, to, expr);
        }
        let sign_bit = 1_i64 << (to - 1);
        let far = self.value(62, Type::Integer, expr);
        let mask = self.value(sign_bit - 1, Type::Integer, expr);
        let sign = self.value(-sign_bit, Type::Integer, expr);
        let signs = self.pure(ir::Binary::ShiftRight, a.expr, far.expr, expr);
        let sign = self.pure(ir::Binary::BitAnd, signs, sign.expr, expr);
        let rest = self.pure(ir::Binary::BitAnd, a.expr, mask.expr, expr);
        Typed::value(self.pure(ir::Binary::BitOr, sign, rest, expr), ty)
    }
}
