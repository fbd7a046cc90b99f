//! Why there is no answer.

use loris_base::Exhausted;
use loris_load::{Reading, Stopped};
use loris_session::located;

pub use loris_session::Located as Problem;

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
    let problems = located(&reading);
    match reading.take_stopped() {
        _ if reading.has_errors() => Err(Error::Input(problems)),
        Some(stopped) => Err(stopped.into()),
        None => Ok(problems),
    }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

fn before(input: Option<&str>) -> String {
    input.filter(|input| !input.is_empty()).map(|input| format!("{input}: ")).unwrap_or_default()
}
