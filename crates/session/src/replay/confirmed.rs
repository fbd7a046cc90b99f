//! The result of a replay.

use loris_base::Exhausted;
use loris_evidence::{ReplayError, Replayed, Unreplayed};

/// The result of a replay that found nothing wrong.
pub struct Confirmed {
    /// The claims that were examined.
    pub replayed: Replayed,
    /// Whether the verdict follows if the trusted claims are true; else only the path was examined,
    /// as there is no verdict, or no automaton to ask.
    pub verdict: bool,
}

impl Confirmed {
    /// Whether no claim had to be trusted: all that is stated was checked.
    pub fn is_certain(&self) -> bool {
        self.replayed.trusted == 0
    }
}

/// Why evidence was not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// It does not show its formula.
    Refused(String),
    /// A limit was reached before that was known.
    Exhausted(Exhausted),
}

impl From<Exhausted> for Unverified {
    fn from(exhausted: Exhausted) -> Self {
        Unverified::Exhausted(exhausted)
    }
}

impl From<ReplayError> for Unverified {
    fn from(error: ReplayError) -> Self {
        Unverified::Refused(error.to_string())
    }
}

impl From<Unreplayed> for Unverified {
    fn from(why: Unreplayed) -> Self {
        match why {
            Unreplayed::Refused(error) => error.into(),
            Unreplayed::Refuted(why) => Unverified::Refused(why),
            Unreplayed::Exhausted(exhausted) => Unverified::Exhausted(exhausted),
        }
    }
}

impl std::fmt::Display for Unverified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unverified::Refused(why) => f.write_str(why),
            Unverified::Exhausted(exhausted) => exhausted.fmt(f),
        }
    }
}

impl std::error::Error for Unverified {}
