//! How to check with decision diagrams.

use loris_solvers::bdd::Policy;

/// Which steps to take first where a fixpoint is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixpointDirection {
    /// Forward: the reachable states, and fixpoints within them. `AG p` needs steps forward only.
    Forward,
    /// Backward: fixpoints over all states.
    Backward,
    /// Both in turns of this many steps of work, twice as many each time, until one of them is
    /// done.
    InTurns {
        /// The length of the first turn.
        first: u64,
    },
}

/// The first order of the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstOrder {
    /// As a walk through the functions meets them.
    Walk,
    /// As the system lists them.
    Declared,
}

/// How to check with decision diagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagramOptions {
    /// Look for witnesses.
    pub witnesses: bool,
    /// No run ends, or only endless runs count.
    pub total: bool,
    /// Where to start.
    pub direction: FixpointDirection,
    /// The order of the variables to begin with.
    pub order: FirstOrder,
    /// Parts of the relation are not joined beyond this many nodes.
    pub cluster: usize,
    /// A gate with more nodes than this becomes a variable of its own in the functions that use it.
    pub cut: usize,
    /// When to collect garbage and to sift.
    pub policy: Policy,
}

impl Default for DiagramOptions {
    fn default() -> Self {
        Self {
            witnesses: true,
            total: false,
            direction: FixpointDirection::InTurns { first: 1 << 18 },
            order: FirstOrder::Walk,
            cluster: 2500,
            cut: 10_000,
            policy: Policy::default(),
        }
    }
}
