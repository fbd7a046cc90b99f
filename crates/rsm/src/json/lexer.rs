//! The JSON lexer: pulls values out of a buffer that slides over the input.
//!
//! Invariant: `buffer[at..end]` is the text that was read and not yet consumed, and `base` is the
//! offset of `buffer[0]` in the input. A string that crosses the end of the buffer is moved to its
//! front; the buffer grows only for strings longer than itself, which are limited to [`LONGEST`]
//! bytes.

use super::stop::Stop;
use super::string::{self, Text};
use loris_base::Diagnostic;
use std::io::{ErrorKind, Read};

/// The longest string, in bytes as it is written.
pub(super) const LONGEST: usize = 1 << 20;

/// The deepest nesting of values that are skipped.
const DEEPEST: usize = 1024;

pub(super) struct Lexer<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    base: u64,
    text: Text,
}

impl<R: Read> Lexer<R> {
    pub(super) fn new(input: R, chunk: usize) -> Self {
        let buffer = vec![0; chunk.max(1)];
        Self { input, buffer, at: 0, end: 0, base: 0, text: Text::default() }
    }

    /// The offset of the buffer's text; it changes when more is read.
    #[inline]
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// The offset of the next byte.
    #[inline]
    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Reads more; false at the end of the input. Text that was not consumed moves to the front.
    #[cold]
    fn fill(&mut self) -> Result<bool, Stop> {
        self.buffer.copy_within(self.at..self.end, 0);
        self.base += self.at as u64;
        self.end -= self.at;
        self.at = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The next byte, not consumed; none at the end of the input.
    fn byte(&mut self) -> Result<Option<u8>, Stop> {
        if self.at == self.end && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.at]))
    }

    /// The next byte after white space, not consumed; none at the end of the input.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Stop> {
        match self.buffer[self.at..self.end] {
            [byte, ..] if byte > b' ' => Ok(Some(byte)),
            [b' ', byte, ..] if byte > b' ' => {
                self.at += 1;
                Ok(Some(byte))
            }
            _ => self.peek_far(),
        }
    }

    fn peek_far(&mut self) -> Result<Option<u8>, Stop> {
        loop {
            let rest = &self.buffer[self.at..self.end];
            if let Some(blanks) = rest.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
                self.at += blanks;
                return Ok(Some(rest[blanks]));
            }
            self.at = self.end;
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Consumes the byte that was peeked at.
    #[inline]
    pub(super) fn bump(&mut self) {
        self.at += 1;
    }

    /// Skips the mark that some editors put at the front of a file.
    pub(super) fn byte_order_mark(&mut self) -> Result<(), Stop> {
        while self.end < 3 && self.fill()? {}
        if self.buffer[..self.end].starts_with(b"\xEF\xBB\xBF") {
            self.at = 3;
        }
        Ok(())
    }

    /// A syntax error: something else should stand here.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: &str) -> Stop {
        let found = match self.peek() {
            Err(stop) => return stop,
            Ok(found) => found,
        };
        let message = match found {
            None => format!("the file ends here, expected {expected}"),
            Some(byte @ 0x21..=0x7e) => format!("unexpected `{}`, expected {expected}", byte as char),
            Some(byte) => format!("unexpected byte 0x{byte:02X}, expected {expected}"),
        };
        let problem = Diagnostic::error(self.offset(), 1, message);
        match found {
            Some(0 | 0x80..) => problem.help("a model is a text in UTF-8").into(),
            _ => problem.into(),
        }
    }

    /// Reads the string that starts here; [`Lexer::text`] is its content until the next call.
    #[inline]
    pub(super) fn string(&mut self) -> Result<u64, Stop> {
        let from = self.at + 1;
        let rest = self.buffer.get(from..self.end).unwrap_or_default();
        let length = string::plain_run(rest);
        if rest.get(length) != Some(&b'"') || length > LONGEST {
            return self.long_string();
        }
        let start = self.offset();
        self.text.set_plain(from..from + length, start);
        self.at = from + length + 1;
        Ok(start)
    }

    /// Reads a string that has escapes or more than ASCII, or goes on past the buffer.
    fn long_string(&mut self) -> Result<u64, Stop> {
        let start = self.offset();
        let (mut plain, mut ascii, mut length) = (true, true, 0);
        loop {
            let from = self.at + 1 + length;
            let rest = self.buffer.get(from..self.end).unwrap_or_default();
            let run = string::plain_run(rest);
            length += run;
            match rest.get(run) {
                Some(b'"') => break,
                Some(b'\\') if run + 1 < rest.len() => {
                    plain = false;
                    length += 2;
                }
                Some(0x80..) => {
                    ascii = false;
                    length += rest[run..].iter().take_while(|byte| **byte >= 0x80).count();
                }
                None | Some(b'\\') => {
                    if length > LONGEST {
                        break;
                    }
                    if !self.fill()? {
                        return Err(Diagnostic::error(start, 1, "the file ends within this string").into());
                    }
                }
                Some(&byte) => return Err(string::control_character(byte, start + 1 + length as u64).into()),
            }
        }
        if length > LONGEST {
            return Err(Diagnostic::error(start, 1, "this string is longer than 1 MiB").into());
        }
        let content = self.at + 1..self.at + 1 + length;
        self.text.set_plain(content.clone(), start);
        self.text.decode(&self.buffer, plain, ascii)?;
        self.at = content.end + 1;
        Ok(start)
    }

    /// The content of the string read last.
    #[inline]
    pub(super) fn text(&self) -> &[u8] {
        self.text.bytes(&self.buffer)
    }

    /// Where the string read last starts, and its length with quotes as it is written.
    #[inline]
    pub(super) fn text_span(&self) -> (u64, usize) {
        (self.text.start, self.text.range.len() + 2)
    }

    /// Reads a value that is neither object nor array.
    pub(super) fn scalar(&mut self) -> Result<(), Stop> {
        match self.peek()? {
            Some(b'"') => self.string().map(|_| ()),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number().map(|_| ()),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn word(&mut self, word: &'static [u8]) -> Result<(), Stop> {
        let start = self.offset();
        for &expected in word {
            match self.byte()? {
                Some(byte) if byte == expected => self.bump(),
                None => return Err(self.unexpected("the rest of a value")),
                Some(_) => {
                    let word = String::from_utf8_lossy(word);
                    let problem = Diagnostic::error(start, 1, "this is not a JSON value");
                    return Err(problem.help(format!("did you mean `{word}`?")).into());
                }
            }
        }
        Ok(())
    }

    /// Reads a number. The value of digits alone, saturated; none if there is a sign, a fraction or
    /// an exponent.
    pub(super) fn number(&mut self) -> Result<Option<u64>, Stop> {
        let mut plain = true;
        let mut value = 0;
        if self.byte()? == Some(b'-') {
            plain = false;
            self.bump();
        }
        if self.byte()? == Some(b'0') {
            self.bump();
        } else {
            value = self.digits()?;
        }
        if self.byte()? == Some(b'.') {
            plain = false;
            self.bump();
            self.digits()?;
        }
        if matches!(self.byte()?, Some(b'e' | b'E')) {
            plain = false;
            self.bump();
            if matches!(self.byte()?, Some(b'+' | b'-')) {
                self.bump();
            }
            self.digits()?;
        }
        Ok(plain.then_some(value))
    }

    /// Reads digits. Their value, saturated.
    fn digits(&mut self) -> Result<u64, Stop> {
        if !matches!(self.byte()?, Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        let mut value: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.byte()? {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.bump();
        }
        Ok(value)
    }

    /// Goes to the next key of an object whose brace is consumed; false if the object ends here.
    #[inline]
    pub(super) fn key(&mut self, first: &mut bool) -> Result<bool, Stop> {
        if !self.more(b'}', first)? {
            return Ok(false);
        }
        if self.peek()? != Some(b'"') {
            return Err(self.unexpected("a key in quotes"));
        }
        self.string()?;
        Ok(true)
    }

    /// Consumes the colon after a key.
    #[inline]
    pub(super) fn colon(&mut self) -> Result<(), Stop> {
        if self.peek()? != Some(b':') {
            return Err(self.unexpected("`:` after a key"));
        }
        self.bump();
        Ok(())
    }

    /// Goes to the next element of an array whose bracket is consumed; false if the array ends
    /// here.
    #[inline]
    pub(super) fn element(&mut self, first: &mut bool) -> Result<bool, Stop> {
        self.more(b']', first)
    }

    #[inline]
    fn more(&mut self, close: u8, first: &mut bool) -> Result<bool, Stop> {
        let next = self.peek()?;
        if next == Some(close) {
            self.bump();
            Ok(false)
        } else if std::mem::replace(first, false) {
            Ok(true)
        } else if next == Some(b',') {
            self.bump();
            if self.peek()? == Some(close) {
                return Err(self.unexpected("something after the comma"));
            }
            Ok(true)
        } else {
            Err(self.unexpected(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" }))
        }
    }

    /// Skips a value of any kind and depth.
    pub(super) fn skip(&mut self) -> Result<(), Stop> {
        // the closing brackets that are due
        let mut open: Vec<u8> = Vec::new();
        loop {
            let mut first = false;
            match self.peek()? {
                Some(bracket @ (b'{' | b'[')) => {
                    if open.len() == DEEPEST {
                        let message = format!("values are nested deeper than {DEEPEST} levels");
                        return Err(Diagnostic::error(self.offset(), 1, message).into());
                    }
                    self.bump();
                    open.push(bracket + 2);
                    first = true;
                }
                _ => self.scalar()?,
            }
            loop {
                let Some(&close) = open.last() else { return Ok(()) };
                if close == b']' && self.element(&mut first)? {
                    break;
                }
                if close == b'}' && self.key(&mut first)? {
                    self.colon()?;
                    break;
                }
                open.pop();
                first = false;
            }
        }
    }
}
