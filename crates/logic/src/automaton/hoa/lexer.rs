//! The tokens of HOA, read once; the parser walks over them.

use loris_base::{Diagnostic, Diagnostics};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number that fits.
    Int(u64),
    /// A string without its quotes and escapes.
    Text(String),
    /// A word; `t` and `f` among them.
    Word(String),
    /// `@name`.
    Alias(String),
    /// A word and its colon: `States:`.
    Item(String),
    /// `--BODY--` and its kin.
    Mark(String),
    /// One of `!&|()[]{}`.
    Sign(char),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) length: usize,
}

/// The tokens that are left, and the problems found so far.
pub(super) struct Tokens {
    list: Vec<Token>,
    next: usize,
    pub(super) problems: Diagnostics,
}

impl Tokens {
    /// All tokens of a text, up to `--END--` and what follows it. A character that no token begins with
    /// ends the reading: what follows is guesswork.
    pub(super) fn new(text: &str) -> Result<Self, Diagnostics> {
        let mut lexer = Lexer { text, at: 0 };
        let mut list = Vec::new();
        loop {
            let token = lexer.token()?;
            let end = token.kind == Kind::End;
            list.push(token);
            if end {
                return Ok(Self { list, next: 0, problems: Diagnostics::default() });
            }
        }
    }

    pub(super) fn kind(&self) -> &Kind {
        self.list.get(self.next).map_or(&Kind::End, |token| &token.kind)
    }

    /// The next token; the last one again and again.
    pub(super) fn take(&mut self) -> Token {
        let token = self.list[self.next.min(self.list.len() - 1)].clone();
        self.next = (self.next + 1).min(self.list.len() - 1);
        token
    }

    pub(super) fn take_sign(&mut self, sign: char) -> bool {
        let found = *self.kind() == Kind::Sign(sign);
        if found {
            self.take();
        }
        found
    }

    /// The next token, if it is a number.
    pub(super) fn take_int(&mut self) -> Option<(u64, u64, usize)> {
        let Kind::Int(value) = *self.kind() else { return None };
        let token = self.take();
        Some((value, token.start as u64, token.length))
    }

    /// An error at the next token.
    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        const SHOWN: usize = 40;
        let token = &self.list[self.next.min(self.list.len() - 1)];
        let mut found = match &token.kind {
            Kind::Int(value) => value.to_string(),
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Word(word) | Kind::Mark(word) => word.clone(),
            Kind::Alias(name) => format!("@{name}"),
            Kind::Item(name) => format!("{name}:"),
            Kind::Sign(sign) => sign.to_string(),
            Kind::End => {
                return Diagnostic::error(
                    token.start as u64,
                    0,
                    format!("expected {expected}, but the file ends"),
                );
            }
        };
        if found.len() > SHOWN {
            found.truncate(found.floor_char_boundary(SHOWN));
            found.push('…');
        }
        Diagnostic::error(token.start as u64, token.length, format!("expected {expected}, found `{found}`"))
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl Lexer<'_> {
    fn token(&mut self) -> Result<Token, Diagnostic> {
        self.blanks()?;
        let start = self.at;
        let kind = match self.rest().chars().next() {
            None => Kind::End,
            Some('"') => self.string()?,
            Some('0'..='9') => self.number()?,
            Some(c @ ('!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}')) => {
                self.at += 1;
                Kind::Sign(c)
            }
            Some('@') => {
                self.at += 1;
                Kind::Alias(self.word())
            }
            Some('-') => Kind::Mark(self.word()),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let word = self.word();
                if self.rest().starts_with(':') {
                    self.at += 1;
                    Kind::Item(word)
                } else {
                    Kind::Word(word)
                }
            }
            Some(c) => {
                let message = format!("`{}` has no place in a HOA file", c.escape_debug());
                return Err(Diagnostic::error(start as u64, c.len_utf8(), message));
            }
        };
        Ok(Token { kind, start, length: self.at - start })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// White space and comments, which nest.
    fn blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            if !self.rest().starts_with("/*") {
                return Ok(());
            }
            let (start, mut depth) = (self.at, 0u32);
            loop {
                let rest = self.rest();
                if rest.starts_with("/*") {
                    depth += 1;
                    self.at += 2;
                } else if rest.starts_with("*/") {
                    depth -= 1;
                    self.at += 2;
                } else if let Some(c) = rest.chars().next() {
                    self.at += c.len_utf8();
                } else {
                    let problem = Diagnostic::error(start as u64, 2, "this comment is not closed");
                    return Err(problem.help("add `*/`"));
                }
                if depth == 0 {
                    break;
                }
            }
        }
    }

    fn word(&mut self) -> String {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let rest = self.rest();
        let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
        let word = rest[..length].to_owned();
        self.at += length;
        word
    }

    fn number(&mut self) -> Result<Kind, Diagnostic> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let value = rest[..length].parse();
        let start = self.at;
        self.at += length;
        value.map(Kind::Int).map_err(|_| Diagnostic::error(start as u64, length, "this number is too large"))
    }

    fn string(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        let mut text = String::new();
        let mut escaped = false;
        for (i, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => {
                    text.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                '"' => {
                    self.at += i + 1;
                    return Ok(Kind::Text(text));
                }
                _ => text.push(c),
            }
        }
        Err(Diagnostic::error(start as u64, 1, "this string is not closed").help("add a `\"`"))
    }
}
