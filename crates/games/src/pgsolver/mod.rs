//! The text formats of `PGSolver`: parity games and their solutions.
//!
//! ```text
//! parity 4;                       optional: the largest number of a node
//! start 0;                        optional
//! 0 6 1 4,2 "Africa";             number, priority, owner, successors, optional name
//! 2 5 0 0,4;
//! 4 8 1 ;                         dead ends are read as such
//! ```
//!
//! Numbers need not be dense or in order; nodes of the [`Game`](crate::Game) are numbered as they
//! come in the text. A solution has a line per node: its number, its winner, and the move of the
//! winner if the node belongs to the winner.

mod numbers;
mod read;
mod scan;
mod solution;
mod statements;
mod write;

pub use numbers::GameFile;
pub use read::{read_game, read_game_from};
pub use solution::{read_solution, read_solution_from, write_solution};
pub use write::{write_game, write_named};

use loris_base::{Diagnostic, Diagnostics, Exhausted, Stopped};
use std::io;

/// Why a game or a solution was not read.
#[derive(Debug)]
pub enum ReadError {
    /// The source failed.
    Io(io::Error),
    /// The text is wrong, or a limit was reached.
    Stopped(Stopped),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::Io(error)
    }
}

impl From<Exhausted> for ReadError {
    fn from(why: Exhausted) -> Self {
        ReadError::Stopped(why.into())
    }
}

impl From<Diagnostics> for ReadError {
    fn from(problems: Diagnostics) -> Self {
        ReadError::Stopped(problems.into())
    }
}

impl ReadError {
    /// Why a text was not read, where there is no source that fails.
    fn of_text(self) -> Stopped {
        match self {
            ReadError::Stopped(why) => why,
            ReadError::Io(error) => Diagnostic::global(error.to_string()).into(),
        }
    }
}
