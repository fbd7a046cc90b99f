//! Modules and their sections.

use super::super::ast::{
    Assignment, AssignmentKind, ComputeItem, Declaration, Definition, Expr, ExprId, FragmentKind, Ident,
    Item, Module, PropertyItem, PropertyKind, Span, UnsupportedItem,
};
use super::super::collapse::collapse;
use super::super::tokens::{Section, Token, is_foreign_section, is_hint};
use super::Parser;
use super::psl::SEQUENCES;
use loris_base::{Diagnostic, Symbol};
use std::mem::take;

impl Parser<'_, '_> {
    /// The text after `MODULE`.
    pub(super) fn module(&mut self) -> Module {
        self.begin();
        let start = self.last.start;
        let mut name = Ident { name: self.names.intern(""), span: (self.last.end, self.last.end) };
        let mut parameters = Vec::new();
        if let Err(problem) = self.header(&mut name, &mut parameters) {
            self.report(problem);
            self.skip_section();
        }
        let mut items = Vec::new();
        loop {
            match self.now.token {
                Token::End | Token::Section(Section::Module) => break,
                Token::Section(section) => self.section(section, &mut items),
                Token::Name if self.word() == "CALL" => self.section(Section::Call, &mut items),
                Token::Name if is_hint(self.word()) => self.hint(&mut items),
                Token::Name if is_foreign_section(self.word()) => self.refuse_section(),
                _ => {
                    self.begin();
                    let problem = self.expected("a section such as `VAR` or `ASSIGN`");
                    self.report(problem);
                    self.skip_section();
                }
            }
        }
        Module { name, parameters, items, fragments: take(&mut self.fragments), span: (start, self.last.end) }
    }

    fn header(&mut self, name: &mut Ident, parameters: &mut Vec<Ident>) -> Result<(), Diagnostic> {
        *name = self.new_name("the name of the module")?;
        if self.take(Token::Open) && !self.take(Token::Close) {
            loop {
                parameters.push(self.new_name("the name of a parameter")?);
                if !self.take(Token::Comma) {
                    break;
                }
            }
            self.expect(Token::Close, "`,` or `)`")?;
        }
        Ok(())
    }

    fn section(&mut self, section: Section, items: &mut Vec<Item>) {
        if section == Section::Unsupported {
            return self.refuse_section();
        }
        let start = self.advance().start;
        self.begin();
        let item = match section {
            Section::Module | Section::Unsupported => return,
            Section::Variables(kind) => {
                let list = self.several(Some(FragmentKind::Variable(kind)), Self::declaration);
                Ok(Item::Variables(kind, list))
            }
            Section::Define => {
                let define = |parser: &mut Self| {
                    let (prefix, name) = parser.declared("the name of a definition")?;
                    parser.definition(prefix, name)
                };
                Ok(Item::Define(self.several(Some(FragmentKind::Define), define)))
            }
            Section::Call => {
                let call = |parser: &mut Self| {
                    let name = parser.ident("the name of a module")?;
                    parser.declares = Some(name);
                    parser.definition(Vec::new(), name)
                };
                Ok(Item::Call(self.several(Some(FragmentKind::Call), call)))
            }
            Section::Assign => Ok(Item::Assign(self.several(None, Self::assignment))),
            Section::Constants => self.constants().map(Item::Constants),
            Section::Constraint(kind) => self.constraint().map(|id| Item::Constraint(kind, id)),
            Section::Compassion => self.compassion().map(|(p, q)| Item::Compassion(p, q)),
            Section::Property(kind) => self.property_item(kind),
            Section::Isa => self.ident("the name of a module").map(|name| {
                self.take(Token::Semicolon);
                Item::Isa(name)
            }),
        };
        match item {
            Ok(item) => items.push(item),
            Err(problem) => {
                let is_property = matches!(section, Section::Property(_));
                self.give_up(problem, start, is_property.then_some(FragmentKind::Property));
            }
        }
    }

    /// A section that does not affect the model.
    fn hint(&mut self, items: &mut Vec<Item>) {
        let name = self.names.intern(self.word());
        let word = self.advance();
        let name = Ident { name, span: (word.start, word.end) };
        if let Some((start, end)) = self.skip_property() {
            items.push(Item::Hint(name, collapse(&self.text[start as usize..end as usize], true)));
        } else {
            let problem = self.expected("`;`");
            self.problems.push(problem);
            self.skip_section();
        }
    }

    fn refuse_section(&mut self) {
        let problem = self.unsupported();
        self.problems.push(problem);
        self.quiet = true;
        self.advance();
        self.skip_section();
    }

