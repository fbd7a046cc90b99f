//! Pieces modulo strong bisimulation: nodes with the same subformula, the same value and the same
//! shared labels, whose moves match, are one.

use super::piece::{IDLE, Piece, PieceEdge};
use loris_base::{Budget, Exhausted};
use loris_lts::{Edge, Equivalence, Graph, partition};
use rustc_hash::FxHashMap;

/// The quotient of a piece, in O(m log n).
pub(crate) fn reduce(piece: &Piece, budget: &mut Budget) -> Result<Piece, Exhausted> {
    let nodes = piece.len();
    let mark = budget.used();
    let mut classes: FxHashMap<_, u32> = FxHashMap::default();
    let mut initial: Vec<u32> = Vec::with_capacity(nodes);
    let mut graph = Graph::default();
    let mut row: Vec<Edge> = Vec::new();
    for (place, node) in piece.nodes.iter().enumerate() {
        let fresh = classes.len() as u32;
        initial.push(*classes.entry((node.formula, node.view, node.value)).or_insert(fresh));
        row.clear();
        // actions are shifted by one, so that there is a number for idle moves
        let label = |edge: &PieceEdge| if edge.label == IDLE { 0 } else { edge.label + 1 };
        row.extend(
            piece
                .edges(place as u32)
                .iter()
                .map(|edge| Edge { label: label(edge) << 1 | u32::from(edge.must), target: edge.to }),
        );
        graph.push_within(&row, budget)?;
    }
    let found = partition(&graph, Equivalence::Strong, Some(&initial), budget)?;
    let (blocks, count) = (found.block_of, found.blocks);
    drop(graph);
    let used = budget.used();
    budget.release(used - mark);
    if count == nodes {
        return Ok(piece.clone());
    }
    // blocks are numbered by their first nodes, so that the root stays the first
    let mut result = Piece::empty(piece.members.clone());
    result.views.clone_from(&piece.views);
    let mut row = Vec::new();
    let mut next = 0;
    for node in 0..nodes as u32 {
        if blocks[node as usize] != next {
            continue;
        }
        next += 1;
        budget.reserve(&mut result.nodes, 1)?;
        result.nodes.push(piece.nodes[node as usize]);
        row.clear();
        row.extend(piece.edges(node).iter().map(|edge| PieceEdge { to: blocks[edge.to as usize], ..*edge }));
        result.push_edges(&mut row, budget)?;
    }
    Ok(result)
}
