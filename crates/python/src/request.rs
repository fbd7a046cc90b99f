//! What Python asks for, as JSON.

use crate::failure::Failure;
use crate::phrasing::{WORDS, refusal};
use loris_base::Interrupt;
use loris_check::{Choice, Logic, Options, Runs, UnknownAtoms, UnknownEngine, runs_word, semantics_refusal};
use loris_evidence::AtExit;
use loris_java::calls::Calls;
use loris_java::extract::Granularity;
use loris_load::{FORMATS, Format, JavaOptions, Origin, OutputFormat, Reading, TARGETS};
use loris_report::{dead_ends_word, empty_calls_word};
use loris_rsm::{DeadEnds, EmptyCalls, Semantics};
use loris_session::CallLimits;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::time::Duration;

/// Reads a request.
pub(crate) fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::Usage(error.to_string()))
}

/// The limits of a call.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct LimitsRequest {
    /// Seconds.
    timeout: Option<f64>,
    /// Bytes.
    memory: Option<usize>,
    /// Threads.
    jobs: Option<usize>,
}

impl LimitsRequest {
    /// The limits of a call that can be interrupted. A time that no clock reaches is not a limit.
    pub(crate) fn limits(&self, interrupt: &Interrupt) -> CallLimits {
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        CallLimits::new(self.timeout.map(time), self.memory, self.jobs, interrupt.clone())
    }

    /// A reading that starts now.
    pub(crate) fn reading(&self, interrupt: &Interrupt) -> Reading {
        self.limits(interrupt).reading(WORDS)
    }
}

/// A model to read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadRequest {
    pub(crate) paths: Vec<PathBuf>,
    format: Option<String>,
    peer: Option<PathBuf>,
    dead_ends: Option<String>,
    empty_calls: Option<String>,
    module: Option<String>,
    max_states: Option<usize>,
    #[serde(default)]
    library: Vec<PathBuf>,
    #[serde(default)]
    entries: Vec<String>,
    calls: Option<String>,
    granularity: Option<String>,
    #[serde(default)]
    runtime_exceptions: bool,
    #[serde(default)]
    pub(crate) limits: LimitsRequest,
}

impl LoadRequest {
    /// The format, if it is given.
    pub(crate) fn format(&self) -> Result<Option<Format>, Failure> {
        let Some(word) = &self.format else { return Ok(None) };
        let known = FORMATS.map(|(_, format, _)| format);
        by_word("format", word, &known, Format::name).map(Some)
    }

    /// How the model is read.
    pub(crate) fn origin(&self) -> Result<Origin, Failure> {
        let dead_ends = [DeadEnds::Error, DeadEnds::Loop, DeadEnds::Stop];
        let empty_calls = [EmptyCalls::Pass, EmptyCalls::Stuck];
        let default = Semantics::default();
        let asked = chosen("dead_ends", self.dead_ends.as_ref(), &dead_ends, dead_ends_word)?;
        let semantics = Semantics {
            dead_ends: asked.unwrap_or(default.dead_ends),
            empty_calls: chosen("empty_calls", self.empty_calls.as_ref(), &empty_calls, empty_calls_word)?
                .unwrap_or(default.empty_calls),
        };
        let calls = [("cha", Calls::Hierarchy), ("rta", Calls::Created)];
        let granularity = [("instruction", Granularity::Instruction), ("block", Granularity::Block)];
        let calls = chosen("calls", self.calls.as_ref(), &calls, |(word, _)| word)?;
        let granularity = chosen("granularity", self.granularity.as_ref(), &granularity, |(word, _)| word)?;
        let java = JavaOptions {
            also: self.paths.iter().skip(1).cloned().collect(),
            library: self.library.clone(),
            entries: self.entries.clone(),
            calls: calls.map(|(_, calls)| calls).unwrap_or_default(),
            granularity: granularity.map(|(_, granularity)| granularity).unwrap_or_default(),
            runtime: self.runtime_exceptions,
            ..JavaOptions::default()
        };
        Ok(Origin {
            refuses_dead_ends: asked == Some(DeadEnds::Error),
            with: self.peer.clone(),
            semantics,
            module: self.module.clone(),
            max_states: self.max_states,
            java,
            ..Origin::default()
        })
    }
}

