//! Reduction modulo bisimulation: of any graph with labels at edges, and of processes.
//!
//! *Strong* bisimulation treats silent edges like all others. *Branching* bisimulation (van
//! Glabbeek and Weijland 1996) ignores silent edges between equivalent nodes.
//! *Divergence-preserving* branching bisimulation also distinguishes whether a node can take silent
//! edges for ever among equivalent nodes. With initial classes, equivalent nodes are in the same
//! class. With labels of states as classes, divergence-preserving branching bisimulation preserves
//! CTL* without the next-step operator.
//!
//! Partitions are computed in O(m log n) time ([`refine`]), after cycles of silent edges within a
//! class were contracted ([`cycles`]). About 60 bytes per edge and 100 per node are held.

mod bunches;
mod cycles;
mod hashing;
mod moves;
mod process;
mod refine;
mod search;
mod slices;
mod split;
#[cfg(test)]
mod tests;

pub use process::{Hiding, Reduced, reduce};

use crate::graph::{Edge, Graph, SILENT};
use cycles::Contraction;
use hashing::{ROUNDS, refine_by_hashes};
use loris_base::{Budget, Exhausted};
use moves::Moves;
use refine::Refiner;
use rustc_hash::FxHashMap;

/// An equivalence on the nodes of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// Strong bisimulation.
    Strong,
    /// Branching bisimulation, blind to divergence.
    Branching,
    /// Branching bisimulation that preserves divergence.
    DivergenceBranching,
}

/// The classes of an equivalence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The block of each node. Blocks are numbered by their first nodes.
    pub block_of: Vec<u32>,
    /// How many blocks there are.
    pub blocks: usize,
    /// For each block, whether its nodes can take silent edges for ever within it.
    pub diverges: Vec<bool>,
}

/// The coarsest partition of the nodes of a graph modulo an equivalence that refines initial
/// classes, which are any numbers. Memory is charged to the budget while it is held; the charge for
/// the partition stays.
///
/// ```
/// use loris_base::Budget;
/// use loris_lts::{Edge, Equivalence, Graph, partition};
/// let mut graph = Graph::default();
/// graph.push(&[Edge { label: 0, target: 1 }]);
/// graph.push(&[Edge { label: 1, target: 2 }]);
/// graph.push(&[]);
/// let blocks = |equivalence| partition(&graph, equivalence, None, &mut Budget::unlimited()).unwrap().block_of;
/// assert_eq!(blocks(Equivalence::Strong), [0, 1, 2]);
/// assert_eq!(blocks(Equivalence::Branching), [0, 0, 1]);
/// ```
///
/// # Errors
/// The budget ran out.
///
/// # Panics
/// If there are initial classes, but not one for each node, or an edge leads to no node.
pub fn partition(
    graph: &Graph,
    equivalence: Equivalence,
    initial_classes: Option<&[u32]>,
    budget: &mut Budget,
) -> Result<Partition, Exhausted> {
    partition_after(ROUNDS, graph, equivalence, initial_classes, budget)
}

/// The same with this many rounds of hashing at most before the exact refinement.
fn partition_after(
    rounds: usize,
    graph: &Graph,
    equivalence: Equivalence,
    initial_classes: Option<&[u32]>,
    budget: &mut Budget,
) -> Result<Partition, Exhausted> {
    budget.look()?;
    let n = graph.node_count();
    assert!(initial_classes.is_none_or(|classes| classes.len() == n), "a class for each node");
    let before = budget.used();
    budget.charge(4 * n)?;
    let (mut classes, mut count) = (vec![0; n], usize::from(n > 0));
    if let Some(given) = initial_classes {
        budget.charge(20 * n)?;
        budget.spend(n)?;
        let mut numbers = FxHashMap::default();
        for (class, given) in classes.iter_mut().zip(given) {
            let next = numbers.len() as u32;
            *class = *numbers.entry(*given).or_insert(next);
        }
        count = numbers.len();
        budget.release(20 * n);
    }
    let blocks = if equivalence == Equivalence::Strong {
        let moves = Moves::new(graph, None, false, budget)?;
        let blocks = refined(rounds, moves, classes, count, budget)?;
        numbered(blocks.into_iter(), |node| has_loop(graph, node))
    } else {
        let contraction = Contraction::new(graph, &classes, budget)?;
        let divergence = equivalence == Equivalence::DivergenceBranching;
        let moves = Moves::new(graph, Some(&contraction), divergence, budget)?;
        budget.charge(4 * moves.state_count())?;
        let mut contracted: Vec<u32> =
            (0..contraction.count).map(|i| classes[contraction.members(i)[0] as usize]).collect();
        if divergence {
            // the state that transitions of divergence lead to
            contracted.push(count as u32);
        }
        let blocks = refined(rounds, moves, contracted, count + usize::from(divergence), budget)?;
        let components = contraction.component_of.iter();
        numbered(components.map(|&component| blocks[component as usize]), |node| {
            contraction.is_cyclic[contraction.component_of[node] as usize]
        })
    };
    budget.settle(before + 4 * n + blocks.diverges.len())?;
    Ok(blocks)
}

