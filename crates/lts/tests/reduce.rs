//! Quotients of random graphs, with bisimulations straight from the definitions; sizes and limits.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
mod oracle;

use loris_base::{Budget, Exhausted, Rng};
use loris_lts::{Edge, Equivalence, Graph, partition, quotient};
use loris_testing::cases;
use oracle::{coarsest, random_classes, random_graph};

const ALL: [Equivalence; 3] = [Equivalence::Strong, Equivalence::Branching, Equivalence::DivergenceBranching];

fn blocks(graph: &Graph, equivalence: Equivalence, classes: Option<&[u32]>) -> Vec<u32> {
    partition(graph, equivalence, classes, &mut Budget::unlimited()).unwrap().block_of
}

/// Two graphs side by side, the nodes of the second after those of the first.
fn union(one: &Graph, other: &Graph) -> Graph {
    let mut union = one.clone();
    let shift = one.node_count() as u32;
    for node in 0..other.node_count() {
        let edges: Vec<Edge> =
            other.edges(node).iter().map(|edge| Edge { target: edge.target + shift, ..*edge }).collect();
        union.push(&edges);
    }
    union
}

#[test]
fn quotients_are_equivalent_and_cannot_be_reduced() {
    for seed in 0..cases(1_000) {
        let mut rng = Rng::new(seed);
        let graph = random_graph(&mut rng, 12);
        let classes = random_classes(&mut rng, graph.node_count());
        for equivalence in ALL {
            let budget = &mut Budget::unlimited();
            let partition = partition(&graph, equivalence, classes.as_deref(), budget).unwrap();
            let small = quotient(&graph, &partition, equivalence, budget).unwrap();
            assert_eq!(small.node_count(), partition.blocks);
            // the class of a block is that of its nodes
            let of_blocks = classes.as_ref().map(|classes| {
                let first =
                    |block| partition.block_of.iter().position(|&other| other == block as u32).unwrap();
                (0..partition.blocks).map(|block| classes[first(block)]).collect::<Vec<u32>>()
            });
            let both = union(&graph, &small);
            let all_classes =
                classes.as_ref().zip(of_blocks.as_ref()).map(|(a, b)| [&a[..], &b[..]].concat());
            let together = coarsest(&both, equivalence, all_classes.as_deref());
            for (node, &block) in partition.block_of.iter().enumerate() {
                assert_eq!(
                    together[node],
                    together[graph.node_count() + block as usize],
                    "seed {seed}, {equivalence:?}: {node} of {graph:?} in {small:?}"
                );
            }
            let again = blocks(&small, equivalence, of_blocks.as_deref());
            assert_eq!(
                again,
                (0..partition.blocks as u32).collect::<Vec<_>>(),
                "seed {seed}, {equivalence:?}"
            );
        }
    }
}

/// A chain in which every node differs from every other.
fn chain(nodes: u32, label: u32) -> Graph {
    let mut graph = Graph::default();
    for node in 0..nodes {
        let edge = Edge { label, target: node + 1 };
        graph.push(if node + 1 < nodes { std::slice::from_ref(&edge) } else { &[] });
    }
    graph
}

fn check(graph: &Graph, expected: [usize; 3]) {
    let count = |equivalence| partition(graph, equivalence, None, &mut Budget::unlimited()).unwrap().blocks;
    assert_eq!(ALL.map(count), expected);
}

#[test]
fn small_graphs() {
    check(&Graph::default(), [0, 0, 0]);
    check(&chain(1, 1), [1, 1, 1]);
    check(&chain(50, 1), [50, 50, 50]);
    check(&chain(50, 0), [50, 1, 1]);
    // a silent loop, and a dead end
    let mut graph = Graph::default();
    graph.push(&[Edge { label: 0, target: 0 }]);
    graph.push(&[]);
    check(&graph, [2, 1, 2]);
    // labels far apart
    let mut graph = Graph::default();
    graph.push(&[Edge { label: u32::MAX, target: 0 }]);
    graph.push(&[Edge { label: u32::MAX - 7, target: 0 }]);
    check(&graph, [2, 2, 2]);
}

/// The work of a partition, by steps of the budget, per node and edge.
fn work(graph: &Graph, equivalence: Equivalence) -> u64 {
    let mut budget = Budget::unlimited();
    partition(graph, equivalence, None, &mut budget).unwrap();
    budget.spent() / (graph.node_count() + graph.edge_count()) as u64
}

/// Families on which refinement in rounds takes as many rounds as there are nodes, or looks at the
/// edges of one node again and again.
#[test]
fn work_is_nearly_linear() {
    let edge = |label: u32, target: u32| Edge { label, target };
    let n = 40_000;
    let mut band = Graph::default();
    for node in 0..n {
        let edges: Vec<Edge> = (1..10).filter(|i| node + i < n).map(|i| edge(1 + i % 2, node + i)).collect();
        band.push(&edges);
    }
    // nodes with edges to all nodes of a chain; the chains are equal
    let hubs = |label: u32| {
        let mut graph = Graph::default();
        for node in 0..n {
            let next: Vec<Edge> = (node + 4 < n).then(|| edge(1, node + 4)).into_iter().collect();
            let all = || (4..n).filter(|to| to % 4 == node).map(|to| edge(label, to)).collect();
            graph.push(&if node < 4 { all() } else { next });
        }
        graph
    };
    // a silent chain with edges into a chain that is told apart from its end
    let mut comb = Graph::default();
    for node in 0..n / 2 {
        let silent = (node + 1 < n / 2).then(|| edge(0, node + 1));
        comb.push(&[Some(edge(1, n - 1 - node)), silent].into_iter().flatten().collect::<Vec<_>>());
    }
    for node in n / 2..n {
        comb.push((node + 1 < n).then(|| edge(1, node + 1)).as_slice());
    }
    for graph in [&band, &hubs(0), &hubs(1), &comb, &chain(n, 1)] {
        for equivalence in ALL {
            let work = work(graph, equivalence);
            assert!(work < 60, "{work} steps per node and edge, {equivalence:?}");
        }
    }
}

#[test]
fn limits_hold() {
    let graph = random_graph(&mut Rng::new(1), 200_000);
    let chain = chain(100_000, 1);
    for graph in [&graph, &chain] {
        for equivalence in ALL {
            let run = |mut budget: Budget| partition(graph, equivalence, None, &mut budget).map(|_| ());
            assert_eq!(run(Budget::steps(100_000)), Err(Exhausted::Time));
            assert_eq!(run(Budget::new(None, Some(1 << 20))), Err(Exhausted::Memory));
            let mut budget = Budget::unlimited();
            let blocks = partition(graph, equivalence, None, &mut budget).unwrap();
            assert_eq!(budget.used(), 4 * blocks.block_of.len() + blocks.blocks);
            assert!(budget.peak() > 50 * graph.edge_count());
        }
    }
}
