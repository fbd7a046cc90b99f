//! Findings as bytes, to be kept in files and read back.
//!
//! Numbers are in groups of seven bits, the lowest first; texts are written once, and later named
//! by their number. What is read is checked: there are no bytes that make the reader fail in
//! another way than with `None`, or take more memory than a small multiple of their length. The
//! bytes mean nothing to other versions of Loris: whoever keeps them keeps the version beside them.

mod finding;

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Writes values as bytes.
///
/// ```
/// use loris_findings::{Finding, Level, Outcome, Packer, Unpacker};
/// let finding = Finding::new("leak", Level::Warning, Outcome::Fails, "this stream leaks");
/// let mut packer = Packer::default();
/// assert!(packer.finding(&finding));
/// let bytes = packer.finish();
/// assert_eq!(Unpacker::new(&bytes).finding(), Some(finding));
/// assert_eq!(Unpacker::new(&bytes[1..]).finding(), None);
/// ```
#[derive(Default)]
pub struct Packer {
    bytes: Vec<u8>,
    texts: FxHashMap<Box<str>, u32>,
}

impl Packer {
    /// Writes a number.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Writes the length of a list, or another number of the same kind.
    pub fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// Writes a truth value.
    pub fn flag(&mut self, flag: bool) {
        self.bytes.push(u8::from(flag));
    }

    /// Writes bytes whose number the reader knows.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        if let Some(&known) = self.texts.get(text) {
            self.number(u64::from(known) + 1);
            return;
        }
        self.texts.insert(text.into(), self.texts.len() as u32);
        self.number(0);
        self.count(text.len());
        self.raw(text.as_bytes());
    }

    /// Writes a value that may be missing.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// Writes a list.
    pub fn list<'v, T: 'v>(&mut self, list: &'v [T], mut write: impl FnMut(&mut Self, &'v T)) {
        self.count(list.len());
        for value in list {
            write(self, value);
        }
    }

    /// All that was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads values back, in the order in which they were written.
pub struct Unpacker<'b> {
    bytes: &'b [u8],
    texts: Vec<Arc<str>>,
    /// bytes of texts that may still be copied: a name of a text is shorter than the text
    copies: usize,
}

/// Copies of texts are this many times longer than all bytes at most.
const MOST_COPIED: usize = 1000;

impl<'b> Unpacker<'b> {
    /// Reads bytes from their start.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, texts: Vec::new(), copies: bytes.len().saturating_mul(MOST_COPIED) }
    }

    /// Whether all bytes were read.
    pub fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Reads a number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            let group = u64::from(byte & 0x7f);
            // bits that have no place are a mistake
            if group << shift >> shift != group {
                return None;
            }
            number |= group << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number that is small enough for ids.
    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// Reads the length of a list whose values have a byte each at least.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&count| count <= self.bytes.len())
    }

    /// Reads a truth value.
    pub fn flag(&mut self) -> Option<bool> {
        match self.raw(1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    /// Reads this many bytes.
    pub fn raw(&mut self, count: usize) -> Option<&'b [u8]> {
        let (found, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(found)
    }

    /// Reads a text.
    pub fn text(&mut self) -> Option<Arc<str>> {
        match self.number()? {
            0 => {
                let count = self.count()?;
                let text: Arc<str> = std::str::from_utf8(self.raw(count)?).ok()?.into();
                self.texts.push(text.clone());
                Some(text)
            }
            number => self.texts.get(usize::try_from(number - 1).ok()?).cloned(),
        }
    }

    /// Reads a text to be owned.
    pub fn string(&mut self) -> Option<String> {
        let text = self.text()?;
        self.copies = self.copies.checked_sub(text.len())?;
        Some(text.as_ref().to_owned())
    }

    /// Reads a value that may be missing.
    pub fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Some(None) }
    }

    /// Reads a list.
    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count()?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(read(self)?);
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests;
