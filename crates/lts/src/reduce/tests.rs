//! Partitions of random graphs, with bisimulations straight from the definitions.

use super::{Equivalence, Graph, ROUNDS, partition_after};
use loris_base::{Budget, Rng};
use loris_testing::cases;
use oracle::{coarsest, random_classes, random_graph, related};

#[path = "../../tests/oracle/mod.rs"]
mod oracle;

/// Blocks of nodes, by exact refinement alone, after one round of hashing, and after all.
fn found(graph: &Graph, equivalence: Equivalence, classes: Option<&[u32]>) -> Vec<u32> {
    let [exact, one, all] = [0, 1, ROUNDS].map(|rounds| {
        partition_after(rounds, graph, equivalence, classes, &mut Budget::unlimited()).unwrap()
    });
    assert_eq!((&exact, &exact), (&one, &all), "{equivalence:?} {graph:?} {classes:?}");
    exact.block_of
}

#[test]
fn partitions_are_the_largest_bisimulations() {
    for seed in 0..cases(1_000) {
        let mut rng = Rng::new(seed);
        let graph = random_graph(&mut rng, 7);
        let classes = random_classes(&mut rng, graph.node_count());
        for equivalence in [Equivalence::Strong, Equivalence::Branching] {
            let found = found(&graph, equivalence, classes.as_deref());
            let expected = related(&graph, equivalence, classes.as_deref());
            for (a, row) in expected.iter().enumerate() {
                for (b, &is_related) in row.iter().enumerate() {
                    assert_eq!(
                        found[a] == found[b],
                        is_related,
                        "seed {seed}, {equivalence:?}: {a} and {b} of {graph:?} {classes:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn partitions_are_the_coarsest_stable_ones() {
    for seed in 0..cases(3_000) {
        let mut rng = Rng::new(seed);
        let nodes = [6, 12, 40][rng.below(3)];
        let graph = random_graph(&mut rng, nodes);
        let classes = random_classes(&mut rng, graph.node_count());
        for equivalence in [Equivalence::Strong, Equivalence::Branching, Equivalence::DivergenceBranching] {
            let found = found(&graph, equivalence, classes.as_deref());
            let expected = coarsest(&graph, equivalence, classes.as_deref());
            assert_eq!(found, expected, "seed {seed}, {equivalence:?}: {graph:?} {classes:?}");
        }
    }
}
