//! How to check.

use loris_base::{Interrupt, nearest};
use loris_evidence::AtExit;
use loris_recursive::{ENGINES, EngineName, Logic, Runs};
use std::str::FromStr;
use std::time::Duration;

/// Everything [`check_all`](crate::check_all) wants to know besides the questions.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which engine decides.
    pub engine: Choice,
    /// What an exit does when the stack is empty.
    pub at_exit: AtExit,
    /// Which runs questions of linear time are about.
    pub runs: Runs,
    /// Time for each property.
    pub timeout: Option<Duration>,
    /// Bytes for each property.
    pub memory: Option<usize>,
    /// Bytes for all properties that are checked at the same time: each gets an equal share, and one
    /// that needs more is checked again with a larger share when the others are done.
    pub shared_memory: Option<usize>,
    /// Ends the work when it is raised; what is decided by then stands.
    pub interrupt: Interrupt,
    /// How many threads share the work, at least one.
    pub jobs: usize,
    /// For engines that choose at random.
    pub seed: u64,
    /// Whether verdicts come with evidence.
    pub evidence: bool,
    /// Whether verdicts of engine `rks-eager` come with its tables.
    pub explain: bool,
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
        }
    }
}

/// Which engine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    /// What is fastest on the benchmarks. In branching time the summary engine, with properties of one
    /// shape together; a nested property alone gets one three-valued look first, as `lazy` starts. In
    /// linear time the product with an automaton.
    #[default]
    Auto,
    /// This one.
    Named(EngineName),
}

impl Choice {
    /// What an exit does when the stack is empty, if nothing else is said: engines of the thesis on recursive Kripke structures go to its
    /// unlabelled state.
    pub fn at_exit(self) -> AtExit {
        use EngineName::{RksEager, RksIncremental, RksSummary};
        match self {
            Choice::Named(RksEager | RksIncremental | RksSummary) => AtExit::Sink,
            _ => AtExit::Loop,
        }
    }

    /// The engine for a question, given whether it is of CTL and asked of a finite structure.
    pub fn engine(self, logic: Logic, finite: bool) -> EngineName {
        match (self, logic) {
            (Choice::Named(engine), _) => engine,
            (Choice::Auto, Logic::Ltl | Logic::Automaton) => EngineName::Buchi,
            (Choice::Auto, Logic::Ctl | Logic::Star) if finite => EngineName::Fixpoint,
            (Choice::Auto, Logic::Ctl | Logic::Star) => EngineName::Summary,
        }
    }
}

impl FromStr for Choice {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Choice::Auto);
        }
        let named = ENGINES.iter().find(|row| row.name == text);
        named.map(|row| Choice::Named(row.engine)).ok_or_else(|| {
            let names = ENGINES.iter().map(|row| row.name).chain(["auto"]);
            match nearest(text, names) {
                Some(near) => format!("there is no engine \"{text}\"; did you mean \"{near}\"?"),
                None => format!("there is no engine \"{text}\"; `--engine help` lists them"),
            }
        })
    }
}

/// What an atom means that no node carries.
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
