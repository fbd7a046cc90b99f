//! Why findings do not count.

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
