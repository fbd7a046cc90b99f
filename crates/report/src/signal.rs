//! Variables of a Value Change Dump: kinds, names and values.

use std::fmt::{self, Write};

/// A variable of a run.
pub(crate) struct Signal {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// How the values of a variable are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bit,
    /// a word of this many bits
    Word(u32),
    /// a number of 32 or 64 bits
    Integer(u32),
    /// anything else
    Text,
}

impl Kind {
    /// The kind that suits one value. 0 and 1 are bits, or else numbers.
    pub(crate) fn of(value: &str, has_bits: bool) -> Self {
        match value {
            "0" | "1" if has_bits => Kind::Bit,
            "TRUE" | "FALSE" => Kind::Bit,
            _ => match (word(value), value.parse::<i64>()) {
                (Some((width, _)), _) => Kind::Word(width),
                (None, Ok(number)) => Kind::Integer(if i32::try_from(number).is_ok() { 32 } else { 64 }),
                (None, Err(_)) => Kind::Text,
            },
        }
    }

    /// The kind that suits the values of both.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Kind::Integer(a), Kind::Integer(b)) => Kind::Integer(a.max(b)),
            (a, b) if a == b => a,
            _ => Kind::Text,
        }
    }

    /// The type and the width that declare such a variable.
    pub(crate) fn declaration(self) -> String {
        match self {
            Kind::Bit => "wire 1".to_owned(),
            Kind::Word(width) => format!("reg {width}"),
            Kind::Integer(width) => format!("integer {width}"),
            Kind::Text => "string 1".to_owned(),
        }
    }

    /// Writes a line on a value of this kind, or on none.
    pub(crate) fn write_change(self, value: Option<&str>, id: &str, out: &mut String) -> fmt::Result {
        match (self, value) {
            (Kind::Bit, value) => {
                let bit = match value {
                    Some("1" | "TRUE") => '1',
                    Some(_) => '0',
                    None => 'x',
                };
                writeln!(out, "{bit}{id}")
            }
            (Kind::Word(_) | Kind::Integer(_), None) => writeln!(out, "bx {id}"),
            (Kind::Word(width), Some(value)) => {
                binary(word(value).map_or(0, |(_, bits)| bits), width, id, out)
            }
            (Kind::Integer(width), Some(value)) => binary(value.parse().unwrap_or(0), width, id, out),
            (Kind::Text, value) => writeln!(out, "s{} {id}", escaped(value.unwrap_or_default())),
        }
    }
}

/// Writes a number in two's complement, without leading zeros.
fn binary(number: i128, width: u32, id: &str, out: &mut String) -> fmt::Result {
    let mask = if width < 128 { (1u128 << width) - 1 } else { u128::MAX };
    writeln!(out, "b{:b} {id}", number.cast_unsigned() & mask)
}

/// The width and the number of a word such as `0ud8_12` or `-0sd8_3`, if it has at most 128 bits.
fn word(text: &str) -> Option<(u32, i128)> {
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let rest = unsigned.strip_prefix("0ud").or_else(|| unsigned.strip_prefix("0sd"))?;
    let (width, digits) = rest.split_once('_')?;
    let width: u32 = width.parse().ok().filter(|width| (1..=128).contains(width))?;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // more than an i128 holds is text
    Some((width, format!("{sign}{digits}").parse().ok()?))
}

/// The short name of the signal with a number: printable characters, the first changes fastest.
pub(crate) fn id(number: usize) -> String {
    let (first, count) = (b'!', 94);
    let mut id = String::new();
    let mut rest = number;
    loop {
        id.push(char::from(first + (rest % count) as u8));
        rest /= count;
        if rest == 0 {
            return id;
        }
        rest -= 1;
    }
}

/// A name as one token. Viewers take `:` for a part of a range and `[3]` at the end of a name for a
/// bit of a vector: the index stays where the variable is a bit, and is written `(3)` elsewhere.
/// Other characters that could be misunderstood are `%` and two hexadecimal digits.
pub(crate) fn name(name: &str, kind: Kind) -> String {
    let is_bit = kind == Kind::Bit && has_index(name);
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'[' | b']' if is_bit => out.push(char::from(byte)),
            b'[' => out.push('('),
            b']' => out.push(')'),
            b'%' | b'$' | b':' | b'\\' | b'(' | b')' => push_hex(&mut out, "%", byte),
            b'!'..=b'~' => out.push(char::from(byte)),
            _ => push_hex(&mut out, "%", byte),
        }
    }
    // no name is written like this
    if out.is_empty() { "%".to_owned() } else { out }
}

/// Whether a name ends with one number in brackets, and has no other brackets.
fn has_index(name: &str) -> bool {
    let inner = name.strip_suffix(']').and_then(|rest| rest.split_once('['));
    inner.is_some_and(|(base, index)| {
        let is_number = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
        is_number && !base.is_empty() && !base.contains(']')
    })
}

/// Text as one token, with escapes such as `\x20`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'!'..=b'~' => out.push(char::from(byte)),
            _ => push_hex(&mut out, "\\x", byte),
        }
    }
    out
}

fn push_hex(out: &mut String, before: &str, byte: u8) {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0').to_ascii_uppercase();
    out.push_str(before);
    out.extend([digit(byte >> 4), digit(byte & 15)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, declaration: &str, change: &str) {
        let kind = Kind::of(value, false);
        let mut out = String::new();
        kind.write_change(Some(value), "!", &mut out).unwrap();
        assert_eq!((&*kind.declaration(), &*out), (declaration, &*format!("{change}\n")), "{value}");
    }

    #[test]
    fn values() {
        check("TRUE", "wire 1", "1!");
        check("FALSE", "wire 1", "0!");
        check("1", "integer 32", "b1 !");
        check("-1", "integer 32", &format!("b{} !", "1".repeat(32)));
        check("4294967296", "integer 64", &format!("b1{} !", "0".repeat(32)));
        check("0ud8_12", "reg 8", "b1100 !");
        check("0sd8_3", "reg 8", "b11 !");
        check("-0sd8_128", "reg 8", "b10000000 !");
        check("0ud8_", "string 1", "s0ud8_ !");
        check("a b\n\u{e9}\\", "string 1", "sa\\x20b\\x0A\\xC3\\xA9\\\\ !");
        assert_eq!(Kind::of("1", true), Kind::Bit);
        assert_eq!(Kind::of("1", false).or(Kind::of("idle", false)), Kind::Text);
    }

    #[test]
    fn names() {
        let check = |given: &str, kind, expected: &str| assert_eq!(name(given, kind), expected);
        check("state<3>", Kind::Bit, "state<3>");
        check("data[3]", Kind::Bit, "data[3]");
        check("data[3]", Kind::Text, "data(3)");
        check("data(3)", Kind::Text, "data%283%29");
        check("data[3][4]", Kind::Bit, "data(3)(4)");
        check("data[a]", Kind::Bit, "data(a)");
        check("", Kind::Bit, "%");
        check("$end", Kind::Bit, "%24end");
        check("a:b", Kind::Bit, "a%3Ab");
        check("a b\n\u{e9}%", Kind::Bit, "a%20b%0A%C3%A9%25");
    }

    #[test]
    fn ids_differ() {
        let ids: std::collections::BTreeSet<String> = (0..20_000).map(id).collect();
        assert_eq!(ids.len(), 20_000);
        assert_eq!((&*id(0), &*id(93), &*id(94)), ("!", "~", "!!"));
    }
}
