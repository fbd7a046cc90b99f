//! Splits a line of an `.aut` file: numbers, and labels with or without quotes.
//!
//! Labels are not escaped in this format, so that only what follows shows where one ends. A label
//! in quotes ends at the first quote after which the rest of a transition follows: a comma, a
//! number, a closing parenthesis, and then the end of the line or another transition. A label
//! without quotes ends likewise, at the first such comma that is not within parentheses of the
//! label; if these do not match, nothing is guessed.

/// A position in the bytes of a file.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
}

/// A number of the file, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Value(u32),
    TooLarge,
    Missing,
}

impl<'t> Cursor<'t> {
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips blanks, not ends of lines.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips blanks and ends of lines.
    #[inline]
    pub(super) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Passes a byte, if it comes next.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Passes a number.
    #[inline]
    pub(super) fn number(&mut self) -> Number {
        let start = self.at;
        let mut value = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        match u32::try_from(value) {
            _ if self.at == start => Number::Missing,
            // the largest number is left free, for ids
            Ok(value) if value < u32::MAX => Number::Value(value),
            _ => Number::TooLarge,
        }
    }

    /// Where the line ends.
    pub(super) fn line_end(&self) -> usize {
        let rest = &self.text[self.at..];
        self.at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
    }

    /// The label that starts here, and the cursor at the comma after it; nothing if no transition
    /// is completed in this line.
    #[inline]
    pub(super) fn label(self) -> Option<(&'t [u8], Cursor<'t>)> {
        if self.peek() == Some(b'"') { self.quoted() } else { self.unquoted() }
    }

    fn quoted(self) -> Option<(&'t [u8], Cursor<'t>)> {
        let start = self.at + 1;
        let mut here = Cursor { at: start, ..self };
        loop {
            match here.peek()? {
                b'\n' => return None,
                b'"' => {
                    let mut after = Cursor { at: here.at + 1, ..self };
                    after.skip_space();
                    if after.completes() {
                        return Some((&self.text[start..here.at], after));
                    }
                }
                _ => {}
            }
            here.at += 1;
        }
    }

    fn unquoted(self) -> Option<(&'t [u8], Cursor<'t>)> {
        let (mut here, mut depth) = (self, 0i64);
        loop {
            match here.peek()? {
                b'\n' => return None,
                b'(' => depth += 1,
                b')' => depth -= 1,
                b',' if depth == 0 && here.completes() => {
                    return Some((self.text[self.at..here.at].trim_ascii_end(), here));
                }
                _ => {}
            }
            here.at += 1;
        }
    }

    /// Whether the rest of a transition comes next: a comma, a number or several (a distribution,
    /// which is refused later on), a parenthesis; and then another transition or a line's end.
    fn completes(mut self) -> bool {
        if !self.eat(b',') {
            return false;
        }
        self.skip_space();
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return false;
        }
        while matches!(self.peek(), Some(b'0'..=b'9' | b'/' | b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        if !self.eat(b')') {
            return false;
        }
        self.skip_blanks();
        matches!(self.peek(), None | Some(b'\n' | b'('))
    }
}
