//! The inside of a JSON string: where it stops being plain, and the meaning of its escapes.

use super::stop::Stop;
use loris_base::Diagnostic;
use std::ops::Range;

/// How many bytes at the front need no look: the scan stops at a quote, a backslash, a control
/// character and all that is not ASCII. Eight bytes at a time; in each test a byte may be marked
/// wrongly only above one that is marked rightly, so the lowest mark counts.
#[inline]
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let (words, rest) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let (quote, backslash) = (word ^ (ONES * 0x22), word ^ (ONES * 0x5c));
        let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word;
        let marks = (below(word, 0x20) | below(quote, 1) | below(backslash, 1) | word) & (ONES * 0x80);
        if marks != 0 {
            return 8 * i + marks.trailing_zeros() as usize / 8;
        }
    }
    let stops = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..);
    8 * words.len() + rest.iter().position(stops).unwrap_or(rest.len())
}

/// The content of the string read last: a range of the buffer, or a copy if it had escapes.
#[derive(Default)]
pub(super) struct Text {
    pub(super) range: Range<usize>,
    pub(super) start: u64,
    decoded: Vec<u8>,
    plain: bool,
}

impl Text {
    /// A string without escapes, in this range of the buffer; its opening quote is at `start`.
    #[inline]
    pub(super) fn set_plain(&mut self, range: Range<usize>, start: u64) {
        (self.range, self.start, self.plain) = (range, start, true);
    }

    /// Checks text that is not ASCII and decodes escapes.
    pub(super) fn decode(&mut self, buffer: &[u8], plain: bool, ascii: bool) -> Result<(), Stop> {
        let raw = &buffer[self.range.clone()];
        if !ascii && let Err(error) = std::str::from_utf8(raw) {
            let offset = self.start + 1 + error.valid_up_to() as u64;
            return Err(Diagnostic::error(offset, 1, "this is not valid UTF-8").into());
        }
        self.plain = plain;
        if plain { Ok(()) } else { self.decode_escapes(raw) }
    }

    #[inline]
    pub(super) fn bytes<'a>(&'a self, buffer: &'a [u8]) -> &'a [u8] {
        if self.plain { &buffer[self.range.clone()] } else { &self.decoded }
    }

    fn decode_escapes(&mut self, raw: &[u8]) -> Result<(), Stop> {
        self.decoded.clear();
        let mut i = 0;
        while i < raw.len() {
            if raw[i] != b'\\' {
                self.decoded.push(raw[i]);
                i += 1;
                continue;
            }
            let (c, length) = escape(&raw[i..])
                .map_err(|message| Diagnostic::error(self.start + 1 + i as u64, 2, message))?;
            self.decoded.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            i += length;
        }
        Ok(())
    }
}

/// The problem of a control character in a string.
pub(super) fn control_character(byte: u8, offset: u64) -> Diagnostic {
    if matches!(byte, b'\n' | b'\r') {
        let problem = Diagnostic::error(offset, 1, "a line ends within a string");
        problem.help("close the string, or write the end of a line as \\n")
    } else {
        let problem = Diagnostic::error(offset, 1, format!("control character 0x{byte:02X} in a string"));
        problem.help(format!("write it as \\u{byte:04x}"))
    }
}

/// The character that an escape at the front stands for, and the length of the escape.
fn escape(raw: &[u8]) -> Result<(char, usize), &'static str> {
    let c = match raw.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(raw),
        _ => return Err("there is no such escape"),
    };
    Ok((c, 2))
}

fn unicode(raw: &[u8]) -> Result<(char, usize), &'static str> {
    const ALONE: &str = "half of a surrogate pair";
    let unit = hex(raw, 2).ok_or("\\u needs four hexadecimal digits")?;
    if !(0xD800..0xE000).contains(&unit) {
        return char::from_u32(unit).map(|c| (c, 6)).ok_or(ALONE);
    }
    if unit >= 0xDC00 || raw.get(6..8) != Some(b"\\u") {
        return Err(ALONE);
    }
    let low = hex(raw, 8).filter(|low| (0xDC00..0xE000).contains(low)).ok_or(ALONE)?;
    char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)).map(|c| (c, 12)).ok_or(ALONE)
}

/// Four hexadecimal digits, nothing else: `from_str_radix` would take a sign.
fn hex(raw: &[u8], at: usize) -> Option<u32> {
    raw.get(at..at + 4)?.iter().try_fold(0, |value, &byte| Some(16 * value + (byte as char).to_digit(16)?))
}
