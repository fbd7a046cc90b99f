//! Components of RSM JSON, read by several threads.
//!
//! The text is cut into blocks where a component seems to end. Each block is read into a builder of its
//! own, with names of its own, by whichever thread is free, and the builders are put together in order. A
//! block must be components from its first byte to its last, with nothing wrong in any: as blocks follow
//! each other without gaps, it does not matter how the place to cut was found. The first block that is not
//! so goes back to the lexer with all that follows, and is read as if there had been no blocks: numbers,
//! problems and their places are those of one thread.
//!
//! Memory: a few blocks for each thread, each with its builder.

use super::later::Later;
use super::lexer::Lexer;
use super::reader::Reader;
use crate::{Draft, RsmBuilder};
use loris_base::{Budget, Symbol};
use std::collections::{BTreeMap, VecDeque};
use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The length of a block, in chunks that one thread would read: a mebibyte.
const BLOCK: usize = 16;

/// A component that is longer than so many blocks is left to one thread.
const LONGEST: usize = 8;

/// Blocks for each thread that are on their way.
const AHEAD: usize = 4;

/// More threads than this would wait for the one that puts builders together.
const MOST_THREADS: usize = 8;

/// Bytes that a block takes for each byte of its text: the text, and twice as much in the builder.
const TIMES: usize = 3;

/// Threads read only where so many times the memory of their blocks is left: the allocator keeps some
/// of what they give back, which is not accounted for.
const ROOM: usize = 4;

/// A part of the array of components, without gaps to others.
struct Block {
    text: Vec<u8>,
    offset: u64,
    /// whether nothing comes before its first component
    first: bool,
}

/// What blocks are read into, to be used again.
#[derive(Default)]
struct Local {
    builder: RsmBuilder,
    draft: Option<Draft>,
    later: Later,
}

/// A block that was read, and whether nothing is wrong with it.
struct Done {
    block: Block,
    local: Local,
    is_fine: bool,
}

#[derive(Default)]
struct State {
    todo: VecDeque<(usize, Block)>,
    done: BTreeMap<usize, Done>,
    free: Vec<Local>,
    over: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// when something is to be done, or all is over
    more: Condvar,
    /// when something is done
    finished: Condvar,
}

/// Ends the work of the other threads, for whatever reason there is no more.
struct Guard<'s>(&'s Shared);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.state().over = true;
        self.0.more.notify_all();
        self.0.finished.notify_all();
    }
}

/// Reads components from the bracket on with so many threads, as far as they make blocks; whether there
/// were some. The lexer goes on after the last one.
pub(super) fn read<R: Read>(reader: &mut Reader<'_, R>, threads: usize) -> bool {
    let threads = threads.min(MOST_THREADS);
    let (ahead, length) = (AHEAD * threads, BLOCK * reader.lexer.chunk());
    let bytes = TIMES * ahead * length;
    let room = ROOM * bytes;
    let fits = reader.budget.charge(room).is_ok();
    reader.budget.release(if fits { room - bytes } else { room });
    if !fits {
        return false;
    }
    let offset = reader.lexer.offset();
    let cutter = Cutter { text: reader.lexer.take(), offset, length, first: true };
    let some = blocks(reader, cutter, threads, ahead);
    reader.budget.release(bytes);
    some
}

/// Cuts the input.
struct Cutter {
    /// what was read and is in no block yet
    text: Vec<u8>,
    offset: u64,
    length: usize,
    first: bool,
}

impl Cutter {
    /// The next block, if there is one. Should the input fail, it does so again for one who reads on.
    fn next<R: Read>(&mut self, lexer: &mut Lexer<R>) -> Option<Block> {
        let mut length = self.length;
        loop {
            // what follows the last component is left to the lexer
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
                return Some(Block { text, offset, first });
            }
            length = 2 * self.text.len();
            if length > LONGEST * self.length {
                return None;
            }
        }
    }
}

