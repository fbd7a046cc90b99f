//! The parts of a line of `.pds`: configurations, elements of `ATOMS`, brackets and ends of lines.

use super::atoms::Element;
use super::scan::{Problem, Scanner, Token};

pub(super) const RULE: &str = "a rule is written `p <a> --> q <b c>`, the top of the stack first";
pub(super) const INITIAL: &str =
    "the initial configuration is written `(p <a b>)`, the top of the stack first";

/// More than this is listed in one place only by mistake.
pub(super) const MOST: usize = 1 << 20;

/// `(control <symbol …>)` or `(control symbol …)`.
pub(super) fn configuration<'t>(scanner: &mut Scanner<'t>) -> Result<(Token<'t>, Vec<Token<'t>>), Problem> {
    if !scanner.take(b'(') {
        return Err(scanner.unexpected("`(`").help(INITIAL));
    }
    let control = scanner.name();
    if control.text.is_empty() {
        return Err(scanner.unexpected("a control state").help(INITIAL));
    }
    let bracket = scanner.take(b'<');
    let mut stack = Vec::new();
    loop {
        let symbol = scanner.name();
        if symbol.text.is_empty() {
            break;
        }
        if stack.len() == MOST {
            return Err(Problem::from(symbol.problem(format!("a stack has at most {MOST} symbols here"))));
        }
        stack.push(symbol);
    }
    if stack.is_empty() {
        return Err(scanner.unexpected("a stack symbol").help(INITIAL));
    }
    if bracket && !scanner.take(b'>') {
        return Err(scanner.unexpected("a stack symbol or `>`").help(INITIAL));
    }
    if !scanner.take(b')') {
        return Err(scanner.unexpected("`)`").help(INITIAL));
    }
    Ok((control, stack))
}

/// A name, `<symbol>`, or `(control <symbol>)`, as `ATOMS` lists them.
pub(super) fn element<'t>(scanner: &mut Scanner<'t>) -> Result<Option<Element<Token<'t>>>, Problem> {
    scanner.blanks();
    match scanner.peek() {
        Some(b'(') => {
            let (control, stack) = configuration(scanner)?;
            match stack[..] {
                [symbol] => Ok(Some(Element::Head(control, symbol))),
                [_, second, ..] => {
                    Err(Problem::from(second.problem("a label is given to a head, which has one symbol")))
                }
                [] => Ok(None),
            }
        }
        Some(b'<') => {
            scanner.take(b'<');
            let symbol = scanner.name();
            if symbol.text.is_empty() {
                return Err(scanner.unexpected("a stack symbol"));
            }
            if !scanner.take(b'>') {
                return Err(scanner.unexpected("`>`"));
            }
            Ok(Some(Element::Symbol(symbol)))
        }
        _ => {
            let name = scanner.name();
            Ok((!name.text.is_empty()).then_some(Element::Name(name)))
        }
    }
}

#[inline]
pub(super) fn open(scanner: &mut Scanner) -> Result<(), Problem> {
    if scanner.take(b'<') { Ok(()) } else { Err(scanner.unexpected("`<`").help(RULE)) }
}

#[inline]
pub(super) fn end_of_line(scanner: &mut Scanner, help: &str) -> Result<(), Problem> {
    if scanner.at_end_of_line() { Ok(()) } else { Err(scanner.unexpected("the end of the line").help(help)) }
}

/// A text with `\n`, `\r` and `\\` as the characters they stand for.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        plain.push(match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    plain
}
