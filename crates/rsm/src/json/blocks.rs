//! Components of RSM JSON, read by several threads.
//!
//! The text is cut into blocks where a component seems to end. Each block is read into a builder of
//! its own, with names of its own, by whichever thread is free, and the builders are put together
//! in order. A block must consist of well-formed components from its first byte to its last: as
//! blocks follow each other without gaps, it does not matter how the place to cut was found. The
//! first block that does not goes back to the lexer with all that follows, and is read as if there
//! had been no blocks: numbers, problems and their places are those of one thread.
//!
//! Memory: a few blocks for each thread, each with its builder.

use super::later::Later;
use super::lexer::Lexer;
use super::reader::Reader;
use crate::in_order::{self, AHEAD, Blocks, MOST_THREADS};
use crate::{Draft, RsmBuilder};
use loris_base::{Budget, Symbol};
use std::io::Read;

/// The length of a block, in chunks that one thread would read: a mebibyte.
const BLOCK: usize = 16;

/// A component that is longer than this many blocks is left to one thread.
const LONGEST: usize = 8;

/// Bytes that a block takes for each byte of its text: the text, and twice as much in the builder.
const TIMES: usize = 3;

/// Threads read only where this many times the memory of their blocks is left: the allocator keeps
/// some of the memory they give back, which is not accounted for.
const ROOM: usize = 4;

/// A part of the array of components, without gaps to others, and the components read from it.
struct Block {
    text: Vec<u8>,
    offset: u64,
    /// whether nothing comes before its first component
    first: bool,
    local: Local,
    /// whether nothing is wrong with it, once it is read
    is_fine: bool,
}

/// The builders that blocks are read into, to be used again.
#[derive(Default)]
struct Local {
    builder: RsmBuilder,
    draft: Option<Draft>,
    later: Later,
}

/// Reads components from the bracket on with this many threads, as far as they make blocks; whether
/// there were some. The lexer goes on after the last one.
pub(super) fn read<R: Read>(reader: &mut Reader<'_, R>, threads: usize) -> bool {
    let threads = threads.min(MOST_THREADS);
    let length = BLOCK * reader.lexer.chunk();
    let bytes = TIMES * AHEAD * threads * length;
    let room = ROOM * bytes;
    let fits = reader.budget.charge(room).is_ok();
    reader.budget.release(if fits { room - bytes } else { room });
    if !fits {
        return false;
    }
    let offset = reader.lexer.offset();
    let cutter = Cutter { text: reader.lexer.take(), offset, length, first: true };
    let (free, symbols, rest) = Default::default();
    let mut reading = Reading { reader, cutter, is_open: true, free, symbols, rest };
    in_order::run(&mut reading, threads);
    let Reading { reader, mut cutter, rest, .. } = reading;
    let (mut text, offset) = rest.unwrap_or((Vec::new(), cutter.offset));
    text.append(&mut cutter.text);
    let some = !reader.builder.is_empty();
    reader.lexer.put_back(text, offset);
    reader.budget.release(bytes);
    some
}

/// Cuts the input.
struct Cutter {
    /// text that was read and is in no block yet
    text: Vec<u8>,
    offset: u64,
    length: usize,
    first: bool,
}

impl Cutter {
    /// The next block, if there is one. If the input fails, it fails again on the next read.
    fn next<R: Read>(&mut self, lexer: &mut Lexer<R>, local: Local) -> Option<Block> {
        let mut length = self.length;
        loop {
            // the text after the last component is left to the lexer
            if !matches!(lexer.read_to(&mut self.text, length), Ok(true)) {
                return None;
            }
            if let Some(end) = last_end(&self.text) {
                let mut text = Vec::with_capacity(self.length + self.text.len() - end);
                text.extend_from_slice(&self.text[end..]);
                std::mem::swap(&mut text, &mut self.text);
                text.truncate(end);
                let (offset, first) = (self.offset, self.first);
                self.offset += end as u64;
                self.first = false;
                return Some(Block { text, offset, first, local, is_fine: false });
            }
            length = 2 * self.text.len();
            if length > LONGEST * self.length {
                return None;
            }
        }
    }
}