fn blocks<R: Read>(reader: &mut Reader<'_, R>, mut cutter: Cutter, threads: usize, ahead: usize) -> bool {
    let Some(first) = cutter.next(&mut reader.lexer) else {
        reader.lexer.put_back(cutter.text, cutter.offset);
        return false;
    };
    let shared = Shared::default();
    let (mut given, mut taken) = (0, 0);
    let mut is_open = true;
    // what goes back to the lexer
    let mut rest: Option<(Vec<u8>, u64)> = None;
    let mut symbols = Vec::new();
    std::thread::scope(|scope| {
        let _guard = Guard(&shared);
        for _ in 1..threads {
            // without another thread, this one does it all
            let spawned = std::thread::Builder::new().spawn_scoped(scope, || shared.help());
            if spawned.is_err() {
                break;
            }
        }
        shared.give(given, first);
        given += 1;
        loop {
            if is_open && given - taken < ahead {
                match cutter.next(&mut reader.lexer) {
                    Some(block) => {
                        shared.give(given, block);
                        given += 1;
                    }
                    None => is_open = false,
                }
            } else if taken == given {
                return;
            } else if let Some(done) = shared.take(taken) {
                taken += 1;
                match &mut rest {
                    Some((rest, _)) => rest.extend_from_slice(&done.block.text),
                    None if done.is_fine && reader.builder.append(&done.local.builder, &mut symbols) => {
                        shared.state().free.push(done.local);
                        let used = reader.budget.used();
                        if reader.declare().is_err() {
                            // one thread may find that it is enough, or says what is wrong
                            reader.budget.release(reader.budget.used() - used);
                            is_open = false;
                            rest = Some((Vec::new(), done.block.offset + done.block.text.len() as u64));
                        }
                    }
                    None => {
                        is_open = false;
                        rest = Some((done.block.text, done.block.offset));
                    }
                }
            } else if let Some((number, block)) = shared.next() {
                shared.finish(number, block);
            } else if !shared.wait(taken) {
                // a thread has panicked, and so does this one at the end of the scope
                return;
            }
        }
    });
    let (mut text, offset) = rest.unwrap_or((Vec::new(), cutter.offset));
    text.append(&mut cutter.text);
    let some = !reader.builder.is_empty();
    reader.lexer.put_back(text, offset);
    some
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, number: usize, block: Block) {
        self.state().todo.push_back((number, block));
        self.more.notify_one();
    }

    /// A block that was read, by its number.
    fn take(&self, number: usize) -> Option<Done> {
        self.state().done.remove(&number)
    }

    /// A block that nobody reads yet.
    fn next(&self) -> Option<(usize, Block)> {
        self.state().todo.pop_front()
    }

    /// Reads a block.
    fn finish(&self, number: usize, block: Block) {
        let local = self.state().free.pop().unwrap_or_default();
        let done = read_block(block, local);
        self.state().done.insert(number, done);
        self.finished.notify_one();
    }

    /// Waits until a block is read; whether it is.
    fn wait(&self, number: usize) -> bool {
        let mut state = self.state();
        while !state.over && !state.done.contains_key(&number) {
            state = self.finished.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.over
    }

    /// Reads blocks until all is over.
    fn help(&self) {
        // should this thread panic, the others do not wait for it
        let _guard = Guard(self);
        let mut state = self.state();
        loop {
            if state.over {
                return;
            }
            if let Some((number, block)) = state.todo.pop_front() {
                drop(state);
                self.finish(number, block);
                state = self.state();
            } else {
                state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

fn read_block(block: Block, mut local: Local) -> Done {
    local.builder.clear();
    let none: Symbol = local.builder.symbol("");
    let draft = local.draft.take().unwrap_or_else(|| Draft::new(none, 0));
    let Block { text, offset, first } = block;
    let lexer = Lexer::part(text, offset);
    let mut budget = Budget::unlimited();
    let seen = lexer.base();
    let later = std::mem::take(&mut local.later);
    let builder = &mut local.builder;
    let mut reader = Reader { lexer, builder, draft, later, budget: &mut budget, held: 0, seen };
    let is_fine = matches!(reader.rest(first), Ok(true));
    let Reader { lexer, draft, later, .. } = reader;
    (local.draft, local.later) = (Some(draft), later);
    Done { block: Block { text: lexer.into_text(), offset, first }, local, is_fine }
}

/// The end of the last component but one in a text, if that can be told: a comma and an object follow,
/// of which one of the first two keys is one that only components have.
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

/// A key, and what comes after its colon.
fn key(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (key, rest) = string(text)?;
    Some((key, rest.trim_ascii_start().strip_prefix(b":")?))
}

/// A string without escapes, and what comes after it.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start().strip_prefix(b"\"")?;
    let end = text.iter().position(|&byte| byte == b'"' || byte == b'\\')?;
    Some((&text[..end], text[end..].strip_prefix(b"\"")?))
}
