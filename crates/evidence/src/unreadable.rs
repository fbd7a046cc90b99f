//! Why a file of evidence was not read.

use loris_base::{Diagnostic, Diagnostics, Exhausted, Stopped};

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It has the wrong form.
    Wrong(Diagnostics),
    /// A limit was reached.
    Exhausted(Exhausted),
}

impl From<Diagnostic> for Unreadable {
    fn from(problem: Diagnostic) -> Self {
        Unreadable::Wrong(problem.into())
    }
}

impl From<Exhausted> for Unreadable {
    fn from(exhausted: Exhausted) -> Self {
        Unreadable::Exhausted(exhausted)
    }
}

impl From<Stopped> for Unreadable {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Wrong(problems) => Unreadable::Wrong(problems),
            Stopped::Exhausted(exhausted) => Unreadable::Exhausted(exhausted),
        }
    }
}
