//! Graphs with labels at edges, in two flat arrays: what reductions work on.

use loris_base::{Budget, Exhausted};

/// An edge from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The label; 0 is the silent one.
    pub label: u32,
    /// The node after it.
    pub target: u32,
}

/// The label of silent edges.
pub const SILENT: u32 = 0;

/// A graph with labels at edges, built node by node.
///
/// ```
/// use loris_lts::{Edge, Graph};
/// let mut graph = Graph::default();
/// graph.push(&[Edge { label: 1, target: 1 }, Edge { label: 0, target: 0 }]);
/// graph.push(&[]);
/// assert_eq!((graph.node_count(), graph.edge_count()), (2, 2));
/// assert_eq!(graph.edges(0)[0].target, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Default for Graph {
    fn default() -> Self {
        Self { starts: vec![0], edges: Vec::new() }
    }
}

impl Graph {
    /// Appends a node with its edges. Targets may be nodes that are appended later.
    ///
    /// # Panics
    /// When there are 2³² edges.
    pub fn push(&mut self, edges: &[Edge]) {
        self.edges.extend_from_slice(edges);
        self.starts.push(u32::try_from(self.edges.len()).expect("fewer than 2³² edges"));
    }

    /// The same within a budget; then all nodes are to be appended so.
    pub fn push_within(&mut self, edges: &[Edge], budget: &mut Budget) -> Result<(), Exhausted> {
        budget.spend(1 + edges.len())?;
        budget.reserve(&mut self.edges, edges.len())?;
        budget.reserve(&mut self.starts, 1)?;
        if self.edges.len() + edges.len() >= u32::MAX as usize {
            return Err(Exhausted::States);
        }
        self.push(edges);
        Ok(())
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The edges from a node.
    #[inline]
    pub fn edges(&self, node: usize) -> &[Edge] {
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The edges of all nodes.
    pub fn all_edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<u32>() * self.starts.capacity() + size_of::<Edge>() * self.edges.capacity()
    }
}
