//! Limits of an exploration.

use loris_base::Explored;
use loris_rsm::DeadEnds;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// How states are explored.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many states there may be.
    pub states: usize,
    /// The meaning of a state without successor.
    pub dead_ends: DeadEnds,
    /// From this many successors of one state on, states that no asked property can distinguish are
    /// kept once: a state gets one successor of those with equal labels and equal successors.
    /// Never, if there is no number.
    pub merge: Option<usize>,
    /// Where the exploration reports how far it has come, for other threads to read.
    pub explored: Arc<Explored>,
    /// Where it reports how many of the states found so far it has not looked at yet.
    pub open: Arc<AtomicUsize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states: usize::MAX,
            dead_ends: DeadEnds::Error,
            merge: None,
            explored: Arc::default(),
            open: Arc::default(),
        }
    }
}
