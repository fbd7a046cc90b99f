//! The stacks of an expression that is being read.
//!
//! Invariant: `pending` holds the operators and open frames that wait for their right end, `frames`
//! the kinds of the open ones (brackets, `case`, the first half of `? :`), `operands` the
//! expressions between them, each already complete. An operator is applied as soon as the next
//! token cannot belong to its operand.

use super::super::ast::{Binary, Bounded, Bounds, Expr, ExprId, Function, Unary};
use super::super::psl::Infix;
use loris_base::Symbol;

/// An open frame.
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
    /// `[`
    List,
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
    /// `[`, of PSL.
    Brackets,
    /// `[ a U`, `[ a W` (`false`), of PSL.
    BracketsSecond(bool),
    /// `next[3](`, `next_a[2:3](`, of PSL.
    Steps(Bounded, Bounds),
    /// `next_event(`, of PSL.
    Event { strong: bool, range: Option<bool> },
    /// `next_event(b)[2:3](`, of PSL.
    EventBody { strong: bool, all: bool, bounds: Bounds },
    /// `{`, of PSL.
    Sequence,
}

#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) frame: Frame,
    pub(super) start: u32,
    /// How many operands were there before.
    pub(super) base: usize,
}

/// An operator that waits for its last operand, and how tightly it holds that.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    pub(super) what: Waiting,
    pub(super) level: u8,
}

#[derive(Clone, Copy)]
pub(super) enum Waiting {
    Prefix(Unary, u32),
    Bounded(Bounded, Bounds, u32),
    Infix(Binary),
    /// `c ? a :`
    Else,
    /// `until`, of PSL.
    Psl(Infix),
    /// `forall`, of PSL: its number among all.
    Forall(usize, u32),
    Open,
}

#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) id: ExprId,
    /// With the brackets around it, which its span leaves out.
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Empty between expressions.
#[derive(Default)]
pub(super) struct Stacks {
    pub(super) operands: Vec<Operand>,
    pub(super) pending: Vec<Pending>,
    pub(super) frames: Vec<Open>,
    /// The variable and range of each `forall`.
    pub(super) foralls: Vec<(Symbol, Vec<Expr>)>,
}

impl Stacks {
    /// Gives up the expression; returns how many `case` were open.
    pub(super) fn abandon(&mut self) -> usize {
        let cases =
            self.frames.iter().filter(|open| matches!(open.frame, Frame::Condition | Frame::Value)).count();
        self.operands.clear();
        self.pending.clear();
        self.frames.clear();
        self.foralls.clear();
        cases
    }

    pub(super) fn frame(&self) -> Option<Open> {
        self.frames.last().copied()
    }
}
