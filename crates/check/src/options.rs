//! How to check.

use crate::{ENGINES, Engine, EngineName, Logic};
use loris_base::{Interrupt, nearest};
use loris_evidence::AtExit;
use loris_modular::Abstract;
use loris_recursive::Runs;
use loris_symbolic::omg::OmgOptions;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Everything [`check_all`](crate::check_all) wants to know besides the questions.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which engine decides.
    pub engine: Choice,
    /// How exits behave when the stack is empty.
    pub at_exit: AtExit,
    /// Which runs questions of linear time are about.
    pub runs: Runs,
    /// Time for each property.
    pub timeout: Option<Duration>,
    /// Bytes for each property.
    pub memory: Option<usize>,
    /// Bytes for all properties that are checked at the same time: each gets an equal share, and
    /// one that needs more is checked again with a larger share when the others are done.
    pub shared_memory: Option<usize>,
    /// Ends the work when it is raised; verdicts decided by then stand.
    pub interrupt: Interrupt,
    /// How many threads share the work, at least one.
    pub jobs: usize,
    /// For engines that choose at random.
    pub seed: u64,
    /// Whether verdicts come with evidence.
    pub evidence: bool,
    /// Whether verdicts come with the engine's knowledge as tables, if it has some.
    pub explain: bool,
    /// Which of two processes the engine `compositional` abstracts, to refine them as needed.
    pub abstraction: Option<Abstract>,
    /// Whether the engine `compositional` builds the whole game, too, to compare sizes.
    pub compare: bool,
    /// The switches of the engine `omg`.
    pub omg: OmgOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: Choice::Auto,
            at_exit: AtExit::Loop,
            runs: Runs::All,
            timeout: None,
            memory: None,
            shared_memory: None,
            interrupt: Interrupt::default(),
            jobs: 1,
            seed: 0,
            evidence: false,
            explain: false,
            abstraction: None,
            compare: false,
            omg: OmgOptions::default(),
        }
    }
}

/// Which engine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    /// The fastest engine on the benchmarks. In branching time the summary engine, with properties
    /// of one shape together; a nested property alone gets one three-valued look first, as `lazy`
    /// starts. In linear time the product with an automaton; for the mu-calculus its own engine.
    #[default]
    Auto,
    /// This one.
    Named(EngineName),
}

impl Choice {
    /// How exits behave when the stack is empty, by default.
    pub fn at_exit(self) -> AtExit {
        self.named().map_or(AtExit::Loop, |row| row.at_exit)
    }

    /// Whether the engine can print its knowledge as tables.
    pub fn has_tables(self) -> bool {
        self.named().is_some_and(|row| row.has_tables)
    }

    fn named(self) -> Option<&'static Engine> {
        match self {
            Choice::Auto => None,
            Choice::Named(engine) => Some(engine.row()),
        }
    }

    /// The engine for a question, given whether it is of CTL and asked of a finite structure.
    pub fn engine(self, logic: Logic, finite: bool) -> EngineName {
        match (self, logic) {
            (Choice::Named(engine), _) => engine,
            (Choice::Auto, Logic::Ltl | Logic::Automaton) => EngineName::Buchi,
            (Choice::Auto, Logic::Mu) => EngineName::Pushdown,
            (Choice::Auto, Logic::Ctl | Logic::Star) if finite => EngineName::Fixpoint,
            (Choice::Auto, Logic::Ctl | Logic::Star) => EngineName::Summary,
        }
    }
}

/// There is no engine of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine {
    /// The name.
    pub name: String,
    /// A name that may be meant.
    pub near: Option<&'static str>,
}

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no engine \"{}\"", self.name)?;
        self.near.map_or(Ok(()), |near| write!(f, "; did you mean \"{near}\"?"))
    }
}

impl std::error::Error for UnknownEngine {}

impl FromStr for Choice {
    type Err = UnknownEngine;
    fn from_str(text: &str) -> Result<Self, UnknownEngine> {
        if text == "auto" {
            return Ok(Choice::Auto);
        }
        let named = ENGINES.iter().find(|row| row.name == text);
        named.map(|row| Choice::Named(row.engine)).ok_or_else(|| {
            let near = nearest(text, ENGINES.iter().map(|row| row.name).chain(["auto"]));
            UnknownEngine { name: text.to_owned(), near }
        })
    }
}

/// The meaning of an atom that no node carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UnknownAtoms {
    /// A slip.
    #[default]
    Error,
    /// False everywhere.
    False,
}

/// One of `of` equal shares of a list: every `of`-th item, from item `number` on, counted from 1.
///
/// ```
/// let shard: loris_check::Shard = "2/3".parse().unwrap();
/// assert_eq!((0..7).filter(|&i| shard.takes(i)).collect::<Vec<_>>(), [1, 4]);
/// assert!("4/3".parse::<loris_check::Shard>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// Whether the item with this index, counted from 0, is in the share.
    pub fn takes(self, index: usize) -> bool {
        index % self.of == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("a shard is I/N with 1 <= I <= N, as in 1/4"),
        }
    }
}
