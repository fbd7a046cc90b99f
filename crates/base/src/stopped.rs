//! Why something that is read or built is not there in the end.

use crate::{Diagnostic, Diagnostics, Exhausted};

/// Why nothing was read or built.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// Time or memory ran out, or there are more states than allowed.
    Exhausted(Exhausted),
    /// The input is wrong.
    Wrong(Diagnostics),
}

impl Stopped {
    /// The problems, if no limit was reached.
    ///
    /// # Panics
    /// If it was a limit all the same.
    pub fn into_problems(self) -> Diagnostics {
        match self {
            Stopped::Wrong(problems) => problems,
            Stopped::Exhausted(_) => unreachable!("there is no limit"),
        }
    }
}

impl From<Exhausted> for Stopped {
    fn from(exhausted: Exhausted) -> Self {
        Stopped::Exhausted(exhausted)
    }
}

impl From<Diagnostics> for Stopped {
    fn from(problems: Diagnostics) -> Self {
        Stopped::Wrong(problems)
    }
}

impl From<Diagnostic> for Stopped {
    fn from(problem: Diagnostic) -> Self {
        Stopped::Wrong(problem.into())
    }
}
