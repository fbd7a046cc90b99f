//! Findings: what a rule reports about a program, and where.

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// A defect.
    Error,
    /// Most likely a defect.
    Warning,
    /// Worth a look.
    Note,
}

impl Level {
    /// All levels, worst first.
    pub const ALL: [Level; 3] = [Level::Error, Level::Warning, Level::Note];

    /// Its name in rules files and output.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }

    /// The level with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in a program that a rule reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The identifier of the rule.
    pub rule: String,
    /// How much it matters.
    pub level: Level,
    /// One sentence without a full stop.
    pub message: String,
    /// The class, with dots between packages.
    pub class: String,
    /// The name of the method; empty if the finding is about a field or the class.
    pub method: String,
    /// The descriptor of the method or field.
    pub descriptor: String,
    /// The source file with the path of its package, such as `com/acme/Main.java`.
    pub file: Option<String>,
    /// The line in the source file.
    pub line: Option<u32>,
    /// The field that the finding is about.
    pub field: Option<String>,
    /// Which of the sites of the rule in the method it is, from 0: survives moved lines.
    pub ordinal: u32,
    /// How the program gets there.
    pub steps: Vec<Step>,
    /// What was assumed on the way.
    pub assumptions: Vec<String>,
    /// Why the finding does not count.
    pub suppressed: Option<Suppression>,
}

/// A step of the story of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The class, with dots between packages.
    pub class: String,
    /// The name of the method.
    pub method: String,
    /// The source file with the path of its package.
    pub file: Option<String>,
    /// The line in the source file.
    pub line: Option<u32>,
    /// How many calls deep the step is, from 0.
    pub depth: u32,
    /// What happens, in a few words.
    pub text: String,
    /// Whether the step matters; others are shown on request.
    pub important: bool,
}

/// Why a finding does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// What suppresses it.
    pub kind: SuppressionKind,
    /// Where that is, such as a file and a line.
    pub place: String,
}

/// What suppresses a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionKind {
    /// An annotation in the program.
    Annotation,
    /// A configuration file.
    Configuration,
    /// A file of findings that are known.
    Baseline,
}

impl SuppressionKind {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            SuppressionKind::Annotation => "annotation",
            SuppressionKind::Configuration => "configuration",
            SuppressionKind::Baseline => "baseline",
        }
    }
}

impl Finding {
    /// Bytes that it holds, roughly, to be charged to a budget.
    pub(crate) fn bytes(&self) -> usize {
        let step = |step: &Step| size_of::<Step>() + step.class.len() + step.method.len() + step.text.len();
        size_of::<Self>() + 200 + self.steps.iter().map(step).sum::<usize>()
    }

    /// What identifies the finding in other versions of the program: nothing that changes when
    /// lines move.
    ///
    /// ```
    /// # use loris_rules::{Finding, Level};
    /// # let finding = Finding {
    /// #     rule: "leak".into(), level: Level::Warning, message: String::new(), class: "a.B".into(),
    /// #     method: "m".into(), descriptor: "()V".into(), file: None, line: Some(3), field: None,
    /// #     ordinal: 1, steps: vec![], assumptions: vec![], suppressed: None,
    /// # };
    /// assert_eq!(finding.fingerprint(), "leak a.B m()V 1");
    /// ```
    pub fn fingerprint(&self) -> String {
        let Self { rule, class, method, descriptor, ordinal, .. } = self;
        let field = self.field.as_ref().map(|field| format!("#{field}")).unwrap_or_default();
        format!("{rule} {class}{field} {method}{descriptor} {ordinal}")
    }
}

/// Sorts findings by file, line and rule; the order does not depend on how they were found.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (f.file.is_none(), f.file.clone(), f.line);
        key(a)
            .cmp(&key(b))
            .then_with(|| (&a.class, &a.method, &a.descriptor).cmp(&(&b.class, &b.method, &b.descriptor)))
            .then_with(|| (&a.rule, &a.field, a.ordinal).cmp(&(&b.rule, &b.field, b.ordinal)))
            .then_with(|| a.message.cmp(&b.message))
    });
}
