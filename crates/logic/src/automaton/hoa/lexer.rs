//! The tokens of HOA, one at a time; the parser looks at the next one only.

use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, LONGEST_NAME, Stopped};

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

/// The next token, the text behind it, and the problems found so far.
pub(super) struct Tokens<'t, 'b> {
    lexer: Lexer<'t>,
    next: Token,
    pub(super) problems: Diagnostics,
    budget: &'b mut Budget,
    /// why there are no more tokens although the text goes on
    broken: Option<Broken>,
}

/// Why a text is not read to its end.
enum Broken {
    /// No token begins like this: reading on would be guesswork.
    Token(Diagnostic),
    Exhausted(Exhausted),
}

impl<'t, 'b> Tokens<'t, 'b> {
    /// The tokens of a text, up to `--END--` and the token after it. A byte order mark is skipped.
    pub(super) fn new(text: &'t str, budget: &'b mut Budget) -> Self {
        let at = text.len() - text.trim_start_matches('\u{feff}').len();
        let next = Token { kind: Kind::End, start: at, length: 0 };
        let lexer = Lexer { text, at };
        let mut tokens = Self { lexer, next, problems: Diagnostics::default(), budget, broken: None };
        tokens.advance();
        tokens
    }

    fn advance(&mut self) {
        let end = Token { kind: Kind::End, start: self.lexer.at, length: 0 };
        let next = match &self.broken {
            Some(_) => Ok(end),
            None => self
                .budget
                .spend(1)
                .map_err(Broken::Exhausted)
                .and_then(|()| self.lexer.token().map_err(Broken::Token)),
        };
        self.next = next.unwrap_or_else(|broken| {
            self.broken = Some(broken);
            Token { kind: Kind::End, start: self.lexer.at, length: 0 }
        });
    }

    /// Declares that this many bytes more are held. Once that is refused, there are no more tokens.
    pub(super) fn charge(&mut self, bytes: usize) {
        if let Err(exhausted) = self.budget.charge(bytes)
            && self.broken.is_none()
        {
            self.broken = Some(Broken::Exhausted(exhausted));
            self.advance();
        }
    }

    /// All problems: a malformed token, or else those the parser found.
    pub(super) fn finish(self) -> Result<(), Stopped> {
        match self.broken {
            Some(Broken::Exhausted(exhausted)) => Err(exhausted.into()),
            Some(Broken::Token(problem)) => Err(problem.into()),
            None => Ok(self.problems.into_result(())?),
        }
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.next.kind
    }

    /// The next token; the last one again and again.
    pub(super) fn take(&mut self) -> Token {
        let token = self.next.clone();
        self.advance();
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
        let token = &self.next;
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
        if self.at - start > LONGEST_NAME {
            return Err(Diagnostic::error(start as u64, 1, "this name is longer than 1 MiB"));
        }
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
