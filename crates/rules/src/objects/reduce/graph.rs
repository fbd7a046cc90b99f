//! A component of a machine whose nodes are labelled with sets of atoms.

/// A set of atoms, a bit each.
pub(crate) type Mask = u64;

/// A component: its first node is the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<GraphNode>,
}

/// A node of a component. Without successors and calls it is an exit, or stays where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphNode {
    pub(crate) mask: Mask,
    pub(crate) next: Vec<u32>,
    pub(crate) calls: Vec<GraphCall>,
    pub(crate) exit: bool,
}

/// A call of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GraphCall {
    pub(crate) callee: usize,
    /// for each exit of the callee, where the call goes on
    pub(crate) returns: Vec<(u32, Vec<u32>)>,
}

impl Graph {
    /// Whether it calls nothing.
    pub(crate) fn is_flat(&self) -> bool {
        self.nodes.iter().all(|node| node.calls.is_empty())
    }

    /// Bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let edges: usize = self.nodes.iter().map(|node| node.next.len() + 24 * node.calls.len()).sum();
        size_of::<GraphNode>() * self.nodes.len() + 4 * edges
    }

    /// All atoms that are true somewhere.
    pub(crate) fn atoms(&self) -> Mask {
        self.nodes.iter().fold(0, |all, node| all | node.mask)
    }

    /// Puts a copy of a component without calls behind a node, in place of a call of it. `exits`
    /// are the exits of the component as the call names them, with their nodes.
    pub(crate) fn inline(&mut self, at: usize, callee: &Graph, exits: &[(u32, u32)], call: &GraphCall) {
        let first = self.nodes.len() as u32;
        self.nodes[at].next.push(first);
        for node in &callee.nodes {
            let next = node.next.iter().map(|next| first + next).collect();
            self.nodes.push(GraphNode { mask: node.mask, next, ..GraphNode::default() });
        }
        for (exit, next) in &call.returns {
            if let Some(&(_, node)) = exits.iter().find(|(name, _)| name == exit) {
                self.nodes[(first + node) as usize].next.extend(next);
            }
        }
    }
}
