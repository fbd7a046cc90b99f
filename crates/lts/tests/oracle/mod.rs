//! Bisimulations straight from their definitions.

use loris_base::Rng;
use loris_lts::{Edge, Equivalence, Graph, SILENT};
use std::collections::BTreeSet;

/// A graph of up to `nodes` nodes: sparse or dense, with few or many silent edges, sometimes like a
/// chain.
pub(crate) fn random_graph(rng: &mut Rng, nodes: usize) -> Graph {
    let n = 1 + rng.below(nodes);
    let labels = 1 + rng.below(3);
    let silent = [0.2, 0.5, 0.8][rng.below(3)];
    let degree = 1 + rng.below(4);
    let forward = rng.chance(0.4);
    let mut graph = Graph::default();
    for node in 0..n {
        let edges: Vec<Edge> = (0..rng.below(degree + 1))
            .map(|_| {
                let label = if rng.chance(silent) { SILENT } else { 1 + rng.below(labels) as u32 };
                // mostly forward, so that silent edges form long paths without cycles
                let target = if forward && rng.chance(0.9) {
                    (node + 1 + rng.below(3)).min(n - 1)
                } else {
                    rng.below(n)
                };
                Edge { label, target: target as u32 }
            })
            .collect();
        graph.push(&edges);
    }
    graph
}

/// Random classes, often one for all.
pub(crate) fn random_classes(rng: &mut Rng, nodes: usize) -> Option<Vec<u32>> {
    if rng.chance(0.5) {
        return None;
    }
    let rare = rng.chance(0.5);
    Some(
        (0..nodes).map(|_| if rare { u32::from(rng.chance(0.1)) * 7 } else { rng.below(2) as u32 }).collect(),
    )
}

/// Nodes reached by any number of silent edges through nodes that satisfy a condition.
fn silently(graph: &Graph, node: usize, within: impl Fn(usize) -> bool) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([node]);
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        for edge in graph.edges(node) {
            let target = edge.target as usize;
            if edge.label == SILENT && within(target) && reached.insert(target) {
                stack.push(target);
            }
        }
    }
    reached
}

/// The largest strong or branching bisimulation within classes, as a relation: pairs that violate
/// the definition are removed until there are none.
pub(crate) fn related(graph: &Graph, equivalence: Equivalence, classes: Option<&[u32]>) -> Vec<Vec<bool>> {
    let n = graph.node_count();
    let same = |a: usize, b: usize| classes.is_none_or(|classes| classes[a] == classes[b]);
    let mut related: Vec<Vec<bool>> = (0..n).map(|a| (0..n).map(|b| same(a, b)).collect()).collect();
    loop {
        let simulates = |a: usize, b: usize| {
            graph.edges(a).iter().all(|edge| {
                let after = edge.target as usize;
                if equivalence == Equivalence::Strong {
                    return graph
                        .edges(b)
                        .iter()
                        .any(|other| other.label == edge.label && related[after][other.target as usize]);
                }
                edge.label == SILENT && related[after][b]
                    // through related nodes only: with classes, this does not follow as it does
                    // without
                    || silently(graph, b, |between| related[a][between]).into_iter().any(|between| {
                        graph.edges(between).iter().any(|other| {
                                other.label == edge.label && related[after][other.target as usize]
                            })
                    })
            })
        };
        let wrong: Vec<(usize, usize)> = (0..n)
            .flat_map(|a| (0..n).map(move |b| (a, b)))
            .filter(|&(a, b)| related[a][b] && !(simulates(a, b) && simulates(b, a)))
            .collect();
        if wrong.is_empty() {
            return related;
        }
        for (a, b) in wrong {
            related[a][b] = false;
        }
    }
}

/// What a node can do in a partition: labels and blocks that it reaches, and whether it diverges
/// within its block.
fn signature(
    graph: &Graph,
    equivalence: Equivalence,
    blocks: &[usize],
    node: usize,
) -> (BTreeSet<(u32, usize)>, bool) {
    let here = |other: usize| blocks[other] == blocks[node];
    let inert = |edge: &Edge| {
        equivalence != Equivalence::Strong && edge.label == SILENT && here(edge.target as usize)
    };
    let reached =
        if equivalence == Equivalence::Strong { BTreeSet::from([node]) } else { silently(graph, node, here) };
    let moves = reached
        .iter()
        .flat_map(|&from| graph.edges(from))
        .filter(|edge| !inert(edge))
        .map(|edge| (edge.label, blocks[edge.target as usize]))
        .collect();
    // a cycle: some node that is reached reaches itself by one edge or more
    let diverges = reached.iter().any(|&from| {
        graph
            .edges(from)
            .iter()
            .any(|edge| inert(edge) && silently(graph, edge.target as usize, here).contains(&from))
    });
    (moves, diverges && equivalence == Equivalence::DivergenceBranching)
}

/// The coarsest partition in which nodes of a block can do the same, by refinement in rounds;
/// blocks are numbered by their first nodes.
pub(crate) fn coarsest(graph: &Graph, equivalence: Equivalence, classes: Option<&[u32]>) -> Vec<u32> {
    let n = graph.node_count();
    let mut blocks = numbered((0..n).map(|node| classes.map_or(0, |classes| classes[node])));
    loop {
        let old: Vec<usize> = blocks.iter().map(|&block| block as usize).collect();
        let next = numbered((0..n).map(|node| (old[node], signature(graph, equivalence, &old, node))));
        if next == blocks {
            return blocks;
        }
        blocks = next;
    }
}

/// Numbers of values in the order they come.
pub(crate) fn numbered<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<u32> {
    let mut known: Vec<T> = Vec::new();
    values
        .map(|value| {
            let found = known.iter().position(|other| *other == value);
            found.unwrap_or_else(|| {
                known.push(value);
                known.len() - 1
            }) as u32
        })
        .collect()
}
