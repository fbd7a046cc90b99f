//! Why reading ends early.

use loris_base::{Diagnostic, Exhausted};
use std::io;

/// Why reading cannot go on.
pub(super) enum Stop {
    Io(io::Error),
    Syntax(Box<Diagnostic>),
    Exhausted(Exhausted),
}

impl From<Exhausted> for Stop {
    fn from(why: Exhausted) -> Self {
        Stop::Exhausted(why)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Io(error)
    }
}

impl From<Diagnostic> for Stop {
    fn from(problem: Diagnostic) -> Self {
        Stop::Syntax(Box::new(problem))
    }
}