    /// Declarations up to the next section, and what becomes of those with problems.
    fn several<T>(
        &mut self,
        kind: Option<FragmentKind>,
        one: impl Fn(&mut Self) -> Result<T, Diagnostic>,
    ) -> Vec<T> {
        let mut list = Vec::new();
        while !self.at_section() {
            if self.now.token == Token::Name
                && (is_foreign_section(self.word()) || is_hint(self.word()) || self.word() == "CALL")
                && !matches!(self.peek(), Token::Colon | Token::Becomes | Token::Dot | Token::OpenSquare)
            {
                break;
            }
            self.begin();
            let start = self.now.start;
            match one(self) {
                Ok(item) => list.push(item),
                Err(problem) => self.give_up(problem, start, kind),
            }
        }
        list
    }

    fn declaration(&mut self) -> Result<Declaration, Diagnostic> {
        let (prefix, name) = self.declared("the name of a variable")?;
        self.expect(Token::Colon, "`:`")?;
        let ty = self.type_()?;
        self.semicolon()?;
        Ok(Declaration { prefix, name, ty })
    }

    fn definition(&mut self, prefix: Vec<Symbol>, name: Ident) -> Result<Definition, Diagnostic> {
        self.expect(Token::Becomes, "`:=`")?;
        let value = self.expression()?;
        let span = (name.span.0, self.last.end);
        self.semicolon()?;
        Ok(Definition { prefix, name, value, span })
    }

    fn assignment(&mut self) -> Result<Assignment, Diagnostic> {
        let kind = match self.now.token {
            Token::Init => AssignmentKind::Init,
            Token::Next => AssignmentKind::Next,
            _ => AssignmentKind::Current,
        };
        let target = if kind == AssignmentKind::Current {
            self.target()?
        } else {
            self.advance();
            self.expect(Token::Open, "`(`")?;
            let target = self.target()?;
            self.expect(Token::Close, "`)`")?;
            target
        };
        self.expect(Token::Becomes, "`:=`")?;
        let value = self.expression()?;
        self.semicolon()?;
        Ok(Assignment { kind, target, value })
    }

    /// A name with dots and indices.
    pub(super) fn target(&mut self) -> Result<ExprId, Diagnostic> {
        let start = self.now.start;
        let mut target = if self.now.token == Token::This {
            let lexeme = self.advance();
            self.exprs.add(Expr::This, (lexeme.start, lexeme.end))
        } else {
            let ident = self.ident("the name of a variable")?;
            self.exprs.add(Expr::Name(ident.name), ident.span)
        };
        loop {
            if self.take(Token::Dot) {
                let name = self.member()?;
                target = self.exprs.add(Expr::Dot(target, name), (start, self.last.end));
            } else if self.take(Token::OpenSquare) {
                let index = self.expression()?;
                if self.now.token != Token::CloseSquare {
                    return Err(self.expected_operator("`]`"));
                }
                self.advance();
                target = self.exprs.add(Expr::Index(target, index), (start, self.last.end));
            } else {
                return Ok(target);
            }
        }
    }

    fn constants(&mut self) -> Result<Vec<Ident>, Diagnostic> {
        let mut list = Vec::new();
        if self.at_section() || self.take(Token::Semicolon) {
            return Ok(list);
        }
        loop {
            list.push(self.constant_name()?);
            if !self.take(Token::Comma) {
                break;
            }
        }
        if self.now.token != Token::Semicolon && !self.lacks_semicolon() {
            return Err(self.expected("`,` or `;`"));
        }
        self.semicolon()?;
        Ok(list)
    }

    fn constraint(&mut self) -> Result<ExprId, Diagnostic> {
        let id = self.expression()?;
        self.end_of_section()?;
        Ok(id)
    }

    fn compassion(&mut self) -> Result<(ExprId, ExprId), Diagnostic> {
        self.expect(Token::Open, "`(`")?;
        let first = self.expression()?;
        if self.now.token != Token::Comma {
            return Err(self.expected_operator("`,`"));
        }
        self.advance();
        let second = self.expression()?;
        if self.now.token != Token::Close {
            return Err(self.expected_operator("`)`"));
        }
        self.advance();
        self.end_of_section()?;
        Ok((first, second))
    }

    fn property_item(&mut self, kind: PropertyKind) -> Result<Item, Diagnostic> {
        let (word, mut name) = (self.last.start, None);
        if self.take(Token::NameOf) {
            name = Some(self.property_name()?);
            self.expect(Token::Becomes, "`:=`")?;
        }
        let (start, before) = (self.now, self.lexer.clone());
        let problem = match self.stated(kind, word, name) {
            Ok(item) => return Ok(item),
            Err(problem) => problem,
        };
        let Some(what) = problem.unsupported.clone() else { return Err(problem) };
        // the property is read once more, to find its end
        self.stacks.abandon();
        (self.now, self.lexer) = (start, before);
        let Some(span) = self.skip_property() else { return Err(problem) };
        let text = collapse(&self.text[span.0 as usize..span.1 as usize], true);
        let section = (word, span.1);
        Ok(Item::Unsupported(UnsupportedItem { kind, name, text, span, what, section }))
    }

