//! RSM JSON: one pass over the input, in memory that grows with the machine and not with the text.
//!
//! Written by hand instead of with `serde`, for three reasons: a diagnostic needs the byte offset
//! of every name, which a deserializer does not hand out; reading goes on after a value of the
//! wrong kind, so that all problems of a file are reported at once; and files of gigabytes must not
//! be held. The format has a fixed depth, so nothing here recurses; unknown values are skipped with
//! a stack of bits.
//!
//! Keys come in any order. A `Draft` is filled one component at a time: names are resolved when the
//! component is complete ([`RsmBuilder`]). Linear in the length of the input.

mod document;
mod keys;
mod later;
mod lexer;
mod reader;
mod stop;
mod string;
mod write;

#[cfg(test)]
mod tests;

pub use write::write_rsm_json;

use crate::{Rsm, RsmBuilder, Semantics};
use lexer::Lexer;
use loris_base::{Budget, Diagnostics, Exhausted, Stopped};
use std::io;
use stop::Stop;

/// Why a model could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input is not a valid model: all that is wrong with it.
    #[error("{}", summary(.0))]
    Invalid(Diagnostics),
    /// A limit was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

impl From<Stopped> for ReadError {
    fn from(error: Stopped) -> Self {
        match error {
            Stopped::Wrong(problems) => ReadError::Invalid(problems),
            Stopped::Exhausted(why) => ReadError::Exhausted(why),
        }
    }
}

fn summary(problems: &Diagnostics) -> String {
    match problems.sorted().as_slice() {
        [] => "the model is not valid".to_owned(),
        [only] => only.message.clone(),
        [first, ..] => format!("{} (and {} more)", first.message, problems.len() - 1),
    }
}

/// How much is read at a time.
const CHUNK: usize = 1 << 16;

/// Reads a machine, and remarks on it that are not errors.
///
/// ```
/// let text = r#"{"initial_component": "main", "components": [{"name": "main",
///     "nodes": [{"name": "start", "is_entry": true, "labels": ["p"]}, {"name": "end", "is_exit": true}],
///     "transitions": [{"source": {"type": "node", "name": "start"},
///                      "targets": [{"type": "node", "name": "end"}]}]}]}"#;
/// let (rsm, _) = loris_rsm::read_rsm_json(text.as_bytes(), &Default::default()).unwrap();
/// assert_eq!((rsm.node_count(), rsm.edge_count()), (2, 1));
/// ```
///
/// # Errors
/// [`ReadError::Io`] if `input` fails, else all problems of the text with their byte offsets.
pub fn read_rsm_json(input: impl io::Read, semantics: &Semantics) -> Result<(Rsm, Diagnostics), ReadError> {
    read_rsm_json_within(input, semantics, &mut Budget::unlimited())
}

/// The same within a budget, in which the machine stays declared.
///
/// # Errors
/// Also [`ReadError::Exhausted`].
pub fn read_rsm_json_within(
    input: impl io::Read,
    semantics: &Semantics,
    budget: &mut Budget,
) -> Result<(Rsm, Diagnostics), ReadError> {
    read_in_chunks(input, *semantics, CHUNK, budget)
}

fn read_in_chunks(
    input: impl io::Read,
    semantics: Semantics,
    chunk: usize,
    budget: &mut Budget,
) -> Result<(Rsm, Diagnostics), ReadError> {
    let mut builder = RsmBuilder::default();
    match document::read(Lexer::new(input, chunk), &mut builder, budget) {
        Ok(held) => Ok(builder.finish_charged(semantics, held, budget)?),
        Err(Stop::Io(error)) => Err(ReadError::Io(error)),
        Err(Stop::Exhausted(why)) => Err(ReadError::Exhausted(why)),
        Err(Stop::Syntax(problem)) => {
            builder.problem(*problem);
            Err(ReadError::Invalid(builder.into_problems()))
        }
    }
}
