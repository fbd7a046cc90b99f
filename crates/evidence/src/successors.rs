//! The labels of a node, and the steps of a machine from a node under a stack.

use crate::AtExit;
use loris_rsm::{BoxId, LabelId, Rsm, Vertex};

/// How a step changes the stack.
#[derive(Clone, Copy)]
pub(crate) struct StackChange {
    /// The box on top is left.
    pub(crate) leaves: bool,
    /// After that, this box is entered.
    pub(crate) enters: Option<BoxId>,
}

/// Calls `step` for each state that the machine can move to in one step from a node, under a stack
/// with this box on top. It is written apart from [`MachineSpace::is_step`](crate::Machine::is_step):
/// the tests compare the two.
pub(crate) fn successors(
    rsm: &Rsm,
    at_exit: AtExit,
    node: Option<Vertex>,
    top: Option<BoxId>,
    mut step: impl FnMut(StackChange, Option<Vertex>),
) {
    let stays = StackChange { leaves: false, enters: None };
    let Some(node) = node else { return step(stays, None) };
    let (source, leaves) = match (rsm.exit_index(node), top) {
        (None, _) => (Some(node), false),
        (Some(exit), Some(site)) => (rsm.return_port(site, exit), true),
        (Some(_), None) => {
            return match at_exit {
                AtExit::Loop => step(stays, Some(node)),
                AtExit::Sink => step(stays, None),
                AtExit::Stop => {}
            };
        }
    };
    for target in source.into_iter().flat_map(|source| rsm.successors(source)) {
        step(StackChange { leaves, enters: rsm.box_of(target) }, Some(rsm.node_of(target)));
    }
}

/// Whether a state with this node carries a label; the one after the last exit carries none.
pub(crate) fn carries(rsm: &Rsm, node: Option<Vertex>, label: LabelId) -> bool {
    node.is_some_and(|node| rsm.labels_of(node).any(|other| other == label))
}
