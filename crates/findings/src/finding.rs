//! Findings and the rules they come from.

use crate::confidence::Confidence;
use crate::location::Location;
use crate::suppression::{BaselineState, Suppression};
use crate::trace::{Trace, TraceStep};
use serde_json::{Value, json};
use std::fmt;

/// A rule that findings come from, as reports describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInfo {
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
    /// The most that its findings are certain, if it is a rule over programs.
    pub confidence: Option<Confidence>,
}

impl RuleInfo {
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
            confidence: None,
        }
    }
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Something is wrong.
    Error,
    /// Something may be wrong.
    Warning,
    /// Worth knowing.
    Note,
}

impl Level {
    /// All levels, worst first.
    pub const ALL: [Level; 3] = [Level::Error, Level::Warning, Level::Note];

    /// The level with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == name)
    }

    /// `error`, `warning` or `note`.
    pub fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The id of its rule.
    pub rule: String,
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
    /// Evidence that is not a trace.
    pub proof: Option<Proof>,
    /// What was assumed on the way: calls that are not resolved, methods without code.
    pub assumptions: Vec<String>,
    /// How certain it is, if it is one of a rule over programs.
    pub confidence: Option<Confidence>,
    /// Why it is not certain, in a few words each.
    pub doubts: Vec<String>,
    /// Why it does not count, if it does not.
    pub suppressed: Option<Suppression>,
    /// How it compares with a baseline, if there is one.
    pub baseline: Option<BaselineState>,
    /// The declaration it is about, if it is one of a rule over programs.
    pub declaration: Option<Declaration>,
    /// Parts of text that identify a finding that is not about a declaration.
    pub identity: Vec<String>,
    /// More about it, by the names that JSON output has: `engine`, `seconds`, `reason`.
    pub details: Vec<(String, Value)>,
}

impl Finding {
    /// A finding without a place and a trace.
    pub fn new(rule: impl Into<String>, level: Level, outcome: Outcome, message: impl Into<String>) -> Self {
        Self {
            rule: rule.into(),
            level,
            outcome,
            message: message.into(),
            property: None,
            locations: Vec::new(),
            traces: Vec::new(),
            proof: None,
            assumptions: Vec::new(),
            confidence: None,
            doubts: Vec::new(),
            suppressed: None,
            baseline: None,
            declaration: None,
            identity: Vec::new(),
            details: Vec::new(),
        }
    }

    /// Where somebody should look first.
    pub fn place(&self) -> Option<&Location> {
        self.locations.first()
    }

    /// The source file of its first place.
    pub fn file(&self) -> Option<&str> {
        self.place()?.file.as_deref()
    }

    /// The line of its first place.
    pub fn line(&self) -> Option<u32> {
        self.place()?.line
    }

    /// The class it is about; empty if it is not about a program.
    pub fn class(&self) -> &str {
        self.declaration.as_ref().map_or("", |it| &it.class)
    }

    /// The class, the name and the descriptor of the method it is in.
    pub fn method(&self) -> (&str, &str, &str) {
        let method = self.declaration.as_ref().map(|it| (&*it.class, &*it.method, &*it.descriptor));
        method.unwrap_or_default()
    }

    /// The same finding, which is at most this certain, and why.
    ///
    /// ```
    /// use loris_findings::{Confidence, Finding, Level, Outcome};
    /// let finding = Finding::new("leak", Level::Warning, Outcome::Fails, "this stream leaks");
    /// let finding = finding.at_most(Confidence::Likely, "unknown code uses it");
    /// assert_eq!(finding.confidence, Some(Confidence::Likely));
    /// assert_eq!(finding.doubts, ["unknown code uses it"]);
    /// ```
    #[must_use]
    pub fn at_most(mut self, confidence: Confidence, why: impl Into<String>) -> Self {
        self.confidence = Some(self.confidence.unwrap_or(Confidence::Certain).min(confidence));
        self.doubts.push(why.into());
        self
    }

    /// Whether it is at least this certain.
    pub fn reaches(&self, bar: Confidence) -> bool {
        self.confidence.is_none_or(|confidence| confidence >= bar)
    }

    /// The same finding as another one of its rule in the declaration.
    #[must_use]
    pub fn numbered(mut self, ordinal: u32) -> Self {
        if let Some(declaration) = &mut self.declaration {
            declaration.ordinal = ordinal;
        }
        self
    }

