//! Names where they are declared: with dots and indices, `a.b`, `a[3]`, `a[-1].b`.

use super::super::ast::{Binary, Ident};
use super::super::tokens::Token;
use super::Parser;
use loris_base::{Diagnostic, Symbol};
use std::fmt::Write;

impl Parser<'_, '_> {
    /// Takes a name that is declared here: the names before its last dot, and the rest.
    pub(super) fn declared(&mut self, what: &str) -> Result<(Vec<Symbol>, Ident), Diagnostic> {
        let start = self.now.start;
        let mut name = self.new_name(what)?;
        self.indices(&mut name)?;
        let mut prefix = Vec::new();
        while self.take(Token::Dot) {
            prefix.push(name.name);
            name.name = self.member()?;
            self.indices(&mut name)?;
            name.span = (start, self.last.end);
        }
        self.declares = Some(name);
        Ok((prefix, name))
    }

    /// Takes the indices behind a name, which become part of it.
    fn indices(&mut self, name: &mut Ident) -> Result<(), Diagnostic> {
        if self.now.token != Token::OpenSquare {
            return Ok(());
        }
        let mut text = self.names[name.name].to_owned();
        while self.take(Token::OpenSquare) {
            let sign = if self.take(Token::Infix(Binary::Minus)) { "-" } else { "" };
            if self.now.token != Token::Number {
                return Err(self.expected("a number"));
            }
            let number = self.number();
            self.advance();
            self.expect(Token::CloseSquare, "`]`")?;
            write!(text, "[{sign}{number}]").expect("a string takes everything");
        }
        name.name = self.names.intern(&text);
        name.span.1 = self.last.end;
        Ok(())
    }

    /// Takes the name of a property, whose dots and indices mean nothing.
    pub(super) fn property_name(&mut self) -> Result<Ident, Diagnostic> {
        let (prefix, mut name) = self.declared("the name of the property")?;
        self.join(&prefix, &mut name);
        Ok(name)
    }

    /// Takes a symbolic constant that is declared here, whose dots mean nothing.
    pub(super) fn constant_name(&mut self) -> Result<Ident, Diagnostic> {
        let start = self.now.start;
        let mut name = self.new_name("the name of a constant")?;
        let mut prefix = Vec::new();
        while self.take(Token::Dot) {
            prefix.push(name.name);
            name.name = self.member()?;
            name.span = (start, self.last.end);
        }
        self.join(&prefix, &mut name);
        Ok(name)
    }

    /// Joins a name and those before its dots.
    fn join(&mut self, prefix: &[Symbol], name: &mut Ident) {
        if !prefix.is_empty() {
            let parts: Vec<&str> = prefix.iter().chain([&name.name]).map(|&part| &self.names[part]).collect();
            let text = parts.join(".");
            name.name = self.names.intern(&text);
        }
    }
}
