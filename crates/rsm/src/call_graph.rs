//! The call graph: strongly connected groups of components, callees first.
//!
//! Tarjan (1972), with its recursion kept in an array. Invariant: the stack holds the nodes that
//! were met and whose group is not yet complete, in the order they were met; `low[v]` is the least
//! number on the stack that is known to be reachable from `v`. O(nodes + edges).

use crate::ids::ComponentId;

use crate::model::Rsm;
use loris_base::{Csr, Idx};

/// The strongly connected groups of a graph, a row each, in such an order that every edge leads
/// into its own group or an earlier one.
///
/// ```
/// use loris_base::Csr;
/// let graph = Csr::from_pairs(4, [(0, 1), (1, 2), (2, 1), (2, 3)].into_iter());
/// let groups = loris_rsm::strong_components(&graph);
/// assert_eq!([groups.row(0), groups.row(1), groups.row(2)], [&[3][..], &[1, 2], &[0]]);
/// ```
pub fn strong_components(graph: &Csr) -> Csr {
    const UNSEEN: u32 = u32::MAX;
    let nodes = graph.rows();
    let mut groups = Csr::default();
    let mut number = vec![UNSEEN; nodes];
    let mut low = vec![0; nodes];
    let mut on_stack = vec![false; nodes];
    let mut stack: Vec<u32> = Vec::new();
    // a node and how many of its successors were looked at
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut count = 0;
    for root in 0..nodes as u32 {
        if number[root as usize] == UNSEEN {
            path.push((root, 0));
        }
        while let Some((node, done)) = path.last_mut() {
            let v = *node as usize;
            if *done == 0 {
                (number[v], low[v], on_stack[v]) = (count, count, true);
                count += 1;
                stack.push(*node);
            }
            if let Some(&next) = graph.row(v).get(*done as usize) {
                *done += 1;
                let w = next as usize;
                if number[w] == UNSEEN {
                    path.push((next, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(number[w]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
            if low[v] == number[v] {
                let start = stack.iter().rposition(|&member| member as usize == v).unwrap_or(0);
                for &member in &stack[start..] {
                    on_stack[member as usize] = false;
                }
                groups.push_row(stack.drain(start..));
            }
        }
    }
    groups
}

impl Rsm {
    /// The components that each component calls, a row each, once for every box.
    pub fn call_graph(&self) -> Csr {
        let mut graph = Csr::default();
        for component in self.components() {
            graph.push_row(self.boxes(component).map(|site| self.callee(site).index() as u32));
        }
        graph
    }

    /// Groups of components that call each other, a row each, callees before callers.
    pub fn call_groups(&self) -> Csr {
        strong_components(&self.call_graph())
    }

    /// All components, callees before callers; those that call each other stand together.
    pub fn call_order(&self) -> Vec<ComponentId> {
        let groups = self.call_groups();
        groups.pairs().map(|(_, component)| ComponentId::new(component as usize)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::strong_components;
    use loris_base::{Csr, Rng};

    /// Groups by mutual reachability, found by closing the relation.
    fn oracle(graph: &Csr) -> Vec<Vec<bool>> {
        let n = graph.rows();
        let mut reach = vec![vec![false; n]; n];
        for (v, row) in reach.iter_mut().enumerate() {
            row[v] = true;
            graph.row(v).iter().for_each(|&w| row[w as usize] = true);
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        reach
    }

    #[test]
    fn agrees_with_mutual_reachability() {
        let mut rng = Rng::new(1);
        for _ in 0..300 {
            let nodes = 1 + rng.below(9);
            let edges: Vec<(u32, u32)> =
                (0..rng.below(20)).map(|_| (rng.below(nodes) as u32, rng.below(nodes) as u32)).collect();
            let graph = Csr::from_pairs(nodes, edges.iter().copied());
            let groups = strong_components(&graph);
            let mut group_of = vec![usize::MAX; nodes];
            groups.pairs().for_each(|(group, node)| group_of[node as usize] = group as usize);
            let reach = oracle(&graph);
            for i in 0..nodes {
                for j in 0..nodes {
                    assert_eq!(group_of[i] == group_of[j], reach[i][j] && reach[j][i], "{edges:?}");
                    assert!(!reach[i][j] || group_of[j] <= group_of[i], "{edges:?}");
                }
            }
        }
    }

    #[test]
    fn a_long_path_needs_no_deep_stack() {
        let nodes = 1_000_000;
        let graph = Csr::from_pairs(nodes, (1..nodes as u32).map(|v| (v - 1, v)));
        assert_eq!(strong_components(&graph).rows(), nodes);
    }
}
