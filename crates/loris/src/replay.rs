//! Evidence that is checked again, without the engines.

use crate::error::settle;
use crate::{Error, Model};
use loris_base::Budget;
use loris_evidence::{About, Stated};
use loris_load::{Input, Text, Words};
use loris_session::CallLimits;
use loris_session::replay::{EvidenceFile, ReplayRequest, Unverified};
use std::sync::Arc;

/// Evidence that was replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replayed {
    /// The property that it is for, or the target of a path.
    pub property: String,
    /// Whether it is evidence for the verdict that it came with.
    pub outcome: ReplayOutcome,
}

/// Whether evidence is confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplayOutcome {
    /// All that it claims was checked.
    Confirmed,
    /// Nothing is wrong with it, but some of it was not decided, and why.
    NotDecided(String),
    /// It does not show what it claims, and why.
    Refused(String),
}

impl Model {
    /// Replays the evidence of a JSON document, as [`Answers::json`](crate::Answers::json) has it:
    /// the files of the model are read as the document states, and no engine takes part.
    ///
    /// ```
    /// use loris::{CheckOptions, Model, ReplayOutcome};
    /// let model = Model::load("examples/dataflow.rsm")?;
    /// let answers = model.check_with(["A G (def_i -> E F use_i)"], &CheckOptions::new().evidence(true))?;
    /// assert_eq!(model.replay(answers.json())?[0].outcome, ReplayOutcome::Confirmed);
    /// // the summary of this one says that the property fails
    /// let forged = answers.json().replace(": \"fails\"", ": \"holds\"");
    /// assert!(model.replay(&forged).is_err());
    /// # Ok::<(), loris::Error>(())
    /// ```
    ///
    /// # Errors
    /// The document is wrong, or is about another model.
    pub fn replay(&self, document: &str) -> Result<Vec<Replayed>, Error> {
        let mut reading = CallLimits::default().reading(Words::default());
        let paths = self.loaded.paths();
        if let Some((path, bytes)) = paths.first().and_then(|path| Some((path, self.loaded.bytes_of(path)?)))
        {
            reading.provide(path.clone(), bytes);
        }
        let text = Text {
            input: Input::text("evidence", document),
            content: Arc::new(document.to_owned()),
            problems: loris_base::Diagnostics::default(),
        };
        let origin = |semantics| loris_load::Origin { semantics, ..self.loaded.origin_of_call() };
        let request = ReplayRequest {
            models: paths,
            format: Some(self.format()),
            automata: &[],
            at_exit: None,
            origin: &origin,
        };
        let file = EvidenceFile::read(Some(&text), &request, &mut reading);
        let mut budget = reading.budget.clone();
        settle(reading)?;
        let count = file.evidence().ok_or_else(Error::unread)?.len();
        let stated = file.stated().iter().take(count).enumerate();
        Ok(stated.map(|(place, stated)| replayed(&file, place, stated, &mut budget)).collect())
    }
}

fn replayed(file: &EvidenceFile<'_>, place: usize, stated: &Stated, budget: &mut Budget) -> Replayed {
    let property = match &stated.about {
        About::Property { text, .. } => text.clone(),
        About::Reach { target, .. } => target.clone(),
        About::Nothing => String::new(),
    };
    let outcome = match file.verify(place, budget) {
        Ok(confirmed) if confirmed.is_certain() => ReplayOutcome::Confirmed,
        Ok(confirmed) => ReplayOutcome::NotDecided(confirmed.replayed.trusted_claims.join("; ")),
        Err(Unverified::Exhausted(why)) => ReplayOutcome::NotDecided(why.to_string()),
        Err(Unverified::Refused(why)) => ReplayOutcome::Refused(why),
    };
    Replayed { property, outcome }
}
