//! An existential formula as an automaton beside the machine.

use crate::linear::{Letters, Steps};

/// The automaton that runs of an existential formula follow.
pub(super) struct Tour {
    pub(super) letters: Letters,
    pub(super) steps: Steps,
}
