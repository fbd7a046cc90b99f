//! Findings as text and as JSON.

mod json;
mod text;

pub use json::{json_finding, json_report};
pub use text::{Detail, text_finding, text_summary};

use crate::{Finding, Level, Undecided};

/// What is reported beside findings.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// The files that were given.
    pub paths: &'a [String],
    /// How many classes of the application there are.
    pub classes: usize,
    /// How many methods these have.
    pub methods: usize,
    /// How many classes of libraries were read.
    pub library_classes: usize,
    /// How many class files could not be read.
    pub unreadable: usize,
    /// The identifiers of the rules that were asked.
    pub rules: &'a [String],
    /// How many resources went where they cannot be followed.
    pub escaped: usize,
    /// Rules that were not decided.
    pub undecided: &'a [Undecided],
    /// How long all took.
    pub seconds: f64,
}

/// How many findings of each level count, and how many are suppressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Findings of each level, in the order of [`Level::ALL`].
    pub levels: [usize; 3],
    /// Findings that do not count.
    pub suppressed: usize,
}

impl Count {
    /// Counts findings.
    pub fn of(findings: &[Finding]) -> Self {
        let mut count = Self::default();
        for finding in findings {
            if finding.suppressed.is_some() {
                count.suppressed += 1;
            } else {
                let level = Level::ALL.iter().position(|&level| level == finding.level);
                count.levels[level.unwrap_or_default()] += 1;
            }
        }
        count
    }

    /// How many findings count.
    pub fn total(&self) -> usize {
        self.levels.iter().sum()
    }
}
