//! Searches that decide one property of reachability, in turns.

use crate::query::{Query, SystemOutcome};
use crate::target::ReachProperty;
use loris_base::{Budget, Exhausted};
use loris_circuit::TransitionSystem;
use std::ops::ControlFlow;

/// A search for a target, which can be taken up again where a limit ended it.
pub(crate) trait Searching: Sized {
    /// Nothing is known yet.
    fn new(target: ReachProperty) -> Self;

    /// Goes on with the search, until it decides the property.
    fn decide(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<SystemOutcome, Exhausted>;
}

/// Decides a property by a search, one that is paused if there is one; `None` if the property does
/// not ask for reachability. If a limit ends the search, it is left in `paused`.
pub(crate) fn resumed<S: Searching>(
    system: &TransitionSystem,
    query: &Query<'_>,
    paused: &mut Option<S>,
    budget: &mut Budget,
) -> Result<Option<SystemOutcome>, Exhausted> {
    let mut search = if let Some(search) = paused.take() {
        search
    } else {
        let Some(target) = ReachProperty::of(system, query) else { return Ok(None) };
        if let ControlFlow::Break(answer) = target.by_initial_states(budget)? {
            return Ok(answer);
        }
        S::new(target)
    };
    let decided = search.decide(query, budget);
    if decided.is_err() {
        *paused = Some(search);
    }
    decided.map(Some)
}
