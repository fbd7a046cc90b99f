//! A structure as a Boolean transition system, and what may be wrong with the model.

use super::layout::StateLayout;
use crate::ir::{ExprId, VariableId};
use loris_circuit::{Lit, TransitionSystem};

/// A structure as a Boolean transition system.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The system. Its observed functions are the conditions that properties are about, each once.
    pub system: TransitionSystem,
    /// What its state variables mean.
    pub layout: StateLayout,
    /// For each property, in order, its atoms.
    pub atoms: Vec<Vec<Lit>>,
    /// What may be wrong with the model.
    pub trouble: Vec<Trouble>,
    /// Whether every state has a successor, since there is no constraint on steps. Otherwise there
    /// may be dead ends.
    pub is_total: bool,
}

/// Something that may be wrong with a model, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Where it happens.
    pub when: Lit,
    /// Of what `when` is a function.
    pub moment: Moment,
    /// What has no value, or a wrong one.
    pub what: FaultCause,
}

/// What trouble depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A valuation of the state variables that may be initial or not: the model is wrong if there
    /// is one.
    Start,
    /// A state and choices, whether or not they satisfy the constraints: the model is wrong if some
    /// reachable state has such choices.
    Step,
    /// A state: the model is wrong if one is reachable.
    State,
}

/// What has no value, or a wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultCause {
    /// The value that is assigned to a variable: there is none, or the variable cannot have it.
    Assignment(VariableId, ExprId),
    /// A condition of the model or of fairness: it has no value.
    Condition(ExprId),
    /// A condition that properties are about: it has no value.
    Atom(ExprId),
}
