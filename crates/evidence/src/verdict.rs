//! What can be said of a property, and in which reading of the end of a run.

use loris_base::Exhausted;

/// The answer to one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// True in all initial states.
    Holds,
    /// False in some initial state.
    Fails,
    /// Not decided, and why.
    Unknown(Exhausted),
    /// Not decided: it uses something that no engine knows.
    Unsupported,
}

impl Verdict {
    /// The word for it: `holds`, `fails` or `unknown`.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Unknown(_) | Verdict::Unsupported => "unknown",
        }
    }
}

/// What an exit does when the stack is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AtExit {
    /// Stays there for ever and keeps its labels (`docs/semantics.md`; lazy-rsm, Fig. 2).
    #[default]
    Loop,
    /// Moves to an unlabelled state that loops (recursive-kripke).
    Sink,
    /// The run ends (linear time only).
    Stop,
}

impl AtExit {
    /// The word for it: `loop`, `sink` or `stop`.
    pub fn word(self) -> &'static str {
        match self {
            AtExit::Loop => "loop",
            AtExit::Sink => "sink",
            AtExit::Stop => "stop",
        }
    }
}
