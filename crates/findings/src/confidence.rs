//! How certain a finding is.

use std::fmt;

/// How certain a finding is, the least certain first.
///
/// ```
/// use loris_findings::Confidence;
/// assert!(Confidence::Possible < Confidence::Likely && Confidence::Likely < Confidence::Certain);
/// assert_eq!(Confidence::named("likely"), Some(Confidence::Likely));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Much was assumed: it is worth a look when there is time.
    Possible,
    /// Something was assumed that is true of most programs.
    Likely,
    /// Nothing was assumed.
    Certain,
}

impl Confidence {
    /// All of them, the least certain first.
    pub const ALL: [Confidence; 3] = [Confidence::Possible, Confidence::Likely, Confidence::Certain];

    /// The confidence with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|confidence| confidence.word() == name)
    }

    /// `possible`, `likely` or `certain`.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Possible => "possible",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        }
    }

    /// How it ranks among all findings, up to 100, as SARIF has it.
    pub fn rank(self) -> f64 {
        match self {
            Confidence::Possible => 25.0,
            Confidence::Likely => 70.0,
            Confidence::Certain => 95.0,
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
