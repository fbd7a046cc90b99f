//! An automaton as it stands in a file.

use crate::automaton::buchi::{Buchi, Edge};
use std::sync::Arc;

/// An automaton as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hoa {
    /// The text of `name:`.
    pub name: Option<String>,
    /// The names of the atoms.
    pub propositions: Vec<String>,
    /// The name of each state of the file; its number, if it has no name.
    pub state_names: Vec<String>,
    /// For each state of [`buchi`](Hoa::buchi), the state of the file it is a copy of.
    pub origin: Vec<u32>,
    /// The automaton with acceptance on states.
    pub buchi: Buchi,
    /// The states and edges of the file.
    pub graph: HoaGraph,
}

/// The automaton of a file without its acceptance condition: a finite graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaGraph {
    /// Where runs start.
    pub initial: Vec<u32>,
    /// The edges out of each state.
    pub edges: Arc<Vec<Vec<Edge>>>,
    /// Whether a run that visits the state infinitely often is accepting whatever else it does: the
    /// state, or each of its edges, is in all sets that must be met.
    pub accepting_states: Vec<bool>,
}
