//! Sets of states as decision diagrams.

use crate::diagrams::{DiagramOptions, Images};
use loris_base::{Budget, Exhausted};
use loris_circuit::TransitionSystem;
use loris_solvers::bdd::Bdd;

/// Sets of states, with those of the regions of the tree.
pub(super) struct Sets {
    pub(super) images: Images,
    pub(super) regions: Vec<Option<Bdd>>,
}

impl Sets {
    pub(super) fn new(system: &TransitionSystem, budget: &mut Budget) -> Result<Self, Exhausted> {
        let options = DiagramOptions { witnesses: false, ..DiagramOptions::default() };
        Ok(Self { images: Images::new(system, &options, budget)?, regions: Vec::new() })
    }

    /// Another tree starts.
    pub(super) fn reset(&mut self) {
        self.regions.clear();
    }
}
