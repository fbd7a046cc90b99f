//! Contracts cycles of silent edges within a class: their nodes are branching bisimilar. O(n + m).

use crate::graph::{Graph, SILENT};
use loris_base::{Budget, Csr, Exhausted, Search};

/// The strongly connected components of silent edges.
pub(super) struct Contraction {
    pub(super) component_of: Vec<u32>,
    pub(super) count: usize,
    /// whether there is a cycle in a component
    pub(super) is_cyclic: Vec<bool>,
    /// nodes by component
    members: Csr,
}

impl Contraction {
    /// Contracts cycles of silent edges between nodes of the same class.
    pub(super) fn new(graph: &Graph, class_of: &[u32], budget: &mut Budget) -> Result<Self, Exhausted> {
        let n = graph.node_count();
        budget.charge(13 * n)?;
        let mut members = Csr::with_capacity(n, n);
        let mut search = Search::within(n, Search::<u32>::UNSEEN, budget)?;
        let mut edge = |node: u32, done: usize| {
            let edge = graph.edges(node as usize).get(done)?;
            let is_inner = edge.label == SILENT && class_of[node as usize] == class_of[edge.target as usize];
            Some(if is_inner { edge.target } else { node })
        };
        search
            .each(0..n as u32, &mut edge, budget, |found, _| members.push_row(found.iter().rev().copied()))?;
        search.free(budget);
        // a node alone has a cycle if it has a silent loop
        let has_loop =
            |node: u32| graph.edges(node as usize).iter().any(|e| e.label == SILENT && e.target == node);
        let is_cyclic = |component: usize| match members.row(component) {
            &[node] => has_loop(node),
            _ => true,
        };
        budget.spend(n + graph.edge_count())?;
        Ok(Self {
            component_of: members.row_of_each(n),
            count: members.rows(),
            is_cyclic: (0..members.rows()).map(is_cyclic).collect(),
            members,
        })
    }

    /// The nodes of a component.
    pub(super) fn members(&self, component: usize) -> &[u32] {
        self.members.row(component)
    }
}
