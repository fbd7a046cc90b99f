//! A position in a file, line by line and byte by byte.

use super::Written;
use loris_base::{Diagnostic, Diagnostics};

/// The largest number of a variable: a literal is twice that, plus one.
const MAX_CODE: u64 = u32::MAX as u64 - 2;

pub(super) struct Cursor<'t> {
    bytes: &'t [u8],
    pub(super) at: usize,
    pub(super) problems: Diagnostics,
}

/// A line without its end, and where it starts.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) text: &'t [u8],
    pub(super) offset: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, at: 0, problems: Diagnostics::default() }
    }

    pub(super) fn rest(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next line; `None` at the end of the file.
    pub(super) fn line(&mut self) -> Option<Line<'t>> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|&byte| byte == b'\n');
        let text = &rest[..end.unwrap_or(rest.len())];
        let offset = self.at;
        self.at += text.len() + usize::from(end.is_some());
        Some(Line { text: text.strip_suffix(b"\r").unwrap_or(text), offset })
    }

    /// A number of seven bits a byte, the lowest first, as binary files write differences.
    pub(super) fn delta(&mut self) -> Option<u32> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let &byte = self.bytes.get(self.at)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).ok();
            }
        }
        None
    }

    pub(super) fn problem(&mut self, offset: usize, length: usize, message: impl Into<String>) {
        self.problems.push(Diagnostic::error(offset as u64, length, message));
    }

    /// The numbers of a line, between `least` and `most` of them; problems are added.
    pub(super) fn numbers(
        &mut self,
        line: Line<'_>,
        (least, most): (usize, usize),
        what: &str,
    ) -> Option<Vec<Written>> {
        let mut numbers = Vec::with_capacity(most);
        let mut at = 0;
        while at < line.text.len() {
            let word = &line.text[at..];
            let length = word.iter().position(|&byte| byte == b' ').unwrap_or(word.len());
            let offset = line.offset + at;
            if numbers.len() == most {
                self.problem(offset, word.len(), format!("{what} ends before this"));
                return None;
            }
            let digits = &word[..length];
            let value =
                std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
            let value = value.and_then(|text| text.parse::<u64>().ok()).filter(|&value| value <= MAX_CODE);
            let Some(value) = value else {
                self.problem(
                    offset,
                    length.max(1),
                    format!("{what} needs a number here, of at most {MAX_CODE}"),
                );
                return None;
            };
            numbers.push(Written { code: value as u32, offset: offset as u64 });
            at += length + 1;
        }
        if numbers.len() < least || line.text.ends_with(b" ") {
            let length = line.text.len().max(1);
            self.problem(
                line.offset,
                length,
                format!("{what} has {} numbers, where {least} are needed", numbers.len()),
            );
            return None;
        }
        Some(numbers)
    }
}
