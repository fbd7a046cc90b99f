//! From text to [`File`]: sections one after the other, expressions with a stack of their own.
//!
//! A problem ends the declaration it is in; reading goes on behind the next `;` or at the next
//! section, so that all problems of a file are reported at once. Linear in the text; the stack of
//! the machine is not used.

mod apply;
mod constants;
mod explain;
mod expressions;
mod names;
mod operands;
mod psl;
mod sections;
mod stacks;
mod types;

use super::ast::{
    ComputeItem, Expr, ExprId, Exprs, File, Fragment, FragmentKind, Ident, Item, Module, PropertyKind, Span,
};
use super::lexer::{Lexeme, Lexer};
use super::tokens::{Section, Token};
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Names};
use stacks::Stacks;
use std::mem::take;
use std::str::FromStr;

/// Reads a whole file: what is understood of it, and its problems; offsets in problems and spans
/// are bytes of `text`.
///
/// ```
/// use loris_smv::syntax::{parse_file, write_file};
/// let text = "MODULE main VAR F : boolean; x : boolean; y : 1 2; SPEC AG (x)";
/// let (file, problems) = parse_file(text);
/// assert_eq!(problems.sorted()[0].message, "`F` is a word of the language, not a name");
/// assert_eq!(problems.len(), 2);
/// let mut text = String::new();
/// write_file(&file, &mut text).expect("strings take everything");
/// assert_eq!(text, "MODULE main\nVAR\n  x : boolean;\nSPEC AG x;\n");
/// ```
pub fn parse_file(text: &str) -> (File, Diagnostics) {
    parse_file_within(text, &mut Budget::unlimited()).expect("there is no limit")
}

impl FromStr for File {
    type Err = Diagnostics;

    /// Reads a file that has no problems.
    fn from_str(text: &str) -> Result<Self, Diagnostics> {
        let (file, problems) = parse_file(text);
        problems.into_result(file)
    }
}

/// Reads a whole file within a budget, which is charged for the memory in use.
pub(crate) fn parse_file_within(text: &str, budget: &mut Budget) -> Result<(File, Diagnostics), Exhausted> {
    let mut file = File::default();
    if u32::try_from(text.len()).is_err() {
        return Ok((file, Diagnostic::global("the file is longer than 4 GiB").into()));
    }
    let mut parser = Parser::new(text, true, &mut file.names, &mut file.exprs);
    parser.meter.budget = budget.clone();
    let modules = parser.modules();
    if let Some(why) = parser.meter.stopped {
        return Err(why);
    }
    *budget = parser.meter.budget;
    let exit = parser.exit;
    let mut problems = take(&mut parser.problems);
    let calls = modules.iter().flat_map(|module| &module.items).any(|item| matches!(item, Item::Call(_)));
    if let (Some((start, end)), true) = (exit, calls) {
        let message = "`EXIT` is a value of every variable already";
        let problem = Diagnostic::error(start.into(), (end - start) as usize, message);
        problems.push(problem.help("without `CALL`, it is a name like others"));
    }
    file.modules = modules;
    file.exit_is_name = exit.is_some();
    file.rename_exits(0);
    Ok((file, problems))
}

/// The budget of reading.
struct Meter {
    budget: Budget,
    /// bytes that are declared
    held: usize,
    /// tokens until the next look at the memory in use
    left: u32,
    stopped: Option<Exhausted>,
}

impl Meter {
    /// Counts a token; false if there is no time or room for more.
    #[inline]
    fn goes_on(&mut self, exprs: &Exprs, names: &Names) -> bool {
        self.left -= 1;
        if self.left == 0 {
            self.left = TOKENS;
            self.look(exprs, names);
        }
        self.stopped.is_none()
    }

    #[cold]
    fn look(&mut self, exprs: &Exprs, names: &Names) {
        // lists double, and a declaration takes about as much as the expressions in it
        let one = size_of::<Expr>() + size_of::<Span>();
        let held = 2 * one * exprs.nodes.len() + 2 * names.bytes();
        let grown = self.budget.spend(TOKENS as usize).and_then(|()| self.budget.grow(&mut self.held, held));
        self.stopped = self.stopped.or(grown.err());
    }
}

/// Tokens between two looks at the memory.
const TOKENS: u32 = 1024;