struct Reading<'r, 'b, R> {
    reader: &'r mut Reader<'b, R>,
    cutter: Cutter,
    is_open: bool,
    free: Vec<Local>,
    symbols: Vec<Symbol>,
    /// the text that goes back to the lexer, and where it starts
    rest: Option<(Vec<u8>, u64)>,
}

impl<R: Read> Blocks for Reading<'_, '_, R> {
    type Block = Block;

    fn next(&mut self) -> Option<Block> {
        let local = self.free.pop().unwrap_or_default();
        let block = if self.is_open { self.cutter.next(&mut self.reader.lexer, local) } else { None };
        self.is_open = block.is_some();
        block
    }

    fn work(block: &mut Block) {
        read_block(block);
    }

    fn take(&mut self, block: Block) {
        let Block { text, offset, local, is_fine, .. } = block;
        let reader = &mut *self.reader;
        match &mut self.rest {
            Some((rest, _)) => rest.extend_from_slice(&text),
            None if is_fine && reader.builder.append(&local.builder, &mut self.symbols) => {
                self.free.push(local);
                let used = reader.budget.used();
                if reader.declare().is_err() {
                    // a single thread may get by with the memory, or else it reports the problem
                    reader.budget.release(reader.budget.used() - used);
                    self.is_open = false;
                    self.rest = Some((Vec::new(), offset + text.len() as u64));
                }
            }
            None => {
                self.is_open = false;
                self.rest = Some((text, offset));
            }
        }
    }
}

fn read_block(block: &mut Block) {
    let local = &mut block.local;
    local.builder.clear();
    let none: Symbol = local.builder.symbol("");
    let draft = local.draft.take().unwrap_or_else(|| Draft::new(none, 0));
    let lexer = Lexer::part(std::mem::take(&mut block.text), block.offset);
    let mut budget = Budget::unlimited();
    let seen = lexer.base();
    let later = std::mem::take(&mut local.later);
    let builder = &mut local.builder;
    let mut reader = Reader { lexer, builder, draft, later, budget: &mut budget, held: 0, seen };
    block.is_fine = matches!(reader.rest(block.first), Ok(true));
    let Reader { lexer, draft, later, .. } = reader;
    (local.draft, local.later) = (Some(draft), later);
    block.text = lexer.into_text();
}

/// The end of the last component but one in a text, if it can be found: a comma and an object
/// follow, of which one of the first two keys is one that only components have.
pub(super) fn last_end(text: &[u8]) -> Option<usize> {
    let mut end = text.len();
    loop {
        let brace = text[..end].iter().rposition(|&byte| byte == b'{')?;
        if is_component(&text[brace + 1..]) {
            let before = text[..brace].trim_ascii_end().strip_suffix(b",").unwrap_or_default();
            let before = before.trim_ascii_end();
            if before.ends_with(b"}") {
                return Some(before.len());
            }
        }
        end = brace;
    }
}

/// Whether the inside of an object starts like that of a component.
fn is_component(text: &[u8]) -> bool {
    let Some((first, rest)) = key(text) else { return false };
    if first != b"name" {
        return is_list(first);
    }
    let Some((_, rest)) = string(rest) else { return false };
    let Some(rest) = rest.trim_ascii_start().strip_prefix(b",") else { return false };
    key(rest).is_some_and(|(second, _)| is_list(second))
}

fn is_list(key: &[u8]) -> bool {
    matches!(key, b"nodes" | b"boxes" | b"transitions")
}

/// A key, and the text after its colon.
fn key(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (key, rest) = string(text)?;
    Some((key, rest.trim_ascii_start().strip_prefix(b":")?))
}

/// A string without escapes, and the text after it.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start().strip_prefix(b"\"")?;
    let end = text.iter().position(|&byte| byte == b'"' || byte == b'\\')?;
    Some((&text[..end], text[end..].strip_prefix(b"\"")?))
}
