//! Why there is no answer.

use loris_base::{Exhausted, Severity, places};
use loris_load::{Reading, Stopped};
use std::fmt;

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model or a property is wrong. All problems are listed, warnings included, input by
    /// input.
    #[error("{}", listed(.0))]
    Input(Vec<Problem>),
    /// Options do not go together, or not with the model.
    #[error("{0}")]
    Refused(String),
    /// A limit was reached before there was a model to ask.
    #[error("{}{limit}", before(.input.as_deref()))]
    Limit {
        /// The limit.
        limit: Exhausted,
        /// The input that was being read.
        input: Option<String>,
    },
    /// A defect of Loris.
    #[error("a defect of Loris: {0}")]
    Internal(String),
}

/// A problem of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
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

impl fmt::Display for Problem {
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

impl Error {
    /// A model was not read, and nothing says why.
    pub(crate) fn unread() -> Self {
        Self::Internal("the model cannot be read, and no reason was given".to_owned())
    }
}

impl From<Stopped> for Error {
    fn from(Stopped { input, why: limit }: Stopped) -> Self {
        Self::Limit { limit, input }
    }
}

/// The end of a reading: its warnings, or why it failed.
pub(crate) fn settle(mut reading: Reading) -> Result<Vec<Problem>, Error> {
    let problems = problems(&reading);
    match reading.take_stopped() {
        _ if reading.has_errors() => Err(Error::Input(problems)),
        Some(stopped) => Err(stopped.into()),
        None => Ok(problems),
    }
}

/// The problems that a reading has found so far.
fn problems(reading: &Reading) -> Vec<Problem> {
    let mut all = Vec::new();
    for (input, found) in &reading.found() {
        let list = found.sorted();
        let offsets: Vec<u64> = list.iter().filter_map(|problem| problem.offset).collect();
        let located = input.open().and_then(|mut source| places(&mut source, &offsets));
        let mut located = located.unwrap_or_default().into_iter();
        for problem in list {
            let place = problem.offset.and_then(|_| located.next());
            all.push(Problem {
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
            all.push(Problem {
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

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

fn before(input: Option<&str>) -> String {
    input.filter(|input| !input.is_empty()).map(|input| format!("{input}: ")).unwrap_or_default()
}
