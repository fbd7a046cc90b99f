//! A Rust source taken apart: comments, text of string literals, and code.
//!
//! A scanner and no parser: that is all that the checks need, and it cannot fail on new syntax.

/// What a piece is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A comment, without its slashes.
    Comment,
    /// The inside of a string literal, with escapes as they are written.
    Text,
    /// Everything else; a literal is left out of it.
    Code,
}

/// A piece of a source.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    /// where it starts
    pub(super) line: usize,
    pub(super) text: String,
}

/// Takes a source apart, in order.
pub(super) fn pieces(source: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let (mut at, mut line) = (0, 1);
    let mut code = (1, String::new());
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let (kind, skipped, inner, length) = if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            let start = rest[..length].find(|c| c != '/' && c != '!').unwrap_or(length);
            (Kind::Comment, start, length - start, length)
        } else if rest.starts_with("/*") {
            let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
            (Kind::Comment, 2, length.saturating_sub(4), length)
        } else if let Some(hashes) = raw_string(rest, code.1.chars().last()) {
            let start = rest.find('"').unwrap_or(0) + 1;
            let end = format!("\"{}", "#".repeat(hashes));
            let length = rest[start..].find(&end).map_or(rest.len() - start, |end| end);
            (Kind::Text, start, length, (start + length + end.len()).min(rest.len()))
        } else if first == '"' {
            let length = closing_quote(rest);
            (Kind::Text, 1, length - 1, (length + 1).min(rest.len()))
        } else {
            // a character with a quote or a slash in it is not a start of anything
            let length = if first == '\'' { character(rest) } else { first.len_utf8() };
            if code.1.is_empty() {
                code.0 = line;
            }
            code.1.push_str(if first == '\'' { "'" } else { &rest[..length] });
            line += rest[..length].matches('\n').count();
            at += length;
            continue;
        };
        if !code.1.is_empty() {
            found.push(Piece { kind: Kind::Code, line: code.0, text: std::mem::take(&mut code.1) });
        }
        let text = rest[skipped..skipped + inner].to_owned();
        found.push(Piece { kind, line, text });
        line += rest[..length].matches('\n').count();
        at += length;
    }
    if !code.1.is_empty() {
        found.push(Piece { kind: Kind::Code, line: code.0, text: code.1 });
    }
    found
}

/// The number of hashes of a raw string that starts here, after this character.
fn raw_string(rest: &str, before: Option<char>) -> Option<usize> {
    if before.is_some_and(|before| before.is_alphanumeric() || before == '_') {
        return None;
    }
    let rest = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = rest.bytes().take_while(|&byte| byte == b'#').count();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// Where the quote is that closes the string at the start.
fn closing_quote(rest: &str) -> usize {
    let mut escaped = false;
    for (place, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return place,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// The length of the character literal at the start, or of the quote of a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => rest[3..].find('\'').map_or(1, |end| end + 4),
        Some(_) => match chars.next() {
            Some((place, '\'')) => place + 1,
            _ => 1,
        },
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, pieces};

    #[test]
    fn sources_are_taken_apart() {
        let check = |source: &str, expected: &[(Kind, usize, &str)]| {
            let found = pieces(source);
            let found: Vec<_> = found.iter().map(|piece| (piece.kind, piece.line, &*piece.text)).collect();
            assert_eq!(found, expected, "{source}");
        };
        check("let a = 1;", &[(Kind::Code, 1, "let a = 1;")]);
        check(
            "//! a\n/// b\nc",
            &[
                (Kind::Comment, 1, " a"),
                (Kind::Code, 1, "\n"),
                (Kind::Comment, 2, " b"),
                (Kind::Code, 2, "\nc"),
            ],
        );
        check(
            r#"f("a\"//b", '"', 'a', "\\")"#,
            &[
                (Kind::Code, 1, "f("),
                (Kind::Text, 1, r#"a\"//b"#),
                (Kind::Code, 1, ", ', ', "),
                (Kind::Text, 1, r"\\"),
                (Kind::Code, 1, ")"),
            ],
        );
        check(
            "r#\"a\"b\"#;fn f<'a>(x: &'a u8) /* x */",
            &[(Kind::Text, 1, "a\"b"), (Kind::Code, 1, ";fn f<'a>(x: &'a u8) "), (Kind::Comment, 1, " x ")],
        );
        check(r"'\'' '\u{1}' // a", &[(Kind::Code, 1, "' ' "), (Kind::Comment, 1, " a")]);
    }
}
