//! Pieces modulo strong bisimulation: nodes with the same subformula, the same value and the same
//! shared labels, whose moves match, are one.

use super::piece::{Piece, PieceEdge};
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// The moves of a node: label, block and whether they are certain; sorted.
type Moves = Vec<(u32, u32, bool)>;

/// The quotient of a piece, by refining signatures until nothing splits: O(m) for each round, and a
/// piece of depth d takes at most d rounds.
pub(crate) fn reduce(piece: &Piece, budget: &mut Budget) -> Result<Piece, Exhausted> {
    let nodes = piece.len();
    let mut blocks: Vec<u32> = Vec::with_capacity(nodes);
    let mut classes: FxHashMap<_, u32> = FxHashMap::default();
    for node in &piece.nodes {
        let fresh = classes.len() as u32;
        blocks.push(*classes.entry((node.formula, node.view, node.value)).or_insert(fresh));
    }
    let mut count = classes.len();
    loop {
        let mut signatures: FxHashMap<(u32, Moves), u32> = FxHashMap::default();
        let mut refined = Vec::with_capacity(nodes);
        for node in 0..nodes as u32 {
            let mut moves: Moves = piece
                .edges(node)
                .iter()
                .map(|edge| (edge.label, blocks[edge.to as usize], edge.must))
                .collect();
            moves.sort_unstable();
            moves.dedup();
            budget.spend(1 + moves.len())?;
            let fresh = signatures.len() as u32;
            refined.push(*signatures.entry((blocks[node as usize], moves)).or_insert(fresh));
        }
        let next = signatures.len();
        blocks = refined;
        if next == count {
            break;
        }
        count = next;
    }
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
