//! Verdicts, the reasons for unknown ones, and the readings of the end of a run.

use loris_base::Exhausted;
use loris_rsm::Rsm;
use std::fmt;

/// The answer to one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// True in all initial states.
    Holds,
    /// False in some initial state.
    Fails,
    /// Not decided, and why.
    Unknown(Reason),
}

impl Verdict {
    /// The word for it: `holds`, `fails` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether it is `holds` or `fails`.
    pub fn is_known(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }

    /// The limit that was reached, if that is why it is not known.
    pub fn limit(&self) -> Option<Exhausted> {
        match self {
            Verdict::Unknown(Reason::Limit(limit)) => Some(*limit),
            _ => None,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Verdict::Holds } else { Verdict::Fails }
    }
}

impl From<Exhausted> for Verdict {
    fn from(limit: Exhausted) -> Self {
        Verdict::Unknown(Reason::Limit(limit))
    }
}

/// Why a property was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A limit was reached.
    Limit(Exhausted),
    /// It uses something that no engine knows, by name.
    Unsupported(String),
    /// The engine came to its end without an answer, as its abstraction is too coarse; in its own
    /// words.
    Inconclusive(String),
    /// The engine does not apply, which only its work has shown; in its own words.
    Inapplicable(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Limit(limit) => limit.fmt(f),
            Reason::Unsupported(what) => write!(f, "not supported: {what}"),
            Reason::Inconclusive(why) | Reason::Inapplicable(why) => f.write_str(why),
        }
    }
}

/// How exits behave when the stack is empty.
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

/// Which paths quantifiers are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Every state has a successor, so that all paths go on for ever.
    Total,
    /// CTL where runs may end: `E X` and `E U` are about finite paths, `E G` is about infinite
    /// ones.
    Ending,
    /// Infinite ones only, of which there may be none: linear time where runs may end.
    Infinite,
    /// The same in branching time, where only fair runs count.
    Fair,
}

impl Paths {
    /// Whether finite paths do not count.
    pub(crate) fn are_infinite(self) -> bool {
        matches!(self, Paths::Infinite | Paths::Fair)
    }

    /// Those that a property of a machine is about, in linear or in branching time.
    pub fn of(rsm: &Rsm, at_exit: AtExit, linear: bool) -> Self {
        match (at_exit, rsm.stops().is_empty()) {
            (AtExit::Stop, _) => Paths::Infinite,
            (_, true) => Paths::Total,
            (_, false) if linear => Paths::Infinite,
            (_, false) => Paths::Ending,
        }
    }
}

impl From<AtExit> for Paths {
    /// Those of a machine in which every state but an exit has a successor.
    fn from(at_exit: AtExit) -> Self {
        if at_exit == AtExit::Stop { Paths::Infinite } else { Paths::Total }
    }
}
