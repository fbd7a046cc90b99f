//! Messages for texts that are not formulas: the token found, the token expected, and the likely
//! mistake.

use crate::lexer::{Infix, Lexeme, Prefix, Token};
use loris_base::Diagnostic;

/// Something other than a formula stands where one must begin.
pub(crate) fn expected_formula(text: &str, last: Option<Lexeme>, found: Lexeme) -> Diagnostic {
    let message = match last {
        None if found.token == Token::End => "the formula is empty".to_owned(),
        None => format!("expected a formula, found {}", describe(text, found)),
        Some(last) => {
            format!("expected a formula after {}, found {}", describe(text, last), describe(text, found))
        }
    };
    let problem = error(found, message);
    let quote = |lexeme: Lexeme| {
        let word = lexeme.text(text);
        format!("`{word}` is an operator; if an atom is meant, quote it: \"{word}\"")
    };
    match (last, found.token) {
        (Some(last), _) if is_reserved_letter(text, last) => problem.help(quote(last)),
        _ if is_reserved_letter(text, found) => problem.help(quote(found)),
        (Some(Lexeme { token: Token::Infix(left), .. }), Token::Infix(right)) if left == right => {
            problem.help(format!("one {} is enough", spellings(left)))
        }
        (Some(Lexeme { token: Token::Infix(_), .. }), Token::Infix(_)) => {
            problem.help("a formula is missing between the two operators")
        }
        (Some(Lexeme { token: Token::Open(_), .. }), Token::Close(_)) => {
            problem.help("write a formula between the brackets")
        }
        _ => problem,
    }
}

/// A formula ended, and the next token does not continue it.
pub(crate) fn expected_operator(
    text: &str,
    last: Option<Lexeme>,
    found: Lexeme,
    open: Option<char>,
) -> Diagnostic {
    let or = open.map_or("the end of the formula".to_owned(), |close| format!("`{close}`"));
    let problem = error(found, format!("expected an operator or {or}, found {}", describe(text, found)));
    let before = last.map_or("", |last| last.text(text));
    match (found.token, found.text(text)) {
        (Token::Open(_), _) if matches!(before, "EU" | "AU" | "EW" | "AW" | "ER" | "AR") => {
            let (quantifier, temporal) = before.split_at(1);
            problem
                .help(format!("`{temporal}` stands between its operands: `{quantifier} [ p {temporal} q ]`"))
        }
        (Token::Prefix(Prefix::Not), "!") if text[found.end as usize..].starts_with('=') => {
            problem.help("atoms are true or false and are not compared: write `p xor q`")
        }
        _ if matches!(before, "x" | "f" | "g" | "e" | "a") => {
            let operator = before.to_ascii_uppercase();
            problem.help(format!("`{before}` is an atom; the operator is written `{operator}`"))
        }
        (Token::Atom, _) if !before.starts_with('"') => {
            problem.help("put an operator such as `&` between them, or quote an atom with a blank in it")
        }
        _ => problem,
    }
}

/// The text ends inside a bracket.
pub(crate) fn unclosed(text: &str, start: u32, close: char) -> Diagnostic {
    let open = &text[start as usize..=start as usize];
    Diagnostic::error(u64::from(start), 1, format!("this `{open}` is not closed"))
        .help(format!("add a `{close}`"))
}

/// A bracket is closed by one of the other kind.
pub(crate) fn mismatched(text: &str, start: u32, expected: char, found: Lexeme) -> Diagnostic {
    let open = &text[start as usize..=start as usize];
    let column = text[..start as usize].chars().count() + 1;
    let message = format!("{} does not close the `{open}` at column {column}", describe(text, found));
    error(found, message).help(format!("write `{expected}`"))
}

/// A closing bracket without an opening one.
pub(crate) fn closes_nothing(found: Lexeme, close: char) -> Diagnostic {
    error(found, format!("this `{close}` closes nothing")).help("remove it, or open a bracket before it")
}

/// More brackets and operators are open than we allow.
pub(crate) fn too_deep(found: Lexeme, most: u32) -> Diagnostic {
    error(found, format!("formula is nested more than {most} levels deep"))
}

fn error(found: Lexeme, message: String) -> Diagnostic {
    Diagnostic::error(u64::from(found.start), (found.end - found.start) as usize, message)
}

fn describe(text: &str, lexeme: Lexeme) -> String {
    const SHOWN: usize = 40;
    let word = lexeme.text(text);
    match lexeme.token {
        Token::End => "the end of the formula".to_owned(),
        _ if word.len() > SHOWN => format!("`{}…`", &word[..word.floor_char_boundary(SHOWN)]),
        _ => format!("`{word}`"),
    }
}

/// Whether the lexeme is one of the letters that people use for atoms, too.
fn is_reserved_letter(text: &str, lexeme: Lexeme) -> bool {
    let word = lexeme.text(text);
    let operator = matches!(lexeme.token, Token::Prefix(_) | Token::Fused(..) | Token::Infix(_));
    operator && word.starts_with(|c: char| c.is_ascii_uppercase()) && word.len() <= 2
}

fn spellings(infix: Infix) -> &'static str {
    match infix {
        Infix::Iff => "`<->`",
        Infix::Implies => "`->`",
        Infix::Or => "`|` or `||`",
        Infix::Xor => "`xor` or `^`",
        Infix::Xnor => "`xnor`",
        Infix::And => "`&` or `&&`",
        Infix::U => "`U`",
        Infix::W => "`W`",
        Infix::R => "`R`",
    }
}
