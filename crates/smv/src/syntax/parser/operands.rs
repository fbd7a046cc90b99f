//! What an operand of an expression starts with.

use super::super::ast::{Binary, Expr, Function, Unary};
use super::super::words::Token;
use super::Parser;
use super::stacks::Frame;
use loris_base::{Diagnostic, Symbol};

impl Parser<'_, '_> {
    /// Whether an operand may start here.
    pub(super) fn starts_expression(&self) -> bool {
        matches!(
            self.now.token,
            Token::Name
                | Token::Number
                | Token::WordConstant
                | Token::True
                | Token::False
                | Token::Exit
                | Token::This
                | Token::Prefix(_)
                | Token::Infix(Binary::Minus | Binary::Plus)
                | Token::Open
                | Token::OpenCurly
                | Token::Case
                | Token::Next
                | Token::Function(_)
        )
    }

    /// Reads prefix operators and what opens frames, up to and with a name or a constant.
    pub(super) fn operand(&mut self) -> Result<(), Diagnostic> {
        loop {
            let lexeme = self.now;
            let expr = match lexeme.token {
                Token::Name if self.word() == "floor" && self.peek() == Token::Open => {
                    self.advance();
                    self.advance();
                    self.open(Frame::Apply(Function::Floor), lexeme.start);
                    continue;
                }
                Token::Name => Expr::Name(self.names.intern(self.word())),
                Token::Number => Expr::Integer(self.number()),
                Token::WordConstant => self.word_constant(),
                Token::True => Expr::Boolean(true),
                Token::False => Expr::Boolean(false),
                Token::Exit => Expr::Exit,
                Token::This => Expr::This,
                Token::Prefix(unary) => {
                    self.advance();
                    self.prefix_operator(unary, lexeme.start)?;
                    continue;
                }
                Token::Infix(Binary::Minus) => {
                    self.advance();
                    self.prefix(Unary::Minus, lexeme.start);
                    continue;
                }
                Token::Infix(Binary::Plus) if self.peek() == Token::Number => {
                    self.advance();
                    continue;
                }
                Token::Open => {
                    self.advance();
                    self.open(Frame::Group, lexeme.start);
                    continue;
                }
                Token::OpenCurly => {
                    self.advance();
                    if self.now.token == Token::CloseCurly {
                        return Err(
                            self.error_at((lexeme.start, self.now.end), "a set has at least one element")
                        );
                    }
                    self.open(Frame::Set, lexeme.start);
                    continue;
                }
                Token::Case => {
                    self.advance();
                    if self.now.token == Token::Esac {
                        let message = "a `case` has at least one branch";
                        return Err(self.error_at((lexeme.start, self.now.end), message));
                    }
                    self.open(Frame::Condition, lexeme.start);
                    continue;
                }
                Token::Next => {
                    self.advance();
                    self.expect(Token::Open, "`(`")?;
                    self.open(Frame::Next, lexeme.start);
                    continue;
                }
                Token::Function(function) => {
                    self.advance();
                    self.expect(Token::Open, "`(`")?;
                    self.open(Frame::Apply(function), lexeme.start);
                    continue;
                }
                Token::Real => {
                    let what = "numbers with a fraction or an exponent";
                    return Err(self.error_here(format!("{what} are not supported")).not_supported(what));
                }
                Token::Unsupported => return Err(self.unsupported()),
                _ => return Err(self.expected_expression()),
            };
            self.advance();
            self.add(expr, lexeme.start, lexeme.end);
            return Ok(());
        }
    }

    /// A prefix operator that was taken.
    fn prefix_operator(&mut self, unary: Unary, start: u32) -> Result<(), Diagnostic> {
        match (unary, self.now.token) {
            (Unary::E | Unary::A, Token::OpenSquare) => {
                self.advance();
                self.open(Frame::Quantified(unary == Unary::E), start);
                return Ok(());
            }
            (Unary::E | Unary::A, Token::Open | Token::Prefix(Unary::X | Unary::F | Unary::G)) => {}
            (Unary::E | Unary::A, _) => return Err(self.expected_path(unary)),
            (Unary::X | Unary::F | Unary::G, Token::OpenSquare) => return Err(self.bounded()),
            _ => {}
        }
        self.prefix(unary, start);
        Ok(())
    }

    /// The name after a dot.
    pub(super) fn member(&mut self) -> Result<Symbol, Diagnostic> {
        if !matches!(self.now.token, Token::Name | Token::Number) {
            return Err(self.expected_name("a name after `.`"));
        }
        let name = self.names.intern(self.word());
        self.advance();
        Ok(name)
    }

    /// A wrong number of operands does not end the expression.
    pub(super) fn check_arity(&mut self, function: Function, given: usize, start: u32) {
        if let Some(arity) = function.arity()
            && arity != given
        {
            let operands = if arity == 1 { "1 operand" } else { "2 operands" };
            let message = format!("`{}` takes {operands}, not {given}", function.name());
            let end = start + function.name().len() as u32;
            let problem = self.error_at((start, end), message);
            self.problems.push(problem);
        }
    }
}
