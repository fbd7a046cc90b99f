//! How models are read, and how questions are answered.

use crate::Error;
use crate::limits::limits;
use loris_check::{Choice, Logic, Options, Runs, UnknownAtoms, semantics_refusal};
use loris_evidence::AtExit;
use loris_load::{Format, Origin};
use loris_rsm::{DeadEnds, EmptyCalls};
use loris_session::CallLimits;
use std::path::PathBuf;

/// How a model is read.
///
/// ```
/// use loris::{DeadEnds, ReadOptions};
/// let model = ReadOptions::new().dead_ends(DeadEnds::Loop).load("examples/dataflow.rsm")?;
/// assert_eq!(model.format().name(), "rsm");
/// # Ok::<(), loris::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    pub(crate) format: Option<Format>,
    pub(crate) origin: Origin,
    pub(crate) limits: CallLimits,
}

impl ReadOptions {
    /// The format is recognised, and all else is as the format has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The format; without it, it is recognised by the extension or by the content.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// The module of an SMV model where runs start.
    #[must_use]
    pub fn module(mut self, module: impl Into<String>) -> Self {
        self.origin.module = Some(module.into());
        self
    }

    /// What a state without a successor means.
    #[must_use]
    pub fn dead_ends(mut self, reading: DeadEnds) -> Self {
        self.origin.semantics.dead_ends = reading;
        self
    }

    /// What a call of a component means in which an entry is an exit.
    #[must_use]
    pub fn empty_calls(mut self, reading: EmptyCalls) -> Self {
        self.origin.semantics.empty_calls = reading;
        self
    }

    /// A file with a peer that the model is composed with: an automaton (`.hoa`) or a transition
    /// system (`.aut`).
    #[must_use]
    pub fn peer(mut self, path: impl Into<PathBuf>) -> Self {
        self.origin.with = Some(path.into());
        self
    }

    /// How many states may be made of an SMV model.
    #[must_use]
    pub fn max_states(mut self, states: usize) -> Self {
        self.origin.max_states = Some(states);
        self
    }

    /// Jars and folders of a Java program whose code is read, but where no run starts.
    #[cfg(feature = "java")]
    #[must_use]
    pub fn library(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.origin.java.library = paths.into_iter().map(Into::into).collect();
        self
    }

    /// The methods of a Java program where runs start: names, or patterns with `*` and `?`.
    #[cfg(feature = "java")]
    #[must_use]
    pub fn entries(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.origin.java.entries = names.into_iter().map(Into::into).collect();
        self
    }

    limits!("The time for reading.", "The bytes that reading may hold.");
}

/// How properties are checked.
///
/// ```
/// use loris::{CheckOptions, Model};
/// let model = Model::load("examples/dataflow.rsm")?;
/// let options = CheckOptions::new().engine("lazy".parse()?).jobs(1);
/// assert_eq!(model.check_with(["A F use_i"], &options)?[0].engine(), "lazy");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions {
    engine: Choice,
    pub(crate) logic: Option<Logic>,
    at_exit: Option<AtExit>,
    runs: Option<Runs>,
    pub(crate) unknown_atoms: Option<UnknownAtoms>,
    seed: u64,
    pub(crate) evidence: bool,
    pub(crate) limits: CallLimits,
}

impl CheckOptions {
    /// The fastest engine, without evidence and limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// The engine that decides; [`ENGINES`](crate::ENGINES) lists them.
    #[must_use]
    pub fn engine(mut self, engine: Choice) -> Self {
        self.engine = engine;
        self
    }

    /// The logic of formulas; by default CTL.
    #[must_use]
    pub fn logic(mut self, logic: Logic) -> Self {
        self.logic = Some(logic);
        self
    }

    /// How exits behave when the stack is empty; by default as the engine has it.
    #[must_use]
    pub fn at_exit(mut self, reading: AtExit) -> Self {
        self.at_exit = Some(reading);
        self
    }

    /// Which runs questions of linear time are about.
    #[must_use]
    pub fn runs(mut self, runs: Runs) -> Self {
        self.runs = Some(runs);
        self
    }

    /// The meaning of atoms that no node carries; by default an error.
    #[must_use]
    pub fn unknown_atoms(mut self, meaning: UnknownAtoms) -> Self {
        self.unknown_atoms = Some(meaning);
        self
    }

    /// The seed of engines that choose at random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether verdicts come with evidence.
    #[must_use]
    pub fn evidence(mut self, evidence: bool) -> Self {
        self.evidence = evidence;
        self
    }

    limits!("The time for each property.", "The bytes that each property may hold, with the model.");

    /// As the engines take them.
    pub(crate) fn options(&self, has_formulas: bool) -> Result<Options, Error> {
        let options = Options {
            engine: self.engine,
            at_exit: self.at_exit.unwrap_or_else(|| self.engine.at_exit()),
            runs: self.runs.unwrap_or(Runs::All),
            timeout: self.limits.timeout,
            memory: self.limits.memory,
            interrupt: self.limits.interrupt.clone(),
            jobs: self.limits.jobs(),
            seed: self.seed,
            evidence: self.evidence,
            ..Options::default()
        };
        let refusal = semantics_refusal(self.logic.unwrap_or(Logic::Ctl), &options);
        match refusal.filter(|_| has_formulas) {
            Some(why) => Err(Error::Refused(why.to_string())),
            None => Ok(options),
        }
    }
}
