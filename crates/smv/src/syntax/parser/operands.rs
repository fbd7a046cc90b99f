//! The start of an operand of an expression.

use super::super::ast::{Binary, Bounded, Bounds, Expr, ExprId, Exprs, Function, Span, Unary};
use super::super::tokens::Token;
use super::Parser;
use super::stacks::Frame;
use loris_base::{Diagnostic, Symbol};

/// A bounded operator is written out step by step.
const MOST_STEPS: u32 = 1 << 16;

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
                | Token::Bounded(_)
                | Token::Infix(Binary::Minus | Binary::Plus)
                | Token::Open
                | Token::OpenCurly
                | Token::OpenSquare
                | Token::Case
                | Token::Next
                | Token::Function(_)
        )
    }

    /// Reads prefix operators and tokens that open frames, up to and with a name or a constant.
    pub(super) fn operand(&mut self) -> Result<(), Diagnostic> {
        loop {
            if self.is_psl && self.psl_operand()? {
                continue;
            }
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
                Token::Bounded(operator) => {
                    self.advance();
                    let bounds = self.steps()?;
                    self.bounded_prefix(operator, bounds, lexeme.start);
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
                    if function == Function::ConstArray {
                        self.type_of()?;
                    }
                    continue;
                }
                Token::OpenSquare => {
                    self.advance();
                    if self.now.token == Token::CloseSquare {
                        return Err(
                            self.error_at((lexeme.start, self.now.end), "an array has at least one element")
                        );
                    }
                    self.open(Frame::List, lexeme.start);
                    continue;
                }
                Token::Real => {
                    let what = "numbers with a fraction or an exponent";
                    return Err(self.error_here(format!("{what} are not supported")).not_supported(what));
                }
                Token::Unsupported | Token::TypeOf => return Err(self.unsupported()),
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
            (Unary::F | Unary::G | Unary::O | Unary::H, Token::OpenSquare) => {
                let operator = match unary {
                    Unary::F => Bounded::F,
                    Unary::G => Bounded::G,
                    Unary::O => Bounded::O,
                    _ => Bounded::H,
                };
                self.advance();
                let bounds = self.bounds(|parser| parser.expect(Token::Comma, "`,`"))?;
                self.expect(Token::CloseSquare, "`]`")?;
                self.bounded_prefix(operator, bounds, start);
                return Ok(());
            }
            (Unary::X | Unary::Y | Unary::Z, Token::OpenSquare) => return Err(self.bounded()),
            _ => {}
        }
        self.prefix(unary, start);
        Ok(())
    }

    /// `2..5`
    pub(super) fn steps(&mut self) -> Result<Bounds, Diagnostic> {
        self.bounds(|parser| parser.expect(Token::Infix(Binary::Range), "`..`"))
    }

    /// Two numbers of steps with something between them.
    pub(super) fn bounds(
        &mut self,
        between: impl FnOnce(&mut Self) -> Result<(), Diagnostic>,
    ) -> Result<Bounds, Diagnostic> {
        let start = self.now.start;
        let low = self.bound_of_steps()?;
        between(self)?;
        let high = self.bound_of_steps()?;
        self.checked_bounds(low, high, (start, self.last.end))
    }

    /// Bounds that are in order and not too large.
    pub(super) fn checked_bounds(&self, low: u32, high: u32, span: Span) -> Result<Bounds, Diagnostic> {
        if low > high {
            let message = format!("no number of steps is at least {low} and at most {high}");
            return Err(self.error_at(span, message));
        }
        if high > MOST_STEPS {
            let what = format!("bounds of more than {MOST_STEPS} steps");
            return Err(self.error_at(span, format!("{what} are not supported")).not_supported(what));
        }
        Ok(Bounds { low, high })
    }

    pub(super) fn bound_of_steps(&mut self) -> Result<u32, Diagnostic> {
        if self.now.token != Token::Number {
            return Err(self.expected("a number of steps"));
        }
        let number = self.number();
        self.advance();
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// `typeof(array),` in `CONSTARRAY(typeof(array), value)`: the array becomes the first operand.
    fn type_of(&mut self) -> Result<(), Diagnostic> {
        if self.now.token != Token::TypeOf {
            let what = "`CONSTARRAY` of a type that is written out";
            let problem = self.error_here(format!("{what} is not supported")).not_supported(what);
            return Err(problem.help("write `CONSTARRAY(typeof(a), value)`, with an array `a`"));
        }
        self.advance();
        self.expect(Token::Open, "`(`")?;
        let array = self.constant_path()?;
        self.expect(Token::Close, "`)`")?;
        self.expect(Token::Comma, "`,`")?;
        self.add_known(array);
        Ok(())
    }

    /// A name with dots and numbers for indices, within an expression.
    fn constant_path(&mut self) -> Result<ExprId, Diagnostic> {
        let name = self.ident("the name of an array")?;
        let mut path = self.exprs.add(Expr::Name(name.name), name.span);
        loop {
            if self.take(Token::Dot) {
                let name = self.member()?;
                path = self.exprs.add(Expr::Dot(path, name), (name_start(self.exprs, path), self.last.end));
            } else if self.take(Token::OpenSquare) {
                if self.now.token != Token::Number {
                    return Err(self.expected("a number"));
                }
                let number = self.number();
                let lexeme = self.advance();
                let index = self.exprs.add(Expr::Integer(number), (lexeme.start, lexeme.end));
                self.expect(Token::CloseSquare, "`]`")?;
                path =
                    self.exprs.add(Expr::Index(path, index), (name_start(self.exprs, path), self.last.end));
            } else {
                return Ok(path);
            }
        }
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
            let operands = if arity == 1 { "operand" } else { "operands" };
            let message = format!("`{}` takes {arity} {operands}, not {given}", function.name());
            let end = start + function.name().len() as u32;
            let problem = self.error_at((start, end), message);
            self.problems.push(problem);
        }
    }
}

fn name_start(exprs: &Exprs, id: ExprId) -> u32 {
    exprs.spans[id].0
}
