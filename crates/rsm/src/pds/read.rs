//! `.pds`, the format of `PuMoC`: one pass over the text, one item per line, all problems at once.
//!
//! ```text
//! (q <main #>)                    the initial configuration, also `(q main)`
//! ATOMS p q, <main>, (r <main>)   a label and the control states, symbols and heads that carry it
//! q <main> --> q <f next>         a call of f that goes on at next; `q <>` returns
//! # a line that starts so is a comment
//! ```
//!
//! `#` may also be a symbol: only the start of a line makes a comment. Three comments mean
//! something, so that a machine survives the way through this format: `# property ctl: …`,
//! `# loris initial (…)` for further initial configurations, and `# loris label name text` for a
//! label that is not a name of the format. The names of `ATOMS` are resolved when all rules are
//! known (`atoms`). Linear in the text.

use super::Pds;
use super::block::Block;
use super::reader::Reader;
use super::stream::{Parts, read_parts};
use crate::json::ReadError;
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Stopped};
use std::io::Read;

/// The length of a block: its rules stay in the caches of a core.
const LENGTH: usize = 1 << 17;

/// Reads a pushdown system in the format of `PuMoC`.
///
/// ```
/// let pds = loris_rsm::read_pds("(p <a>)\np <a> --> p <a a>\np <a> --> p <>\n").unwrap();
/// assert_eq!(pds.rules.len(), 2);
/// let problems = loris_rsm::read_pds("(p <a>)\np <a> -> p <a a>\n").unwrap_err();
/// assert_eq!(problems.sorted()[0].offset, Some(14));
/// ```
///
/// # Errors
/// All problems of the text, with their byte offsets.
pub fn read_pds(text: &str) -> Result<Pds, Diagnostics> {
    read_pds_within(text, &mut Budget::unlimited()).map_err(Stopped::into_problems)
}

/// The same within a budget, in which the system stays declared; the text is the caller's.
///
/// # Errors
/// All problems of the text, or that the budget is used up.
pub fn read_pds_within(text: &str, budget: &mut Budget) -> Result<Pds, Stopped> {
    match read_pds_from(text.as_bytes(), budget) {
        Ok(pds) => Ok(pds),
        Err(ReadError::Invalid(problems)) => Err(Stopped::Wrong(problems)),
        Err(ReadError::Exhausted(why)) => Err(Stopped::Exhausted(why)),
        Err(ReadError::Io(error)) => {
            Err(Stopped::Wrong(Diagnostics::from(Diagnostic::global(error.to_string()))))
        }
    }
}

/// The same from a source that need not fit into memory.
///
/// # Errors
/// [`ReadError::Io`] if the source fails, else all problems of the text, or that the budget is used
/// up.
pub fn read_pds_from(source: impl Read, budget: &mut Budget) -> Result<Pds, ReadError> {
    read_in_blocks(source, LENGTH, budget)
}

/// The same with blocks of about this length.
pub(super) fn read_in_blocks(
    source: impl Read,
    length: usize,
    budget: &mut Budget,
) -> Result<Pds, ReadError> {
    let mut reading = Reading::default();
    read_parts(source, length, &mut reading, budget)?;
    Ok(reading.reader.finish(budget)?)
}

#[derive(Default)]
struct Reading {
    reader: Reader,
    block: Block,
}

impl Parts for Reading {
    fn part(&mut self, text: &str, base: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        self.block.scan(text, base);
        self.reader.block(&self.block, text, budget)
    }
}
