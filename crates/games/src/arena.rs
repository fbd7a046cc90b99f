//! A graph with owners and priorities, as solvers see it.

use crate::Player;

/// The graph of a parity game. Nodes are numbered from 0.
///
/// Edges may be repeated; then a successor and its predecessor are listed equally often. A node
/// without successors is lost by its owner.
pub(crate) trait Arena {
    /// How many nodes there are.
    fn len(&self) -> usize;
    /// Who moves at a node.
    fn owner(&self, node: u32) -> Player;
    /// The priority of a node.
    fn priority(&self, node: u32) -> u32;
    /// Where a node's owner can move.
    fn successors(&self, node: u32) -> &[u32];
    /// From where a node is reached.
    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> + '_;
}
