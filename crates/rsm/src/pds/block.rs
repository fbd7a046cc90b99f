//! A block of whole lines of `.pds`, in which rules are found and names are numbered within the
//! block.
//!
//! That is most of the work of reading, on tables that stay in the nearest caches. Only rules as
//! most files write them are read here; all other lines are noted and left to the reader. Linear in
//! the text.

use super::local_names::{LocalName, LocalNames};
use super::rules::Packed;
use super::scan::{in_name, may_end, name_length};
use loris_base::{LONGEST_NAME, NameKey};

/// Zero bytes after the text, so that words can be read past its end. None of them is in a name.
const PADDING: usize = 16;

/// A block of text and its rules.
#[derive(Default)]
pub(super) struct Block {
    /// whole lines and `PADDING`
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

/// A line that is not a plain rule.
pub(super) struct Other {
    /// where it starts in the block, after blanks
    pub(super) at: usize,
    /// how many rules, control states and symbols come before
    pub(super) rules: usize,
    pub(super) controls: usize,
    pub(super) symbols: usize,
}

impl Block {
    /// Finds the rules of a text at this place of the input.
    pub(super) fn scan(&mut self, text: &str, base: usize) {
        self.rules.clear();
        self.controls.clear();
        self.symbols.clear();
        self.others.clear();
        self.base = base;
        self.text.clear();
        self.text.push_str(text);
        self.text.extend(['\0'; PADDING]);
        let text = self.text.as_bytes();
        // the mark that some editors put at the front of a file
        let mut at = if self.base == 0 && self.text.starts_with('\u{feff}') { 3 } else { 0 };
        let end = text.len() - PADDING;
        // numbers of this block have 32 bits
        let is_short = u32::try_from(text.len()).is_ok();
        let mut usual = Usual::default();
        loop {
            while matches!(text[at], b' ' | b'\t' | b'\r' | b'\n') {
                at += 1;
            }
            if at >= end {
                break;
            }
            let rule = if is_short { plain_rule(text, at, &usual) } else { None };
            if let Some(Plain { control, symbol, to, top, below, end: next }) = rule {
                let control = usual.number(&mut self.controls, control, text);
                let to = usual.number(&mut self.controls, to, text);
                let symbol = self.symbols.number(symbol.name(text), text);
                let top = self.symbols.number(top.name(text), text);
                let below = if below.length > 0 { self.symbols.number(below.name(text), text) } else { 0 };
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

/// A part of the text that is a name, with its first eight bytes, zeros after its end.
#[derive(Clone, Copy, Default)]
struct Span {
    start: usize,
    length: usize,
    first: u64,
}

impl Span {
    fn end(self) -> usize {
        self.start + self.length
    }

    #[inline]
    fn name(self, text: &[u8]) -> LocalName {
        let last = if self.length > 8 { word(text, self.end() - 8) } else { 0 };
        LocalName { first: self.first, last, start: self.start as u32, length: self.length as u32 }
    }
}

/// The name that starts here, which may be empty.
#[inline]
fn name(text: &[u8], start: usize) -> Span {
    let first = word(text, start);
    let bits = may_end(first);
    let place = bits.trailing_zeros() & 0x38;
    if bits != 0 && !in_name((first >> place) as u8) {
        return Span { start, length: place as usize / 8, first: first & ((1 << place) - 1) };
    }
    long_name(text, start)
}

/// The same for a name that is long or has unusual characters.
#[inline(never)]
fn long_name(text: &[u8], start: usize) -> Span {
    let length = name_length(&text[start..]);
    let first = word(text, start);
    let first = if length < 8 { first & ((1 << (8 * length)) - 1) } else { first };
    Span { start, length, first }
}

/// The control state that was met last, with the symbol after it: most systems have few of them.
#[derive(Default)]
struct Usual {
    /// its name and ` <`, in a word, and the bits of the word that these are
    pattern: u64,
    mask: u64,
    length: usize,
    /// 0 if there is none
    number: u32,
}

/// A control state of a rule: its number, if it is the usual one.
#[derive(Clone, Copy)]
enum Met {
    Known(u32),
    Other(Span),
}

impl Usual {
    /// The control state that starts here and is followed by ` <`, and where its symbols start.
    #[inline]
    fn meet(&self, text: &[u8], at: usize) -> Option<(Met, usize)> {
        if word(text, at) & self.mask == self.pattern && self.number != 0 {
            return Some((Met::Known(self.number), at + self.length + 2));
        }
        let span = name(text, at);
        let next = after(text, span.end(), b" <")?;
        (span.length > 0 && span.length <= LONGEST_NAME).then_some((Met::Other(span), next))
    }

    /// The number of a control state, which becomes the usual one if it is short.
    #[inline]
    fn number(&mut self, names: &mut LocalNames, met: Met, text: &[u8]) -> u32 {
        match met {
            Met::Known(number) => number,
            Met::Other(span) => self.change(names, span, text),
        }
    }

    #[inline(never)]
    fn change(&mut self, names: &mut LocalNames, span: Span, text: &[u8]) -> u32 {
        let number = names.number(span.name(text), text);
        if span.length <= 6 {
            let end = 8 * span.length;
            let pattern = span.first | u64::from(u16::from_le_bytes(*b" <")) << end;
            let mask = u64::MAX >> (48 - end);
            *self = Self { pattern, mask, length: span.length, number };
        }
        number
    }
}

/// The place after some bytes, if they stand here.
#[inline]
fn after<const N: usize>(text: &[u8], at: usize, bytes: &[u8; N]) -> Option<usize> {
    (text[at..].first_chunk() == Some(bytes)).then_some(at + N)
}

/// A rule that is written as most are, and where it ends; the symbols of its word are empty where
/// there is none.
struct Plain {
    control: Met,
    symbol: Span,
    to: Met,
    top: Span,
    below: Span,
    end: usize,
}

/// The rule that starts here, if it is written `p <a> --> q <b c>` with one blank between its
/// parts.
#[inline]
fn plain_rule(text: &[u8], at: usize, usual: &Usual) -> Option<Plain> {
    if text[at] == b'#' {
        return None;
    }
    let (control, start) = usual.meet(text, at)?;
    let symbol = name(text, start);
    let (to, start) = usual.meet(text, after(text, symbol.end(), b"> --> ")?)?;
    let top = name(text, start);
    let (mut end, mut below) = (top.end(), Span::default());
    if text[end] == b' ' {
        below = name(text, end + 1);
        end = below.end();
    }
    end = after(text, end, b">")?;
    if symbol.length == 0
        || top.length == 0 && below.length > 0
        || symbol.length.max(top.length).max(below.length) > LONGEST_NAME
        || !matches!(text[end], 0 | b'\n' | b'\r')
        || text[end] == 0 && end + PADDING != text.len()
    {
        return None;
    }
    Some(Plain { control, symbol, to, top, below, end })
}
