//! A cursor over one statement.

use loris_base::Diagnostic;

/// Where reading is in a statement.
pub(super) struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    /// where the statement starts in the whole text
    base: u64,
}

/// Why a statement cannot be read, in one word: results that are mostly fine stay small.
pub(super) struct Problem(Box<Diagnostic>);

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

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t [u8], base: u64) -> Self {
        Self { text, at: 0, base }
    }

    /// Where the cursor is in the statement, after blanks.
    pub(super) fn place(&mut self) -> usize {
        self.blanks();
        self.at
    }

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// The next byte after blanks, none at the end.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.blanks();
        self.text.get(self.at).copied()
    }

    /// Consumes a byte if it comes next after blanks.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Consumes a word of letters, if one comes next.
    pub(super) fn word(&mut self) -> Option<&'t [u8]> {
        self.blanks();
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The number that comes next.
    pub(super) fn number(&mut self, expected: &str) -> Result<u32, Problem> {
        self.blanks();
        let start = self.at;
        let mut number = 0u32;
        let mut is_large = false;
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            let longer = number.checked_mul(10).and_then(|tens| tens.checked_add(u32::from(digit - b'0')));
            is_large |= longer.is_none();
            number = longer.unwrap_or(0);
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected(expected));
        }
        if is_large {
            return Err(self.problem(start, "this number is larger than 4294967295"));
        }
        Ok(number)
    }

    /// 0 or 1.
    pub(super) fn player(&mut self, expected: &str) -> Result<u32, Problem> {
        let start = self.place();
        match self.number(expected)? {
            number @ (0 | 1) => Ok(number),
            _ => Err(self.problem(start, format!("players are 0 and 1; expected {expected}"))),
        }
    }

    /// The name in quotes that comes next, if one does.
    pub(super) fn name(&mut self) -> Result<Option<&'t str>, Problem> {
        let start = self.place();
        if !self.take(b'"') {
            return Ok(None);
        }
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|&byte| matches!(byte, b'"' | b'\n')).unwrap_or(rest.len());
        if rest.get(end) != Some(&b'"') {
            self.at = start + 1 + end;
            return Err(Problem::from(Diagnostic::error(
                self.base + start as u64,
                1,
                "this name is not closed in its line",
            )));
        }
        match std::str::from_utf8(&rest[..end]) {
            Ok(name) => {
                self.at += end + 1;
                Ok(Some(name))
            }
            Err(error) => {
                let place = self.base + (self.at + error.valid_up_to()) as u64;
                let length = error.error_len().unwrap_or(1);
                Err(Problem::from(Diagnostic::error(place, length, "this is not UTF-8")))
            }
        }
    }

    /// The end of the statement.
    pub(super) fn end(&mut self, expected: &str) -> Result<(), Problem> {
        if self.take(b';') { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// A problem with the text from a place on to here.
    #[cold]
    pub(super) fn problem(&self, start: usize, message: impl Into<String>) -> Problem {
        let length = self.at.saturating_sub(start).max(1);
        Problem::from(Diagnostic::error(self.base + start as u64, length, message))
    }

    /// A problem here: something else should stand in this place.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: &str) -> Problem {
        self.blanks();
        if self.at == self.text.len() {
            // the end of the last line, not a place behind it
            self.at = self.text.trim_ascii_end().len();
            let message = format!("the file ends here, expected {expected}");
            return Diagnostic::error(self.base + self.at as u64, 1, message).into();
        }
        let rest = &self.text[self.at..];
        let rest = &rest[..rest.len().min(16)];
        // the first character, whole
        let shown = String::from_utf8_lossy(rest);
        let found = match shown.chars().next() {
            Some(char) if char.is_control() => format!("unexpected character {}", char.escape_unicode()),
            Some(char) => format!("unexpected `{char}`"),
            None => "unexpected end".to_owned(),
        };
        let place = self.base + self.at as u64;
        Problem::from(Diagnostic::error(place, 1, format!("{found}, expected {expected}")))
    }

    /// After a problem, where to go on in the statement: at the line of the problem, if the
    /// statement started in an earlier one and was probably not closed, else in the next line.
    pub(super) fn recovery(&self) -> Option<usize> {
        let (before, after) = self.text.split_at(self.at.min(self.text.len()));
        let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if !before[..line].iter().all(u8::is_ascii_whitespace) {
            return Some(line);
        }
        let next = before.len() + after.iter().position(|&byte| byte == b'\n')? + 1;
        let is_blank = self.text[next..].iter().all(u8::is_ascii_whitespace);
        (!is_blank).then_some(next)
    }
}
