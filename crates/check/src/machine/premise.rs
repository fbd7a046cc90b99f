//! Whether any node of a machine satisfies the left side of an implication.

use super::resolved::Resolved;
use crate::vacuity::Premise;
use loris_base::Idx;
use loris_logic::{CoreId, CoreNode};
use loris_rsm::{Rsm, Vertex, VertexKind};

/// The most words of bits that are spent on a premise: 8 MiB.
const MOST_WORDS: usize = 1 << 20;

impl Premise {
    /// Whether no node satisfies it, reachable or not; nor, if `beyond`, a state without labels.
    /// Linear in the number of vertices over 64, and of those that satisfy it up to the first node;
    /// not asked where that is too much.
    pub(crate) fn never_holds(&self, rsm: &Rsm, beyond: bool) -> bool {
        let Some(core) = self.core() else { return false };
        let condition = Resolved::core(rsm, core);
        // nodes have the numbers of vertices, and after the last one comes a state without labels
        let unlabelled = rsm.vertex_count();
        let words = unlabelled / 64 + 1;
        // a row for each part of a long condition would take memory that nobody has accounted for
        if condition.of.nodes().len().saturating_mul(words) > MOST_WORDS {
            return false;
        }
        let mut of: Vec<Vec<u64>> = Vec::with_capacity(condition.of.nodes().len());
        for node in condition.of.nodes() {
            let at = |id: CoreId| &of[id.index()];
            let pairs = |a, b| at(a).iter().zip(at(b));
            of.push(match *node {
                CoreNode::True => vec![!0; words],
                CoreNode::Atom(atom) => {
                    let mut row = vec![0; words];
                    if let Some(label) = condition.atoms[atom as usize] {
                        rsm.mark(label, &mut row);
                    }
                    row
                }
                CoreNode::Not(a) => at(a).iter().map(|word| !word).collect(),
                CoreNode::And(a, b) => pairs(a, b).map(|(a, b)| a & b).collect(),
                CoreNode::Or(a, b) => pairs(a, b).map(|(a, b)| a | b).collect(),
                // a condition has no others
                _ => return false,
            });
        }
        let row = &of[condition.of.root().index()];
        // ports count as the nodes that they stand for, and have no labels of their own
        let is_state = |vertex: usize| match vertex {
            _ if vertex == unlabelled => beyond,
            _ => vertex < unlabelled && rsm.kind(Vertex::new(vertex)) == VertexKind::Node,
        };
        let bits = |(at, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * at + bit)
        };
        !row.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(bits).any(is_state)
    }
}
