//! Splits a line of a composition file into words and signs.

use super::LocatedWord;
use loris_base::Diagnostic;

/// A word or a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, and whether it is in quotes.
    Word(LocatedWord, bool),
    Comma(u64),
    Equals(u64),
    Bar(u64),
    Arrow(u64),
}

impl Token {
    pub(super) fn offset(&self) -> u64 {
        match self {
            Token::Word(word, _) => word.offset,
            Token::Comma(at) | Token::Equals(at) | Token::Bar(at) | Token::Arrow(at) => *at,
        }
    }

    /// The token in messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Token::Word(word, _) => loris_base::visible_name(&word.text).into_owned(),
            Token::Comma(_) => "`,`".to_owned(),
            Token::Equals(_) => "`=`".to_owned(),
            Token::Bar(_) => "`|`".to_owned(),
            Token::Arrow(_) => "`->`".to_owned(),
        }
    }
}

/// The tokens of a line that starts at an offset of the file, without its comment.
pub(super) fn tokens(line: &str, offset: usize) -> Result<Vec<Token>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let place = (offset + at) as u64;
        let rest = &line[at..];
        let token = match c {
            '#' => break,
            ',' => Token::Comma(place),
            '=' => Token::Equals(place),
            '|' => Token::Bar(place),
            '-' if rest.starts_with("->") => {
                at += 1;
                Token::Arrow(place)
            }
            '"' => {
                let (text, length) = quoted(rest).map_err(|(inner, length, message)| {
                    Diagnostic::error(place + inner as u64, length, message)
                })?;
                found.push(Token::Word(LocatedWord { text, offset: place, length }, true));
                at += length;
                continue;
            }
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            _ => {
                let length = bare(rest);
                let text = rest[..length].to_owned();
                found.push(Token::Word(LocatedWord { text, offset: place, length }, false));
                at += length;
                continue;
            }
        };
        found.push(token);
        at += 1;
    }
    Ok(found)
}

/// How long the word without quotes is with which a text starts.
fn bare(text: &str) -> usize {
    let ends = |(at, c): (usize, char)| {
        c.is_whitespace() || matches!(c, ',' | '=' | '|' | '#' | '"') || text[at..].starts_with("->")
    };
    text.char_indices().find(|&place| ends(place)).map_or(text.len(), |(at, _)| at)
}

/// The word in quotes with which a text starts, and its length with the quotes; else where in the
/// text the problem is, how long it is, and the problem.
fn quoted(text: &str) -> Result<(String, usize), (usize, usize, &'static str)> {
    let mut word = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((word, at + 1)),
            '\\' => match chars.next() {
                Some((_, escaped @ ('"' | '\\'))) => word.push(escaped),
                Some((_, 'n')) => word.push('\n'),
                _ => return Err((at, 1, "a backslash stands before `\"`, `\\` or `n` only")),
            },
            c => word.push(c),
        }
    }
    Err((0, text.trim_end().len(), "the quotes are not closed"))
}
