//! Findings and the rules they come from.

use super::Trace;
use serde_json::Value;
use std::sync::Arc;

/// A rule that findings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id, which stays the same for ever: `leak`.
    pub id: String,
    /// How serious its findings are, unless they say otherwise.
    pub level: Level,
    /// What it reports, in one sentence without a full stop.
    pub summary: String,
    /// What the finding means and what can be done about it, in plain text.
    pub help: String,
    /// The same in Markdown, if there is more to say.
    pub help_markdown: Option<String>,
    /// An absolute address with more about it.
    pub help_uri: Option<String>,
    /// Numbers of the Common Weakness Enumeration.
    pub cwe: Vec<u32>,
}

impl Rule {
    /// A rule whose help is its summary.
    pub fn new(id: impl Into<String>, level: Level, summary: impl Into<String>) -> Self {
        let summary = summary.into();
        Self {
            id: id.into(),
            level,
            help: summary.clone(),
            summary,
            help_markdown: None,
            help_uri: None,
            cwe: Vec::new(),
        }
    }
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something is wrong.
    Error,
    /// Something may be wrong.
    Warning,
    /// Worth knowing.
    Note,
}

impl Level {
    /// `error`, `warning` or `note`.
    pub fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }
}

/// The outcome of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The property fails, or the rule is broken.
    Fails,
    /// A limit was reached, or the question is not supported.
    Unknown,
    /// The target of a search is reachable.
    Reachable,
    /// The target of a search is not reachable.
    Unreachable,
    /// The property holds.
    Holds,
}

impl Outcome {
    /// All outcomes, the most urgent first.
    pub const ALL: [Outcome; 5] =
        [Outcome::Fails, Outcome::Unknown, Outcome::Reachable, Outcome::Unreachable, Outcome::Holds];

    /// The verdict as JSON output has it.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Fails => "fails",
            Outcome::Unknown => "unknown",
            Outcome::Reachable => "reachable",
            Outcome::Unreachable => "unreachable",
            Outcome::Holds => "holds",
        }
    }
}

/// One result: a verdict on a property, or a place where a rule is broken.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The number of its rule in the report.
    pub rule: usize,
    /// How serious it is.
    pub level: Level,
    /// The outcome.
    pub outcome: Outcome,
    /// What was found, in a sentence without a full stop.
    pub message: String,
    /// The property that was checked, if it was given as a formula.
    pub property: Option<Property>,
    /// Where it is; the first place is where somebody should look first.
    pub locations: Vec<Location>,
    /// The traces that show it. The first one shows the whole; others show the claims that states
    /// of earlier ones rely on.
    pub traces: Vec<Trace>,
    /// Evidence that is no trace.
    pub proof: Option<Proof>,
    /// What was assumed on the way: calls that are not resolved, methods without code.
    pub assumptions: Vec<String>,
    /// Why it does not count, if it does not.
    pub suppressions: Vec<Suppression>,
    /// How it compares with a baseline, if there is one.
    pub baseline: Option<Baseline>,
    /// Parts of text that identify the finding and survive moved lines: class, method signature,
    /// ordinal of the site. See [`Report::fingerprints`](super::Report::fingerprints).
    pub identity: Vec<String>,
    /// More about it, by the names that JSON output has: `engine`, `seconds`, `reason`.
    pub details: Vec<(String, Value)>,
}

impl Finding {
    /// A finding without a place and a trace.
    pub fn new(rule: usize, level: Level, outcome: Outcome, message: impl Into<String>) -> Self {
        Self {
            rule,
            level,
            outcome,
            message: message.into(),
            property: None,
            locations: Vec::new(),
            traces: Vec::new(),
            proof: None,
            assumptions: Vec::new(),
            suppressions: Vec::new(),
            baseline: None,
            identity: Vec::new(),
            details: Vec::new(),
        }
    }
}

/// A property that was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// The formula as it was written.
    pub text: String,
    /// What it is called, if it has a name.
    pub name: Option<String>,
    /// Its logic: `ctl`.
    pub logic: Option<String>,
    /// The module of an SMV file that it is about.
    pub module: Option<String>,
    /// The instance in that module that it was written for, if not the module itself.
    pub instance: Option<String>,
}

/// A place in a source file, in the model, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, relative to the root of the sources or absolute.
    pub file: Option<Arc<str>>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// The part of the program or the model.
    pub logical: Option<Logical>,
}

impl Location {
    /// A line of a file.
    pub fn line(file: impl Into<Arc<str>>, line: u32) -> Self {
        Self { file: Some(file.into()), line: Some(line), ..Self::default() }
    }

    /// A whole file.
    pub fn file(file: impl Into<Arc<str>>) -> Self {
        Self { file: Some(file.into()), ..Self::default() }
    }

    /// A part of the model, for models without source files.
    pub fn part(name: impl Into<Arc<str>>, kind: &'static str) -> Self {
        Self { logical: Some(Logical { name: name.into(), kind }), ..Self::default() }
    }

    /// The same place, in a part of the program or the model.
    #[must_use]
    pub fn within(self, name: impl Into<Arc<str>>, kind: &'static str) -> Self {
        Self { logical: Some(Logical { name: name.into(), kind }), ..self }
    }

    /// The same place, at a column.
    #[must_use]
    pub fn column(self, column: Option<u32>) -> Self {
        Self { column, ..self }
    }
}

/// A part of a program or a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logical {
    /// Its full name: `com.acme.Main.main(String[])`, `main/start`.
    pub name: Arc<str>,
    /// Its kind in the words of SARIF: `function`, `module`, `type`, `variable`, `element`.
    pub kind: &'static str,
}

/// Evidence for a verdict that is no trace.
#[derive(Clone, Debug)]
pub enum Proof {
    /// A set of states that no run leaves.
    Invariant {
        /// The formula it shows.
        shows: String,
        /// Its clauses.
        clauses: Vec<String>,
    },
    /// A winning strategy in the game of the formula.
    Strategy {
        /// The formula it wins.
        shows: String,
        /// The moves.
        moves: Vec<ProofMove>,
        /// How many moves it has; those beyond the ones above are left out.
        total: usize,
    },
}

/// A move of a winning strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofMove {
    /// The state and the formula to be shown there.
    pub from: (String, String),
    /// The next state and formula.
    pub to: (String, String),
}

/// Why a finding does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Where it was suppressed.
    pub kind: SuppressionKind,
    /// The reason that was given, if any.
    pub justification: Option<String>,
}

/// Where a finding was suppressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionKind {
    /// In the source, by an annotation.
    InSource,
    /// In a configuration or a baseline file.
    External,
}

/// How a finding compares with those of a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// It is not in the baseline.
    New,
    /// It is there, too.
    Unchanged,
    /// It is there with another message or trace.
    Updated,
    /// It is in the baseline only.
    Absent,
}

impl Baseline {
    /// The word of SARIF.
    pub fn word(self) -> &'static str {
        match self {
            Baseline::New => "new",
            Baseline::Unchanged => "unchanged",
            Baseline::Updated => "updated",
            Baseline::Absent => "absent",
        }
    }
}
