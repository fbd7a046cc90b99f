//! What was found out about a question.

use loris_evidence::{Evidence, Verdict};
use loris_recursive::{Distance, ENGINES, EngineName, Runs};

/// What was found out about a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Holds, fails, or unknown and why.
    pub verdict: Verdict,
    /// Why the verdict says less than it seems to.
    pub note: Option<Note>,
    /// The engine that decided, or tried; `none` if no engine knows such questions.
    pub engine: &'static str,
    /// How many contexts were made, if the engine makes some and came to an end.
    pub contexts: Option<usize>,
    /// How many times a component was checked for a subformula, if the engine does so and came to an end.
    pub checks: Option<usize>,
    /// How many components the engine looked at, if it looks at some only and came to an end.
    pub components: Option<usize>,
    /// How many facts were derived, if the engine derives some and came to an end.
    pub tuples: Option<u64>,
    /// How many states the automaton had, if there was one.
    pub automaton_states: Option<usize>,
    /// The number of steps that was asked for.
    pub value: Option<Distance>,
    /// How long it took; the time of a batch is shared out evenly.
    pub seconds: f64,
    /// Why the verdict is what it is, if that was asked.
    pub evidence: Option<Evidence>,
    /// Why there is no evidence although it was asked.
    pub evidence_note: Option<String>,
    /// What the engine knew, as tables, if that was asked.
    pub knowledge: Option<String>,
}

impl Answer {
    /// A verdict with nothing else to say.
    pub(crate) fn new(engine: EngineName, verdict: Verdict) -> Self {
        Self { verdict, engine: name(engine), ..Self::unsupported() }
    }

    /// The answer to a question that no engine knows.
    pub(crate) fn unsupported() -> Self {
        Self {
            verdict: Verdict::Unsupported,
            note: None,
            engine: "none",
            contexts: None,
            checks: None,
            components: None,
            tuples: None,
            automaton_states: None,
            value: None,
            seconds: 0.0,
            evidence: None,
            evidence_note: None,
            knowledge: None,
        }
    }
}

/// Why a verdict says less than it seems to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// There is no infinite run of the kind asked for: what is said of all of them is said of none.
    NoInfiniteRun(Runs),
    /// No fair run starts where runs start: what is said of all of them is said of none.
    NoFairRun,
}

impl Note {
    /// In short.
    pub fn text(self) -> &'static str {
        match self {
            Note::NoInfiniteRun(_) => "no infinite run",
            Note::NoFairRun => "no fair run",
        }
    }

    /// What that means.
    pub fn detail(self) -> &'static str {
        match self {
            Note::NoFairRun => "what holds of all fair runs says nothing",
            Note::NoInfiniteRun(Runs::All) => "every run stops",
            Note::NoInfiniteRun(Runs::Bounded) => "none keeps its stack bounded",
            Note::NoInfiniteRun(Runs::Unbounded) => "none lets its stack grow for ever",
        }
    }
}

/// Why there is no evidence for what is universal.
pub(crate) const NO_PATH: &str = "the claim is that no path exists, which no path shows";
/// Why there is none for what is not.
pub(crate) const TOO_LONG: &str = "the evidence is too long to be told";

/// The name of an engine.
pub(crate) fn name(engine: EngineName) -> &'static str {
    ENGINES.iter().find(|row| row.engine == engine).expect("ENGINES lists every engine").name
}
