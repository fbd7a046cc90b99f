//! The verifier: wrong solutions are refused, each kind of flaw by name.

mod common;

use common::{cases, game, random_game};
use loris_base::{Budget, Exhausted, Rng};
use loris_games::{Flaw, Game, Player, Solution, Solver, generate, solve, verify};

fn solution(winners: &[(u32, Option<u32>)]) -> Solution {
    let mut solution = Solution::blank(winners.len(), &mut Budget::unlimited()).expect("no limit");
    for (node, &(winner, next)) in winners.iter().enumerate() {
        solution.set(node as u32, Player::of(winner), next);
    }
    solution
}

fn check(game: &Game, winners: &[(u32, Option<u32>)], expected: Result<(), Flaw>) {
    let found = verify(game, &solution(winners), &mut Budget::unlimited());
    assert_eq!(found, Ok(expected), "{winners:?} on {game:?}");
}

#[test]
fn flaws_have_names() {
    // Even can stay at 0, which favours Odd, or go round by 1; 2 is a dead end of Odd
    let game = game(&[(0, 1, vec![0, 1]), (1, 2, vec![0]), (1, 0, vec![])]);
    check(&game, &[(0, Some(1)), (0, None), (0, None)], Ok(()));
    check(&game, &[(0, Some(1)), (0, None)], Err(Flaw::Size));
    check(&game, &[(0, None), (0, None), (0, None)], Err(Flaw::NoMove(0)));
    check(&game, &[(0, Some(2)), (0, None), (0, None)], Err(Flaw::NoSuchMove(0)));
    check(&game, &[(0, Some(9)), (0, None), (0, None)], Err(Flaw::NoSuchMove(0)));
    check(&game, &[(0, Some(1)), (0, Some(0)), (0, None)], Err(Flaw::ForeignMove(1)));
    check(&game, &[(0, Some(1)), (1, Some(0)), (0, None)], Err(Flaw::GivesAway(0)));
    check(&game, &[(1, None), (1, Some(0)), (0, None)], Err(Flaw::Cycle(1)));
    check(&game, &[(1, None), (0, None), (0, None)], Err(Flaw::Escape { from: 0, to: 1 }));
    check(&game, &[(0, Some(0)), (0, None), (0, None)], Err(Flaw::Cycle(0)));
    check(&game, &[(0, Some(1)), (0, None), (1, None)], Err(Flaw::NoMove(2)));
}

/// Of all solutions of a small game, those with right winners only can be verified; of all moves,
/// each is judged as the game in which it is the only one.
#[test]
fn forged_solutions_are_refused() {
    let mut rng = Rng::new(21);
    let mut refused = 0;
    for _ in 0..cases(2000) {
        let game = random_game(&mut rng, 8);
        let mut budget = Budget::unlimited();
        let right = solve(&game, Solver::Zielonka, &mut budget).expect("no limit");
        let mut forged = right.clone();
        let node = rng.below(game.len()) as u32;
        let owner = game.owner(node);
        if rng.below(2) == 0 {
            // another winner, with a move where one is needed
            let winner = right.winner(node).opponent();
            let next = game.successors(node).first().copied().filter(|_| owner == winner);
            forged.set(node, winner, next);
            assert!(verify(&game, &forged, &mut budget).expect("no limit").is_err(), "{game:?}");
            refused += 1;
        } else if let Some(&next) = game.successors(node).get(rng.below(3))
            && owner == right.winner(node)
        {
            forged.set(node, owner, Some(next));
            let verdict = verify(&game, &forged, &mut budget).expect("no limit");
            assert_eq!(verdict.is_ok(), still_wins(&game, &forged), "{game:?} {forged:?}");
            refused += u32::from(verdict.is_err());
        }
    }
    assert!(refused > 100);
}

/// Whether every winner still wins when only the chosen moves are left.
fn still_wins(whole: &Game, solution: &Solution) -> bool {
    let nodes: Vec<_> = whole
        .nodes()
        .map(|node| {
            let moves = match solution.successor(node) {
                Some(next) => vec![next],
                None => whole.successors(node).to_vec(),
            };
            (whole.owner(node).number(), whole.priority(node), moves)
        })
        .collect();
    let cut = game(&nodes);
    let even = common::naive(&common::rules(&cut));
    whole.nodes().all(|node| (even >> node & 1 == 1) == (solution.winner(node) == Player::Even))
}

#[test]
fn limits_hold() {
    let mut budget = Budget::unlimited();
    let game = generate::random(20_000, 60_000, 4, 2, &mut budget).expect("no limit");
    let solution = solve(&game, Solver::Zielonka, &mut budget).expect("no limit");
    assert_eq!(verify(&game, &solution, &mut Budget::steps(10_000)), Err(Exhausted::Time));
    assert_eq!(verify(&game, &solution, &mut Budget::new(None, Some(100_000))), Err(Exhausted::Memory));
    assert_eq!(verify(&game, &solution, &mut Budget::unlimited()), Ok(Ok(())));
}
