//! Reachable states, as far as a search has found them.

use loris_solvers::bdd::Bdd;

/// A search forward from the initial states.
pub(super) struct Reached {
    pub(super) states: Bdd,
    /// the states that the last step added; none if the search is over
    pub(super) frontier: Bdd,
    /// the frontiers of all steps so far, unless there are too many
    pub(super) layers: Option<Vec<Bdd>>,
}

impl Reached {
    pub(super) fn new(init: &Bdd) -> Self {
        Self { states: init.clone(), frontier: init.clone(), layers: Some(vec![init.clone()]) }
    }

    pub(super) fn states(&self) -> &Bdd {
        &self.states
    }

    pub(super) fn is_complete(&self) -> bool {
        self.frontier.is_false()
    }
}
