//! A cursor over the lines of a text: names, brackets, arrows, and where they stand.

use loris_base::{Diagnostic, Diagnostics, LONGEST_NAME, Names, nearest};

/// Why a line cannot be read, in one word: results that are mostly fine stay small.
pub(super) struct Problem(Box<Diagnostic>);

impl Problem {
    /// Adds a suggestion how to fix it.
    #[cold]
    pub(super) fn help(self, help: &str) -> Self {
        self.0.help(help).into()
    }
}

impl From<Diagnostic> for Problem {
    fn from(problem: Diagnostic) -> Self {
        Self(Box::new(problem))
    }
}

impl From<Problem> for Diagnostic {
    fn from(problem: Problem) -> Self {
        *problem.0
    }
}

/// A name and where it starts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) offset: usize,
}

impl Token<'_> {
    /// A problem with this name.
    pub(super) fn problem(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.offset as u64, self.text.len().max(1), message)
    }
}

/// A name by its bytes: text that is mostly compared need not be looked at as UTF-8.
#[derive(Clone, Copy)]
pub(super) struct Name<'t> {
    pub(super) text: &'t [u8],
    pub(super) offset: usize,
}

impl<'t> From<Token<'t>> for Name<'t> {
    fn from(token: Token<'t>) -> Self {
        Self { text: token.text.as_bytes(), offset: token.offset }
    }
}

/// For every byte, whether a name goes on with it: not past blanks and the brackets of the format.
const IN_NAME: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte <= b' ' as usize {
        table[byte] = false;
        byte += 1;
    }
    let special = b"<>(),;\x7f";
    let mut i = 0;
    while i < special.len() {
        table[special[i] as usize] = false;
        i += 1;
    }
    table
};

/// Whether a byte can stand in a name.
pub(super) fn in_name(byte: u8) -> bool {
    IN_NAME[byte as usize]
}

/// The highest bits of the bytes of a word that may end a name: all but letters, digits, `_`, a few
/// signs, and bytes that are not ASCII.
#[inline]
pub(super) fn may_end(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let low = word & (0x7f * EACH);
    // a sum has its highest bit where the byte is large enough
    let from_at = low + 0x40 * EACH;
    let delete = low + EACH;
    let no_digit = (low ^ (0x30 * EACH)) + 0x76 * EACH;
    (!from_at & no_digit | delete) & !word & (0x80 * EACH)
}

/// How many bytes of a name come first.
#[inline]
pub(super) fn name_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(word) = text[at..].first_chunk::<8>() {
        let mut bits = may_end(u64::from_le_bytes(*word));
        while bits != 0 {
            let place = bits.trailing_zeros() as usize / 8;
            if !in_name(word[place]) {
                return at + place;
            }
            bits &= bits - 1;
        }
        at += 8;
    }
    let rest = &text[at..];
    at + rest.iter().position(|&byte| !in_name(byte)).unwrap_or(rest.len())
}

/// Where reading is.
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// where the text starts in all of the input
    base: usize,
    /// where the first name stands that is too long
    long: Option<usize>,
}

impl<'t> Scanner<'t> {
    /// A cursor at the start of a part of the input, which starts at `base`.
    pub(super) fn new(text: &'t str, base: usize) -> Self {
        // the mark that some editors put at the front of a file
        let marked = base == 0 && text.starts_with('\u{feff}');
        Self { text, at: if marked { 3 } else { 0 }, base, long: None }
    }

    /// A cursor at a place within a part of the input, which starts at `base`.
    pub(super) fn within(text: &'t str, base: usize, at: usize) -> Self {
        Self { text, at, base, long: None }
    }

