//! Problems with their lines and columns, for front ends that own them.

use loris_base::{Severity, places};
use loris_load::Reading;
use std::fmt;

/// A problem of an input, at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Located {
    /// Error or warning.
    pub severity: Severity,
    /// The file, or the name of what was given otherwise, such as `formula`.
    pub input: String,
    /// The line, from 1, if the problem has a place.
    pub line: Option<u64>,
    /// The character in the line, from 1.
    pub column: Option<u64>,
    /// The line, as far as it can be shown.
    pub text: Option<String>,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// How to fix it, where that is known.
    pub help: Option<String>,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.input.is_empty() {
            write!(f, "{}:", self.input)?;
            if let (Some(line), Some(column)) = (self.line, self.column) {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{word}: {}", self.message)
    }
}

/// The problems that a reading has found so far, input by input. Inputs are read again to find
/// lines and columns.
pub fn located(reading: &Reading) -> Vec<Located> {
    let mut all = Vec::new();
    for (input, found) in &reading.found() {
        let list = found.sorted();
        let offsets: Vec<u64> = list.iter().filter_map(|problem| problem.offset).collect();
        let located = input.open().and_then(|mut source| places(&mut source, &offsets));
        let mut located = located.unwrap_or_default().into_iter();
        for problem in list {
            let place = problem.offset.and_then(|_| located.next());
            all.push(Located {
                severity: problem.severity,
                input: input.name().to_owned(),
                line: place.as_ref().map(|place| place.line),
                column: place.as_ref().map(|place| place.column),
                text: place.map(|place| place.before + &place.after),
                message: problem.message.clone(),
                help: problem.help.clone(),
            });
        }
        if found.dropped() > 0 {
            all.push(Located {
                severity: Severity::Warning,
                input: input.name().to_owned(),
                line: None,
                column: None,
                text: None,
                message: format!("{} more problems are not listed", found.dropped()),
                help: None,
            });
        }
    }
    all
}
