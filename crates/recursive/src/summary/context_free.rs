//! The values of an existential formula that are known before any context is.

use crate::operand::Lanes;
use crate::summaries::{Along, Summaries};

/// An existential formula whose context-free part is known, on a graph with its stages.
pub(super) struct ContextFree<'r> {
    pub(super) stays: Vec<Lanes>,
    pub(super) summaries: &'r Summaries,
    pub(super) along: Along<'r>,
    pub(super) asked: Vec<Lanes>,
    /// its values at the exits under the empty stack
    pub(super) context: Vec<Lanes>,
    /// per vertex, whether a run gets there
    pub(super) reached: &'r [bool],
}
