//! Searches that decide one property of reachability, in turns.

use crate::prepare::{Prepared, Preparing};
use crate::query::{Query, SystemOutcome};
use loris_base::{Budget, Exhausted};
use loris_circuit::TransitionSystem;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A search for a target, which can be taken up again where a limit ended it.
pub(crate) trait Searching: Sized {
    /// Nothing is known yet.
    fn new(prepared: Arc<Prepared>) -> Self;

    /// Goes on with the search, until it decides the property.
    fn decide(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<SystemOutcome, Exhausted>;
}

/// What a search that a limit ended leaves for the next call.
pub struct Paused<S> {
    /// the target, which searches of several kinds may share
    pub(crate) preparing: Preparing,
    pub(crate) search: Option<S>,
}

impl<S> Default for Paused<S> {
    fn default() -> Self {
        Self { preparing: Preparing::default(), search: None }
    }
}

/// Decides a property by a search, one that is paused if there is one; `None` if the property does
/// not ask for reachability. If a limit ends the search, it is left in `paused`.
pub(crate) fn resumed<S: Searching>(
    system: &TransitionSystem,
    query: &Query<'_>,
    paused: &mut Paused<S>,
    budget: &mut Budget,
) -> Result<Option<SystemOutcome>, Exhausted> {
    let mut search = if let Some(search) = paused.search.take() {
        search
    } else {
        match paused.preparing.finish(system, query, budget)? {
            ControlFlow::Break(answer) => return Ok(answer),
            ControlFlow::Continue(prepared) => S::new(prepared),
        }
    };
    let decided = search.decide(query, budget);
    if decided.is_err() {
        paused.search = Some(search);
    }
    decided.map(Some)
}
