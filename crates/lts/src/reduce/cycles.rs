//! Contracts cycles of silent edges within a class: their nodes are branching bisimilar.
//!
//! Strongly connected components after Tarjan (1972), without recursion. O(n + m).

use crate::graph::{Graph, SILENT};
use loris_base::{Budget, Exhausted};

/// The strongly connected components of silent edges.
pub(super) struct Contraction {
    pub(super) component_of: Vec<u32>,
    pub(super) count: usize,
    /// whether there is a cycle in a component
    pub(super) is_cyclic: Vec<bool>,
    /// nodes by component
    members: Vec<u32>,
    starts: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl Contraction {
    /// Contracts cycles of silent edges between nodes of the same class.
    pub(super) fn new(graph: &Graph, class_of: &[u32], budget: &mut Budget) -> Result<Self, Exhausted> {
        let n = graph.node_count();
        let temporary = 20 * n;
        budget.charge(Self::bytes_for(n) + temporary)?;
        let mut contraction = Self {
            component_of: vec![UNSEEN; n],
            count: 0,
            is_cyclic: Vec::with_capacity(n),
            members: Vec::with_capacity(n),
            starts: Vec::with_capacity(n + 1),
        };
        let is_inner = |node: u32, label: u32, target: u32| {
            label == SILENT && class_of[node as usize] == class_of[target as usize]
        };
        // numbers in the order of discovery, and the least number known to be reached
        let (mut number, mut least) = (vec![UNSEEN; n], vec![UNSEEN; n]);
        // nodes of components that are not complete; nodes whose edges are looked at, with the next
        let (mut open, mut path) = (Vec::with_capacity(n), Vec::<(u32, u32)>::with_capacity(n));
        let mut seen = 0;
        for root in 0..n as u32 {
            if number[root as usize] != UNSEEN {
                continue;
            }
            path.push((root, 0));
            while let Some((node, next)) = path.last_mut() {
                budget.spend(1)?;
                let at = *node as usize;
                if *next == 0 {
                    number[at] = seen;
                    least[at] = seen;
                    seen += 1;
                    open.push(*node);
                }
                if let Some(edge) = graph.edges(at).get(*next as usize) {
                    *next += 1;
                    let target = edge.target as usize;
                    if is_inner(*node, edge.label, edge.target) {
                        if number[target] == UNSEEN {
                            path.push((edge.target, 0));
                        } else if contraction.component_of[target] == UNSEEN {
                            least[at] = least[at].min(number[target]);
                        }
                    }
                    continue;
                }
                let is_root = least[at] == number[at];
                let node = *node;
                path.pop();
                if is_root {
                    contraction.complete(node, &mut open);
                }
                if let Some(&(parent, _)) = path.last() {
                    let parent = parent as usize;
                    least[parent] = least[parent].min(least[at]);
                }
            }
        }
        contraction.starts.push(contraction.members.len() as u32);
        for component in 0..contraction.count {
            let members = contraction.members(component);
            // a node alone has a cycle if it has a silent loop
            let has_loop =
                |node: u32| graph.edges(node as usize).iter().any(|e| e.label == SILENT && e.target == node);
            let is_cyclic = members.len() > 1 || members.iter().any(|&node| has_loop(node));
            contraction.is_cyclic.push(is_cyclic);
        }
        budget.spend(n + graph.edge_count())?;
        budget.release(temporary);
        Ok(contraction)
    }

    /// Makes a component of the open nodes from a node on.
    fn complete(&mut self, root: u32, open: &mut Vec<u32>) {
        self.starts.push(self.members.len() as u32);
        while let Some(node) = open.pop() {
            self.component_of[node as usize] = self.count as u32;
            self.members.push(node);
            if node == root {
                break;
            }
        }
        self.count += 1;
    }

    /// The nodes of a component.
    pub(super) fn members(&self, component: usize) -> &[u32] {
        &self.members[self.starts[component] as usize..self.starts[component + 1] as usize]
    }

    fn bytes_for(nodes: usize) -> usize {
        13 * nodes
    }
}
