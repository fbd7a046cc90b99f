//! Properties of PSL: the tokens its operands start with, and its frames. The syntax it shares with
//! expressions is read there.

use super::super::ast::{Binary, Bounded, Bounds, Expr, ExprId, Psl, Span, Unary};
use super::super::psl::{self, Infix, Word};
use super::super::tokens::Token;
use super::Parser;
use super::stacks::{Frame, Waiting};
use loris_base::{Diagnostic, Symbol};

/// The name of a sequence where it is refused.
pub(super) const SEQUENCES: &str = "sequences of PSL";
/// `forall` is written out for each value; no more than that altogether.
const MOST_COPIES: usize = 1 << 20;
/// More values than a range needs.
const MOST_VALUES: i64 = 1 << 20;

impl Parser<'_, '_> {
    /// Reads a property of PSL.
    pub(super) fn psl(&mut self) -> Result<ExprId, Diagnostic> {
        (self.is_psl, self.has_sequence, self.copies) = (true, false, 0);
        self.reread(true);
        let result = self.expression();
        self.is_psl = false;
        match result {
            Ok(_) => self.reread(false),
            // the present token is about to be skipped
            Err(_) => self.lexer.go_on(false),
        }
        result
    }

    /// Reads the token at hand once more, as one of PSL or of SMV.
    fn reread(&mut self, psl: bool) {
        let (last, now) = (self.last, self.now);
        self.lexer.go_on(psl);
        if now.token != Token::End {
            self.lexer.go_back(now.start);
            self.advance();
        }
        self.last = last;
    }

