//! Random games, and their winners by fixpoints from the definition.
#![allow(dead_code)]

use loris_base::{Budget, Rng, Truth};
use loris_games::ternary::{Edge, TernaryBuilder, TernaryGame};
use loris_games::{Game, GameBuilder, Player};
pub(crate) use loris_testing::cases;

/// A game of nodes with owner, priority and successors.
pub(crate) fn game(nodes: &[(u32, u32, Vec<u32>)]) -> Game {
    let (mut builder, mut budget) = (GameBuilder::default(), Budget::unlimited());
    for (owner, priority, successors) in nodes {
        builder.push(Player::of(*owner), *priority, successors, &mut budget).expect("no limit");
    }
    builder.finish(&mut budget).expect("no limit")
}

/// A random game of at most this many nodes, dead ends and repeated edges included.
pub(crate) fn random_game(rng: &mut Rng, most: usize) -> Game {
    let nodes = 1 + rng.below(most);
    let priorities = 1 + rng.below(7);
    let degree = 1 + rng.below(4);
    let dead_ends = rng.below(3) == 0;
    let list: Vec<_> = (0..nodes)
        .map(|_| {
            let count = if dead_ends { rng.below(degree + 1) } else { 1 + rng.below(degree) };
            let successors = (0..count).map(|_| rng.below(nodes) as u32).collect();
            (rng.below(2) as u32, rng.below(priorities) as u32, successors)
        })
        .collect();
    game(&list)
}

/// The moves of a graph and what they are for: whether all or some must lead to the set.
pub(crate) struct Rule {
    pub(crate) all: bool,
    pub(crate) priority: u32,
    pub(crate) successors: Vec<u32>,
}

/// The nodes that `Even` wins, as bits: nested fixpoints, the largest priority outermost, greatest
/// ones for even priorities.
pub(crate) fn naive(rules: &[Rule]) -> u64 {
    let top = rules.iter().map(|rule| rule.priority).max().unwrap_or(0);
    let mut sets = vec![0; top as usize + 1];
    fixpoint(rules, &mut sets, top as usize)
}

fn fixpoint(rules: &[Rule], sets: &mut [u64], priority: usize) -> u64 {
    let all = (1 << rules.len()) - 1;
    sets[priority] = if priority.is_multiple_of(2) { all } else { 0 };
    loop {
        let next = if priority == 0 { step(rules, sets) } else { fixpoint(rules, sets, priority - 1) };
        if next == sets[priority] {
            return next;
        }
        sets[priority] = next;
    }
}

fn step(rules: &[Rule], sets: &[u64]) -> u64 {
    let mut found = 0;
    for (node, rule) in rules.iter().enumerate() {
        let mut inside = rule.successors.iter().map(|to| sets[rule.priority as usize] >> to & 1 == 1);
        if if rule.all { inside.all(|inside| inside) } else { inside.any(|inside| inside) } {
            found |= 1 << node;
        }
    }
    found
}

/// The rules of an ordinary game.
pub(crate) fn rules(game: &Game) -> Vec<Rule> {
    game.nodes()
        .map(|node| Rule {
            all: game.owner(node) == Player::Odd,
            priority: game.priority(node),
            successors: game.successors(node).to_vec(),
        })
        .collect()
}

/// A random three-valued game of at most this many nodes.
pub(crate) fn random_ternary(rng: &mut Rng, most: usize) -> TernaryGame {
    let nodes = 1 + rng.below(most);
    let priorities = 1 + rng.below(5);
    let degree = 1 + rng.below(3);
    let terminals = rng.below(4);
    let (mut builder, mut budget) = (TernaryBuilder::default(), Budget::unlimited());
    for _ in 0..nodes {
        if rng.below(8) < terminals {
            let value = [Truth::False, Truth::Unknown, Truth::True][rng.below(3)];
            builder.terminal(value, &mut budget).expect("no limit");
            continue;
        }
        let edges: Vec<Edge> = (0..rng.below(degree + 1))
            .map(|_| Edge { to: rng.below(nodes) as u32, must: rng.below(2) == 0 })
            .collect();
        let owner = Player::of(rng.below(2) as u32);
        builder.push(owner, rng.below(priorities) as u32, &edges, &mut budget).expect("no limit");
    }
    builder.finish(&mut budget).expect("no limit")
}
