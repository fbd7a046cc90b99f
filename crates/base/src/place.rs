//! From byte offsets to lines, columns and the text around them, in bounded memory.
//!
//! One pass over the source counts lines and characters up to each offset; then a window of at most
//! [`REACH`] bytes to either side is read where the source can be sought. A model of one line of
//! 100 MB costs a scan and a few hundred bytes.

use crate::is_hidden;
use std::io::{self, Read, Seek, SeekFrom};

/// A place in a source as a reader of it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePlace {
    /// The line, from 1.
    pub line: u64,
    /// The character in the line, from 1.
    pub column: u64,
    /// The line left of the place, or the end of that part with `…` before it.
    pub before: String,
    /// The line from the place on, or the beginning of that part with `…` after it.
    pub after: String,
}

/// Bytes read to either side of a place.
const REACH: u64 = 400;
/// Characters shown of a line.
const SHOWN: usize = 120;
const CHUNK: usize = 1 << 16;

/// The places of offsets, which must ascend. An offset past the end is the end.
///
/// ```
/// use loris_base::places;
/// let place = &places(&mut std::io::Cursor::new("ab\ncde"), &[4]).unwrap()[0];
/// assert_eq!((place.line, place.column), (2, 2));
/// assert_eq!((&*place.before, &*place.after), ("c", "de"));
/// ```
pub fn places(source: &mut (impl Read + Seek), offsets: &[u64]) -> io::Result<Vec<LinePlace>> {
    let counts = count(source, offsets)?;
    counts.iter().map(|count| look(source, count)).collect()
}

/// The lines of offsets, which must ascend, counted from 1.
pub fn lines(source: &mut (impl Read + Seek), offsets: &[u64]) -> io::Result<Vec<u64>> {
    Ok(count(source, offsets)?.iter().map(|count| count.line).collect())
}

/// The position of an offset, found in one pass.
#[derive(Clone, Copy)]
struct Count {
    offset: u64,
    line: u64,
    column: u64,
    line_start: u64,
}

fn count(source: &mut (impl Read + Seek), offsets: &[u64]) -> io::Result<Vec<Count>> {
    source.seek(SeekFrom::Start(0))?;
    let mut here = Count { offset: 0, line: 1, column: 1, line_start: 0 };
    let mut counts = Vec::with_capacity(offsets.len());
    let mut chunk = vec![0; CHUNK];
    while counts.len() < offsets.len() {
        let read = match source.read(&mut chunk) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if read == 0 {
            counts.resize(offsets.len(), here);
            break;
        }
        let mut rest = &chunk[..read];
        while let Some(&offset) = offsets.get(counts.len()) {
            let Some(head) = rest.get(..offset.saturating_sub(here.offset) as usize) else { break };
            here.pass(head);
            counts.push(here);
            rest = &rest[head.len()..];
        }
        here.pass(rest);
    }
    Ok(counts)
}

impl Count {
    fn pass(&mut self, bytes: &[u8]) {
        let mut tail = bytes;
        if let Some(last) = bytes.iter().rposition(|&byte| byte == b'\n') {
            self.line += bytes[..=last].split(|&byte| byte == b'\n').count() as u64 - 1;
            self.column = 1;
            self.line_start = self.offset + last as u64 + 1;
            tail = &bytes[last + 1..];
        }
        self.offset += bytes.len() as u64;
        // a byte-order mark is not a character of the first line
        if self.offset == bytes.len() as u64 {
            tail = tail.strip_prefix(b"\xef\xbb\xbf").unwrap_or(tail);
        }
        // every byte but the continuations of UTF-8 starts a character
        self.column += tail.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64;
    }
}

fn look(source: &mut (impl Read + Seek), count: &Count) -> io::Result<LinePlace> {
    let start = count.line_start.max(count.offset.saturating_sub(REACH));
    source.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    source.take(count.offset - start + REACH).read_to_end(&mut bytes)?;
    let (before, after) = bytes.split_at(bytes.len().min((count.offset - start) as usize));
    let line_end = after.iter().position(|&byte| byte == b'\n');
    let after = after[..line_end.unwrap_or(after.len())].trim_ascii_end();
    let (before, mut after) = (shown(before), shown(after));
    // a side that is short leaves its room to the other
    let (left, right) = (before.chars().count(), after.chars().count());
    let hidden = left.saturating_sub(SHOWN.saturating_sub(right).max(SHOWN / 2));
    let before = if start > count.line_start || hidden > 0 {
        "…".chars().chain(before.chars().skip(hidden.max(1))).collect()
    } else {
        before
    };
    if let Some((cut, _)) = after.char_indices().nth(SHOWN.saturating_sub(left).max(SHOWN / 2)) {
        after.truncate(cut);
        after.push('…');
    }
    Ok(LinePlace { line: count.line, column: count.column, before, after })
}

/// Text that is safe on a terminal and stays on its line, character by character, so that carets
/// fit: characters that steer either, and bytes that are not UTF-8, become `�`.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    text.chars().map(|c| if c != '\t' && is_hidden(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::places;
    use std::io::Cursor;

    fn check(source: &[u8], offset: u64, expected: (u64, u64, &str, &str)) {
        let place = &places(&mut Cursor::new(source), &[offset]).unwrap()[0];
        assert_eq!((place.line, place.column, &*place.before, &*place.after), expected);
    }

    #[test]
    fn counts_lines_and_characters() {
        check(b"", 0, (1, 1, "", ""));
        check(b"a\nb", 1, (1, 2, "a", ""));
        check(b"a\nb", 2, (2, 1, "", "b"));
        check(b"a\nb\n", 99, (3, 1, "", ""));
        check("äö\nüx".as_bytes(), 7, (2, 2, "ü", "x"));
        check(b"one\r\ntwo\r\n", 6, (2, 2, "t", "wo"));
        check("\u{feff}ab".as_bytes(), 4, (1, 2, "a", "b"));
        check("\u{feff}a\nb".as_bytes(), 5, (2, 1, "", "b"));
        check("\u{feff}".as_bytes(), 0, (1, 1, "", ""));
        check(b"\tx\x1b[31m\xff", 1, (1, 2, "\t", "x\u{fffd}[31m\u{fffd}"));
    }

    #[test]
    fn cuts_long_lines() {
        let line = "x".repeat(1 << 20);
        let offset = 700_000;
        let place = &places(&mut Cursor::new(&line), &[offset]).unwrap()[0];
        assert_eq!((place.line, place.column), (1, offset + 1));
        assert_eq!((place.before.chars().count(), place.after.chars().count()), (61, 61));
        assert!(place.before.starts_with('…') && place.after.ends_with('…'));
    }

    #[test]
    fn many_offsets_across_chunks() {
        let source = "0123456789abcde\n".repeat(20_000);
        let offsets: Vec<u64> = (0..20_000).map(|i| 16 * i + i % 16).collect();
        let places = places(&mut Cursor::new(&source), &offsets).unwrap();
        for (i, place) in places.iter().enumerate() {
            assert_eq!((place.line, place.column), (i as u64 + 1, (i % 16) as u64 + 1));
        }
    }
}
