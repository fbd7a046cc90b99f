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

/// A random game of clusters: each edge leads into a block of 4, 16, 64, … nodes around its start,
/// so that there are many small regions that are won alone.
pub fn clustered(
    nodes: usize,
    edges: usize,
    priorities: u32,
    seed: u64,
    budget: &mut Budget,
) -> Result<Game, Exhausted> {
    let mut rng = Rng::new(seed);
    let blocks = nodes.max(4).ilog(4) as usize;
    let mut builder = GameBuilder::default();
    let mut row = Vec::new();
    for node in 0..nodes {
        row.clear();
        // the average degree, by chance rounded up or down
        let degree = (edges + rng.below(nodes)) / nodes;
        for _ in 0..degree.max(1) {
            let size = 4usize.pow(1 + rng.below(blocks) as u32);
            let start = node / size * size;
            row.push((start + rng.below(size.min(nodes - start))) as u32);
        }
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

/// The recursive ladder of this many rungs of five nodes (Friedmann), on which Zielonka's algorithm
/// is exponential: each rung hides the dominion of the next.
pub fn recursive_ladder(rungs: usize, budget: &mut Budget) -> Result<Game, Exhausted> {
    // rung i has the nodes 2, 3, 4 at 5·i, and the nodes 0, 1 of rung i + 1 follow
    let at = |rung: usize, part: usize| (5 * rung + part) as u32 - 2;
    let mut builder = GameBuilder::default();
    for rung in 0..rungs {
        let player = Player::of(rung as u32);
        let (first, last) = (rung == 0, rung + 1 == rungs);
        let top = (rung as u32 + 1) * 3 + 2;
        let back = (!first).then(|| at(rung - 1, 3));
        let on = (!last).then(|| at(rung + 1, 3));
        let middle: Vec<u32> = back.into_iter().chain(on).chain([at(rung, 4)]).collect();
        builder.push(player.opponent(), top, &[at(rung + 1, 1), at(rung, 3)], budget)?;
        builder.push(player, top - 1, &middle, budget)?;
        builder.push(player.opponent(), top - 2, &[at(rung, 3), at(rung + 1, 1)], budget)?;
        // nodes 0 and 1 of the next rung
        let next = player.opponent();
        let low = player.number();
        let up = [at(rung + 1, 0), at(rung + 1, 2)];
        builder.push(next.opponent(), low, &[at(rung, 3), at(rung + 1, 1)], budget)?;
        builder.push(next, low, if last { &up[..1] } else { &up }, budget)?;
    }
    builder.finish(budget)
}

/// Jurdziński's game of a height and a width, on which progress measures take exponential time:
/// each layer above the lowest can only be decided column by column.
pub fn jurdzinski(height: usize, width: usize, budget: &mut Budget) -> Result<Game, Exhausted> {
    // a layer has left nodes 0 ..= width, right nodes below width, and, but for the lowest one,
    // nodes above the left ones below width
    let start = |layer: usize| if layer == 0 { 0 } else { 2 * width + 1 + (layer - 1) * (3 * width + 1) };
    let left = |layer: usize, column: usize| (start(layer) + column) as u32;
    let right = |layer: usize, column: usize| (start(layer) + width + 1 + column) as u32;
    let above = |layer: usize, column: usize| (start(layer) + 2 * width + 1 + column) as u32;
    let mut builder = GameBuilder::default();
    let mut row = Vec::new();
    for layer in 0..height {
        let (lowest, priority) = (layer == 0, 2 * layer as u32);
        let player = Player::of(u32::from(!lowest));
        for column in 0..=width {
            row.clear();
            row.extend(column.checked_sub(1).map(|before| right(layer, before)));
            if column < width {
                row.extend((!lowest).then(|| above(layer, column)));
                row.push(right(layer, column));
            }
            builder.push(player, priority, &row, budget)?;
        }
        for column in 0..width {
            row.clear();
            row.extend([left(layer, column), left(layer, column + 1)]);
            if lowest {
                row.extend((1..height).map(|layer| right(layer, column)));
            } else {
                row.push(right(0, column));
            }
            builder.push(player.opponent(), priority.max(1), &row, budget)?;
        }
        for column in (0..width).filter(|_| !lowest) {
            builder.push(Player::Even, priority + 1, &[right(layer, column)], budget)?;
        }
    }
    builder.finish(budget)
}
