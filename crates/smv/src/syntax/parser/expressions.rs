//! Expressions: precedence climbing with stacks of its own.
//!
//! This module reads the tokens after an operand: operators, and those that continue or end the
//! open frame. The tokens that start an operand are in `operands`.

use super::super::ast::{Binary, Expr, ExprId};
use super::super::operators::LOOSEST;
use super::super::psl::Word;
use super::super::tokens::Token;
use super::Parser;
use super::stacks::Frame;
use loris_base::Diagnostic;

impl Parser<'_, '_> {
    /// Reads one expression, up to a token that does not belong to it.
    pub(super) fn expression(&mut self) -> Result<ExprId, Diagnostic> {
        self.read(false)
    }

    /// Reads one end of a range.
    pub(super) fn bound(&mut self) -> Result<ExprId, Diagnostic> {
        self.read(true)
    }

    fn read(&mut self, bound: bool) -> Result<ExprId, Diagnostic> {
        loop {
            self.operand()?;
            if !self.operator(bound)? {
                break;
            }
        }
        Ok(self.finish())
    }

    /// Reads the tokens after an operand, up to and with one that needs another operand; false at
    /// the end.
    fn operator(&mut self, bound: bool) -> Result<bool, Diagnostic> {
        loop {
            let frame = self.stacks.frame().map(|open| open.frame);
            match (self.now.token, frame) {
                (Token::Infix(Binary::Range), None) if bound => return Ok(false),
                (token, Some(frame)) if closes(token, frame) => self.close(),
                (_, Some(frame)) if self.next_part(frame)? => return Ok(true),
                (Token::Psl(Word::Infix(infix)), _) => {
                    self.psl_waits(infix);
                    self.advance();
                    return Ok(true);
                }
                (Token::Infix(infix), _) => {
                    self.infix(infix);
                    self.advance();
                    if infix.is_temporal() && self.now.token == Token::OpenSquare {
                        return Err(self.bounded());
                    }
                    return Ok(true);
                }
                (Token::Question, _) => {
                    self.apply_before(self.conditional_level(), false);
                    let start = self.now.start;
                    self.advance();
                    self.open(Frame::Then, start);
                    return Ok(true);
                }
                (Token::Semicolon, Some(Frame::Value)) => {
                    self.apply_before(LOOSEST, true);
                    self.advance();
                    self.reframe(Frame::Condition);
                    if self.now.token != Token::Esac {
                        return Ok(true);
                    }
                    self.close();
                }
                (Token::Esac, Some(Frame::Value)) => {
                    let problem = self.missing_semicolon();
                    self.problems.push(problem);
                    self.close();
                }
                (Token::OpenSquare, _) => {
                    self.advance();
                    self.open_index();
                    return Ok(true);
                }
                (Token::Dot, _) => self.dot()?,
                (Token::Unsupported, _) => return Err(self.unsupported()),
                (_, None) => return Ok(false),
                (_, Some(_)) => return Err(self.unfinished()),
            }
        }
    }

    /// Goes over to the next part of the open frame, if the present token does so.
    fn next_part(&mut self, frame: Frame) -> Result<bool, Diagnostic> {
        let next = match (self.now.token, frame) {
            (Token::Infix(Binary::Until), Frame::Brackets) => Frame::BracketsSecond(true),
            (Token::Psl(Word::Weak), Frame::Brackets) => Frame::BracketsSecond(false),
            // between these brackets it is the loosest of all
            (Token::Infix(until @ (Binary::Until | Binary::Releases)), Frame::Quantified(some)) => {
                Frame::Second(some, until)
            }
            (Token::BoundedUntil, Frame::Quantified(some)) => {
                self.apply_before(LOOSEST, true);
                self.advance();
                let bounds = self.steps()?;
                self.reframe(Frame::BoundedSecond(some, bounds));
                return Ok(true);
            }
            (
                Token::Infix(Binary::Until | Binary::Releases) | Token::BoundedUntil,
                Frame::Second(some, _) | Frame::BoundedSecond(some, _),
            ) => return Err(self.second_until(some)),
            (Token::Close, Frame::Event { strong, range }) => {
                self.event(strong, range)?;
                return Ok(true);
            }
            (Token::Colon, Frame::Then) => {
                self.otherwise();
                self.advance();
                return Ok(true);
            }
            (Token::Colon, Frame::Condition) => Frame::Value,
            (Token::Colon, Frame::Index) => Frame::Bits,
            (Token::Comma, Frame::Set | Frame::List | Frame::Apply(_))
            | (Token::Semicolon, Frame::Sequence) => frame,
            _ => return Ok(false),
        };
        self.apply_before(LOOSEST, true);
        self.advance();
        self.reframe(next);
        Ok(true)
    }

    fn dot(&mut self) -> Result<(), Diagnostic> {
        let whole = self.last_operand();
        let expr = &self.exprs.nodes[whole.id];
        if !matches!(expr, Expr::Name(_) | Expr::Dot(..) | Expr::Index(..) | Expr::This) {
            return Err(
                self.error_here("only an instance has parts, but this `.` stands after another expression")
            );
        }
        self.advance();
        let name = self.member()?;
        self.replace(Expr::Dot(whole.id, name));
        Ok(())
    }
}

/// Whether a token closes the open frame.
fn closes(token: Token, frame: Frame) -> bool {
    use Frame::{
        Apply, Bits, BoundedSecond, BracketsSecond, EventBody, Group, Index, List, Next, Quantified, Second,
        Sequence, Set, Steps,
    };
    match token {
        Token::Close => matches!(frame, Group | Next | Apply(_) | Steps(..) | EventBody { .. }),
        Token::CloseCurly => matches!(frame, Set | Sequence),
        Token::CloseSquare => matches!(
            frame,
            Index | Bits | List | Quantified(_) | Second(..) | BoundedSecond(..) | BracketsSecond(_)
        ),
        _ => false,
    }
}
