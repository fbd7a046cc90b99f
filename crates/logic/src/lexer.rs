//! Words and signs of formulas.

use loris_base::Diagnostic;
use std::borrow::Cow;

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Not,
    E,
    A,
    X,
    F,
    G,
}

/// An operator between its operands, from loose to tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Infix {
    Iff,
    Implies,
    Or,
    Xor,
    Xnor,
    And,
    U,
    W,
    R,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A plain or quoted name, see [`atom_name`].
    Atom,
    True,
    False,
    Prefix(Prefix),
    /// Quantifier and temporal operator in one word, such as `AG`.
    Fused(Prefix, Prefix),
    Infix(Infix),
    /// An opening bracket, with the one that closes it.
    Open(char),
    Close(char),
    End,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    /// Whether a formula can start here.
    pub(crate) fn starts_formula(self) -> bool {
        match self {
            Token::Atom
            | Token::True
            | Token::False
            | Token::Prefix(_)
            | Token::Fused(..)
            | Token::Open(_) => true,
            Token::Infix(_) | Token::Close(_) | Token::End => false,
        }
    }
}

impl Lexeme {
    pub(crate) fn text(self, text: &str) -> &str {
        &text[self.start as usize..self.end as usize]
    }
}

/// A sign stands after the longer ones that start with it.
const SIGNS: &[(&str, Token)] = &[
    ("(", Token::Open(')')),
    (")", Token::Close(')')),
    ("[]", Token::Prefix(Prefix::G)),
    ("<>", Token::Prefix(Prefix::F)),
    ("[", Token::Open(']')),
    ("]", Token::Close(']')),
    ("!", Token::Prefix(Prefix::Not)),
    ("~", Token::Prefix(Prefix::Not)),
    ("&&", Token::Infix(Infix::And)),
    ("&", Token::Infix(Infix::And)),
    ("/\\", Token::Infix(Infix::And)),
    ("||", Token::Infix(Infix::Or)),
    ("|", Token::Infix(Infix::Or)),
    ("\\/", Token::Infix(Infix::Or)),
    ("^", Token::Infix(Infix::Xor)),
    ("-->", Token::Infix(Infix::Implies)),
    ("->", Token::Infix(Infix::Implies)),
    ("=>", Token::Infix(Infix::Implies)),
    ("<-->", Token::Infix(Infix::Iff)),
    ("<->", Token::Infix(Infix::Iff)),
    ("<=>", Token::Infix(Infix::Iff)),
    ("¬", Token::Prefix(Prefix::Not)),
    ("∃", Token::Prefix(Prefix::E)),
    ("∀", Token::Prefix(Prefix::A)),
    ("∧", Token::Infix(Infix::And)),
    ("∨", Token::Infix(Infix::Or)),
    ("→", Token::Infix(Infix::Implies)),
    ("⇒", Token::Infix(Infix::Implies)),
    ("↔", Token::Infix(Infix::Iff)),
    ("⇔", Token::Infix(Infix::Iff)),
];

/// The token of a whole word.
fn word(word: &str) -> Token {
    match word {
        "true" | "TRUE" | "True" => Token::True,
        "false" | "FALSE" | "False" => Token::False,
        "not" | "NOT" => Token::Prefix(Prefix::Not),
        "and" | "AND" => Token::Infix(Infix::And),
        "or" | "OR" => Token::Infix(Infix::Or),
        "E" => Token::Prefix(Prefix::E),
        "A" => Token::Prefix(Prefix::A),
        "X" => Token::Prefix(Prefix::X),
        "F" => Token::Prefix(Prefix::F),
        "G" => Token::Prefix(Prefix::G),
        "U" => Token::Infix(Infix::U),
        "W" => Token::Infix(Infix::W),
        "R" => Token::Infix(Infix::R),
        "AX" => Token::Fused(Prefix::A, Prefix::X),
        "AF" => Token::Fused(Prefix::A, Prefix::F),
        "AG" => Token::Fused(Prefix::A, Prefix::G),
        "EX" => Token::Fused(Prefix::E, Prefix::X),
        "EF" => Token::Fused(Prefix::E, Prefix::F),
        "EG" => Token::Fused(Prefix::E, Prefix::G),
        _ => Token::Atom,
    }
}

/// The token of a word where no atom can stand because a formula follows it: `ag p`, `ef (p)`.
pub(crate) fn prefix_word(word: &str) -> Option<Token> {
    let word = <[u8; 2]>::try_from(word.as_bytes()).ok()?;
    let quantifier = match word[0].to_ascii_uppercase() {
        b'A' => Prefix::A,
        b'E' => Prefix::E,
        _ => return None,
    };
    let temporal = match word[1].to_ascii_uppercase() {
        b'X' => Prefix::X,
        b'F' => Prefix::F,
        b'G' => Prefix::G,
        _ => return None,
    };
    Some(Token::Fused(quantifier, temporal))
}