/// Reads one property, as it is given on a command line, and adds it to the expressions that are
/// there. Offsets in problems and spans are bytes of `text`. After a problem there may be
/// expressions that nothing refers to.
///
/// ```
/// use loris_smv::syntax::{ast::File, parse_property, print_expr};
/// let mut file = File::default();
/// let given = parse_property("A[p U q=1]", &mut file.names, &mut file.exprs).expect("well-formed");
/// assert_eq!(print_expr(&file.exprs, &file.names, given.formula), "A [ p U q = 1 ]");
/// ```
pub fn parse_property(text: &str, names: &mut Names, exprs: &mut Exprs) -> Result<Given, Diagnostics> {
    if u32::try_from(text.len()).is_err() {
        return Err(Diagnostic::global("the property is longer than 4 GiB").into());
    }
    let mut parser = Parser::new(text, false, names, exprs);
    let property = parser.property();
    let property = property.map_err(|problem| parser.report(problem));
    let problems = take(&mut parser.problems);
    match property {
        Ok(given) => problems.into_result(given),
        Err(()) => Err(problems),
    }
}

/// Reads a question for a number, `MIN [ p, q ]` or `COMPUTE MAX [ p, q ]`, if the text is one, as
/// [`parse_property`] reads others.
pub fn parse_computation(
    text: &str,
    names: &mut Names,
    exprs: &mut Exprs,
) -> Option<Result<ComputeItem, Diagnostics>> {
    let first = text.trim_start().trim_start_matches('\u{feff}');
    let first = first.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    if !matches!(first, Some("COMPUTE" | "MIN" | "MAX")) || u32::try_from(text.len()).is_err() {
        return None;
    }
    let mut parser = Parser::new(text, false, names, exprs);
    let word = parser.now.start;
    parser.take(Token::Section(Section::Property(PropertyKind::Compute)));
    let item = parser.computation(word, None).and_then(|item| {
        parser.take(Token::Semicolon);
        if parser.now.token == Token::End {
            Ok(item)
        } else {
            Err(parser.expected_operator("the end of the property"))
        }
    });
    let item = item.map_err(|problem| parser.report(problem));
    let problems = take(&mut parser.problems);
    Some(match item {
        Ok(item) => problems.into_result(item),
        Err(()) => Err(problems),
    })
}

/// A property that is given by itself.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// The property.
    pub formula: ExprId,
    /// The instance it is about: `p.q` of `… IN p.q`.
    pub context: Option<ExprId>,
}

struct Parser<'t, 'a> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The token at hand, not yet taken.
    now: Lexeme,
    /// The one taken last.
    last: Lexeme,
    names: &'a mut Names,
    exprs: &'a mut Exprs,
    stacks: Stacks,
    problems: Diagnostics,
    /// Whether the text is about to be skipped, so that odd characters do not matter.
    quiet: bool,
    /// The last place where there was no token.
    odd: Option<u64>,
    /// Where the declaration at hand starts, with the blanks before it.
    declaration: u32,
    /// The name that it declares, as soon as that is known.
    declares: Option<Ident>,
    /// What could not be read to its end in the module at hand.
    fragments: Vec<Fragment>,
    /// Where `integer`, `real` or `clock` is used as a type, which is a module or nothing.
    foreign_types: Vec<Span>,
    /// Where `EXIT` is first declared to be something.
    exit: Option<Span>,
    /// Whether a property of PSL is read.
    is_psl: bool,
    /// Whether it has a sequence.
    has_sequence: bool,
    /// How many expressions were copied to write `forall` out.
    copies: usize,
    meter: Meter,
}

impl<'t, 'a> Parser<'t, 'a> {
    fn new(text: &'t str, comments: bool, names: &'a mut Names, exprs: &'a mut Exprs) -> Self {
        let nothing = Lexeme { token: Token::End, start: 0, end: 0 };
        let mut parser = Parser {
            text,
            lexer: Lexer::new(text, comments),
            now: nothing,
            last: nothing,
            names,
            exprs,
            stacks: Stacks::default(),
            problems: Diagnostics::default(),
            quiet: false,
            odd: None,
            declaration: 0,
            declares: None,
            fragments: Vec::new(),
            foreign_types: Vec::new(),
            exit: None,
            is_psl: false,
            has_sequence: false,
            copies: 0,
            meter: Meter { budget: Budget::unlimited(), held: 0, left: TOKENS, stopped: None },
        };
        parser.advance();
        parser.last = nothing;
        parser
    }

