//! How the engine is run, and why it may stop early.

use crate::property::MachineOutcome;
use loris_base::{Budget, Exhausted};
use loris_evidence::AtExit;

/// Why a run stopped early.
pub(crate) enum Stopped {
    Exhausted(Exhausted),
    /// more cells than the caller wants to spend on this
    TooLarge,
    /// another engine has decided meanwhile
    Decided(MachineOutcome),
}

impl From<Exhausted> for Stopped {
    fn from(exhausted: Exhausted) -> Self {
        Stopped::Exhausted(exhausted)
    }
}

/// How to run.
#[derive(Clone, Copy)]
pub(crate) struct Mode<'m> {
    pub(crate) at_exit: AtExit,
    /// give up beyond this many cells
    pub(crate) most_cells: usize,
    /// decide at each initial node, not only whether it is true at all
    pub(crate) each_initial: bool,
    /// the first action where contexts make the graph grow
    pub(crate) growth: Growth<'m>,
}

/// The action where contexts make the graph grow by more than [that](crate::Prepared::with_growth).
#[derive(Clone, Copy)]
pub(crate) enum Growth<'m> {
    /// go on, and keep the data for evidence
    Evidence,
    /// stop: there is a way to ask for less
    Stop,
    /// look whether contexts are needed; then go on, in turns with another engine if there is one
    Look(Option<&'m dyn Rival>),
}

/// Another engine on the same property, which gets a turn now and then.
pub(crate) trait Rival {
    /// Lets it work until it has spent as much as the budget has; returns its result, if it is
    /// done.
    fn turn(&self, budget: &mut Budget) -> Result<Option<MachineOutcome>, Exhausted>;
}
