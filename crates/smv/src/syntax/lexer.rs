//! Words and signs of a file, one at a time: nothing but the one at hand is kept.
//!
//! As in NuSMV a name may contain `-`, `$` and `#`, so that `a-b` is one name. A name ends before
//! `->` however: NuSMV takes `a->b` for the name `a-`, which is never meant. Any text in quotes is
//! a name, too, and the quotes are part of it: `"x"` and `x` are two names. `CALL` is a word of the
//! language before a name only; everywhere else it is a name.

use super::ast::{Binary, Span, Unary};
use super::psl;
use super::psl_words;
use super::tokens::{Section, Token, token_of};
use loris_base::{Diagnostic, LONGEST_NAME};

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Lexeme {
    pub(super) fn text(self, text: &str) -> &str {
        &text[self.start as usize..self.end as usize]
    }
}

/// What a piece of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A word that starts a section.
    Section,
    /// A name or another word.
    Word,
    /// A number or a sign.
    Sign,
}

/// The words and signs of a text, for those who want to know what is at a place; what is neither is
/// left out. A property that is given has no comments.
///
/// ```
/// use loris_smv::syntax::{Piece, pieces};
/// let found = pieces("CALL f := a -- b", true).into_iter().map(|(piece, _)| piece);
/// assert!(found.eq([Piece::Section, Piece::Word, Piece::Sign, Piece::Word]));
/// ```
pub fn pieces(text: &str, comments: bool) -> Vec<(Piece, Span)> {
    let mut found = Vec::new();
    if u32::try_from(text.len()).is_err() {
        return found;
    }
    let mut lexer = Lexer::new(text, comments);
    loop {
        let Ok(lexeme) = lexer.next() else { continue };
        let first = text.as_bytes().get(lexeme.start as usize);
        let piece = match lexeme.token {
            Token::End => return found,
            Token::Section(_) => Piece::Section,
            _ if first.is_some_and(|&first| starts_word(first) || first == b'"') => Piece::Word,
            _ => Piece::Sign,
        };
        found.push((piece, (lexeme.start, lexeme.end)));
    }
}

#[derive(Clone)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// whether `--` starts a comment; in a property that is given, `-->` is an implication, as in
    /// other formats
    comments: bool,
    /// whether words and signs are those of PSL
    psl: bool,
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn continues_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'-')
}

