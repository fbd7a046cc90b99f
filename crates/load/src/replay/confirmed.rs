//! The result of a replay.

use loris_base::Exhausted;
use loris_evidence::{ReplayError, Replayed, Unreplayed};

/// The result of a successful replay.
pub struct Confirmed {
    /// The claims that were examined.
    pub replayed: Replayed,
    /// Whether that is the verdict; else it is only the path.
    pub verdict: bool,
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