    /// Identifies the finding in other versions of the program: no part of it changes when lines
    /// move.
    ///
    /// ```
    /// use loris_findings::{Finding, Level, Outcome, Declaration};
    /// let mut finding = Finding::new("leak", Level::Warning, Outcome::Fails, "this stream leaks");
    /// finding.declaration = Some(Declaration::of_method("a.B", "m", "()V"));
    /// assert_eq!(finding.numbered(1).fingerprint(), "leak a.B m()V 1");
    /// ```
    pub fn fingerprint(&self) -> String {
        let Some(Declaration { class, method, descriptor, field, ordinal }) = &self.declaration else {
            return format!("{} {}", self.rule, self.identity.join(" "));
        };
        let field = field.as_ref().map(|field| format!("#{field}")).unwrap_or_default();
        format!("{} {class}{field} {method}{descriptor} {ordinal}", self.rule)
    }

    /// The parts of text that identify it beside its rule.
    pub fn parts(&self) -> Vec<String> {
        match &self.declaration {
            Some(Declaration { class, method, descriptor, field, ordinal }) => vec![
                class.clone(),
                format!("{method}{descriptor}"),
                field.clone().unwrap_or_default(),
                ordinal.to_string(),
            ],
            None => self.identity.clone(),
        }
    }

    /// Its declaration and its [details](Self::details), by the names that JSON output has.
    pub fn facts(&self) -> Vec<(&str, Value)> {
        let mut facts = Vec::new();
        if let Some(Declaration { class, method, descriptor, field, ordinal }) = &self.declaration {
            facts.push(("class", json!(class)));
            if !method.is_empty() {
                facts.extend([("method", json!(method)), ("descriptor", json!(descriptor))]);
            }
            facts.extend(field.iter().map(|field| ("field", json!(field))));
            facts.push(("ordinal", json!(ordinal)));
        }
        facts.extend(self.confidence.map(|confidence| ("confidence", json!(confidence.word()))));
        if !self.doubts.is_empty() {
            facts.push(("doubts", json!(self.doubts)));
        }
        facts.extend(self.details.iter().map(|(name, value)| (&**name, value.clone())));
        facts
    }

    /// The number of bytes that it holds, roughly, to be charged to a budget.
    pub fn bytes(&self) -> usize {
        let steps = self.traces.iter().flat_map(|trace| &trace.steps);
        let steps: usize = steps.map(|step| size_of::<TraceStep>() + step.text.len()).sum();
        size_of::<Self>() + 200 + steps
    }
}

/// Sorts findings by file, line and rule; the order does not depend on how they were found.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let place = |it: &Finding| (it.file().is_none(), it.file().map(str::to_owned), it.line());
        let number = |it: &Finding| it.declaration.as_ref().map(|it| (it.field.clone(), it.ordinal));
        place(a)
            .cmp(&place(b))
            .then_with(|| a.method().cmp(&b.method()))
            .then_with(|| a.rule.cmp(&b.rule))
            .then_with(|| number(a).cmp(&number(b)))
            .then_with(|| a.message.cmp(&b.message))
    });
}

/// A declaration of a program that a finding is about, and which of the findings of its rule there
/// it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declaration {
    /// The class, with dots between packages.
    pub class: String,
    /// The name of the method; empty if the finding is about a field or the class.
    pub method: String,
    /// The descriptor of the method or field.
    pub descriptor: String,
    /// The field that the finding is about.
    pub field: Option<String>,
    /// Which of the places of the rule in the method it is, from 0: survives moved lines.
    pub ordinal: u32,
}

impl Declaration {
    /// The first place in a method.
    pub fn of_method(
        class: impl Into<String>,
        method: impl Into<String>,
        descriptor: impl Into<String>,
    ) -> Self {
        let (class, method, descriptor) = (class.into(), method.into(), descriptor.into());
        Self { class, method, descriptor, field: None, ordinal: 0 }
    }

    /// The declaration, with its kind in the words of SARIF, at a place.
    pub fn within(&self, location: Location) -> Location {
        let Self { class, method, descriptor, field, .. } = self;
        match (field, &**method) {
            (Some(field), _) => location.within(format!("{class}.{field}"), "member"),
            (None, "") => location.within(&**class, "type"),
            (None, method) => location.within(format!("{class}.{method}{descriptor}"), "function"),
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

/// Evidence for a verdict that is not a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
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