    /// Takes the token at hand.
    fn advance(&mut self) -> Lexeme {
        self.last = self.now;
        self.now = loop {
            if !self.meter.goes_on(self.exprs, self.names) {
                // as if the text ended here, and so do all loops over it
                break Lexeme { token: Token::End, ..self.last };
            }
            match self.lexer.next() {
                Ok(lexeme) => break lexeme,
                Err(problem) => {
                    self.odd = problem.offset;
                    if !self.quiet {
                        self.problems.push(problem);
                    }
                }
            }
        };
        if self.now.token == Token::Foreign {
            self.now.token = Token::Name;
            if !self.quiet {
                let problem = self.foreign();
                self.problems.push(problem);
            }
        }
        if self.now.token == Token::End {
            // the end is right after the last word, not after the blanks that follow it
            self.now.start = self.last.end;
            self.now.end = self.last.end;
        }
        self.last
    }

    /// A new declaration starts at hand.
    fn begin(&mut self) {
        self.declaration = self.last.end;
        self.declares = None;
    }

    /// Reports the problem that ends a declaration or a section, and goes on behind it; keeps what
    /// is known of it.
    fn give_up(&mut self, problem: Diagnostic, start: u32, kind: Option<FragmentKind>) {
        self.report(problem);
        self.recover();
        let written = self.text[start as usize..self.last.end.max(start) as usize].trim_end_matches(';');
        let span = (start, start + written.trim_end().len() as u32);
        self.fragments.extend(kind.map(|kind| Fragment { kind, name: self.declares, span }));
    }

    /// Reports a problem, unless it may follow from an odd character in the same declaration.
    fn report(&mut self, problem: Diagnostic) {
        if self.odd.is_none_or(|odd| odd < u64::from(self.declaration)) {
            self.problems.push(problem);
        }
    }

    /// The token after the one at hand.
    fn peek(&self) -> Token {
        let mut lexer = self.lexer.clone();
        loop {
            if let Ok(lexeme) = lexer.next() {
                return lexeme.token;
            }
        }
    }

    fn word(&self) -> &'t str {
        self.now.text(self.text)
    }

    /// Takes the token at hand if it is the one.
    fn take(&mut self, token: Token) -> bool {
        let found = self.now.token == token;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the token at hand, which must be the one.
    fn expect(&mut self, token: Token, sign: &str) -> Result<(), Diagnostic> {
        if self.take(token) { Ok(()) } else { Err(self.expected(sign)) }
    }

    /// Takes a name.
    fn ident(&mut self, what: &str) -> Result<Ident, Diagnostic> {
        if self.now.token != Token::Name {
            return Err(self.expected_name(what));
        }
        let name = self.names.intern(self.word());
        let lexeme = self.advance();
        Ok(Ident { name, span: (lexeme.start, lexeme.end) })
    }

    /// Takes a name that is declared here.
    fn new_name(&mut self, what: &str) -> Result<Ident, Diagnostic> {
        if self.now.token == Token::Exit {
            self.exit.get_or_insert((self.now.start, self.now.end));
            self.now.token = Token::Name;
        }
        self.ident(what)
    }

    /// Whether a section starts here, or the file ends.
    fn at_section(&self) -> bool {
        matches!(self.now.token, Token::Section(_) | Token::End)
    }

    /// Goes on behind the next `;` that is not of a `case`, or at the next section.
    fn recover(&mut self) {
        let mut cases = self.stacks.abandon();
        while !self.at_section() {
            match self.now.token {
                Token::Case => cases += 1,
                Token::Esac => cases = cases.saturating_sub(1),
                Token::Semicolon if cases == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Goes on at the next section.
    fn skip_section(&mut self) {
        self.quiet = true;
        while !self.at_section() {
            self.advance();
        }
        self.quiet = false;
    }

    fn property(&mut self) -> Result<Given, Diagnostic> {
        if self.now.token == Token::End {
            return Err(self.error_here("the property is empty"));
        }
        let formula = self.expression()?;
        let context = self.context()?;
        self.take(Token::Semicolon);
        if self.now.token == Token::End {
            Ok(Given { formula, context })
        } else {
            Err(self.expected_operator("the end of the property"))
        }
    }

    fn modules(&mut self) -> Vec<Module> {
        let mut modules = Vec::new();
        if self.now.token == Token::End && self.problems.is_empty() {
            let problem = Diagnostic::global("the file has no `MODULE`");
            self.problems.push(problem.help("a model starts with `MODULE main`"));
        }
        while self.now.token != Token::End {
            if self.take(Token::Section(Section::Module)) {
                modules.push(self.module());
                continue;
            }
            let problem = self.expected("`MODULE`").help("a model starts with `MODULE main`");
            self.problems.push(problem);
            while !matches!(self.now.token, Token::Section(Section::Module) | Token::End) {
                self.quiet = true;
                self.advance();
            }
            self.quiet = false;
        }
        self.refuse_foreign_types(&modules);
        modules
    }
}