    /// Reads tokens that only an operand of PSL may start with; false if it starts with something
    /// else. An operand has to follow.
    pub(super) fn psl_operand(&mut self) -> Result<bool, Diagnostic> {
        let lexeme = self.now;
        match lexeme.token {
            Token::Psl(Word::Never) => {
                self.advance();
                self.wait(Waiting::Prefix(Unary::G, lexeme.start), psl::LOOSEST);
                self.wait(Waiting::Prefix(Unary::Not, lexeme.start), psl::LOOSEST);
            }
            Token::Psl(Word::Prefix(unary)) => {
                self.advance();
                if !self.counted_steps(unary, lexeme.start)? {
                    self.wait(Waiting::Prefix(unary, lexeme.start), psl::NEXT);
                }
            }
            Token::Prefix(Unary::X) => {
                self.advance();
                if !self.counted_steps(Unary::X, lexeme.start)? {
                    self.wait(Waiting::Prefix(Unary::X, lexeme.start), psl::prefix_level(Unary::X));
                }
            }
            Token::Prefix(unary @ (Unary::F | Unary::G)) => {
                self.advance();
                self.wait(Waiting::Prefix(unary, lexeme.start), psl::prefix_level(unary));
            }
            Token::Psl(Word::Steps(operator)) => {
                self.advance();
                self.expect(Token::OpenSquare, "`[`")?;
                let bounds = self.range_of_steps()?;
                self.expect(Token::CloseSquare, "`]`")?;
                self.expect(Token::Open, "`(`")?;
                self.open(Frame::Steps(operator, bounds), lexeme.start);
            }
            Token::Psl(Word::Event { strong, range }) => {
                self.advance();
                self.expect(Token::Open, "`(`")?;
                self.open(Frame::Event { strong, range }, lexeme.start);
            }
            Token::Psl(Word::Forall) => self.forall()?,
            Token::OpenSquare => {
                self.advance();
                self.open(Frame::Brackets, lexeme.start);
            }
            Token::OpenCurly => {
                self.has_sequence = true;
                if !self.after_sequence_operator() {
                    return Err(self.no_sequence());
                }
                self.advance();
                self.open(Frame::Sequence, lexeme.start);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A sequence that is none of those that are known.
    fn no_sequence(&self) -> Diagnostic {
        self.error_here(format!("{SEQUENCES} are not supported")).not_supported(SEQUENCES)
    }

    /// Takes `[n](` after `next`, if it is there.
    fn counted_steps(&mut self, unary: Unary, start: u32) -> Result<bool, Diagnostic> {
        if unary != Unary::X || self.now.token != Token::OpenSquare || self.peek() != Token::Number {
            return Ok(false);
        }
        self.advance();
        let steps = self.bound_of_steps()?;
        self.expect(Token::CloseSquare, "`]`")?;
        self.expect(Token::Open, "`(`")?;
        let bounds = self.checked_bounds(steps, steps, (start, self.last.end))?;
        self.open(Frame::Steps(Bounded::F, bounds), start);
        Ok(true)
    }

    /// `2:5`
    fn range_of_steps(&mut self) -> Result<Bounds, Diagnostic> {
        self.bounds(|parser| parser.expect(Token::Colon, "`:`"))
    }

    /// The first half of `next_event(b)[n](p)` is read: goes on to the second.
    pub(super) fn event(&mut self, strong: bool, range: Option<bool>) -> Result<(), Diagnostic> {
        self.apply_before(0, true);
        self.advance();
        let mut bounds = Bounds { low: 1, high: 1 };
        let mut all = true;
        let start = self.now.start;
        if let Some(is_all) = range {
            self.expect(Token::OpenSquare, "`[`")?;
            bounds = self.range_of_steps()?;
            self.expect(Token::CloseSquare, "`]`")?;
            all = is_all;
        } else if self.take(Token::OpenSquare) {
            let number = self.bound_of_steps()?;
            bounds = self.checked_bounds(number, number, (start, self.last.end))?;
            self.expect(Token::CloseSquare, "`]`")?;
        }
        if bounds.low == 0 {
            return Err(self.error_at((start, self.last.end), "occurrences are counted from 1"));
        }
        self.expect(Token::Open, "`(`")?;
        self.reframe(Frame::EventBody { strong, all, bounds });
        Ok(())
    }

    /// `forall i in {1, 2, 5:7}:`, `forall b in boolean:`
    fn forall(&mut self) -> Result<(), Diagnostic> {
        let start = self.advance().start;
        let name = self.ident("a name")?.name;
        if self.now.token != Token::Infix(Binary::In) {
            return Err(self.expected("`in`"));
        }
        self.advance();
        let mut values = Vec::new();
        if self.take(Token::Boolean) {
            values = vec![Expr::Boolean(false), Expr::Boolean(true)];
        } else {
            self.expect(Token::OpenCurly, "`{`")?;
            loop {
                self.values(&mut values)?;
                if !self.take(Token::Comma) {
                    break;
                }
            }
            self.expect(Token::CloseCurly, "`,` or `}`")?;
        }
        self.expect(Token::Colon, "`:`")?;
        let number = self.wait_for_all(name, values);
        self.wait(Waiting::Forall(number, start), psl::CONDITIONAL);
        Ok(())
    }

    /// A value, or all from one number to another.
    fn values(&mut self, values: &mut Vec<Expr>) -> Result<(), Diagnostic> {
        let lexeme = self.now;
        match lexeme.token {
            Token::Name => values.push(Expr::Name(self.names.intern(self.word()))),
            Token::True => values.push(Expr::Boolean(true)),
            Token::False => values.push(Expr::Boolean(false)),
            _ => {
                let low = self.signed()?;
                let high = if self.take(Token::Colon) { self.signed()? } else { low };
                if low > high || high - low >= MOST_VALUES {
                    let span: Span = (lexeme.start, self.last.end);
                    return Err(self.error_at(span, "this range has no values, or too many"));
                }
                values.extend((low..=high).map(Expr::Integer));
                return Ok(());
            }
        }
        self.advance();
        Ok(())
    }

    fn signed(&mut self) -> Result<i64, Diagnostic> {
        let negative = self.take(Token::Infix(Binary::Minus));
        if self.now.token != Token::Number {
            return Err(self.expected("a number"));
        }
        let number = self.number();
        self.advance();
        Ok(if negative { -number } else { number })
    }

    /// The conjunction of an expression for all values of a name.
    pub(super) fn for_all(&mut self, name: Symbol, values: &[Expr], body: ExprId, span: Span) -> ExprId {
        let mut all: Option<ExprId> = None;
        for value in values {
            let copy = self.substituted(name, value, body);
            all = Some(match all {
                Some(others) => self.exprs.add(Expr::Binary(Binary::And, others, copy), span),
                None => copy,
            });
        }
        all.unwrap_or(body)
    }

    /// An expression with a value for a name.
    fn substituted(&mut self, name: Symbol, value: &Expr, body: ExprId) -> ExprId {
        let mut done: Vec<ExprId> = Vec::new();
        let mut stack = vec![(body, false)];
        while let Some((at, visited)) = stack.pop() {
            let node = &self.exprs.nodes[at];
            if visited {
                let mut count = 0;
                node.operands(|_| count += 1);
                let mut parts = done.split_off(done.len() - count).into_iter();
                let copy = node.map(|_| parts.next().expect("as many as were pushed"));
                let span = self.exprs.spans[at];
                done.push(self.exprs.add(copy, span));
            } else if *node == Expr::Name(name) {
                let span = self.exprs.spans[at];
                done.push(self.exprs.add(value.clone(), span));
            } else if self.copies > MOST_COPIES {
                // the property is refused: its meaning does not matter
                done.push(at);
            } else {
                self.copies += 1;
                stack.push((at, true));
                let from = stack.len();
                node.operands(|operand| stack.push((operand, false)));
                stack[from..].reverse();
            }
        }
        done.pop().expect("the whole was copied")
    }

    /// Whether `forall` was written out too often.
    pub(super) fn too_many_copies(&self, span: Span) -> Option<Diagnostic> {
        let what = "`forall` over that many values";
        let problem = self.error_at(span, format!("{what} is not supported")).not_supported(what);
        (self.copies > MOST_COPIES).then_some(problem)
    }

    /// An operator of PSL between its operands.
    pub(super) fn psl_infix(&mut self, infix: Infix, a: ExprId, b: ExprId, span: Span) -> Expr {
        let not = |parser: &mut Self, of| parser.exprs.add(Expr::Unary(Unary::Not, of), span);
        match infix {
            Infix::And => Expr::Binary(Binary::And, a, b),
            Infix::Or => Expr::Binary(Binary::Or, a, b),
            // `b` releases `a`, which holds up to there and there
            Infix::Until { strong: false, together: true } => Expr::Binary(Binary::Releases, b, a),
            Infix::Until { strong: true, together: false } => Expr::Binary(Binary::Until, a, b),
            Infix::Before { strong: true, together: true } => Expr::Binary(Binary::Until, not(self, b), a),
            Infix::Before { strong: false, together: true } => {
                let not_b = not(self, b);
                Expr::Psl(Psl::WeakUntil, vec![not_b, a])
            }
            _ => Expr::Psl(infix.operator().unwrap_or(Psl::WeakUntil), vec![a, b]),
        }
    }

    /// `{a; b; c}`: one after the other.
    pub(super) fn sequence(&mut self, parts: &[ExprId], span: Span) -> Expr {
        let mut parts = parts.iter().rev().copied();
        let last = parts.next().expect("a sequence has a part");
        let mut all = last;
        for part in parts {
            let later = self.exprs.add(Expr::Unary(Unary::X, all), span);
            all = self.exprs.add(Expr::Binary(Binary::And, part, later), span);
        }
        self.exprs.nodes[all].clone()
    }
}
