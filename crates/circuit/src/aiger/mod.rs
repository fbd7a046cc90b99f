//! AIGER files, versions 1.0 and 1.9, ASCII (`aag`) and binary (`aig`).
//!
//! Reading takes time and memory linear in the file, whatever its header claims. All problems of a
//! file are reported at once, as far as its lines can be distinguished; a number in the binary part
//! that does not fit ends the reading, since the bytes after it have no lines.

mod assemble;
mod cursor;
mod read;
mod witness;
mod write;

pub use read::read_aiger;
pub use witness::{Stimulus, WitnessStatus, write_witness};
pub use write::{write_aiger_ascii, write_aiger_binary};

/// A literal as the file has it, and where.
#[derive(Clone, Copy, Debug)]
struct Written {
    code: u32,
    offset: u64,
}

/// A latch as the file has it.
#[derive(Clone, Copy, Debug)]
struct WrittenLatch {
    state: Written,
    next: Written,
    reset: Option<Written>,
}

/// A gate as the file has it.
#[derive(Clone, Copy, Debug)]
struct WrittenAnd {
    left: Written,
    operands: [u32; 2],
}

/// The numbers of the header.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    is_binary: bool,
    max_var: u32,
    inputs: u32,
    latches: u32,
    outputs: u32,
    ands: u32,
    bad: u32,
    constraints: u32,
    justice: u32,
    fairness: u32,
}

/// A file as it is written, before its literals are resolved.
#[derive(Debug, Default)]
struct Draft<'t> {
    header: Header,
    inputs: Vec<Written>,
    latches: Vec<WrittenLatch>,
    outputs: Vec<Written>,
    bad: Vec<Written>,
    constraints: Vec<Written>,
    justice: Vec<Vec<Written>>,
    fairness: Vec<Written>,
    ands: Vec<WrittenAnd>,
    /// kind, index, name
    symbols: Vec<(u8, u32, &'t str)>,
}
