//! Terminals: whether there are colours, and documents that must not control one.

use anstream::ColorChoice;
use loris_base::is_hidden;
use std::fmt::Write as _;
use std::io::{self, Write};

/// A document on a terminal: all that would control it is shown as an escape. A file or a pipe gets
/// the bytes as they are.
pub(crate) struct Escaping<W> {
    out: W,
    /// the start of a character that was cut off
    rest: Vec<u8>,
}

impl<W: Write> Escaping<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, rest: Vec::new() }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            if is_hidden(c) && !matches!(c, '\n' | '\t') {
                // writing to a string does not fail
                _ = write!(escaped, "\\u{{{:x}}}", c as u32);
            } else {
                escaped.push(c);
            }
        }
        self.out.write_all(escaped.as_bytes())
    }
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let mut left = &all[..];
        while !left.is_empty() {
            let error = match std::str::from_utf8(left) {
                Ok(text) => {
                    self.put(text)?;
                    break;
                }
                Err(error) => error,
            };
            let (valid, others) = left.split_at(error.valid_up_to());
            self.put(&String::from_utf8_lossy(valid))?;
            let Some(length) = error.error_len() else {
                self.rest = others.to_vec();
                break;
            };
            for byte in &others[..length] {
                write!(self.out, "\\x{byte:02x}")?;
            }
            left = &others[length..];
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// When text has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Lets all output follow it.
    pub(crate) fn apply(self) {
        let choice = match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

impl From<Color> for clap::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Escaping;
    use std::io::Write;

    fn check(bytes: &[u8], expected: &str) {
        for size in 1..=bytes.len() {
            let mut out = Escaping::new(Vec::new());
            bytes.chunks(size).for_each(|chunk| out.write_all(chunk).unwrap());
            assert_eq!(String::from_utf8_lossy(&out.out), expected, "{size}");
        }
    }

    #[test]
    fn documents_do_not_control_a_terminal() {
        check("größe\n\t\"a\" 状态\n".as_bytes(), "größe\n\t\"a\" 状态\n");
        check(b"a\x1b[31mb\r\n\x07", "a\\u{1b}[31mb\\u{d}\n\\u{7}");
        check("\u{9b}31m \u{202e}x\u{2066}".as_bytes(), "\\u{9b}31m \\u{202e}x\\u{2066}");
        check(b"\xff\xc3(\x80", "\\xff\\xc3(\\x80");
    }
}
