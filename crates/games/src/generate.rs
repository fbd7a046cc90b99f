//! Games for tests and benchmarks: seeded random ones and families that are known to be hard.

use crate::{Game, GameBuilder, Player};
use loris_base::{Budget, Exhausted, Rng};

/// A random game: every node has at least one successor, the other edges start anywhere. Owners and
/// priorities are uniform.
pub fn random(
    nodes: usize,
    edges: usize,
    priorities: u32,
    seed: u64,
    budget: &mut Budget,
) -> Result<Game, Exhausted> {
    let mut rng = Rng::new(seed);
    let budget = &mut budget.holding(4 * nodes)?;
    let mut degrees = vec![1u32; nodes];
    for _ in nodes..edges.max(nodes) {
        degrees[rng.below(nodes)] += 1;
    }
    budget.spend(edges)?;
    let mut builder = GameBuilder::default();
    let mut row = Vec::new();
    for &degree in &degrees {
        row.clear();
        row.extend((0..degree).map(|_| rng.below(nodes) as u32));
        let owner = Player::of(rng.below(2) as u32);
        builder.push(owner, rng.below(priorities as usize) as u32, &row, budget)?;
    }
    builder.finish(budget)
}

/// A ladder of this many rungs: the players take turns, each may skip the opponent's next node, and
/// everything is one component with two priorities.
pub fn ladder(rungs: usize, budget: &mut Budget) -> Result<Game, Exhausted> {
    let nodes = 2 * rungs as u32;
    let mut builder = GameBuilder::default();
    for node in 0..nodes {
        let successors = [(node + 1) % nodes, (node + 2) % nodes];
        builder.push(Player::of(node), node % 2, &successors, budget)?;
    }
    builder.finish(budget)
}

/// A clique: node i has priority i, belongs to the player whom it favours, and has edges to all
/// other nodes.
pub fn clique(nodes: usize, budget: &mut Budget) -> Result<Game, Exhausted> {
    let mut builder = GameBuilder::default();
    let mut row = Vec::with_capacity(nodes);
    for node in 0..nodes as u32 {
        row.clear();
        row.extend((0..nodes as u32).filter(|&other| other != node));
        builder.push(Player::of(node), node, &row, budget)?;
    }
    builder.finish(budget)
}
