//! Types of variables.

use super::super::ast::{Binary, Expr, ExprId, Function, Module, Type, TypeKind, Unary};
use super::super::tokens::{Token, instead_of, is_foreign_type};
use super::Parser;
use loris_base::Diagnostic;
use std::mem::take;

/// How many `array … of` may follow each other.
const MOST_DIMENSIONS: usize = 100;

impl Parser<'_, '_> {
    pub(super) fn type_(&mut self) -> Result<Type, Diagnostic> {
        // where each starts, and its bounds, or the width of its words
        let mut arrays: Vec<(u32, ExprId, Option<ExprId>)> = Vec::new();
        while self.now.token == Token::Array {
            if arrays.len() == MOST_DIMENSIONS {
                let message = format!("arrays of more than {MOST_DIMENSIONS} dimensions are not supported");
                return Err(self.error_here(message));
            }
            let start = self.advance().start;
            if self.now.token == Token::Word {
                self.advance();
                let width = self.width()?;
                self.expect(Token::Of, "`of`")?;
                arrays.push((start, width, None));
                continue;
            }
            if is_foreign_type(self.word()) && self.peek() == Token::Of {
                let what = format!("`array {}`", self.word());
                return Err(self
                    .error_here(format!("{what} is not supported"))
                    .help("give a range: `array 0..255 of`"));
            }
            let (low, high) = self.range()?;
            self.expect(Token::Of, "`of`")?;
            arrays.push((start, low, Some(high)));
        }
        let mut ty = self.element()?;
        while let Some((start, low, high)) = arrays.pop() {
            let (span, element) = ((start, ty.span.1), Box::new(ty));
            let kind = match high {
                Some(high) => TypeKind::Array(low, high, element),
                None => TypeKind::WordArray(low, element),
            };
            ty = Type { kind, span };
        }
        Ok(ty)
    }

    /// A type that is not an array.
    fn element(&mut self) -> Result<Type, Diagnostic> {
        let start = self.now.start;
        let kind = match self.now.token {
            Token::Boolean => {
                self.advance();
                TypeKind::Boolean
            }
            Token::OpenCurly => TypeKind::Enumeration(self.enumeration()?),
            Token::Word => self.word_type(false)?,
            Token::Function(function @ (Function::Signed | Function::Unsigned))
                if self.peek() != Token::Open =>
            {
                self.advance();
                if self.now.token != Token::Word {
                    return Err(self.expected("`word`"));
                }
                self.word_type(function == Function::Signed)?
            }
            Token::Process => {
                self.advance();
                self.instance(true)?
            }
            Token::Name | Token::Exit
                if matches!(self.peek(), Token::Semicolon | Token::Open | Token::End | Token::Section(_)) =>
            {
                self.instance(false)?
            }
            Token::Unsupported => return Err(self.unsupported()),
            _ if !self.starts_expression() => return Err(self.expected("a type")),
            _ => {
                let (low, high) = self.range()?;
                TypeKind::Range(low, high)
            }
        };
        Ok(Type { kind, span: (start, self.last.end) })
    }

    fn range(&mut self) -> Result<(ExprId, ExprId), Diagnostic> {
        let low = self.bound()?;
        if self.now.token != Token::Infix(Binary::Range) {
            return Err(self.expected("`..`"));
        }
        self.advance();
        let high = self.bound()?;
        Ok((low, high))
    }

    fn enumeration(&mut self) -> Result<Vec<ExprId>, Diagnostic> {
        self.advance();
        if self.now.token == Token::CloseCurly {
            return Err(self.error_here("a type has at least one value"));
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value()?);
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseCurly, "`,` or `}`")?;
        Ok(values)
    }

    /// A value in an enumeration.
    fn value(&mut self) -> Result<ExprId, Diagnostic> {
        let start = self.now.start;
        let negative = self.take(Token::Infix(Binary::Minus));
        if !negative && self.now.token == Token::Infix(Binary::Plus) {
            self.advance();
        }
        let expr = match self.now.token {
            Token::Number => Expr::Integer(self.number()),
            Token::True if !negative => Expr::Boolean(true),
            Token::False if !negative => Expr::Boolean(false),
            _ if negative => return Err(self.expected("a number")),
            _ => {
                let name = self.new_name("a value")?;
                return Ok(self.exprs.add(Expr::Name(name.name), name.span));
            }
        };
        let lexeme = self.advance();
        let id = self.exprs.add(expr, (lexeme.start, lexeme.end));
        Ok(if negative { self.exprs.add(Expr::Unary(Unary::Minus, id), (start, lexeme.end)) } else { id })
    }

    fn word_type(&mut self, signed: bool) -> Result<TypeKind, Diagnostic> {
        self.advance();
        Ok(TypeKind::Word { signed, width: self.width()? })
    }

    /// `[8]`
    fn width(&mut self) -> Result<ExprId, Diagnostic> {
        self.expect(Token::OpenSquare, "`[`")?;
        let width = self.expression()?;
        if self.now.token != Token::CloseSquare {
            return Err(self.expected_operator("`]`"));
        }
        self.advance();
        Ok(width)
    }

    fn instance(&mut self, process: bool) -> Result<TypeKind, Diagnostic> {
        let written = self.word();
        if self.now.token == Token::Exit {
            // a module of this name, or there is none
            self.now.token = Token::Name;
        }
        let module = self.ident("the name of a module")?;
        let mut arguments = Vec::new();
        if self.take(Token::Open) && !self.take(Token::Close) {
            loop {
                arguments.push(self.expression()?);
                if !self.take(Token::Comma) {
                    break;
                }
            }
            if self.now.token != Token::Close {
                return Err(self.expected_operator("`,` or `)`"));
            }
            self.advance();
        }
        if is_foreign_type(written) && arguments.is_empty() {
            self.foreign_types.push(module.span);
        }
        Ok(TypeKind::Instance { module, arguments, process })
    }

    /// `integer`, `real` and `clock` are types of nuXmv, unless the file has modules of these
    /// names.
    pub(super) fn refuse_foreign_types(&mut self, modules: &[Module]) {
        for (start, end) in take(&mut self.foreign_types) {
            let word = &self.text[start as usize..end as usize];
            if !modules.iter().any(|module| &self.names[module.name.name] == word) {
                let problem = self.error_at((start, end), format!("`{word}` is not supported"));
                self.problems.push(problem.help(instead_of(word).unwrap_or_default()));
            }
        }
    }
}
