//! Numbers of findings.

use loris_findings::{Finding, Level};

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