/// The token of a word where no atom can stand because it comes right after a formula: `p until q`.
pub(crate) fn infix_word(word: &str) -> Option<Infix> {
    match word.to_ascii_lowercase().as_str() {
        "u" | "until" => Some(Infix::U),
        "w" | "unless" => Some(Infix::W),
        "r" | "v" | "release" | "releases" => Some(Infix::R),
        "and" => Some(Infix::And),
        "or" => Some(Infix::Or),
        "xor" => Some(Infix::Xor),
        "xnor" => Some(Infix::Xnor),
        "implies" => Some(Infix::Implies),
        "iff" => Some(Infix::Iff),
        _ => None,
    }
}

fn starts_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn continues_word(c: char) -> bool {
    starts_word(c) || matches!(c, '.' | '$' | '@' | ':' | '\'')
}

/// Whether an atom can be written without quotes.
pub(crate) fn is_plain_atom(name: &str) -> bool {
    name.starts_with(starts_word) && name.chars().all(continues_word) && word(name) == Token::Atom
}

/// The name of an atom as it is written: without quotes and escapes.
pub(crate) fn atom_name(written: &str) -> Cow<'_, str> {
    let Some(quoted) = written.strip_prefix('"') else { return Cow::Borrowed(written) };
    let inner = quoted.strip_suffix('"').unwrap_or(quoted);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut name = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        name.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    Cow::Owned(name)
}

#[derive(Clone)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Reads a text of less than 4 GiB.
    pub(crate) fn new(text: &'t str) -> Self {
        // a byte order mark is not part of the formula
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at }
    }

    pub(crate) fn next(&mut self) -> Result<Lexeme, Diagnostic> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            // the end is right after the last word, not after the blanks that follow it
            let end = self.text.trim_end().len() as u32;
            return Ok(Lexeme { token: Token::End, start: end, end });
        };
        let (token, length) = if starts_word(first) {
            let length = rest.find(|c| !continues_word(c)).unwrap_or(rest.len());
            (word(&rest[..length]), length)
        } else if first == '"' {
            (Token::Atom, quoted(rest, start, "atom")?)
        } else {
            let sign = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign));
            let (sign, token) = sign.ok_or_else(|| stray(first, start))?;
            (*token, sign.len())
        };
        if token == Token::Atom && length > LONGEST_ATOM {
            return Err(Diagnostic::error(start as u64, 1, "this atom is longer than 1 MiB"));
        }
        self.at = start + length;
        Ok(Lexeme { token, start: start as u32, end: self.at as u32 })
    }
}

/// No name in a model is longer, in bytes.
const LONGEST_ATOM: usize = 1 << 20;

/// The length of a quoted name at the start of `rest`, which lies at `start` in the text; it is
/// that of an atom or an action, as `what` says.
pub(crate) fn quoted(rest: &str, start: usize, what: &str) -> Result<usize, Diagnostic> {
    let mut chars = rest.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Ok(i + 1),
            '\\' => match chars.next() {
                Some((_, '"' | '\\')) => {}
                Some((_, c)) => {
                    let problem = Diagnostic::error(
                        (start + i) as u64,
                        1 + c.len_utf8(),
                        format!("a quoted {what} has no escape `\\{}`", c.escape_debug()),
                    );
                    return Err(problem.help("write `\\\\` for a backslash and `\\\"` for a quote"));
                }
                None => break,
            },
            _ => {}
        }
    }
    Err(Diagnostic::error(start as u64, 1, format!("this quoted {what} is not closed")).help("add a `\"`"))
}

/// A character that starts no word and no sign.
fn stray(c: char, at: usize) -> Diagnostic {
    let problem =
        Diagnostic::error(at as u64, c.len_utf8(), format!("unexpected character `{}`", c.escape_debug()));
    match c {
        '=' => problem.help(
            "atoms are true or false and are not compared: write `<->` for \"if and only if\", or quote an atom such as \"x = 1\"",
        ),
        '<' | '>' => problem.help("implication is `->`, equivalence is `<->`; quote an atom such as \"x < 1\""),
        '{' | '}' => problem.help("use `( )` or `[ ]`"),
        '#' => problem.help("quote an atom with a `#` in it; comments belong into property files"),
        '-' | '+' | '*' | '/' | '%' | '.' | '$' | '@' | ':' | '\'' => {
            problem.help(format!("quote an atom that has a `{c}` here: \"a{c}b\""))
        }
        _ => problem,
    }
}
