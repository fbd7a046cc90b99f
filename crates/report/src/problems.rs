//! Problems of inputs as text: `path:line:column: error: what is wrong`, the line with a caret
//! under it, and a suggestion how to fix it.

use crate::style;
use loris_base::{Diagnostic, Diagnostics, Severity, shortened, visible};
use loris_base::{LinePlace, places};
use std::io::{self, Read, Seek, Write};

/// Writes all problems of one input, ordered by place.
///
/// `source` is the input once more, to show the lines in question; without it, or if it cannot be
/// read any more, problems are written without their place. A problem of the call has no path.
pub fn write_problems(
    out: &mut impl Write,
    path: &str,
    source: Option<&mut (impl Read + Seek)>,
    problems: &Diagnostics,
) -> io::Result<()> {
    let path = &*visible(path);
    let list = problems.sorted();
    let offsets: Vec<u64> = list.iter().filter_map(|problem| problem.offset).collect();
    let found = match source {
        Some(source) if !offsets.is_empty() => places(source, &offsets).unwrap_or_default(),
        _ => Vec::new(),
    };
    let mut found = found.iter();
    for problem in list {
        let place = problem.offset.and_then(|_| found.next());
        write_problem(out, path, place, problem)?;
    }
    match problems.dropped() {
        0 => Ok(()),
        more => writeln!(out, "{path}: ... and {more} more"),
    }
}

fn write_problem(
    out: &mut impl Write,
    path: &str,
    place: Option<&LinePlace>,
    problem: &Diagnostic,
) -> io::Result<()> {
    let (color, word) = match problem.severity {
        Severity::Error => (style::RED, "error"),
        Severity::Warning => (style::YELLOW, "warning"),
    };
    let (bold, reset) = (style::BOLD, style::RESET);
    match place {
        Some(LinePlace { line, column, .. }) => write!(out, "{bold}{path}:{line}:{column}:{reset} ")?,
        None if path.is_empty() => {}
        None => write!(out, "{bold}{path}:{reset} ")?,
    }
    writeln!(out, "{color}{word}:{reset} {bold}{}{reset}", visible(&shortened(&problem.message)))?;
    if let Some(place) = place {
        writeln!(out, "{}{}", place.before, place.after)?;
        writeln!(out, "{}{color}{}{reset}", indent(&place.before), carets(place, problem.length))?;
    }
    match &problem.help {
        Some(help) => writeln!(out, "{bold}help:{reset} {}", visible(&shortened(help))),
        None => Ok(()),
    }
}

/// Blanks as wide as the text; a tab stays one.
fn indent(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect()
}

/// A caret for each character of the first `length` bytes that are shown, at least one. Without a
/// length, for each of the string in quotes that starts there.
fn carets(place: &LinePlace, length: u32) -> String {
    let length = if length == 0 { string_length(&place.after) } else { length as usize };
    let within = |&(at, c): &(usize, char)| at < length && c != '…';
    "^".repeat(place.after.char_indices().take_while(within).count().max(1))
}

/// The length of the string in quotes at the front of a text, with its quotes; without its end,
/// all.
fn string_length(text: &str) -> usize {
    let Some(inside) = text.strip_prefix('"') else { return 1 };
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        end
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::write_problems;
    use crate::style;
    use loris_base::{Diagnostic, Diagnostics};
    use std::io::Cursor;

    fn check(source: &str, problems: impl IntoIterator<Item = Diagnostic>, expected: &str) {
        let mut all = Diagnostics::default();
        problems.into_iter().for_each(|problem| all.push(problem));
        let mut out = Vec::new();
        write_problems(&mut out, "m.rsm", Some(&mut Cursor::new(source)), &all).unwrap();
        assert_eq!(style::plain(&String::from_utf8(out).unwrap()), expected);
    }

    #[test]
    fn a_caret_under_the_place() {
        check(
            "A G\n\t(use_j -> x)",
            [Diagnostic::error(6, 5, "no node is labelled \"use_j\"").help("did you mean \"use_i\"?")],
            "m.rsm:2:3: error: no node is labelled \"use_j\"\n\t(use_j -> x)\n\t ^^^^^\n\
             help: did you mean \"use_i\"?\n",
        );
    }

    #[test]
    fn a_string_is_underlined_whole() {
        let carets = |source: &str, expected: &str| {
            let line = source.lines().next().unwrap_or_default();
            check(
                source,
                [Diagnostic::error(0, 0, "wrong")],
                &format!("m.rsm:1:1: error: wrong\n{line}\n{expected}\n"),
            );
        };
        carets("\"mian\", \"x\"", "^^^^^^");
        carets(r#""a\"b\\", 7"#, "^^^^^^^^");
        carets("\"é\u{301}\"]", "^^^^");
        carets("\"\"", "^^");
        carets("\"never closed", "^^^^^^^^^^^^^");
        carets("{\"a\": 1}", "^");
        carets("", "^");
        let long = format!("\"{}\"", "x".repeat(500));
        let shown = "x".repeat(119);
        check(
            &long,
            [Diagnostic::error(0, 0, "long")],
            &format!("m.rsm:1:1: error: long\n\"{shown}…\n{}\n", "^".repeat(120)),
        );
    }

    #[test]
    fn messages_keep_to_their_line() {
        check(
            "x",
            [Diagnostic::error(0, 1, "no node \"a\nb\"").help("did you mean \"\x1b[31m\"?")],
            "m.rsm:1:1: error: no node \"a\\nb\"\nx\n^\nhelp: did you mean \"\\u{1b}[31m\"?\n",
        );
    }

    #[test]
    fn ordered_and_counted() {
        let many = (0..103).rev().map(|i| Diagnostic::error(i, 0, format!("problem {i}")));
        let mut out = Vec::new();
        let mut all = Diagnostics::default();
        many.for_each(|problem| all.push(problem));
        write_problems(&mut out, "x", None::<&mut Cursor<&str>>, &all).unwrap();
        let text = style::plain(&String::from_utf8(out).unwrap());
        assert!(text.starts_with("x: error: problem 3\nx: error: problem 4\n"), "{text}");
        assert!(text.ends_with("x: ... and 3 more\n"), "{text}");
    }

    #[test]
    fn without_a_place() {
        check(
            "",
            [Diagnostic::global("the model has no component")],
            "m.rsm: error: the model has no component\n",
        );
    }
}
