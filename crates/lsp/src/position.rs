//! Positions of the protocol: lines from 0 and columns in UTF-16 code units, and byte offsets.
//!
//! A line ends with `\n`, `\r\n` or `\r`. A position past the end of a line is its end, one past
//! the last line is the end of the text, and one between the two halves of a surrogate pair is the
//! start of its character.

use serde_json::{Value, json};

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The line, from 0.
    pub(crate) line: u32,
    /// The column in UTF-16 code units, from 0.
    pub(crate) character: u32,
}

impl Position {
    /// As JSON.
    pub(crate) fn json(self) -> Value {
        json!({"line": self.line, "character": self.character})
    }

    /// From JSON.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        // the protocol bounds both by 2³¹ - 1; larger ones are as good as that
        let number = |key: &str| Some(value.get(key)?.as_u64()?.min(i32::MAX as u64) as u32);
        Some(Self { line: number("line")?, character: number("character")? })
    }
}

/// Byte offsets of a start and an end.
pub(crate) type Span = (usize, usize);

/// Where the lines of a text start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at + 1);
            }
        }
        Self { starts }
    }

    /// The text of a line, without its end.
    pub(crate) fn line<'t>(&self, text: &'t str, line: usize) -> Option<&'t str> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        Some(text[start..end].trim_end_matches(['\r', '\n']))
    }

    /// The position of a byte offset; within a character, that of the character.
    pub(crate) fn position(&self, text: &str, offset: usize) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let before = &text[self.starts[line]..offset];
        let character = before.chars().map(|c| c.len_utf16() as u32).sum();
        Position { line: line as u32, character }
    }

    /// The byte offset of a position.
    pub(crate) fn offset(&self, text: &str, position: Position) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return text.len() };
        let line = self.line(text, position.line as usize).unwrap_or_default();
        let mut units = 0;
        for (at, c) in line.char_indices() {
            units += c.len_utf16() as u32;
            if units > position.character {
                return start + at;
            }
        }
        start + line.len()
    }

    /// The byte offset of a line and a column in characters, both from 1.
    pub(crate) fn offset_of_character(&self, text: &str, line: u32, column: u32) -> usize {
        let number = (line as usize).saturating_sub(1);
        let Some(&start) = self.starts.get(number) else { return text.len() };
        let line = self.line(text, number).unwrap_or_default();
        let mut characters = line.char_indices().map(|(at, _)| at);
        start + characters.nth((column as usize).saturating_sub(1)).unwrap_or(line.len())
    }

    /// A range as JSON.
    pub(crate) fn range(&self, text: &str, (start, end): Span) -> Value {
        let (start, end) = (self.position(text, start), self.position(text, end.max(start)));
        json!({"start": start.json(), "end": end.json()})
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Position};

    fn check(text: &str, offset: usize, line: u32, character: u32) {
        let lines = Lines::new(text);
        let position = Position { line, character };
        assert_eq!(lines.position(text, offset), position, "{text:?} {offset}");
        assert_eq!(lines.offset(text, position), offset, "{text:?} {position:?}");
    }

    #[test]
    fn columns_are_utf_16() {
        check("ab\ncd", 4, 1, 1);
        check("aä𝄞b", 7, 0, 4);
        check("𝄞\r\n𝄞x", 10, 1, 2);
        check("a\rb\r\nc\n", 2, 1, 0);
        check("a\rb\r\nc\n", 5, 2, 0);
        check("a\rb\r\nc\n", 7, 3, 0);
        check("", 0, 0, 0);
    }

    #[test]
    fn positions_outside_are_moved_inside() {
        let offset =
            |text: &str, line, character| Lines::new(text).offset(text, Position { line, character });
        assert_eq!(offset("ab\r\nc", 0, 9), 2);
        assert_eq!(offset("ab\r\nc", 7, 0), 5);
        assert_eq!(offset("𝄞x", 0, 1), 0);
        assert_eq!(Lines::new("ä").position("ä", 1), Position { line: 0, character: 0 });
        assert_eq!(Lines::new("ä").position("ä", 99), Position { line: 0, character: 1 });
    }

    #[test]
    fn columns_in_characters() {
        let text = "x\n𝄞yz";
        assert_eq!(Lines::new(text).offset_of_character(text, 2, 2), 6);
        assert_eq!(Lines::new(text).offset_of_character(text, 2, 99), 8);
        assert_eq!(Lines::new(text).offset_of_character(text, 9, 1), 8);
        assert_eq!(Lines::new(text).offset_of_character(text, 0, 0), 0);
    }
}
