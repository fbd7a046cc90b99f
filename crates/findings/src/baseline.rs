//! A file of findings that are known: their fingerprints, one per line. Only others count.

use crate::finding::Finding;
use crate::suppression::{BaselineState, Suppression, SuppressionKind};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Fingerprints of findings that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeSet<String>,
}

impl Baseline {
    /// Reads a file; lines that start with `#` are comments.
    pub fn read(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self { known: lines.map(str::to_owned).collect() }
    }

    /// The findings that count or are in a baseline already.
    ///
    /// ```
    /// use loris_findings::Baseline;
    /// let baseline = Baseline::read("# known\nleak a.B m()V 0\n");
    /// assert_eq!(Baseline::read(&baseline.write()), baseline);
    /// ```
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let counts = |finding: &&Finding| {
            finding.suppressed.as_ref().is_none_or(|by| by.kind == SuppressionKind::Baseline)
        };
        Self { known: findings.into_iter().filter(counts).map(Finding::fingerprint).collect() }
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let mut text =
            "# Findings that are known to Loris: rule, class, method, number in the method\n".to_owned();
        for line in &self.known {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// Marks findings that are known, and states of each whether it is.
    pub fn apply(&self, findings: &mut [Finding], path: &str) {
        for finding in findings {
            finding.baseline = Some(BaselineState::New);
            if finding.suppressed.is_none() && self.known.contains(&finding.fingerprint()) {
                let suppression = Suppression { kind: SuppressionKind::Baseline, place: path.to_owned() };
                finding.suppressed = Some(suppression);
                finding.baseline = Some(BaselineState::Unchanged);
            }
        }
    }
}
