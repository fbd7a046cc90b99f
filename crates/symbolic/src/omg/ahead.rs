//! Formulas that look ahead.

use super::formulas::Formula;
use loris_circuit::Lit;
use rustc_hash::FxHashMap;

/// Formulas that look ahead, as functions of the state and of what steps choose.
#[derive(Default)]
pub(super) struct Ahead {
    pub(super) functions: FxHashMap<Formula, Option<Lit>>,
    pub(super) steps: Vec<Vec<Lit>>,
    /// variables for steps, which properties share
    pub(super) pool: Vec<Vec<Lit>>,
}

impl Ahead {
    /// Another property starts.
    pub(super) fn reset(&mut self) {
        self.functions.clear();
        self.steps.clear();
    }
}
