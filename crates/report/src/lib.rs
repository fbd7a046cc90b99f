//! The output of Loris: problems of inputs, verdicts as text and as JSON, facts about models, runs
//! as waveforms.
//!
//! Everything is rendered into writers the caller brings; no file is opened here. Text carries
//! terminal colours, which the caller strips where there is no terminal.
//!
//! ```
//! use loris_base::{Diagnostic, Diagnostics};
//! use std::io::Cursor;
//! let slip = Diagnostic::error(4, 5, "no node is labelled \"use_j\"").help("did you mean \"use_i\"?");
//! let mut out = Vec::new();
//! let problems: Diagnostics = slip.into();
//! loris_report::write_problems(&mut out, "m.ctl", Some(&mut Cursor::new("A F use_j")), &problems).unwrap();
//! assert!(String::from_utf8(out).unwrap().contains("m.ctl:1:5:"));
//! ```

mod canvas;
mod ci;
mod circuit;
mod evidence;
mod facts;
mod findings;
mod fingerprint;
mod game;
mod graphviz;
#[cfg(feature = "java")]
mod java;
mod json;
mod listing;
mod page;
mod parallel;
mod problems;
mod reach;
mod runs;
mod sarif;
mod signal;
mod story;
mod style;
mod text;
mod vcd;

pub use canvas::Canvas;
pub use ci::{write_checkstyle, write_github, write_junit};
pub use circuit::{CircuitFacts, cones, json_circuit, text_circuit};
pub use evidence::{json_evidence, text_evidence};
pub use facts::{Facts, json_facts, text_facts};
pub use findings::{PROPERTY_RULE, REACH_RULE, check_report, reach_report};
pub use game::{SolvedGame, json_solved, text_solved};
pub use graphviz::write_report_dot;
#[cfg(feature = "java")]
pub use java::{JavaFacts, json_java, text_java};
pub use json::{json_report, json_result};
pub use listing::{Count, json_finding, json_findings, text_finding, text_findings};
pub use loris_findings::{Call, Finding, Location, Proof, Report, Trace, TraceStep};
pub use page::write_page;
pub use parallel::{ParallelFacts, json_parallel, text_parallel};
pub use problems::write_problems;
pub use reach::{ReachReport, json_reach, json_reach_line, text_nodes, text_reach};
pub use runs::machine_traces;
pub use sarif::{MOST_RESULTS, MOST_STEPS, write_sarif};
pub use story::draw_traces;
pub use text::{Detail, text_result, text_summary};
pub use vcd::write_vcd;

use loris_check::{Answer, Distance, Heading, Model, Processes, Runs};
use loris_evidence::{AtExit, Verdict};
use loris_json::json_quoted;
use loris_logic::mu::DeadEnds as DeadEndsOfRuns;
use loris_rsm::{DeadEnds, EmptyCalls, Rsm, Semantics};

/// What all results of a run have in common.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The path of the model, as it was given.
    pub path: &'a str,
    /// Its format: `rsm`, `pds`, …
    pub format: &'a str,
    /// The path of the peer it was composed with, if it was.
    pub with: Option<&'a str>,
    /// The model, unless a limit was reached before it was made.
    pub model: Option<&'a Model>,
    /// The states that were explored of a model that was not made, if it has any.
    pub explored: Option<usize>,
    /// The module that a result is about, if the model is an SMV file.
    pub subject: Option<Subject<'a>>,
    /// In which reading it was made.
    pub semantics: Semantics,
    /// How exits behave when the stack is empty.
    pub at_exit: AtExit,
    /// Which runs questions of linear time are about.
    pub runs: Runs,
}

impl<'a> Context<'a> {
    /// The machine, if the model is one.
    pub(crate) fn rsm(&self) -> Option<&'a Rsm> {
        self.model?.rsm()
    }

    /// How the model was made of a program, as a JSON object, if it was.
    pub(crate) fn program(&self) -> Option<&'a str> {
        self.model?.program()
    }

    /// The processes, if the model is made of such.
    pub(crate) fn processes(&self) -> Option<&'a Processes> {
        self.model?.processes()
    }

    /// Whether the model is a circuit.
    pub(crate) fn is_circuit(&self) -> bool {
        self.model.is_some_and(|model| model.circuit().is_some())
    }
}

/// The part of an SMV file that a result is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The module where runs start.
    pub module: &'a str,
    /// The instance in it that the property was written for, if not the module itself.
    pub instance: &'a str,
    /// Whether other results are about other modules.
    pub is_one_of_many: bool,
}

impl Subject<'_> {
    /// Where a property was written, if that has to be printed.
    fn place(&self) -> Option<String> {
        match (self.is_one_of_many, self.instance) {
            (false, "") => None,
            (true, "") => Some(self.module.to_owned()),
            (false, instance) => Some(instance.to_owned()),
            (true, instance) => Some(format!("{}.{instance}", self.module)),
        }
    }

    /// Keys of a JSON object, each with a comma.
    fn json(&self) -> String {
        let module = format!("\"module\": {}, ", json_quoted(self.module));
        match self.instance {
            "" => module,
            instance => module + &format!("\"instance\": {}, ", json_quoted(instance)),
        }
    }
}

/// A question with its answer.
pub type Result<'a> = (&'a Heading, &'a Answer);

/// How many properties hold, fail and stay unknown.
///
/// ```
/// use loris_report::Tally;
/// use loris_evidence::Verdict;
/// let tally: Tally = [Verdict::Holds, Verdict::Fails, Verdict::Holds].iter().collect();
/// assert_eq!(tally, Tally { holds: 2, fails: 1, unknown: 0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// True in all initial states.
    pub holds: usize,
    /// False in some initial state.
    pub fails: usize,
    /// Not decided.
    pub unknown: usize,
}

impl<'v> FromIterator<&'v Verdict> for Tally {
    fn from_iter<I: IntoIterator<Item = &'v Verdict>>(verdicts: I) -> Self {
        let mut tally = Self::default();
        for verdict in verdicts {
            *match verdict {
                Verdict::Holds => &mut tally.holds,
                Verdict::Fails => &mut tally.fails,
                Verdict::Unknown(_) => &mut tally.unknown,
            } += 1;
        }
        tally
    }
}

/// A number of steps: `7`, `infinite` or `undefined`.
pub fn distance(value: Distance) -> String {
    match value {
        Distance::Steps(steps) => steps.to_string(),
        Distance::Infinite => "infinite".to_owned(),
        Distance::Undefined => "undefined".to_owned(),
    }
}

/// The word for a reading of dead ends: `error` or `loop`.
pub fn dead_ends_word(reading: DeadEnds) -> &'static str {
    match reading {
        DeadEnds::Error => "error",
        DeadEnds::Loop => "loop",
        DeadEnds::Stop => "stop",
    }
}

/// The word for what CTL means at dead ends of processes: `maximal`, `loop` or `stop`.
pub fn runs_at_dead_ends(reading: DeadEndsOfRuns) -> &'static str {
    match reading {
        DeadEndsOfRuns::Maximal => "maximal",
        DeadEndsOfRuns::Loop => "loop",
        DeadEndsOfRuns::Stop => "stop",
    }
}

/// The word for a reading of empty calls: `pass` or `stuck`.
pub fn empty_calls_word(reading: EmptyCalls) -> &'static str {
    match reading {
        EmptyCalls::Pass => "pass",
        EmptyCalls::Stuck => "stuck",
    }
}

/// `1 node`, `2 nodes`, `3 properties`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
