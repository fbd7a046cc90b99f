//! Searches for a path.

use crate::answer::Evidence;
use crate::error::settle;
use crate::limits::limits;
use crate::{Error, Model};
use loris_check::SearchOptions;
use loris_evidence::Verdict;
use loris_load::Words;
use loris_session::CallLimits;
use std::time::Instant;

/// How a path is searched.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReachOptions {
    from: Option<String>,
    limits: CallLimits,
}

impl ReachOptions {
    /// From the initial states, without limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// The node where the path starts.
    #[must_use]
    pub fn from(mut self, node: impl Into<String>) -> Self {
        self.from = Some(node.into());
        self
    }

    limits!("The time for the search.", "The bytes that the search may hold, with the model.");
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Reached {
    verdict: Verdict,
    steps: Option<usize>,
    path: Option<Evidence>,
    seconds: f64,
}

impl Reached {
    /// Holds if some run gets there, fails if none does.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The length of the path, if there is one that is short enough to be written down.
    pub fn steps(&self) -> Option<usize> {
        self.steps
    }

    /// The path: a shortest one, unless the model is a circuit.
    pub fn path(&self) -> Option<&Evidence> {
        self.path.as_ref()
    }

    /// How long it took.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

impl Model {
    /// Looks for a path from the initial states to a label or a node; in a circuit or an SMV model,
    /// to a condition.
    ///
    /// ```
    /// let model = loris::Model::load("examples/dataflow.rsm")?;
    /// assert_eq!(model.reach("use_i")?.steps(), Some(4));
    /// # Ok::<(), loris::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such place, or the model has none.
    pub fn reach(&self, to: &str) -> Result<Reached, Error> {
        self.reach_with(to, &ReachOptions::new())
    }

    /// Looks for a path to a label, a node or a condition.
    ///
    /// # Errors
    /// There is no such place, or the model has none.
    pub fn reach_with(&self, to: &str, options: &ReachOptions) -> Result<Reached, Error> {
        let ReachOptions { from, limits } = options;
        let start = Instant::now();
        let is_circuit = self.loaded.model().is_some_and(|model| model.circuit().is_some());
        if is_circuit && from.is_some() {
            return Err(Error::Refused("a circuit has no nodes where a path could start".to_owned()));
        }
        let mut reading = limits.reading(Words::default());
        let origin = self.loaded.origin_of_call();
        let sought = self.loaded.seek(&origin, (Some(to), from.as_deref()), &mut reading);
        settle(reading)?;
        let sought = sought.ok_or_else(Error::unread)?;
        let search = SearchOptions {
            timeout: limits.timeout,
            memory: limits.left_alone(sought.model.as_ref().map_or(0, loris_check::Model::bytes)),
            interrupt: Some(&limits.interrupt),
            ..SearchOptions::default()
        };
        let found = sought.search((true, false), &search, start.elapsed());
        let found = found.to.ok_or_else(Error::unread)?;
        let path = found.evidence.as_ref().zip(sought.model.as_ref().ok());
        Ok(Reached {
            steps: found.steps(),
            path: path.and_then(|(path, model)| Evidence::new(path, model)),
            verdict: found.verdict,
            seconds: found.seconds,
        })
    }
}