/// Properties to check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckRequest {
    pub(crate) properties: Vec<String>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) automata: Vec<PathBuf>,
    logic: Option<String>,
    engine: String,
    at_exit: Option<String>,
    runs: Option<String>,
    unknown_atoms: Option<String>,
    seed: u64,
    evidence: bool,
    pub(crate) limits: LimitsRequest,
}

impl CheckRequest {
    /// The logic, if it is given.
    pub(crate) fn logic(&self) -> Result<Option<Logic>, Failure> {
        let known = [Logic::Ctl, Logic::Ltl, Logic::Star, Logic::Mu];
        chosen("logic", self.logic.as_ref(), &known, Logic::name)
    }

    /// The meaning of atoms that no node carries, if it is given.
    pub(crate) fn unknown_atoms(&self) -> Result<Option<UnknownAtoms>, Failure> {
        let word = |reading: UnknownAtoms| match reading {
            UnknownAtoms::Error => "error",
            UnknownAtoms::False => "false",
        };
        let known = [UnknownAtoms::Error, UnknownAtoms::False];
        chosen("unknown_atoms", self.unknown_atoms.as_ref(), &known, word)
    }

    /// How questions are answered about a model of this size.
    pub(crate) fn options(&self, limits: &CallLimits) -> Result<Options, Failure> {
        let engine: Choice = self.engine.parse().map_err(|unknown: UnknownEngine| {
            Failure::Usage(match unknown.near {
                Some(_) => unknown.to_string(),
                None => format!("{unknown}; loris.engines() lists them"),
            })
        })?;
        let at_exit = [AtExit::Loop, AtExit::Sink, AtExit::Stop];
        let runs = [Runs::All, Runs::Bounded, Runs::Unbounded];
        let at_exit = chosen("at_exit", self.at_exit.as_ref(), &at_exit, AtExit::word)?;
        let options = Options {
            engine,
            at_exit: at_exit.unwrap_or_else(|| engine.at_exit()),
            runs: chosen("runs", self.runs.as_ref(), &runs, runs_word)?.unwrap_or(Runs::All),
            timeout: limits.timeout,
            memory: limits.memory,
            interrupt: limits.interrupt.clone(),
            jobs: limits.jobs(),
            seed: self.seed,
            evidence: self.evidence,
            ..Options::default()
        };
        let has_formulas = !self.properties.is_empty() || !self.files.is_empty();
        match semantics_refusal(self.logic()?.unwrap_or(Logic::Ctl), &options).filter(|_| has_formulas) {
            Some(why) => Err(Failure::Usage(refusal(&why))),
            None => Ok(options),
        }
    }
}

/// A path to look for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReachRequest {
    pub(crate) to: Option<String>,
    pub(crate) start: Option<String>,
    pub(crate) all: bool,
    pub(crate) limits: LimitsRequest,
}

/// A format to write the model in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConvertRequest {
    format: String,
    pub(crate) limits: LimitsRequest,
}

impl ConvertRequest {
    /// The format.
    pub(crate) fn target(&self) -> Result<OutputFormat, Failure> {
        let known = TARGETS.map(|(word, target, _)| (word, target));
        by_word("format", &self.format, &known, |(word, _)| word).map(|(_, target)| target)
    }
}

/// The meaning of a word, if one is given.
fn chosen<T: Copy>(
    argument: &str,
    word: Option<&String>,
    known: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<Option<T>, Failure> {
    word.map(|word| by_word(argument, word, known, name)).transpose()
}

/// The meaning of a word.
fn by_word<T: Copy>(
    argument: &str,
    word: &str,
    known: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, Failure> {
    known.iter().copied().find(|&meaning| name(meaning) == word).ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|&meaning| format!("{:?}", name(meaning))).collect();
        Failure::Usage(format!("{argument}={word:?}: expected one of {}", names.join(", ")))
    })
}
