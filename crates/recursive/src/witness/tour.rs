//! An existential formula as an automaton beside the machine.

use crate::linear::{Letters, Steps};

/// What the runs of an existential formula do.
pub(super) struct Tour {
    pub(super) letters: Letters,
    pub(super) steps: Steps,
}
