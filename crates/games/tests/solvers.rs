//! Solvers, with fixpoints from the definition and with each other; every solution is verified.
//!
//! `LORIS_CASES=5000 cargo test -p loris-games` tries more games.

mod common;

use common::{cases, game, naive, random_game, rules};
use loris_base::{Budget, Exhausted, Rng};
use loris_games::{Game, Player, Solver, generate, solve, verify};

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

/// All solvers agree, and their strategies win.
fn agree(game: &Game) {
    let mut budget = Budget::unlimited();
    let solutions = Solver::ALL.map(|solver| solve(game, solver, &mut budget).expect("no limit"));
    for (solver, solution) in Solver::ALL.into_iter().zip(&solutions) {
        for node in game.nodes() {
            assert_eq!(solution.winner(node), solutions[0].winner(node), "{solver:?} on {game:?}");
        }
        assert_eq!(verify(game, solution, &mut budget), Ok(Ok(())), "{solver:?} on {game:?}");
    }
}

#[test]
fn solvers_agree_on_larger_games() {
    let mut rng = Rng::new(14);
    for _ in 0..cases(1000) {
        agree(&random_game(&mut rng, 60));
    }
}

/// Games in which one player never has a choice, at least within a component.
#[test]
fn solvers_agree_where_one_player_chooses() {
    let mut rng = Rng::new(15);
    for _ in 0..cases(1000) {
        let nodes = 1 + rng.below(40);
        let (player, priorities) = (rng.below(2) as u32, 2 + rng.below(6));
        let list: Vec<_> = (0..nodes)
            .map(|_| {
                let owner = rng.below(2) as u32;
                let degree = if owner == player { 1 + rng.below(2) } else { 1 };
                let successors = (0..degree).map(|_| rng.below(nodes) as u32).collect();
                (owner, rng.below(priorities) as u32, successors)
            })
            .collect();
        let game = game(&list);
        agree(&game);
        if nodes <= 12 {
            check(&game, naive(&rules(&game)));
        }
    }
}

#[test]
fn families() {
    let mut budget = Budget::unlimited();
    for size in [1, 2, 5, 20] {
        agree(&generate::ladder(size, &mut budget).expect("no limit"));
    }
    for size in [2, 3, 6, 7] {
        agree(&generate::clique(size, &mut budget).expect("no limit"));
    }
    for size in [1, 2, 3, 7] {
        agree(&generate::recursive_ladder(size, &mut budget).expect("no limit"));
        agree(&generate::jurdzinski(1, size, &mut budget).expect("no limit"));
        agree(&generate::jurdzinski(3, size, &mut budget).expect("no limit"));
    }
    agree(&generate::random(2000, 5000, 3, 1, &mut budget).expect("no limit"));
}

/// Cycles of one player's own nodes, which are looked for first. A cycle whose largest priority
/// favours the opponent is not won, nor one that only goes on by a node of the opponent's.
#[test]
fn cycles_of_own_nodes() {
    check(&game(&[(0, 2, vec![1]), (0, 1, vec![0, 2]), (1, 3, vec![2, 0])]), 0b011);
    check(&game(&[(0, 2, vec![1]), (0, 3, vec![0, 2]), (1, 1, vec![2, 0])]), 0b000);
    check(&game(&[(0, 2, vec![1]), (1, 1, vec![0, 2]), (0, 3, vec![2, 0])]), 0b000);
    check(&game(&[(0, 4, vec![1]), (1, 1, vec![0]), (0, 3, vec![2, 0]), (1, 5, vec![2, 3])]), 0b0111);
}

/// Games with many small dominions and many priorities: regions are kept when something is won.
#[test]
fn solvers_agree_on_clusters() {
    let mut rng = Rng::new(16);
    let mut budget = Budget::unlimited();
    for _ in 0..cases(300) {
        let seed = rng.next_u64();
        let nodes = 100 + rng.below(400);
        let (edges, priorities) = (nodes + rng.below(2 * nodes), 2 + rng.below(nodes) as u32);
        let game = generate::clustered(nodes, edges, priorities, seed, &mut budget).expect("no limit");
        let solutions = [Solver::Auto, Solver::Zielonka, Solver::PriorityPromotion, Solver::TangleLearning]
            .map(|solver| solve(&game, solver, &mut budget).expect("no limit"));
        for solution in &solutions {
            assert!(game.nodes().all(|node| solution.winner(node) == solutions[0].winner(node)), "{seed}");
            assert_eq!(verify(&game, solution, &mut budget), Ok(Ok(())), "{seed}");
        }
    }
}

