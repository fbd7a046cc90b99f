//! The answer to a question.

use crate::EngineName;
use loris_circuit::Valuation;
use loris_evidence::{Certificate, Evidence, Reason, Verdict};
use loris_lts::GlobalState;
use loris_recursive::{Distance, Runs};
use std::borrow::Cow;

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Holds, fails, or unknown and why.
    pub verdict: Verdict,
    /// Why the verdict is weaker than it seems.
    pub note: Option<Note>,
    /// The engine that decided, or tried; `none` if no engine knows such questions.
    pub engine: &'static str,
    /// Counters of the engine, by name: contexts made, local checks, and so on.
    pub counters: Vec<(&'static str, u64)>,
    /// The processes that decided, where some did without the others.
    pub decided_by: Vec<String>,
    /// The number of steps that was asked for.
    pub value: Option<Distance>,
    /// How long it took; the time of a batch is shared out evenly.
    pub seconds: f64,
    /// Evidence for the verdict, if that was asked for.
    pub evidence: Option<AnyCertificate>,
    /// Why there is no evidence although it was asked.
    pub evidence_note: Option<String>,
    /// How the engine came to its verdict, for those who want to know.
    pub trace: Option<String>,
    /// The engine's knowledge as tables, if that was asked for.
    pub knowledge: Option<String>,
}

/// Evidence about a model of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyCertificate {
    /// About a machine.
    Machine(Certificate),
    /// About a Boolean transition system.
    Values(Certificate<Valuation>),
    /// About processes that run in parallel.
    Processes(Certificate<GlobalState>),
}

/// How large evidence is, in its own terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Paths, with this many that others rely on.
    Paths(usize),
    /// The clauses of an invariant.
    Clauses(usize),
    /// The moves of a strategy.
    Moves(usize),
}

impl AnyCertificate {
    /// The formula that it shows, or one of the other texts that a path can show; empty if there is
    /// none.
    pub fn shows(&self) -> &str {
        match self {
            AnyCertificate::Machine(certificate) => certificate.shows(),
            AnyCertificate::Values(certificate) => certificate.shows(),
            AnyCertificate::Processes(certificate) => certificate.shows(),
        }
    }

    /// How large it is.
    pub fn extent(&self) -> Option<Extent> {
        fn of<S>(certificate: &Certificate<S>) -> Option<Extent> {
            match certificate {
                Certificate::Paths(evidence) => {
                    Some(Extent::Paths(evidence.paths.len().saturating_sub(1 + evidence.also.len())))
                }
                Certificate::Invariant(invariant) => Some(Extent::Clauses(invariant.clauses.len())),
                Certificate::Strategy(strategy) => Some(Extent::Moves(strategy.moves.len())),
                Certificate::CallStrategy(strategy) => Some(Extent::Moves(strategy.moves.len())),
                _ => None,
            }
        }
        match self {
            AnyCertificate::Machine(certificate) => of(certificate),
            AnyCertificate::Values(certificate) => of(certificate),
            AnyCertificate::Processes(certificate) => of(certificate),
        }
    }

    /// The paths of a machine, if it is made of such.
    pub fn machine_paths(&self) -> Option<&Evidence> {
        match self {
            AnyCertificate::Machine(Certificate::Paths(evidence)) => Some(evidence),
            _ => None,
        }
    }
}

impl From<Evidence> for AnyCertificate {
    fn from(evidence: Evidence) -> Self {
        AnyCertificate::Machine(Certificate::Paths(evidence))
    }
}

impl Answer {
    /// A verdict without anything else.
    pub(crate) fn new(engine: EngineName, verdict: impl Into<Verdict>) -> Self {
        Self::of(engine.name(), verdict.into())
    }

    /// The answer of no engine.
    pub(crate) fn undecided(reason: &Reason) -> Self {
        Self::of("none", Verdict::Unknown(reason.clone()))
    }

    /// A verdict of an engine of this name, without anything else.
    pub fn of(engine: &'static str, verdict: Verdict) -> Self {
        Self {
            verdict,
            note: None,
            engine,
            counters: Vec::new(),
            decided_by: Vec::new(),
            value: None,
            seconds: 0.0,
            evidence: None,
            evidence_note: None,
            knowledge: None,
            trace: None,
        }
    }

    /// The paths of its evidence, if it is about a machine.
    pub fn machine_paths(&self) -> Option<&Evidence> {
        self.evidence.as_ref().and_then(AnyCertificate::machine_paths)
    }

    /// The same answer, for readers who did not ask for evidence.
    #[must_use]
    pub fn without_evidence(&self) -> Self {
        Self { evidence: None, evidence_note: None, ..self.clone() }
    }

    /// A number that was counted on the way, if it was.
    pub fn counter(&self, name: &str) -> Option<u64> {
        self.counters.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
    }
}

/// Names of counters.
pub mod counters {
    /// Contexts that were made, the initial one included.
    pub const CONTEXTS: &str = "contexts";
    /// Times that a component was checked for a subformula.
    pub const CHECKS: &str = "checks";
    /// Components that were looked at, if the engine looks at some only.
    pub const COMPONENTS: &str = "components";
    /// Facts that were derived.
    pub const TUPLES: &str = "tuples";
    /// Pairs of a vertex and a subformula that were looked at.
    pub const POSITIONS: &str = "positions";
    /// Nodes of decision diagrams of functions.
    pub const FUNCTIONS: &str = "functions";
    /// States of the automaton.
    pub const AUTOMATON_STATES: &str = "automaton_states";
}

/// Why a verdict is weaker than it seems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// No state is initial: every property holds vacuously.
    NoInitialState,
    /// There is no infinite run of the kind asked for: claims about all of them hold vacuously.
    NoInfiniteRun(Runs),
    /// No fair run starts in an initial state: claims about all of them hold vacuously.
    NoFairRun,
    /// The left side of the implication that the property states of all states holds in none.
    NeverHolds(String),
}

impl Note {
    /// In short.
    pub fn text(&self) -> Cow<'static, str> {
        match self {
            Note::NoInitialState => "no initial state".into(),
            Note::NoInfiniteRun(_) => "no infinite run".into(),
            Note::NoFairRun => "no fair run".into(),
            Note::NeverHolds(premise) => format!("{premise} never holds").into(),
        }
    }

    /// Whether the model has no run that the property could be about.
    pub fn is_of_model(&self) -> bool {
        !matches!(self, Note::NeverHolds(_))
    }

    /// An explanation in words.
    pub fn detail(&self) -> &'static str {
        match self {
            Note::NoInitialState => "every property holds vacuously",
            Note::NeverHolds(_) => "the implication holds vacuously",
            Note::NoFairRun => "properties of all fair runs hold vacuously",
            Note::NoInfiniteRun(Runs::All) => "every run stops",
            Note::NoInfiniteRun(Runs::Bounded) => "none keeps its stack bounded",
            Note::NoInfiniteRun(Runs::Unbounded) => "none lets its stack grow for ever",
        }
    }
}

/// Why there is no evidence for a universal claim.
pub(crate) const NO_PATH: &str = "the claim is that no path exists, which no path shows";
/// Why there is no strategy although one wins.
pub(crate) const TOO_LARGE: &str = "the strategy is too large to be shown";
/// The same where only small ones were looked for.
pub(crate) const NOT_FOUND: &str = "no strategy was found that is small enough to be shown";
/// Why there is no evidence although a path exists.
pub(crate) const TOO_LONG: &str = "the evidence is too long to be shown";
