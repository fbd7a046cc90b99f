//! A block of whole lines of `.pds`, in which rules are found and names are numbered within the block.
//!
//! That is most of the work of reading, and blocks do not depend on each other, so that several threads can
//! share it. Only rules as most files write them are read here; all other lines are noted and left to
//! the reader, which takes blocks in order. Linear in the text.

use super::local_names::{LocalName, LocalNames};
use super::rules::Packed;
use super::scan::{in_name, may_end, name_length};
use loris_base::{LONGEST_NAME, NameKey};

/// Zero bytes after the text, so that words can be read past its end. None of them is in a name.
const PADDING: usize = 16;

/// A block of text and what is in it.
#[derive(Default)]
pub(super) struct Block {
    /// whole lines and `PADDING`, if it is not known that they are UTF-8
    pub(super) bytes: Vec<u8>,
    /// the same, if it is
    text: String,
    /// where the block starts in the input
    pub(super) base: usize,
    /// the rules, with numbers of this block, 0 for none, and offsets within it
    pub(super) rules: Vec<Packed>,
    pub(super) controls: LocalNames,
    pub(super) symbols: LocalNames,
    /// the keys of control states and of symbols, in the order of their numbers
    pub(super) control_keys: Vec<NameKey>,
    pub(super) symbol_keys: Vec<NameKey>,
    pub(super) others: Vec<Other>,
}

/// A line that is no plain rule.
pub(super) struct Other {
    /// where it starts in the block, after blanks
    pub(super) at: usize,
    /// how many rules, control states and symbols come before
    pub(super) rules: usize,
    pub(super) controls: usize,
    pub(super) symbols: usize,
}

impl Block {
    /// A block at this place of the input, in the memory of an old one.
    pub(super) fn with_text(mut self, text: Vec<u8>, base: usize) -> Self {
        self.bytes = text;
        self.bytes.extend([0; PADDING]);
        self.base = base;
        self
    }

    /// Gives back the memory of the text.
    pub(super) fn take_memory(&mut self) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.bytes);
        if bytes.capacity() == 0 { std::mem::take(&mut self.text).into_bytes() } else { bytes }
    }

    /// The text; none if it is not UTF-8.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.get(..self.text.len().checked_sub(PADDING)?)
    }

    /// The text that is not UTF-8.
    pub(super) fn foreign(&self) -> &[u8] {
        &self.bytes[..self.bytes.len().saturating_sub(PADDING)]
    }

    /// Finds the rules.
    pub(super) fn scan(&mut self) {
        self.rules.clear();
        self.controls.clear();
        self.symbols.clear();
        self.others.clear();
        match String::from_utf8(std::mem::take(&mut self.bytes)) {
            Ok(text) => self.text = text,
            Err(error) => {
                self.text = String::new();
                self.bytes = error.into_bytes();
                return;
            }
        }
        let text = self.text.as_bytes();
        // the mark that some editors put at the front of a file
        let mut at = if self.base == 0 && self.text.starts_with('\u{feff}') { 3 } else { 0 };
        let end = text.len() - PADDING;
        // numbers of this block have 32 bits
        let is_short = u32::try_from(text.len()).is_ok();
        loop {
            while matches!(text[at], b' ' | b'\t' | b'\r' | b'\n') {
                at += 1;
            }
            if at >= end {
                break;
            }
            let rule = if is_short { plain_rule(text, at) } else { None };
            if let Some((names, next)) = rule {
                let [control, symbol, to, top, below] = names;
                let control = self.controls.same_number(control, text);
                let to = self.controls.same_number(to, text);
                let symbol = self.symbols.number(symbol, text);
                let top = self.symbols.number(top, text);
                let below = self.symbols.number(below, text);
                self.rules.push(Packed { control, symbol, to, top, below, offset: at as u32 });
                at = next;
            } else {
                let (rules, controls, symbols) = (self.rules.len(), self.controls.len(), self.symbols.len());
                self.others.push(Other { at, rules, controls, symbols });
                let rest = &text[at..end];
                at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            }
        }
        let keys = |names: &LocalNames, keys: &mut Vec<NameKey>| {
            keys.clear();
            keys.extend(names.list().iter().map(|name| NameKey::of(name.bytes(text))));
        };
        keys(&self.controls, &mut self.control_keys);
        keys(&self.symbols, &mut self.symbol_keys);
    }
}

/// Eight bytes of a text.
#[inline]
fn word(text: &[u8], at: usize) -> u64 {
    text[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// The length of the name that starts here, and its first eight bytes, with zeros after its end.
#[inline]
fn name(text: &[u8], at: usize) -> (usize, u64) {
    let first = word(text, at);
    let mut bits = may_end(first);
    while bits != 0 {
        let place = bits.trailing_zeros() & !7;
        if !in_name((first >> place) as u8) {
            return (place as usize / 8, first & ((1 << place) - 1));
        }
        bits &= bits - 1;
    }
    (8 + name_length(&text[at + 8..]), first)
}

/// The place after some bytes, if they stand here.
#[inline]
fn after<const N: usize>(text: &[u8], at: usize, bytes: &[u8; N]) -> Option<usize> {
    (text[at..].first_chunk() == Some(bytes)).then_some(at + N)
}

/// A rule that is written as most are, `p <a> --> q <b c>` with one blank between its parts, if one starts here: its
/// control state, symbol, next control state, and the symbols of its word, empty where there is none;
/// and where it ends.
#[inline]
fn plain_rule(text: &[u8], at: usize) -> Option<([LocalName; 5], usize)> {
    if text[at] == b'#' {
        return None;
    }
    let (control, first_control) = name(text, at);
    let symbol = after(text, at + control, b" <")?;
    let (symbol_length, first_symbol) = name(text, symbol);
    let to = after(text, symbol + symbol_length, b"> --> ")?;
    let (to_length, first_to) = name(text, to);
    let top = after(text, to + to_length, b" <")?;
    let (top_length, first_top) = name(text, top);
    let mut end = top + top_length;
    let (mut below, mut below_length, mut first_below) = (end, 0, 0);
    if text[end] == b' ' {
        below = end + 1;
        (below_length, first_below) = name(text, below);
        end = below + below_length;
    }
    end = after(text, end, b">")?;
    let longest = control.max(symbol_length).max(to_length).max(top_length).max(below_length);
    if control == 0
        || symbol_length == 0
        || to_length == 0
        || top_length == 0 && below_length > 0
        || longest > LONGEST_NAME
        || !matches!(text[end], 0 | b'\n' | b'\r')
        || text[end] == 0 && end + PADDING != text.len()
    {
        return None;
    }
    let name = |first: u64, start: usize, length: usize| {
        let last = if length > 8 { word(text, start + length - 8) } else { 0 };
        LocalName { first, last, start: start as u32, length: length as u32 }
    };
    let names = [
        name(first_control, at, control),
        name(first_symbol, symbol, symbol_length),
        name(first_to, to, to_length),
        name(first_top, top, top_length),
        name(first_below, below, below_length),
    ];
    Some((names, end))
}
