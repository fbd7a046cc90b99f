//! What states of a structure are made from.

use super::limits::Limits;
use super::parts::Parts;
use crate::ir::{ExprId, Program, Structure};
use std::sync::Arc;

/// A condition that nodes are labelled with.
pub(super) struct Condition<'a> {
    pub(super) expr: ExprId,
    /// the name of a definition that nothing asks for: that it has no value somewhere is not an
    /// error
    pub(super) unasked: Option<&'a str>,
}

/// The input for the states of a structure.
pub(super) struct Order<'a> {
    pub(super) program: &'a Program,
    pub(super) structure: &'a Structure,
    /// conditions that nodes are labelled with
    pub(super) conditions: &'a [Condition<'a>],
    /// the conditions that distinguish states, if the others may be merged
    pub(super) parts: Option<&'a Parts>,
    pub(super) symbols: &'a Arc<[String]>,
    pub(super) limits: &'a Limits,
    /// how many states other structures have
    pub(super) before: usize,
}