/// Steps per node and edge on families that are hard for some algorithm.
#[test]
fn hard_families_take_few_steps() {
    let check = |game: Game, most: u64| {
        let size = (game.len() + game.edges()) as u64;
        let mut budget = Budget::unlimited();
        solve(&game, Solver::default(), &mut budget).expect("no limit");
        assert!(budget.spent() <= most * size, "{} steps for {size}", budget.spent());
    };
    let mut budget = Budget::unlimited();
    check(generate::recursive_ladder(1000, &mut budget).expect("no limit"), 100);
    check(generate::jurdzinski(50, 50, &mut budget).expect("no limit"), 800);
    check(generate::jurdzinski(200, 10, &mut budget).expect("no limit"), 800);
    check(generate::clique(300, &mut budget).expect("no limit"), 40);
    check(generate::ladder(5000, &mut budget).expect("no limit"), 40);
}

/// Steps per node and edge do not depend on the size.
fn check_linear(make: impl Fn(usize, &mut Rng) -> Vec<(u32, u32, Vec<u32>)>, most: u64) {
    for nodes in [2000, 20_000] {
        let game = game(&make(nodes, &mut Rng::new(3)));
        let mut budget = Budget::unlimited();
        let solution = solve(&game, Solver::Zielonka, &mut budget).expect("no limit");
        let won = Player::BOTH.map(|player| solution.won_by(player));
        assert!(won.iter().all(|&nodes| nodes > 0), "{won:?}");
        let size = (game.len() + game.edges()) as u64;
        assert!(budget.spent() <= most * size, "{} steps for {size}", budget.spent());
    }
}

#[test]
fn special_cases_are_linear() {
    // no alternation: a hundred layers, each with one kind of priority, and edges that never go
    // back
    let layered = |nodes: usize, rng: &mut Rng| {
        let size = nodes / 100;
        (0..nodes)
            .map(|node| {
                let layer = node / size;
                let end = nodes.min((layer + 1) * size + 2);
                let successors = [0; 2].map(|_| (layer * size + rng.below(end - layer * size)) as u32);
                let priority = 2 * rng.below(3) + layer % 2;
                (rng.below(2) as u32, priority as u32, successors.to_vec())
            })
            .collect()
    };
    check_linear(layered, 12);
    // one player, whose priorities are rare, so that cycles are searched again and again, and
    // absent from the first tenth of the nodes
    let alone = |nodes: usize, rng: &mut Rng| {
        (0..nodes)
            .map(|node| {
                let end = if node < nodes / 10 { nodes / 10 } else { nodes };
                let successors = (0..=rng.below(3)).map(|_| rng.below(end) as u32).collect();
                let is_rare = end == nodes && rng.below(20) == 0;
                (0, (2 * rng.below(4) + usize::from(!is_rare)) as u32, successors)
            })
            .collect()
    };
    check_linear(alone, 40);
    // many priorities and attractors of two nodes each: one way down and up again
    let nodes = 20_000;
    let ring: Vec<_> = (0..nodes).map(|node| (node + 1, node, vec![node, (node + 1) % nodes])).collect();
    let mut budget = Budget::unlimited();
    solve(&game(&ring), Solver::Zielonka, &mut budget).expect("no limit");
    assert!(budget.spent() < 40 * u64::from(nodes), "{} steps", budget.spent());
}

/// The game with its predecessors, the solver and the solution need at most 64 bytes per node.
#[test]
fn memory_is_bounded() {
    for priorities in [1, 4, 1000] {
        let mut budget = Budget::unlimited();
        let game = generate::random(20_000, 60_000, priorities, 1, &mut budget).expect("no limit");
        assert!(budget.used().abs_diff(game.bytes()) <= 16);
        for solver in [Solver::Auto, Solver::Zielonka, Solver::PriorityPromotion, Solver::TangleLearning] {
            let mut budget = Budget::unlimited();
            budget.charge(game.bytes()).expect("no limit");
            let solution = solve(&game, solver, &mut budget).expect("no limit");
            assert!(budget.peak() <= 64 * game.len(), "{solver:?}: {} bytes", budget.peak());
            assert_eq!(budget.used(), game.bytes() + solution.bytes(), "{solver:?}");
        }
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
