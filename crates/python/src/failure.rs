//! Why there is no answer, as data that Python makes an exception of.

use crate::phrasing::PROPERTY;
use loris_base::Severity;
use loris_load::{Reading, Stopped};
use loris_session::{Located, located};
use serde_json::{Value, json};

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An argument makes no sense.
    Usage(String),
    /// The model or a property is wrong; the problems.
    Input(Vec<Value>),
    /// A limit was reached before there was a model.
    Limit(Stopped),
    /// A defect.
    Internal(String),
}

impl Failure {
    /// A model was not read, and nothing says why.
    pub(crate) fn unread() -> Self {
        Failure::Internal("the model cannot be read, and no reason was given".to_owned())
    }

    /// As an answer.
    pub(crate) fn json(self) -> Value {
        match self {
            Failure::Usage(message) => json!({"error": {"kind": "usage", "message": message}}),
            Failure::Input(problems) => json!({"error": {"kind": "input", "problems": problems}}),
            Failure::Limit(Stopped { input, why }) => {
                json!({"error": {"kind": "limit", "message": why.to_string(), "path": input}})
            }
            Failure::Internal(message) => json!({"error": {"kind": "internal", "message": message}}),
        }
    }
}

/// The end of a reading: its warnings, or why it failed.
pub(crate) fn settle(mut reading: Reading) -> Result<Vec<Value>, Failure> {
    let all = located(&reading).into_iter().map(shown).collect();
    match reading.take_stopped() {
        _ if reading.has_errors() => Err(Failure::Input(all)),
        Some(stopped) => Err(Failure::Limit(stopped)),
        None => Ok(all),
    }
}

fn shown(problem: Located) -> Value {
    let is_property = problem.input == PROPERTY;
    json!({
        "severity": match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": problem.message,
        "help": problem.help,
        "source": Some(problem.input).filter(|name| !name.is_empty()),
        "is_property": is_property,
        "line": problem.line,
        "column": problem.column,
        "text": problem.text,
    })
}
