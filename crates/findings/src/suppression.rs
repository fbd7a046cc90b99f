//! Why findings do not count, and how they compare with a baseline.

/// Why a finding does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// What suppresses it.
    pub kind: SuppressionKind,
    /// Where that is, such as a file and a line.
    pub place: String,
}

impl Suppression {
    /// What suppresses the finding, and where that is, in words.
    pub fn justification(&self) -> String {
        format!("{} {}", self.kind.name(), self.place)
    }
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

    /// The word of SARIF: whether the source suppresses it, or something beside it.
    pub fn word(self) -> &'static str {
        match self {
            SuppressionKind::Annotation => "inSource",
            SuppressionKind::Configuration | SuppressionKind::Baseline => "external",
        }
    }
}

/// How a finding compares with those of a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineState {
    /// It is not in the baseline.
    New,
    /// It is there, too.
    Unchanged,
    /// It is there with another message or trace.
    Updated,
    /// It is in the baseline only.
    Absent,
}

impl BaselineState {
    /// The word of SARIF.
    pub fn word(self) -> &'static str {
        match self {
            BaselineState::New => "new",
            BaselineState::Unchanged => "unchanged",
            BaselineState::Updated => "updated",
            BaselineState::Absent => "absent",
        }
    }
}
