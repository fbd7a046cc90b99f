//! The strongly connected components of a graph, and on which of them a run can stay. Linear.

use loris_base::{Csr, strong_components};

/// The strongly connected components of a graph.
pub(crate) struct Parts {
    members: Csr,
    /// per vertex, its part
    pub(crate) of: Vec<u32>,
    loops: Vec<bool>,
}

impl Parts {
    /// The parts of a graph, successors first.
    pub(crate) fn new(edges: &Csr) -> Self {
        let members = strong_components(edges);
        let of = members.row_of_each(edges.rows());
        let mut loops = vec![false; members.rows()];
        for (from, to) in edges.pairs() {
            let part = of[from as usize];
            loops[part as usize] |= part == of[to as usize];
        }
        Self { members, of, loops }
    }

    /// Each part with its number, successors first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        (0..self.members.rows()).map(|part| (part as u32, self.members.row(part)))
    }

    /// Whether a run can stay on a part forever.
    pub(crate) fn loops(&self, part: u32) -> bool {
        self.loops[part as usize]
    }

    /// Per vertex, whether a run gets from there to a vertex that is `good`, or stays forever on a
    /// part with an accepting one.
    pub(crate) fn accepts(
        &self,
        edges: &Csr,
        good: impl Fn(u32) -> bool,
        accepting: impl Fn(u32) -> bool,
    ) -> Vec<bool> {
        let mut accepts = vec![false; self.of.len()];
        for (part, members) in self.iter() {
            let yes = members.iter().any(|&vertex| good(vertex))
                || self.loops(part) && members.iter().any(|&vertex| accepting(vertex))
                || members
                    .iter()
                    .flat_map(|&vertex| edges.row(vertex as usize))
                    .any(|&to| accepts[to as usize]);
            for &vertex in members {
                accepts[vertex as usize] = yes;
            }
        }
        accepts
    }
}
