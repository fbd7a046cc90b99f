//! Solvers, with fixpoints from the definition and with each other; every solution is verified.
//!
//! `LORIS_CASES=5000 cargo test -p loris-games` tries more games.

mod common;

use common::{cases, game, naive, random_game, rules};
use loris_base::{Budget, Exhausted, Rng};
use loris_games::{Game, Player, Solver, solve, verify};

/// All solvers agree with fixpoints, and their strategies win.
fn check(game: &Game, expected: u64) {
    for solver in Solver::ALL {
        let solution = solve(game, solver, &mut Budget::unlimited()).expect("no limit");
        let even = game.nodes().filter(|&node| solution.winner(node) == Player::Even);
        let found = even.fold(0, |set, node| set | 1 << node);
        assert_eq!(found, expected, "{solver:?} on {game:?}");
        let verdict = verify(game, &solution, &mut Budget::unlimited()).expect("no limit");
        assert_eq!(verdict, Ok(()), "{solver:?} on {game:?}");
    }
}

#[test]
fn small_games() {
    check(&game(&[]), 0);
    check(&game(&[(0, 0, vec![])]), 0);
    check(&game(&[(1, 0, vec![])]), 1);
    check(&game(&[(0, 1, vec![0])]), 0);
    check(&game(&[(1, 2, vec![0])]), 1);
    check(&game(&[(0, 1, vec![0, 1]), (1, 2, vec![0])]), 0b11);
    check(&game(&[(1, 1, vec![0, 1]), (0, 2, vec![0])]), 0);
    check(&game(&[(1, u32::MAX, vec![1]), (0, u32::MAX - 1, vec![1, 0])]), 0b11);
}

#[test]
fn random_games_agree_with_fixpoints() {
    let mut rng = Rng::new(13);
    for _ in 0..cases(2000) {
        let game = random_game(&mut rng, 12);
        check(&game, naive(&rules(&game)));
    }
}

#[test]
fn limits_hold() {
    let mut rng = Rng::new(5);
    let list: Vec<_> = (0..20_000)
        .map(|_| {
            let successors = (0..3).map(|_| rng.below(20_000) as u32).collect();
            (rng.below(2) as u32, rng.below(4) as u32, successors)
        })
        .collect();
    let game = game(&list);
    for solver in Solver::ALL {
        let late = solve(&game, solver, &mut Budget::steps(20_000));
        assert_eq!(late.map(|_| ()), Err(Exhausted::Time), "{solver:?}");
        let large = solve(&game, solver, &mut Budget::new(None, Some(100_000)));
        assert_eq!(large.map(|_| ()), Err(Exhausted::Memory), "{solver:?}");
    }
}
