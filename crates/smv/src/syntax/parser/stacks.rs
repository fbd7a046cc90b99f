//! The stacks of an expression that is being read.
//!
//! Invariant: `pending` holds the operators and open frames that wait for their right end, `frames` what the open ones are
//! (brackets, `case`, the first half of `? :`), `operands` the expressions between them, each already
//! complete. An operator is applied as soon as what follows cannot belong to its operand.

use super::super::ast::{Binary, Bounded, Bounds, Expr, ExprId, Function, Unary};
use super::super::operators::{CONDITIONAL, LOOSEST, TEMPORAL};
use super::Parser;

/// What is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// `(`
    Group,
    /// `e[`
    Index,
    /// `e[high :`
    Bits,
    /// `{`
    Set,
    /// `next(`
    Next,
    /// `count(`
    Apply(Function),
    /// `case`, `case … ;`
    Condition,
    /// `case … :`
    Value,
    /// `c ?`
    Then,
    /// `E [`, with `true`; `A [`.
    Quantified(bool),
    /// `E [ a U`, `E [ a V`.
    Second(bool, Binary),
    /// `E [ a BU 2..5`.
    BoundedSecond(bool, Bounds),
}

#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) frame: Frame,
    pub(super) start: u32,
    /// How many operands were there before.
    pub(super) base: usize,
}

#[derive(Clone, Copy)]
enum Pending {
    Prefix(Unary, u32),
    Bounded(Bounded, Bounds, u32),
    Infix(Binary),
    /// `c ? a :`
    Else,
    Open,
}

#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) id: ExprId,
    /// With the brackets around it, which its span leaves out.
    start: u32,
    end: u32,
}

/// Empty between expressions.
#[derive(Default)]
pub(super) struct Stacks {
    operands: Vec<Operand>,
    pending: Vec<Pending>,
    frames: Vec<Open>,
}

impl Stacks {
    /// Gives up the expression; says how many `case` were open.
    pub(super) fn abandon(&mut self) -> usize {
        let cases =
            self.frames.iter().filter(|open| matches!(open.frame, Frame::Condition | Frame::Value)).count();
        self.operands.clear();
        self.pending.clear();
        self.frames.clear();
        cases
    }

    pub(super) fn frame(&self) -> Option<Open> {
        self.frames.last().copied()
    }
}

const FULL: &str = "every pending operator has its operands before it";

impl Parser<'_, '_> {
    pub(super) fn open(&mut self, frame: Frame, start: u32) {
        let base = self.stacks.operands.len();
        self.stacks.frames.push(Open { frame, start, base });
        self.stacks.pending.push(Pending::Open);
    }

    /// Opens the frame of an index; what is indexed belongs to it.
    pub(super) fn open_index(&mut self) {
        let start = self.last_operand().start;
        let base = self.stacks.operands.len() - 1;
        self.stacks.frames.push(Open { frame: Frame::Index, start, base });
        self.stacks.pending.push(Pending::Open);
    }

    pub(super) fn prefix(&mut self, unary: Unary, start: u32) {
        self.stacks.pending.push(Pending::Prefix(unary, start));
    }

    pub(super) fn bounded_prefix(&mut self, operator: Bounded, bounds: Bounds, start: u32) {
        self.stacks.pending.push(Pending::Bounded(operator, bounds, start));
    }

    pub(super) fn infix(&mut self, infix: Binary) {
        self.apply_before(infix.level(), !infix.groups_right());
        self.stacks.pending.push(Pending::Infix(infix));
    }

    /// Goes over to the second half of a choice.
    pub(super) fn otherwise(&mut self) {
        self.apply_before(LOOSEST, true);
        self.stacks.frames.pop();
        self.stacks.pending.pop();
        self.stacks.pending.push(Pending::Else);
    }

    /// Puts an expression in the place of the operand that it is made of.
    pub(super) fn replace(&mut self, expr: Expr) {
        let operand = self.stacks.operands.pop().expect(FULL);
        self.add(expr, operand.start, self.last.end);
    }

    /// The whole, when nothing is open.
    pub(super) fn finish(&mut self) -> ExprId {
        self.apply_before(LOOSEST, true);
        self.stacks.operands.pop().expect("a complete expression is one operand").id
    }