    /// The next byte, none at the end of the text.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Where this is in the input.
    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.base + self.at
    }

    /// How many lines of this part end before a place of the input.
    pub(super) fn lines_before(&self, offset: usize) -> usize {
        self.text[..offset - self.base].matches('\n').count()
    }

    /// How much text is left.
    pub(super) fn left(&self) -> usize {
        self.text.len() - self.at
    }

    /// The text from a place to here.
    pub(super) fn since(&self, start: usize) -> &'t str {
        &self.text[start - self.base..self.at]
    }

    /// Skips blanks within the line.
    #[inline]
    pub(super) fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips blanks and ends of lines; false at the end of the text.
    pub(super) fn next_item(&mut self) -> bool {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.peek().is_some()
    }

    /// Consumes a byte if it comes next, after blanks.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Consumes an arrow or word if it comes next, after blanks.
    #[inline]
    pub(super) fn take_all(&mut self, word: &str) -> bool {
        self.blanks();
        let there = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        if there {
            self.at += word.len();
        }
        there
    }

    /// The name that comes next after blanks, empty if there is none.
    #[inline]
    pub(super) fn name(&mut self) -> Token<'t> {
        self.blanks();
        let start = self.at;
        let length = name_length(&self.text.as_bytes()[start..]);
        self.at += length;
        if length > LONGEST_NAME {
            return self.cut(start);
        }
        Token { text: &self.text[start..self.at], offset: self.base + start }
    }

    /// A name that is too long, up to where it is.
    #[cold]
    fn cut(&mut self, start: usize) -> Token<'t> {
        self.long.get_or_insert(self.base + start);
        let end = self.text.floor_char_boundary(start + LONGEST_NAME);
        Token { text: &self.text[start..end], offset: self.base + start }
    }

    /// The problems of names since the last call.
    #[inline]
    pub(super) fn too_long(&mut self) -> Option<Diagnostic> {
        let offset = self.long.take()?;
        Some(Diagnostic::error(offset as u64, 1, "this name is longer than 1 MiB"))
    }

    /// Whether the line ends here, after blanks.
    #[inline]
    pub(super) fn at_end_of_line(&mut self) -> bool {
        self.blanks();
        matches!(self.peek(), None | Some(b'\n'))
    }

    /// Goes to the end of the line.
    pub(super) fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    /// Goes past the next byte of this kind, or to the end of the line before it.
    pub(super) fn skip_past(&mut self, end: u8) {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|&byte| byte == end || byte == b'\n').unwrap_or(rest.len());
        self.at += length + usize::from(rest.get(length) == Some(&end));
    }

    /// The rest of the text, consumed.
    pub(super) fn rest(&mut self) -> Token<'t> {
        let start = std::mem::replace(&mut self.at, self.text.len());
        Token { text: &self.text[start..], offset: self.base + start }
    }

    /// A problem here: something else should stand in this place.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: &str) -> Problem {
        self.blanks();
        let rest = &self.text[self.at..];
        let found = match rest.chars().next() {
            None => "the file ends here".to_owned(),
            Some('\n') => "the line ends here".to_owned(),
            Some(char) if char.is_control() => format!("unexpected character {}", char.escape_unicode()),
            Some(char) => format!("unexpected `{char}`"),
        };
        Problem::from(Diagnostic::error(self.offset() as u64, 1, format!("{found}, expected {expected}")))
    }
}

/// Reports a name that no rule has, with the nearest that one has.
pub(super) fn unknown(known: &Names, token: Token, what: &str, problems: &mut Diagnostics) {
    if known.find(token.text).is_some() {
        return;
    }
    let problem = token.problem(format!("no rule has the {what} \"{}\"", token.text));
    // the search looks at all names, and only a hundred problems are shown
    let near = if problems.len() < 100 { nearest(token.text, known.iter()) } else { None };
    problems.push(match near {
        Some(near) => problem.help(format!("did you mean \"{near}\"?")),
        None => problem,
    });
}

#[cfg(test)]
mod tests {
    use super::{in_name, may_end, name_length};

    #[test]
    fn names_end_where_a_byte_does_not_belong() {
        for byte in 0..=255u8 {
            let flagged = may_end(u64::from_le_bytes([b'a', byte, b'9', byte, 0xc3, byte, b'_', byte]));
            assert_eq!(flagged & 0x00ff_00ff_00ff_00ff, 0, "{byte}");
            assert!(in_name(byte) || flagged & 0x8000_8000_8000_8000 == 0x8000_8000_8000_8000, "{byte}");
            for before in 0..20 {
                let mut text = vec![b'a'; before];
                text.extend([byte; 9]);
                let expected = if in_name(byte) { text.len() } else { before };
                assert_eq!(name_length(&text), expected, "{byte} after {before}");
            }
        }
    }
}
