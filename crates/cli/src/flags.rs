//! Flags that several commands have, and the words they take.

use crate::services::Service;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use loris_check::{Logic, Runs};
use loris_evidence::AtExit;
use loris_rsm::{DeadEnds, EmptyCalls, Semantics};

/// How a model is read where its format leaves it open.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Readings {
    /// The meaning of a node that is not an exit and has no successor [default: error; for `info`
    /// and `reach`: loop]
    #[arg(long, value_name = "READING", value_parser = words(&DEAD_ENDS), help_heading = "Semantics")]
    pub(crate) dead_ends: Option<DeadEnds>,
    /// How a call of a procedure whose entry is its exit goes on [default: pass]
    #[arg(long, value_name = "READING", value_parser = words(&EMPTY_CALLS), help_heading = "Semantics")]
    pub(crate) empty_calls: Option<EmptyCalls>,
}

/// A word of the command line, its meaning, and its line in the help: nothing, if that is
/// not there yet.
pub(crate) type Word<T> = (&'static str, T, &'static str);

/// Words for what an exit does when the stack is empty.
pub(crate) const AT_EXIT: [Word<AtExit>; 3] = [
    ("loop", AtExit::Loop, "The run stays there for ever, and the exit keeps its labels"),
    ("sink", AtExit::Sink, "The run moves to a state without labels, which loops"),
    ("stop", AtExit::Stop, "The run ends; for linear time, where only infinite runs count, and for mu"),
];
const DEAD_ENDS: [Word<DeadEnds>; 3] = [
    ("error", DeadEnds::Error, "The model is wrong, and such nodes are named"),
    ("loop", DeadEnds::Loop, "A run stays there for ever"),
    (
        "stop",
        DeadEnds::Stop,
        "A run ends there: EX is false, and only infinite runs count in EG and in linear time",
    ),
];
const EMPTY_CALLS: [Word<EmptyCalls>; 2] = [
    ("pass", EmptyCalls::Pass, "After one state inside, the run goes on after the call"),
    ("stuck", EmptyCalls::Stuck, "Never; only to reproduce figures published for another tool"),
];

/// Words for which runs count.
pub(crate) const RUNS: [Word<Runs>; 3] = [
    ("all", Runs::All, "All infinite runs"),
    ("bounded", Runs::Bounded, "Those whose stack comes back to some height again and again"),
    ("unbounded", Runs::Unbounded, "Those whose stack grows beyond every height"),
];
/// Words for logics.
pub(crate) const LOGICS: [Word<Logic>; 4] = [
    ("ctl", Logic::Ctl, "Computation tree logic"),
    ("ltl", Logic::Ltl, "Linear temporal logic: about all runs"),
    ("ctl*", Logic::Star, "Both, nested in any way"),
    ("mu", Logic::Mu, "The mu-calculus, with ctl as sugar"),
];

/// Words for results that are one document.
pub(crate) const DOCUMENTS: [Word<Document>; 2] =
    [("text", Document::Text, "Lines for people"), ("json", Document::Json, "One object")];

/// How something is written that comes as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Document {
    Text,
    Json,
}

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Jsonl,
    Service(Service),
}

/// Words for formats of services.
pub(crate) const JUNIT: Word<Format> =
    ("junit", Format::Service(Service::Junit), "The XML of JUnit, a test for each finding");
pub(crate) const CHECKSTYLE: Word<Format> =
    ("checkstyle", Format::Service(Service::Checkstyle), "The XML of Checkstyle, findings by file");
pub(crate) const GITHUB: Word<Format> =
    ("github", Format::Service(Service::Github), "Commands of GitHub's workflows, an annotation each");

impl Readings {
    /// The semantics, with `default` where no flag is given.
    pub(crate) fn semantics(self, default: Semantics) -> Semantics {
        Semantics {
            dead_ends: self.dead_ends.unwrap_or(default.dead_ends),
            empty_calls: self.empty_calls.unwrap_or(default.empty_calls),
        }
    }
}

/// A parser of flags for a table of words.
pub(crate) fn words<T: Copy + Send + Sync + 'static>(
    table: &'static [Word<T>],
) -> impl TypedValueParser<Value = T> {
    let known = table.iter().map(|&(word, _, help)| match help {
        "" => PossibleValue::new(word).hide(true),
        help => PossibleValue::new(word).help(help),
    });
    PossibleValuesParser::new(known).map(move |given| {
        let found = table.iter().find(|(word, ..)| *word == given);
        found.expect("the parser lets only words of the table pass").1
    })
}
