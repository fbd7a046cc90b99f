//! A text of `.pds` that is read block by block, by several threads if there are some.
//!
//! A block ends with a line, and is no longer than it must be. Threads scan blocks (`block`); the
//! one that reads the input takes them in order (`Reader::block`), so that all numbers and problems
//! are those of one thread. Memory: a few blocks for each thread.

use super::block::Block;
use super::reader::Reader;
use super::stream::{is_utf16, not_utf8};
use crate::in_order::{AHEAD, Blocks, MOST_THREADS, run};
use crate::json::ReadError;
use loris_base::{Budget, Diagnostic, Diagnostics};
use std::io::Read;

/// The length of a block: its rules stay in the caches of a core.
pub(super) const LENGTH: usize = 1 << 17;

/// Bytes that a block takes for each byte of its text, at most: the text, rules and names.
const TIMES: usize = 8;

/// Threads read only where this many times the memory of their blocks is left, as some of the
/// memory they give back stays with the allocator.
const ROOM: usize = 4;

/// Reads a source to its end, in blocks of about this length. All that is not UTF-8 is an error.
pub(super) fn read_blocks(
    source: impl Read,
    length: usize,
    reader: &mut Reader,
    budget: &mut Budget,
) -> Result<(), ReadError> {
    let threads = budget.threads_for(usize::MAX).min(MOST_THREADS);
    let mut reading = Reading {
        source,
        length,
        rest: Vec::new(),
        base: 0,
        has_ended: false,
        free: Vec::new(),
        reader,
        foreign: Diagnostics::default(),
        stopped: None,
        failed: None,
        held: 0,
        on_their_way: 0,
        lacks_room: false,
        budget,
    };
    if threads > 1 && reading.charge_threads(threads) {
        run(&mut reading, threads);
    }
    // alone, from the start or where the memory that threads take is needed
    reading.lacks_room = false;
    run(&mut reading, 1);
    let Reading { stopped, failed, foreign, held, on_their_way, budget, .. } = reading;
    if let Some(why) = stopped.or(failed) {
        return Err(why);
    }
    budget.release(held + on_their_way);
    if foreign.is_empty() { Ok(()) } else { Err(ReadError::Invalid(foreign)) }
}

struct Reading<'r, R> {
    source: R,
    length: usize,
    /// text that was read and is in no block yet
    rest: Vec<u8>,
    base: usize,
    has_ended: bool,
    /// blocks that were taken, for their memory
    free: Vec<Block>,
    reader: &'r mut Reader,
    foreign: Diagnostics,
    /// why blocks are not taken any more, and why there are no more of them
    stopped: Option<ReadError>,
    failed: Option<ReadError>,
    /// bytes that are declared for long lines, and for the blocks of threads
    held: usize,
    on_their_way: usize,
    /// whether there was no more room for blocks of threads
    lacks_room: bool,
    budget: &'r mut Budget,
}

impl<R: Read> Reading<'_, R> {
    /// Declares the blocks of threads, if there is room for them.
    fn charge_threads(&mut self, threads: usize) -> bool {
        let bytes = AHEAD * threads * TIMES * self.length;
        let fits = self.budget.charge(ROOM * bytes).is_ok();
        self.budget.release(ROOM * bytes);
        if fits {
            self.on_their_way = bytes;
            self.charge_blocks();
        }
        fits
    }

    fn charge_blocks(&mut self) {
        if self.budget.charge(self.on_their_way).is_err() {
            self.budget.release(self.on_their_way);
            (self.on_their_way, self.lacks_room) = (0, true);
        }
    }

    /// Does something for which the blocks of threads do not count: limits are those of one thread.
    fn without_blocks<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.budget.release(self.on_their_way);
        let done = work(self);
        self.charge_blocks();
        done
    }

    /// Whole lines, in the memory of others; none at the end of the input.
    fn lines(&mut self, mut text: Vec<u8>) -> Result<Option<Vec<u8>>, ReadError> {
        text.clear();
        text.append(&mut self.rest);
        let mut length = self.length;
        loop {
            if !self.has_ended {
                let missing = length.saturating_sub(text.len());
                let count = self.source.by_ref().take(missing as u64).read_to_end(&mut text)?;
                self.has_ended = count < missing;
            }
            if self.has_ended {
                return Ok((!text.is_empty()).then_some(text));
            }
            if let Some(end) = text.iter().rposition(|&byte| byte == b'\n') {
                self.rest.extend_from_slice(&text[end + 1..]);
                text.truncate(end + 1);
                return Ok(Some(text));
            }
            // the line is longer
            length = 2 * text.len().max(self.length);
            self.budget.grow(&mut self.held, length)?;
        }
    }

    fn take_lines(&mut self, block: &Block) -> Result<(), ReadError> {
        match block.text() {
            // after a read error, missing text is not a problem of its own
            Some(_) if !self.foreign.is_empty() => {}
            Some(text) => self.reader.block(block, text, self.budget)?,
            None if block.base == 0 && is_utf16(block.foreign()) => {
                let problem = Diagnostic::error(0, 1, "this text is in UTF-16");
                return Err(ReadError::Invalid(problem.help("save it as UTF-8").into()));
            }
            None => not_utf8(block.foreign(), block.base, &mut self.foreign),
        }
        Ok(())
    }
}

impl<R: Read> Blocks for Reading<'_, R> {
    type Block = Block;

    fn next(&mut self) -> Option<Block> {
        if self.stopped.is_some() || self.failed.is_some() || self.lacks_room {
            return None;
        }
        let mut block = self.free.pop().unwrap_or_default();
        let memory = block.take_memory();
        match self.without_blocks(|reading| reading.lines(memory)) {
            Ok(text) => {
                let (text, base) = (text?, self.base);
                self.base += text.len();
                Some(block.with_text(text, base))
            }
            Err(why) => {
                self.failed = Some(why);
                None
            }
        }
    }

    fn work(block: &mut Block) {
        block.scan();
    }

    fn take(&mut self, block: Block) {
        if self.stopped.is_none() {
            self.stopped = self.without_blocks(|reading| reading.take_lines(&block)).err();
        }
        self.free.push(block);
    }
}
