//! The findings of one call, with all that renderings show beside them.

use crate::drawing::Drawing;
use crate::finding::{Finding, Outcome, RuleInfo};
use crate::source::SourceText;
use crate::undecided::Undecided;
use serde_json::Value;

/// The findings of one call of the program, with all that renderings show beside them.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The call in a few words: `check examples/dataflow.rsm`.
    pub title: String,
    /// The inputs, as they were given; the first is the model.
    pub inputs: Vec<String>,
    /// The absolute path of the folder that relative paths start from, if it is known. Absolute
    /// paths below it are written as relative ones.
    pub root: Option<String>,
    /// Facts about the inputs and the readings, by name: the format, sizes, `at_exit`.
    pub facts: Vec<(String, Value)>,
    /// The rules that findings refer to.
    pub rules: Vec<RuleInfo>,
    /// The findings, in the order in which they are shown.
    pub findings: Vec<Finding>,
    /// The text of files that findings refer to, as far as they could be read.
    pub sources: Vec<SourceText>,
    /// Drawings of the model that steps of traces refer to.
    pub drawings: Vec<Drawing>,
    /// What was counted over the whole call, by name.
    pub counters: Vec<(String, u64)>,
    /// What makes all findings mean less than they seem to, such as a model without runs.
    pub warnings: Vec<String>,
    /// Remarks on the whole, such as assumptions that all findings depend on.
    pub notes: Vec<String>,
    /// Rules that were not decided, or not everywhere.
    pub undecided: Vec<Undecided>,
    /// How many findings that count are left out, as they are less certain than was asked for.
    pub below_bar: usize,
    /// How many resources went where they cannot be followed.
    pub escaped: usize,
    /// How long the call took, in seconds.
    pub seconds: f64,
}

impl Report {
    /// A report without findings.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a rule unless there is one with its id.
    pub fn add_rule(&mut self, rule: RuleInfo) {
        if self.rules.iter().all(|known| known.id != rule.id) {
            self.rules.push(rule);
        }
    }

    /// The number of the rule of a finding among the rules of the report.
    pub fn rule_number(&self, finding: &Finding) -> usize {
        self.rules.iter().position(|rule| rule.id == finding.rule).unwrap_or_default()
    }

    /// The notes, those on rules that were not decided first.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let undecided = self.undecided.iter();
        let undecided = undecided.map(|one| format!("The rule {} is not decided: {}", one.rule, one.text()));
        undecided.chain(self.notes.iter().cloned())
    }

    /// The number of findings with an outcome; suppressed ones count, too.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.findings.iter().filter(|finding| finding.outcome == outcome).count()
    }
}