    /// The text of a property, up to its end.
    fn stated(&mut self, kind: PropertyKind, word: u32, name: Option<Ident>) -> Result<Item, Diagnostic> {
        let start = self.now.start;
        if kind == PropertyKind::Compute {
            let item = self.computation(word, name)?;
            self.end_of_section()?;
            return Ok(Item::Compute(item));
        }
        if kind != PropertyKind::Psl {
            let formula = self.expression()?;
            let context = self.context()?;
            let section = (word, self.last.end);
            self.end_of_section()?;
            return Ok(Item::Property(PropertyItem { kind, name, formula, context, source: None, section }));
        }
        let read = self.psl().and_then(|formula| {
            let source = collapse(&self.text[start as usize..self.last.end as usize], true);
            let context = self.context()?;
            if let Some(problem) = self.too_many_copies((start, self.last.end)) {
                return Err(problem);
            }
            let section = (word, self.last.end);
            self.end_of_section()?;
            let source = Some(source);
            Ok(Item::Property(PropertyItem { kind, name, formula, context, source, section }))
        });
        read.map_err(|problem| match problem.unsupported {
            // in and around sequences anything may be an operator of theirs
            None if self.has_sequence => problem.not_supported(SEQUENCES),
            _ => problem,
        })
    }

    /// `MIN [ p, q ]`, up to its end.
    pub(super) fn computation(&mut self, word: u32, name: Option<Ident>) -> Result<ComputeItem, Diagnostic> {
        let start = self.now.start;
        let Token::Extreme(longest) = self.now.token else { return Err(self.expected("`MIN` or `MAX`")) };
        self.advance();
        self.expect(Token::OpenSquare, "`[`")?;
        let from = self.expression()?;
        if self.now.token != Token::Comma {
            return Err(self.expected_operator("`,`"));
        }
        self.advance();
        let to = self.expression()?;
        if self.now.token != Token::CloseSquare {
            return Err(self.expected_operator("`]`"));
        }
        self.advance();
        let span = (start, self.last.end);
        let context = self.context()?;
        let section = (word, self.last.end);
        Ok(ComputeItem { longest, name, from, to, context, span, section })
    }

    /// `IN p.q`, if it is there.
    pub(super) fn context(&mut self) -> Result<Option<ExprId>, Diagnostic> {
        if self.take(Token::InContext) { self.target().map(Some) } else { Ok(None) }
    }

    /// Goes on behind the next `;` outside of brackets and `case`, or at the next section. Returns
    /// where the skipped text stands, or nothing if its brackets do not match.
    fn skip_property(&mut self) -> Option<Span> {
        let (start, mut end) = (self.now.start, self.now.start);
        let mut open = Vec::new();
        self.quiet = true;
        let matches = loop {
            match self.now.token {
                _ if self.at_section() => break open.is_empty(),
                Token::Semicolon if open.is_empty() => break true,
                Token::Case => open.push(Token::Esac),
                Token::Open => open.push(Token::Close),
                Token::OpenSquare => open.push(Token::CloseSquare),
                Token::OpenCurly => open.push(Token::CloseCurly),
                close @ (Token::Esac | Token::Close | Token::CloseSquare | Token::CloseCurly)
                    if open.pop() != Some(close) =>
                {
                    break false;
                }
                _ => {}
            }
            end = self.advance().end;
        };
        self.quiet = false;
        if matches {
            self.take(Token::Semicolon);
        }
        matches.then_some((start, end))
    }

    /// A `;`, which need not be there if a section follows.
    fn end_of_section(&mut self) -> Result<(), Diagnostic> {
        if self.take(Token::Semicolon) || self.at_section() {
            return Ok(());
        }
        Err(self.expected_operator("`;`"))
    }

    /// A `;` after a declaration. If it is clear that only the `;` is missing, reading goes on as
    /// if it were there.
    fn semicolon(&mut self) -> Result<(), Diagnostic> {
        if self.take(Token::Semicolon) {
            return Ok(());
        }
        if self.lacks_semicolon() {
            let problem = self.missing_semicolon();
            self.problems.push(problem);
            return Ok(());
        }
        Err(self.expected_operator("`;`"))
    }

    /// Whether the next token starts a new declaration, so that a semicolon is missing.
    fn lacks_semicolon(&self) -> bool {
        let between = &self.text[self.last.end as usize..self.now.start as usize];
        let starts = match self.now.token {
            Token::Name => {
                matches!(self.peek(), Token::Colon | Token::Becomes | Token::Dot | Token::OpenSquare)
            }
            Token::Init | Token::Next => true,
            _ => false,
        };
        self.at_section() || (starts && between.contains('\n'))
    }
}