impl<'t> Lexer<'t> {
    /// Reads a text of less than 4 GiB, with comments or without.
    pub(super) fn new(text: &'t str, comments: bool) -> Self {
        // a byte order mark is not part of the model
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, comments, psl: false }
    }

    /// Goes back to a token that was read.
    pub(super) fn go_back(&mut self, start: u32) {
        self.at = start as usize;
    }

    /// Reads the following text as PSL or as SMV.
    pub(super) fn go_on(&mut self, psl: bool) {
        self.psl = psl;
    }

    /// The next token. After a problem reading goes on behind it.
    pub(super) fn next(&mut self) -> Result<Lexeme, Diagnostic> {
        self.skip_blanks()?;
        let start = self.at;
        let bytes = self.text.as_bytes();
        let Some(&first) = bytes.get(start) else {
            return Ok(Lexeme { token: Token::End, start: start as u32, end: start as u32 });
        };
        let token = if starts_word(first) {
            self.word()
        } else if first.is_ascii_digit() {
            self.number()
        } else if first == b'"' {
            self.quoted()?
        } else {
            self.sign(first)?
        };
        if token == Token::Name && self.at - start > LONGEST_NAME {
            return Err(Diagnostic::error(start as u64, 1, "this name is longer than 1 MiB"));
        }
        Ok(Lexeme { token, start: start as u32, end: self.at as u32 })
    }

    /// Skips blanks, comments and line marks of the C preprocessor.
    fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r' | 0x0c) => self.at += 1,
                Some(b'-') if self.comments && bytes.get(self.at + 1) == Some(&b'-') => self.skip_line(),
                Some(b'#') if self.is_line_mark() => self.skip_line(),
                Some(b'/') if self.comments && bytes[self.at..].starts_with(b"/--") => {
                    let start = self.at;
                    let Some(length) = self.text[start + 3..].find("--/") else {
                        self.at = bytes.len();
                        let problem = Diagnostic::error(start as u64, 3, "this comment is not closed");
                        return Err(problem.help("add a `--/`"));
                    };
                    self.at = start + 3 + length + 3;
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_line(&mut self) {
        self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |length| self.at + length);
    }

    /// `# 12 "file"` at the start of a line.
    fn is_line_mark(&self) -> bool {
        let bytes = self.text.as_bytes();
        starts_line(bytes, self.at)
            && bytes.get(self.at + 1) == Some(&b' ')
            && bytes.get(self.at + 2).is_some_and(u8::is_ascii_digit)
    }

    /// `#include "file"` at the start of a line.
    fn directive(&mut self) -> Option<Diagnostic> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        if bytes[start] != b'#' || !starts_line(bytes, start) {
            return None;
        }
        let letters = bytes[start + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 {
            return None;
        }
        self.skip_line();
        let word = &self.text[start..=start + letters];
        let problem = Diagnostic::error(start as u64, word.len(), format!("`{word}` is not supported"));
        Some(problem.help("run the C preprocessor over the file first"))
    }

    fn word(&mut self) -> Token {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|&byte| continues_word(byte)) {
            let rest = &bytes[self.at..];
            if rest.starts_with(b"->") || !self.comments && rest.starts_with(b"-->") {
                break;
            }
            self.at += 1;
        }
        let mut word = &self.text[start..self.at];
        if self.psl && psl_words::takes_bang(word) && bytes.get(self.at) == Some(&b'!') {
            self.at += 1;
            if bytes.get(self.at) == Some(&b'_') {
                self.at += 1;
            }
            word = &self.text[start..self.at];
        }
        if let Some(token) = psl_words::token_of(word).filter(|_| self.psl) {
            return token;
        }
        if let "f" | "F" = word
            && bytes.get(self.at) == Some(&b'\'')
        {
            self.at += 1;
            while bytes.get(self.at).is_some_and(|&byte| byte.is_ascii_digit() || byte == b'/') {
                self.at += 1;
            }
            return Token::Real;
        }
        if bytes.get(self.at).is_none_or(u8::is_ascii) {
            let token = token_of(word);
            let is_name = token == Token::Section(Section::Call) && !self.is_before_name();
            return if is_name { Token::Name } else { token };
        }
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += length;
        if length == 0 { token_of(word) } else { Token::Foreign }
    }

    /// Whether a name follows.
    fn is_before_name(&self) -> bool {
        let mut ahead = self.clone();
        if ahead.skip_blanks().is_err() {
            return false;
        }
        let rest = &self.text.as_bytes()[ahead.at..];
        let length = rest.iter().take_while(|&&byte| continues_word(byte)).count();
        match rest.first() {
            Some(b'"') => true,
            Some(&first) if starts_word(first) => {
                matches!(token_of(&self.text[ahead.at..ahead.at + length]), Token::Name | Token::Exit)
            }
            _ => false,
        }
    }

    /// A name in quotes.
    fn quoted(&mut self) -> Result<Token, Diagnostic> {
        let start = self.at;
        let Some(length) = self.text[start + 1..].find('"') else {
            self.at = self.text.len();
            let problem = Diagnostic::error(start as u64, 1, "this name is not closed");
            return Err(problem.help("close it with a second quotation mark"));
        };
        self.at = start + length + 2;
        Ok(Token::Name)
    }

    fn digits(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        if let Some(length) = word_constant(&bytes[self.at..]) {
            self.at += length;
            return Token::WordConstant;
        }
        self.digits();
        let mut token = Token::Number;
        if bytes.get(self.at) == Some(&b'.') && bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
            self.digits();
            token = Token::Real;
        }
        if let Some(b'e' | b'E') = bytes.get(self.at) {
            let sign = usize::from(matches!(bytes.get(self.at + 1), Some(b'+' | b'-')));
            if bytes.get(self.at + 1 + sign).is_some_and(u8::is_ascii_digit) {
                self.at += 1 + sign;
                self.digits();
                token = Token::Real;
            }
        }
        token
    }

    fn sign(&mut self, first: u8) -> Result<Token, Diagnostic> {
        let bytes = self.text.as_bytes();
        let (second, third) = (bytes.get(self.at + 1).copied(), bytes.get(self.at + 2).copied());
        let (token, length) = match (first, second, third) {
            (b'<', Some(b'-'), Some(b'-')) if !self.comments && bytes.get(self.at + 3) == Some(&b'>') => {
                (Token::Infix(Binary::Iff), 4)
            }
            (b'-', Some(b'-'), Some(b'>')) if !self.comments => (Token::Infix(Binary::Implies), 3),
            (b'-', Some(b'-'), _) if !self.comments => {
                self.at += 2;
                let problem =
                    Diagnostic::error((self.at - 2) as u64, 2, "a property that is given has no comments");
                return Err(problem.help("remove it; `-->` is an implication"));
            }
            (b'&', Some(b'&'), _) if self.psl => (Token::Psl(psl::Word::Infix(psl::Infix::And)), 2),
            (b'|', Some(b'|'), _) if self.psl => (Token::Psl(psl::Word::Infix(psl::Infix::Or)), 2),
            (b'=', Some(b'='), _) if self.psl => (Token::Infix(Binary::Equal), 2),
            (b'^', ..) if self.psl => (Token::Infix(Binary::Xor), 1),
            (b'@', ..) if self.psl => (Token::Unsupported, 1),
            (b'<', Some(b'-'), Some(b'>')) => (Token::Infix(Binary::Iff), 3),
            (b'-', Some(b'>'), _) => (Token::Infix(Binary::Implies), 2),
            (b'<', Some(b'<'), _) => (Token::Infix(Binary::ShiftLeft), 2),
            (b'>', Some(b'>'), _) => (Token::Infix(Binary::ShiftRight), 2),
            (b'<', Some(b'='), _) => (Token::Infix(Binary::AtMost), 2),
            (b'>', Some(b'='), _) => (Token::Infix(Binary::AtLeast), 2),
            (b'!', Some(b'='), _) => (Token::Infix(Binary::Unequal), 2),
            (b':', Some(b'='), _) => (Token::Becomes, 2),
            (b':', Some(b':'), _) => (Token::Infix(Binary::Concat), 2),
            (b'.', Some(b'.'), _) => (Token::Infix(Binary::Range), 2),
            (b'(', ..) => (Token::Open, 1),
            (b')', ..) => (Token::Close, 1),
            (b'[', ..) => (Token::OpenSquare, 1),
            (b']', ..) => (Token::CloseSquare, 1),
            (b'{', ..) => (Token::OpenCurly, 1),
            (b'}', ..) => (Token::CloseCurly, 1),
            (b',', ..) => (Token::Comma, 1),
            (b';', ..) => (Token::Semicolon, 1),
            (b':', ..) => (Token::Colon, 1),
            (b'.', ..) => (Token::Dot, 1),
            (b'?', ..) => (Token::Question, 1),
            (b'!', ..) => (Token::Prefix(Unary::Not), 1),
            (b'&', ..) => (Token::Infix(Binary::And), 1),
            (b'|', ..) => (Token::Infix(Binary::Or), 1),
            (b'=', ..) => (Token::Infix(Binary::Equal), 1),
            (b'<', ..) => (Token::Infix(Binary::Less), 1),
            (b'>', ..) => (Token::Infix(Binary::Greater), 1),
            (b'+', ..) => (Token::Infix(Binary::Plus), 1),
            (b'-', ..) => (Token::Infix(Binary::Minus), 1),
            (b'*', ..) => (Token::Infix(Binary::Times), 1),
            (b'/', ..) => (Token::Infix(Binary::Divide), 1),
            (b'@', Some(b'F' | b'O'), Some(b'~')) => {
                let operator = &self.text[self.at..self.at + 3];
                self.at += 3;
                let message = format!("`{operator}` is not supported");
                return Err(Diagnostic::error((self.at - 3) as u64, 3, message));
            }
            _ => return Err(self.stray()),
        };
        self.at += length;
        Ok(token)
    }

    /// A character that starts no word and no sign.
    fn stray(&mut self) -> Diagnostic {
        if let Some(problem) = self.directive() {
            return problem;
        }
        let c = self.text[self.at..].chars().next().unwrap_or(' ');
        let shown = if c == '\'' { c.to_string() } else { c.escape_debug().to_string() };
        let message = format!("unexpected character `{shown}`");
        let problem = Diagnostic::error(self.at as u64, c.len_utf8(), message);
        self.at += c.len_utf8();
        match c {
            '~' | '¬' => problem.help("negation is written `!`"),
            '%' => problem.help("the remainder is written `mod`"),
            '^' => problem.help("exclusive or is written `xor`"),
            '∧' => problem.help("and is written `&`"),
            '∨' => problem.help("or is written `|`"),
            '→' | '⇒' => problem.help("implication is written `->`"),
            '#' => problem.help("a comment starts with `--`"),
            _ => problem,
        }
    }
}

/// Whether a line starts at this place.
fn starts_line(bytes: &[u8], at: usize) -> bool {
    at == 0 || bytes[at - 1] == b'\n'
}

/// The length of a constant such as `0ud8_12` or `0sd8_-3`, if there is one.
fn word_constant(bytes: &[u8]) -> Option<usize> {
    if bytes.first() != Some(&b'0') {
        return None;
    }
    let mut at = 1;
    if let Some(b'u' | b's') = bytes.get(at) {
        at += 1;
    }
    if !matches!(bytes.get(at)?, b'b' | b'B' | b'o' | b'O' | b'd' | b'D' | b'h' | b'H') {
        return None;
    }
    at += 1;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    if bytes.get(at) != Some(&b'_') {
        return None;
    }
    at += 1;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    bytes.get(at).filter(|byte| byte.is_ascii_hexdigit())?;
    while bytes.get(at).is_some_and(|&byte| byte.is_ascii_hexdigit() || byte == b'_') {
        at += 1;
    }
    Some(at)
}
