//! Solvers that give up in the middle.

use super::bottom_up::auto;
use super::regions::{ALIVE, Regions};
use crate::{Game, Solution, generate, verify};
use loris_base::{Budget, Exhausted};

/// Solves a game in which everyone can move, with this many steps per node and edge for the
/// first turns.
fn solved(game: &Game, patience: u64, budget: &mut Budget) -> Result<Solution, Exhausted> {
    let mut regions = Regions::new(game.len(), budget)?;
    regions.nodes.extend(game.nodes());
    auto(game, &mut regions, 0..game.len(), patience, budget)?;
    assert!(regions.level.iter().all(|&level| level < ALIVE));
    regions.level.iter_mut().for_each(|level| *level &= 1);
    regions.finish(game, budget)
}

#[test]
fn impatience_changes_no_winner() {
    let mut budget = Budget::unlimited();
    for seed in 0..500 {
        let nodes = 5 + seed as usize % 60;
        let random = generate::random(nodes, 2 * nodes, 6, seed, &mut budget).expect("no limit");
        let clustered = generate::clustered(3 * nodes, 6 * nodes, 50, seed, &mut budget).expect("no limit");
        for game in [random, clustered] {
            let patient = solved(&game, 1 << 40, &mut budget).expect("no limit");
            for patience in [0, 1, 2, 5, 10] {
                let solution = solved(&game, patience, &mut budget).expect("no limit");
                assert!(
                    game.nodes().all(|node| solution.winner(node) == patient.winner(node)),
                    "{patience} {seed}"
                );
                assert_eq!(verify(&game, &solution, &mut budget), Ok(Ok(())), "{patience} {seed}");
            }
        }
    }
}
