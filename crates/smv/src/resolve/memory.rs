//! Conditions that monitors remember.

use crate::ir::ExprId;

/// The condition that a monitor remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Memory {
    /// A condition, in the last step; the value before the first.
    Yesterday(ExprId, bool),
    /// `f S g`.
    Since(ExprId, ExprId),
    /// `f T g`.
    Triggered(ExprId, ExprId),
    /// How many steps ago a condition held, up to a number that means that it did not.
    Ago(ExprId, u32),
    /// For how many steps a condition has held, up to a number.
    For(ExprId, u32),
    /// Nothing by itself: any value, anywhere.
    Free,
}
