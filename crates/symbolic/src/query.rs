//! What is asked of an engine, and what it answers.

use loris_circuit::{Lit, SystemRun};
use loris_logic::{CoreId, CtlCore};

/// A CTL property of a system: do all initial states satisfy it?
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The property in normal form.
    pub core: &'a CtlCore,
    /// The function of states that each of its atoms stands for, in the system's graph.
    pub atoms: &'a [Lit],
}

/// A disjunction of state variables, by their numbers, and their negations.
pub type Clause = Vec<(u32, bool)>;

/// Figures of a run, with their names.
pub type Counters = Vec<(&'static str, u64)>;

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct SystemOutcome {
    /// Whether all initial states satisfy the property.
    pub holds: bool,
    /// A run that shows why, where there is one: a counterexample if the property fails. It starts
    /// in an initial state.
    pub witness: Option<Witness>,
    /// Whether there is such a run, which is too long to be written down.
    pub is_cut: bool,
    /// Clauses that together describe a set of states which contains the initial ones, is closed
    /// under steps, and in which the invariant of the property holds.
    pub invariant: Option<Vec<Clause>>,
    /// Figures of the run, with their names.
    pub counters: Counters,
}

/// A run that shows an existential subformula in its first state.
#[derive(Clone, Debug)]
pub struct Witness {
    /// What it shows: a node of the [`CtlCore`] of the query; negated if `negated`, for boolean
    /// combinations.
    pub shows: CoreId,
    /// Whether it shows that the node does not hold.
    pub negated: bool,
    /// The run.
    pub trace: SystemRun,
    /// Runs from states of this run, by their numbers, which show the subformulas it relies on.
    pub because: Vec<(usize, Witness)>,
}