/// Refines classes, which are numbers below `count`: coarsely, then exactly.
fn refined(
    rounds: usize,
    mut moves: Moves,
    mut classes: Vec<u32>,
    count: usize,
    budget: &mut Budget,
) -> Result<Vec<u32>, Exhausted> {
    let count = refine_by_hashes(&moves, &mut classes, count, rounds, budget)?;
    if count == classes.len() {
        return Ok(classes);
    }
    moves.drop_single(&classes, count, budget)?;
    let mut refiner = Refiner::new(&moves, classes, count, budget)?;
    refiner.run(budget)?;
    Ok(refiner.block_of)
}

fn has_loop(graph: &Graph, node: usize) -> bool {
    graph.edges(node).iter().any(|edge| edge.label == SILENT && edge.target as usize == node)
}

/// Numbers blocks by their first nodes.
fn numbered(blocks: impl Iterator<Item = u32>, diverges: impl Fn(usize) -> bool) -> Partition {
    let mut block_of: Vec<u32> = blocks.collect();
    let most = block_of.iter().map(|&block| block as usize + 1).max().unwrap_or(0);
    let mut numbers = vec![u32::MAX; most];
    let mut divergence = Vec::new();
    for (node, block) in block_of.iter_mut().enumerate() {
        let number = &mut numbers[*block as usize];
        if *number == u32::MAX {
            *number = divergence.len() as u32;
            divergence.push(false);
        }
        *block = *number;
        divergence[*number as usize] |= diverges(node);
    }
    Partition { blocks: divergence.len(), block_of, diverges: divergence }
}

/// The graph of the blocks of a partition that [`partition`] made for the same graph and
/// equivalence. Edges are sorted and without duplicates. For branching bisimulation, silent edges
/// within a block are left out; if divergence is preserved, a block with divergence has a silent
/// loop.
///
/// # Errors
/// The budget ran out.
pub fn quotient(
    graph: &Graph,
    partition: &Partition,
    equivalence: Equivalence,
    budget: &mut Budget,
) -> Result<Graph, Exhausted> {
    let (n, blocks) = (graph.node_count(), partition.blocks);
    budget.charge(4 * (n + blocks + 1))?;
    budget.spend(n + blocks)?;
    // nodes by block
    let members = loris_base::Csr::from_pairs(
        blocks,
        partition.block_of.iter().enumerate().map(|(node, &block)| (block, node as u32)),
    );
    let mut quotient = Graph::default();
    let mut edges: Vec<Edge> = Vec::new();
    for block in 0..blocks {
        edges.clear();
        // strongly bisimilar nodes have the same edges between blocks; for branching bisimulation
        // those of a node may be missing, but its silent edges lead to one that has them
        let nodes = members.row(block);
        let nodes = if equivalence == Equivalence::Strong { &nodes[..1] } else { nodes };
        for &node in nodes {
            budget.spend(1)?;
            for edge in graph.edges(node as usize) {
                let target = partition.block_of[edge.target as usize];
                let is_inert =
                    equivalence != Equivalence::Strong && edge.label == SILENT && target as usize == block;
                if !is_inert {
                    budget.reserve(&mut edges, 1)?;
                    edges.push(Edge { label: edge.label, target });
                }
            }
        }
        if equivalence == Equivalence::DivergenceBranching && partition.diverges[block] {
            budget.reserve(&mut edges, 1)?;
            edges.push(Edge { label: SILENT, target: block as u32 });
        }
        edges.sort_unstable();
        edges.dedup();
        quotient.push_within(&edges, budget)?;
    }
    budget.free(edges);
    budget.release(4 * (n + blocks + 1));
    Ok(quotient)
}
