//! Operators and frames of an expression, applied when their operands are complete.

use super::super::ast::{Binary, Bounded, Bounds, Expr, ExprId, Psl, Unary};
use super::super::operators::{CONDITIONAL, LOOSEST, TEMPORAL};
use super::super::psl::{self, Infix};
use super::Parser;
use super::stacks::{Frame, Open, Operand, Pending, Waiting};
use loris_base::Symbol;

const FULL: &str = "every pending operator has its operands before it";

impl Parser<'_, '_> {
    pub(super) fn open(&mut self, frame: Frame, start: u32) {
        let base = self.stacks.operands.len();
        self.stacks.frames.push(Open { frame, start, base });
        self.wait(Waiting::Open, 0);
    }

    /// Opens the frame of an index; the indexed operand belongs to it.
    pub(super) fn open_index(&mut self) {
        let start = self.last_operand().start;
        let base = self.stacks.operands.len() - 1;
        self.stacks.frames.push(Open { frame: Frame::Index, start, base });
        self.wait(Waiting::Open, 0);
    }

    /// Lets an operator wait for its last operand.
    pub(super) fn wait(&mut self, what: Waiting, level: u8) {
        self.stacks.pending.push(Pending { what, level });
    }

    pub(super) fn prefix(&mut self, unary: Unary, start: u32) {
        let level = if self.is_psl { psl::prefix_level(unary) } else { unary.level() };
        self.wait(Waiting::Prefix(unary, start), level);
    }

    pub(super) fn bounded_prefix(&mut self, operator: Bounded, bounds: Bounds, start: u32) {
        self.wait(Waiting::Bounded(operator, bounds, start), TEMPORAL);
    }

    pub(super) fn infix(&mut self, infix: Binary) {
        let level = if self.is_psl { psl::infix_level(infix) } else { infix.level() };
        // in PSL implication groups to the left
        self.apply_before(level, self.is_psl || !infix.groups_right());
        self.wait(Waiting::Infix(infix), level);
    }

    pub(super) fn psl_waits(&mut self, infix: Infix) {
        self.apply_before(infix.level(), true);
        self.wait(Waiting::Psl(infix), infix.level());
    }

    /// The level of `c ? a : b`.
    pub(super) fn conditional_level(&self) -> u8 {
        if self.is_psl { psl::CONDITIONAL } else { CONDITIONAL }
    }

    /// Remembers the variable and range of a `forall`, for its number.
    pub(super) fn wait_for_all(&mut self, name: Symbol, values: Vec<Expr>) -> usize {
        self.stacks.foralls.push((name, values));
        self.stacks.foralls.len() - 1
    }

    /// Whether a sequence may stand here: right after `always`, `never` or `eventually!`.
    pub(super) fn after_sequence_operator(&self) -> bool {
        let last = self.stacks.pending.last().map(|pending| pending.what);
        let operator = matches!(last, Some(Waiting::Prefix(Unary::G | Unary::F | Unary::Not, _)));
        operator && matches!(self.last.text(self.text), "always" | "never" | "eventually!")
    }

    /// Goes over to the second half of a choice.
    pub(super) fn otherwise(&mut self) {
        self.apply_before(LOOSEST, true);
        self.stacks.frames.pop();
        self.stacks.pending.pop();
        self.wait(Waiting::Else, self.conditional_level());
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

    /// Adds an operand that is known already.
    pub(super) fn add_known(&mut self, id: ExprId) {
        let (start, end) = self.exprs.spans[id];
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

    /// Takes the closing token of the frame, and makes an operand of its content.
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
        if frame == Frame::Sequence {
            let parts: Vec<ExprId> = self.stacks.operands[base..].iter().map(|part| part.id).collect();
            let expr = self.sequence(&parts, (start, end));
            self.stacks.operands.truncate(base);
            return self.add(expr, start, end);
        }
        let operands = &self.stacks.operands[base..];
        let ids = || operands.iter().map(|operand| operand.id).collect();
        let expr = match (frame, operands) {
            (Frame::BracketsSecond(true), [a, b]) => Expr::Binary(Binary::Until, a.id, b.id),
            (Frame::BracketsSecond(false), _) => Expr::Psl(Psl::WeakUntil, ids()),
            (Frame::Steps(operator, bounds), [a]) => Expr::Bounded(operator, bounds, a.id),
            (Frame::EventBody { strong, all, bounds }, _) => {
                Expr::Psl(Psl::NextEvent { strong, all, bounds }, ids())
            }
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
            (Frame::List, _) => Expr::List(ids()),
            _ => Expr::Set(ids()),
        };
        if let Frame::Apply(function) = frame {
            self.check_arity(function, operands.len(), start);
        }
        self.stacks.operands.truncate(base);
        self.add(expr, start, end);
    }

    /// Applies the operators of this frame whose operands end here: those that are tighter, or as
    /// tight.
    pub(super) fn apply_before(&mut self, level: u8, equal: bool) {
        while let Some(&Pending { what, level: own }) = self.stacks.pending.last() {
            if matches!(what, Waiting::Open) || own < level || (own == level && !equal) {
                return;
            }
            self.stacks.pending.pop();
            self.apply(what);
        }
    }

    fn apply(&mut self, what: Waiting) {
        let last = self.stacks.operands.pop().expect(FULL);
        let (expr, start) = match what {
            Waiting::Open => unreachable!("frames are closed, not applied"),
            Waiting::Prefix(unary, start) => (Expr::Unary(unary, last.id), start),
            Waiting::Bounded(operator, bounds, start) => (Expr::Bounded(operator, bounds, last.id), start),
            Waiting::Infix(infix) => {
                let first = self.stacks.operands.pop().expect(FULL);
                (Expr::Binary(infix, first.id, last.id), first.start)
            }
            Waiting::Psl(infix) => {
                let first = self.stacks.operands.pop().expect(FULL);
                (self.psl_infix(infix, first.id, last.id, (first.start, last.end)), first.start)
            }
            Waiting::Forall(number, start) => {
                let (name, values) = self.stacks.foralls[number].clone();
                let all = self.for_all(name, &values, last.id, (start, last.end));
                self.stacks.operands.push(Operand { id: all, start, end: last.end });
                return;
            }
            Waiting::Else => {
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