    /// Adds a complete operand.
    pub(super) fn add(&mut self, expr: Expr, start: u32, end: u32) {
        let id = self.exprs.add(expr, (start, end));
        self.stacks.operands.push(Operand { id, start, end });
    }

    pub(super) fn last_operand(&self) -> Operand {
        *self.stacks.operands.last().expect(FULL)
    }

    /// Goes over to another part of the same frame.
    pub(super) fn reframe(&mut self, frame: Frame) {
        if let Some(open) = self.stacks.frames.last_mut() {
            open.frame = frame;
        }
    }

    /// Takes what closes the frame, and makes an operand of what is in it.
    pub(super) fn close(&mut self) {
        self.apply_before(LOOSEST, true);
        let end = self.advance().end;
        self.stacks.pending.pop();
        let Open { frame, start, base } = self.stacks.frames.pop().expect("a frame is open");
        if frame == Frame::Group {
            let operand = self.stacks.operands.last_mut().expect(FULL);
            (operand.start, operand.end) = (start, end);
            return;
        }
        let operands = &self.stacks.operands[base..];
        let ids = || operands.iter().map(|operand| operand.id).collect();
        let expr = match (frame, operands) {
            (Frame::Next, [a]) => Expr::Next(a.id),
            (Frame::Index, [a, i]) => Expr::Index(a.id, i.id),
            (Frame::Bits, [a, high, low]) => Expr::Bits(a.id, high.id, low.id),
            (Frame::Second(some, Binary::Until), [a, b]) => Expr::Quantified(some, a.id, b.id),
            (Frame::Second(some, infix), [a, b]) => {
                let path = self.exprs.add(Expr::Binary(infix, a.id, b.id), (a.start, b.end));
                Expr::Unary(quantifier(some), path)
            }
            (Frame::BoundedSecond(some, bounds), [a, b]) => Expr::BoundedUntil(some, bounds, a.id, b.id),
            (Frame::Quantified(some), [path]) => Expr::Unary(quantifier(some), path.id),
            (Frame::Condition | Frame::Value, branches) => {
                Expr::Case(branches.chunks_exact(2).map(|branch| (branch[0].id, branch[1].id)).collect())
            }
            (Frame::Apply(function), _) => Expr::Apply(function, ids()),
            _ => Expr::Set(ids()),
        };
        if let Frame::Apply(function) = frame {
            self.check_arity(function, operands.len(), start);
        }
        self.stacks.operands.truncate(base);
        self.add(expr, start, end);
    }

    /// Applies the operators of this frame whose operands end here: those that are tighter, or as tight.
    pub(super) fn apply_before(&mut self, level: u8, equal: bool) {
        while let Some(&pending) = self.stacks.pending.last() {
            let own = match pending {
                Pending::Open => return,
                Pending::Prefix(unary, _) => unary.level(),
                Pending::Bounded(..) => TEMPORAL,
                Pending::Infix(infix) => infix.level(),
                Pending::Else => CONDITIONAL,
            };
            if own < level || (own == level && !equal) {
                return;
            }
            self.stacks.pending.pop();
            self.apply(pending);
        }
    }

    fn apply(&mut self, pending: Pending) {
        let last = self.stacks.operands.pop().expect(FULL);
        let (expr, start) = match pending {
            Pending::Open => unreachable!("frames are closed, not applied"),
            Pending::Prefix(unary, start) => (Expr::Unary(unary, last.id), start),
            Pending::Bounded(operator, bounds, start) => (Expr::Bounded(operator, bounds, last.id), start),
            Pending::Infix(infix) => {
                let first = self.stacks.operands.pop().expect(FULL);
                (Expr::Binary(infix, first.id, last.id), first.start)
            }
            Pending::Else => {
                let second = self.stacks.operands.pop().expect(FULL);
                let first = self.stacks.operands.pop().expect(FULL);
                (Expr::Conditional(first.id, second.id, last.id), first.start)
            }
        };
        self.add(expr, start, last.end);
    }
}

fn quantifier(some: bool) -> Unary {
    if some { Unary::E } else { Unary::A }
}
