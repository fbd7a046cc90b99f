//! Modules that a machine becomes, and their states.

use loris_base::Csr;
use loris_rsm::{BoxId, ComponentId, Vertex};

/// Boxes whose callees were written out, outermost first; 0 is none.
pub(super) type Path = u32;

/// A vertex within a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) path: Path,
    pub(super) vertex: Vertex,
}

/// A state of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// The exit location; the exit it stands for.
    Exit(Vertex),
    /// A location: a node, or a port as a copy of the node it stands for.
    At(Place),
    /// A call of the callee of a box, from `start` on.
    Call { path: Path, site: BoxId, start: Place },
}

/// The translation of an exit of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtExit {
    Leave,
    Loop,
}

/// A module.
pub(super) struct Module {
    pub(super) component: ComponentId,
    /// The states runs start in, first among all: one, unless nothing is called or left.
    pub(super) starts: usize,
    /// All of them.
    pub(super) states: Vec<State>,
    /// Where they lead.
    pub(super) edges: Csr,
    /// Whether runs of the whole machine start here.
    pub(super) initial: bool,
    /// Whether its exits are loops.
    pub(super) loops: bool,
}

impl Module {
    /// How many different exits it has.
    pub(super) fn exits(&self) -> usize {
        self.states.iter().filter(|state| matches!(state, State::Exit(_))).count()
    }

    pub(super) fn calls(&self) -> bool {
        self.states.iter().any(|state| matches!(state, State::Call { .. }))
    }
}
