//! A report as data: findings with their traces, the rules they come from, sources and drawings.
//!
//! Every rendering (SARIF, the HTML page, Graphviz, waveforms) reads this model, and every kind of
//! input fills it: [`check_report`](crate::check_report) and [`reach_report`](crate::reach_report)
//! from verdicts, other front ends from findings of their own. A finding of a rule about Java, for
//! example, is made like this:
//!
//! ```
//! use loris_report::{
//!     Call, Finding, Level, Location, Outcome, Report, Rule, Suppression, SuppressionKind, TraceBuilder,
//!     TraceStep,
//! };
//! let mut report = Report::new("loris java app.jar");
//! let leak = report.rule(Rule {
//!     cwe: vec![772],
//!     ..Rule::new("leak", Level::Error, "a resource is not closed on every path")
//! });
//!
//! let mut trace = TraceBuilder::new("a path that leaves the stream open", "com.acme.Main.main");
//! let line = |line| Location::line("com/acme/Main.java", line);
//! trace.step(TraceStep::new("opens the stream").at(line(12)).essential());
//! trace.call(Call { location: Some(line(13)), ..Call::new("parse()", "com.acme.Main.parse") });
//! trace.step(TraceStep::new("throws IOException").at(line(40)));
//! trace.leave();
//! trace.step(TraceStep::new("leaves the method while the stream is open").at(line(15)).essential());
//!
//! let place = line(12).within("com.acme.Main.main(String[])", "function");
//! report.findings.push(Finding {
//!     locations: vec![place],
//!     traces: vec![trace.finish()],
//!     // class, signature of the method, ordinal of the site: no line, so that edits above the
//!     // finding do not change who it is
//!     identity: ["com.acme.Main", "main(String[])", "0"].map(str::to_owned).into(),
//!     assumptions: vec!["com.lib.Codec.init has no code and may throw".to_owned()],
//!     suppressions: vec![Suppression {
//!         kind: SuppressionKind::InSource,
//!         justification: Some("@SuppressWarnings(\"loris:leak\")".to_owned()),
//!     }],
//!     ..Finding::new(leak, Level::Error, Outcome::Fails, "the stream is not closed")
//! });
//! assert_eq!(report.findings[0].traces[0].depth(1), 1);
//! ```

mod drawing;
mod finding;
mod source;
mod trace;

pub use drawing::{Drawing, DrawingKind, DrawnEdge, DrawnKind, DrawnNode, Spot};
pub use finding::{
    Baseline, Finding, Level, Location, Logical, Outcome, Proof, ProofMove, Property, Rule, Suppression,
    SuppressionKind,
};
pub use source::{Excerpt, SourceText};
pub use trace::{Call, CallFrame, Gap, Importance, Relied, Trace, TraceBuilder, TraceStep};

use serde_json::Value;
use sha2::{Digest, Sha256};

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
    pub rules: Vec<Rule>,
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
    /// How long the call took, in seconds.
    pub seconds: f64,
}

impl Report {
    /// A report without findings.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a rule unless there is one with its id, and returns its number.
    pub fn rule(&mut self, rule: Rule) -> usize {
        self.rules.iter().position(|known| known.id == rule.id).unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        })
    }

    /// The number of findings with an outcome; suppressed ones count, too.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.findings.iter().filter(|finding| finding.outcome == outcome).count()
    }

    /// The fingerprints of the findings: a digest of the rule and the
    /// [identity](Finding::identity), and a number that distinguishes findings with the same.
    pub fn fingerprints(&self) -> Vec<String> {
        let mut seen: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        let fingerprint = |finding: &Finding| {
            let rule = self.rules.get(finding.rule).map_or("", |rule| &rule.id);
            let mut text = rule.to_owned();
            for part in &finding.identity {
                text.push('\0');
                text.push_str(part);
            }
            let bytes = &Sha256::digest(text)[..16];
            let digest = bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
            let number = seen.entry(digest.clone()).or_insert(0);
            *number += 1;
            format!("{digest}:{number}")
        };
        self.findings.iter().map(fingerprint).collect()
    }
}
