//! How far the exploration of a state space has come.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts of states and edges, written by an exploration and read by other threads while it runs.
///
/// The two counts are independent of each other, so that a reader may see one of them a moment
/// before the other. They never decide anything.
///
/// ```
/// use loris_base::Explored;
/// let explored = Explored::default();
/// explored.set(3, 4);
/// assert_eq!((explored.states(), explored.edges()), (3, 4));
/// ```
#[derive(Debug, Default)]
pub struct Explored {
    states: AtomicUsize,
    edges: AtomicUsize,
}

impl Explored {
    /// Replaces both counts. Costs two plain stores, so that it may be called for every state.
    #[inline]
    pub fn set(&self, states: usize, edges: usize) {
        self.states.store(states, Ordering::Relaxed);
        self.edges.store(edges, Ordering::Relaxed);
    }

    /// The states found so far.
    pub fn states(&self) -> usize {
        self.states.load(Ordering::Relaxed)
    }

    /// The edges found so far.
    pub fn edges(&self) -> usize {
        self.edges.load(Ordering::Relaxed)
    }
}
