//! Answers that own what they say.

use crate::{Error, Problem};
use loris_check::{AnyCertificate, Distance, Logic, Model};
use loris_evidence::{Reason, Verdict};
use loris_report::{json_evidence, text_evidence};
use loris_session::Answered;
use std::ops::Deref;
use std::time::Duration;

/// The answers to all questions of a call, in the order they were asked.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    all: Vec<Answer>,
    json: String,
    warnings: Vec<Problem>,
}

impl Answers {
    pub(crate) fn new(
        answers: &loris_session::Answers<'_>,
        spent: Duration,
        evidence: bool,
        warnings: Vec<Problem>,
    ) -> Result<Self, Error> {
        let all = answers.all.iter().map(Answer::new).collect::<Result<_, _>>()?;
        let mut json = String::new();
        let written = answers.write_json(&mut json, spent.as_secs_f64(), evidence);
        written.map_err(|_| Error::Internal("the answers cannot be written".to_owned()))?;
        Ok(Self { all, json, warnings })
    }

    /// All answers as the JSON document of the command line, from which evidence can be replayed.
    /// Nothing if nothing was asked.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Remarks on the properties.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }
}

impl Deref for Answers {
    type Target = [Answer];

    fn deref(&self) -> &[Answer] {
        &self.all
    }
}

impl IntoIterator for Answers {
    type Item = Answer;
    type IntoIter = std::vec::IntoIter<Answer>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl<'a> IntoIterator for &'a Answers {
    type Item = &'a Answer;
    type IntoIter = std::slice::Iter<'a, Answer>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    property: String,
    name: Option<String>,
    logic: Logic,
    engine: &'static str,
    verdict: Verdict,
    note: Option<String>,
    value: Option<Distance>,
    evidence: Option<Evidence>,
    evidence_note: Option<String>,
    seconds: f64,
}

impl Answer {
    fn new(answered: &Answered<'_>) -> Result<Self, Error> {
        let (question, context) = (answered.question, &answered.context);
        let answer = answered.answer.as_ref().map_err(|panic| {
            Error::Internal(format!("the engine panicked on \"{}\": {}", question.text, panic.0))
        })?;
        let evidence = answer.evidence.as_ref().zip(context.model);
        Ok(Self {
            property: question.text.clone(),
            name: question.name.clone(),
            logic: question.logic,
            engine: answer.engine,
            verdict: answer.verdict.clone(),
            note: answer.note.as_ref().map(|note| format!("{}: {}", note.text(), note.detail())),
            value: answer.value,
            evidence: evidence.and_then(|(evidence, model)| Evidence::new(evidence, model)),
            evidence_note: answer.evidence_note.clone(),
            seconds: answer.seconds,
        })
    }

    /// The property as it was written.
    pub fn property(&self) -> &str {
        &self.property
    }

    /// What it is called, if it has a name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The logic it is written in.
    pub fn logic(&self) -> Logic {
        self.logic
    }

    /// Holds, fails, or unknown.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Why it is unknown, if it is.
    pub fn reason(&self) -> Option<&Reason> {
        match &self.verdict {
            Verdict::Unknown(reason) => Some(reason),
            _ => None,
        }
    }

    /// The engine that decided, or tried; `none` if no engine is for such questions.
    pub fn engine(&self) -> &'static str {
        self.engine
    }

    /// Why the verdict is weaker than it seems, if it is: it holds vacuously.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The number of steps, if that was asked for.
    pub fn value(&self) -> Option<Distance> {
        self.value
    }

    /// Evidence for the verdict, if that was asked for.
    pub fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// Why there is no evidence although it was asked for.
    pub fn evidence_note(&self) -> Option<&str> {
        self.evidence_note.as_deref()
    }

    /// How long it took; the time of properties that were decided together is shared out evenly.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// Evidence for a verdict: runs, an invariant or a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    text: String,
    json: String,
}

impl Evidence {
    /// Nothing if it is not about this model.
    pub(crate) fn new(evidence: &AnyCertificate, model: &Model) -> Option<Self> {
        let text = text_evidence(evidence, model, usize::MAX, false)?;
        let mut json = String::new();
        json_evidence(evidence, model, "", &mut json).ok()?;
        Some(Self { text, json })
    }

    /// For readers, a line for each state.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As a JSON object.
    pub fn json(&self) -> &str {
        &self.json
    }
}
