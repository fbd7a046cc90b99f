//! Results of a replay, and why there is none.

use crate::steps::Fault;
use loris_base::Exhausted;

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Steps taken.
    pub steps: usize,
    /// Existential claims that a path showed.
    pub claims: usize,
    /// How often the outcome depended on the absence of a path, and exploring states showed it.
    pub decided: usize,
    /// How often a claim was relied on that no path can show.
    pub trusted: usize,
    /// These claims, each once, the first few of them.
    pub trusted_claims: Vec<String>,
}

/// Where evidence does not show its formula, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path {path}, state {state}: {message}")]
pub struct ReplayError {
    /// Index of the path, in the order the JSON lists them.
    pub path: usize,
    /// Index of the state on the path.
    pub state: usize,
    /// The problem there.
    pub message: String,
}

pub(crate) fn error(path: usize, state: usize, message: impl Into<String>) -> ReplayError {
    ReplayError { path, state, message: message.into() }
}

/// Why evidence was not replayed to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreplayed {
    /// It does not show its formula.
    #[error(transparent)]
    Refused(#[from] ReplayError),
    /// An invariant or a strategy does not show its formula.
    #[error("{0}")]
    Refuted(String),
    /// A limit was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

impl Unreplayed {
    /// The problem at a state of a path.
    pub(crate) fn at(path: usize, state: usize, fault: Fault) -> Self {
        match fault {
            Fault::Wrong(message) => error(path, state, message).into(),
            Fault::Exhausted(exhausted) => exhausted.into(),
        }
    }

    /// Of a replay without limits.
    pub(crate) fn refused(self) -> ReplayError {
        match self {
            Unreplayed::Refused(error) => error,
            Unreplayed::Refuted(why) => error(0, 0, why),
            Unreplayed::Exhausted(exhausted) => error(0, 0, exhausted.to_string()),
        }
    }
}
