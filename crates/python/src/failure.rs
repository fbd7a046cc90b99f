//! Why there is no answer, as data that Python makes an exception of.

use crate::phrasing::PROPERTY;
use loris_base::{Severity, places};
use loris_load::{Input, Reading, Stopped};
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
    let mut all = Vec::new();
    for (input, problems) in &reading.found() {
        let list = problems.sorted();
        let offsets: Vec<u64> = list.iter().filter_map(|problem| problem.offset).collect();
        let found = input.open().and_then(|mut source| places(&mut source, &offsets));
        let mut found = found.unwrap_or_default().into_iter();
        for problem in list {
            let place = problem.offset.and_then(|_| found.next());
            let (line, column) = (place.as_ref().map(|at| at.line), place.as_ref().map(|at| at.column));
            all.push(json!({
                "severity": match problem.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                },
                "message": problem.message,
                "help": problem.help,
                "source": source_of(input),
                "is_property": input.name() == PROPERTY,
                "line": line,
                "column": column,
                "text": place.map(|at| at.before + &at.after),
            }));
        }
        if problems.dropped() > 0 {
            let message = format!("... and {} more", problems.dropped());
            all.push(json!({"severity": "warning", "message": message, "source": source_of(input)}));
        }
    }
    match reading.take_stopped() {
        _ if reading.has_errors() => Err(Failure::Input(all)),
        Some(stopped) => Err(Failure::Limit(stopped)),
        None => Ok(all),
    }
}

/// The name of an input, if it has one.
fn source_of(input: &Input) -> Option<&str> {
    Some(input.name()).filter(|name| !name.is_empty())
}
