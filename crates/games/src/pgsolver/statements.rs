//! A text cut into statements, each of which ends with `;`.
//!
//! Reads through a buffer that is no longer than the longest statement or the usual size. A name in
//! quotes may contain `;` and ends with its line at the latest.

use super::ReadError;
use loris_base::{Budget, Diagnostic};
use std::io::{ErrorKind, Read};

/// How much is read at a time.
const SIZE: usize = 1 << 18;

/// The statements of a source.
pub(super) struct Statements<R> {
    source: R,
    buffer: Vec<u8>,
    /// the part of the buffer that is not taken yet
    start: usize,
    end: usize,
    /// where the buffer starts in the text
    base: u64,
    is_complete: bool,
    held: usize,
}

impl<R: Read> Statements<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, buffer: vec![0; SIZE], start: 0, end: 0, base: 0, is_complete: false, held: 0 }
    }

    /// The next statement with its `;`, which only the last one may lack, and where it starts in
    /// the text; none if only blanks are left.
    pub(super) fn next(&mut self, budget: &mut Budget) -> Result<Option<(&[u8], u64)>, ReadError> {
        let mut seen = self.start;
        let mut in_name = false;
        let end = loop {
            let rest = &self.buffer[seen..self.end];
            let stop = if in_name {
                rest.iter().position(|&byte| matches!(byte, b'"' | b'\n'))
            } else {
                rest.iter().position(|&byte| matches!(byte, b'"' | b';'))
            };
            match stop {
                Some(place) if rest[place] == b';' => break seen + place + 1,
                Some(place) => {
                    seen += place + 1;
                    in_name = !in_name;
                }
                None if self.is_complete => break self.end,
                None => {
                    let before = self.end - self.start;
                    self.refill(budget)?;
                    seen = self.start + before;
                }
            }
        };
        let (start, offset) = (self.start, self.base + self.start as u64);
        self.start = end;
        let statement = &self.buffer[start..end];
        budget.spend(1)?;
        if statement.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        Ok(Some((statement, offset)))
    }

    /// Reads more text, behind that which is not taken yet.
    fn refill(&mut self, budget: &mut Budget) -> Result<(), ReadError> {
        budget.look()?;
        self.buffer.copy_within(self.start..self.end, 0);
        self.base += self.start as u64;
        (self.start, self.end) = (0, self.end - self.start);
        if self.end == self.buffer.len() {
            budget.grow(&mut self.held, 2 * self.buffer.len())?;
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.is_complete = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            break;
        }
        if self.base == 0 && self.start == 0 {
            let text = &mut self.buffer[..self.end];
            if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
                let problem = Diagnostic::error(0, 1, "this text is in UTF-16");
                return Err(ReadError::Stopped(problem.help("save it as UTF-8").into()));
            }
            // a byte-order mark is a blank
            if text.starts_with(b"\xef\xbb\xbf") {
                text[..3].fill(b' ');
            }
        }
        Ok(())
    }
}

impl<R> Statements<R> {
    /// Drops the buffer.
    pub(super) fn close(self, budget: &mut Budget) {
        budget.release(self.held);
    }
}
