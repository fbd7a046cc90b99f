//! Evidence as data: a tree of paths in an arena (`docs/formats.md`, "Evidence").

use loris_base::{Idx, IndexVec};
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex, VertexKind};

loris_base::id! {
    /// A path of an [`Evidence`].
    pub struct PathId;
}

/// A state of the machine: a node under a call stack. Ports are not states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The boxes that were entered and not left, outermost first.
    pub stack: Vec<BoxId>,
    /// The node, or nothing for the unlabelled state a run falls into after the last exit
    /// (`--at-exit sink`).
    pub node: Option<Vertex>,
}

/// The states `from ..= to` repeat for ever: `to` has the node of `from`, and a stack that extends
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Index of the first state of the loop.
    pub from: usize,
    /// Index of the state where it is closed.
    pub to: usize,
}

/// A state of a path relies on an existential claim, which another path shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Index of the state.
    pub state: usize,
    /// The path that shows the claim.
    pub evidence: PathId,
}

/// A path that shows a formula at its first state. States are those of a recursive state machine
/// unless another type is named (see [`StateSpace`](crate::StateSpace)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<S = State> {
    /// The formula, as the printer writes it: of the core of CTL, or `E ρ` with a path formula of
    /// CTL*. It may also be [`AUTOMATON`](crate::AUTOMATON) or the text of
    /// [`Reach::shows`](crate::Reach::shows).
    pub shows: String,
    /// The states, at least one.
    pub states: Vec<S>,
    /// For a path that goes on for ever.
    pub repeats: Option<Loop>,
    /// Evidence for nested existential claims.
    pub because: Vec<Claim>,
}

impl Path {
    /// The component where the stacks of the path start: that of the lowest box of the first state,
    /// or of its node.
    pub(crate) fn base(&self, rsm: &Rsm) -> ComponentId {
        let first = self.states.first();
        let site = first.and_then(|state| state.stack.first()).filter(|site| site.index() < rsm.box_count());
        let node = first.and_then(|state| state.node).filter(|node| node.index() < rsm.vertex_count());
        match (site, node) {
            (Some(&site), _) => rsm.owner(site),
            (None, Some(node)) if rsm.kind(node) == VertexKind::Node => rsm.component_of(node),
            _ => rsm.initial_component(),
        }
    }
}

/// A path with those its states rely on. The first path of the arena shows the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<S = State> {
    /// All paths; a path comes before those it relies on.
    pub paths: IndexVec<PathId, Path<S>>,
    /// Paths that show the same of the other initial states, where a property holds in several.
    pub also: Vec<PathId>,
}

impl<S> Default for Evidence<S> {
    fn default() -> Self {
        Self { paths: IndexVec::new(), also: Vec::new() }
    }
}
