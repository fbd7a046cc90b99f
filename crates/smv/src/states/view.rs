//! How an expression of a step is evaluated.

/// The state an expression is evaluated on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum View {
    /// the state at hand, and the one that is made
    Step,
    /// the one that is made, as a state
    Made,
}

/// Whether a set is that of an assignment, whose values the variable must have; a condition only
/// fails with others.
pub(super) type Assigned = bool;
