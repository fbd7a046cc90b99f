//! Three-valued games, with fixpoints from the definition, with completions, and by example.

mod common;

use common::{Rule, cases, naive, random_ternary};
use loris_base::{Budget, Exhausted, Rng, Truth};
use loris_games::ternary::{
    Cause, Colouring, Edge, TernaryBuilder, TernaryGame, careful, cause, colour, colour_given, undecided,
    write_dot,
};
use loris_games::{Player, Solver, solve, verify_colouring};

fn coloured(game: &TernaryGame) -> Colouring {
    colour(game, &mut Budget::unlimited()).expect("no limit")
}

/// The values by the three-valued semantics: true sets and false sets are computed separately.
fn naive_colours(game: &TernaryGame) -> Vec<Truth> {
    // whether a node can be said to have the value, for the player who wants it
    let set = |wanted: Player| {
        let rules: Vec<Rule> = game
            .nodes()
            .map(|node| {
                if let Some(value) = game.value(node) {
                    let reached = match wanted {
                        Player::Even => value == Truth::True,
                        Player::Odd => value != Truth::False,
                    };
                    return Rule { all: reached, priority: 0, successors: Vec::new() };
                }
                let own = game.owner(node) == wanted;
                let row = if own { game.certain(node) } else { game.successors(node) };
                Rule {
                    all: game.owner(node) == Player::Odd,
                    priority: game.priority(node),
                    successors: row.to_vec(),
                }
            })
            .collect();
        naive(&rules)
    };
    let (even, not_odd) = (set(Player::Even), set(Player::Odd));
    game.nodes()
        .map(|node| match (even >> node & 1, not_odd >> node & 1) {
            (1, _) => Truth::True,
            (_, 0) => Truth::False,
            _ => Truth::Unknown,
        })
        .collect()
}

#[test]
fn random_games_agree_with_fixpoints() {
    let mut rng = Rng::new(3);
    let mut unknown = 0;
    for _ in 0..cases(2000) {
        let game = random_ternary(&mut rng, 12);
        let colouring = coloured(&game);
        assert_eq!(colouring.colours(), naive_colours(&game), "{game:?}");
        assert_eq!(verify_colouring(&game, &colouring, &mut Budget::unlimited()), Ok(Ok(())), "{game:?}");
        check_careful(&game, &colouring);
        unknown += colouring.count(Truth::Unknown);
        for root in game.nodes() {
            check_unknown(&game, &colouring, root);
        }
    }
    assert!(unknown > 0);
}

/// Both ordinary games that can be exported have the winners of the colouring.
fn check_careful(game: &TernaryGame, colouring: &Colouring) {
    let mut budget = Budget::unlimited();
    for (player, value) in [(Player::Even, Truth::True), (Player::Odd, Truth::False)] {
        let half = careful(game, player, &mut budget).expect("no limit");
        let solution = solve(&half, Solver::PriorityPromotion, &mut budget).expect("no limit");
        for node in game.nodes() {
            assert_eq!(solution.winner(node) == player, colouring.colour(node) == value, "{game:?}");
        }
    }
}

/// Definite nodes keep their value whatever becomes of edges and terminals.
#[test]
fn completions_have_the_definite_values() {
    let mut rng = Rng::new(6);
    for _ in 0..cases(1000) {
        let game = random_ternary(&mut rng, 10);
        let colouring = coloured(&game);
        for _ in 0..4 {
            let rules: Vec<Rule> = game
                .nodes()
                .map(|node| match game.value(node) {
                    Some(value) => Rule {
                        all: value == Truth::True || value == Truth::Unknown && rng.below(2) == 0,
                        priority: 0,
                        successors: Vec::new(),
                    },
                    None => Rule {
                        all: game.owner(node) == Player::Odd,
                        priority: game.priority(node),
                        successors: game
                            .edges_of(node)
                            .filter(|edge| edge.must || rng.below(2) == 0)
                            .map(|edge| edge.to)
                            .collect(),
                    },
                })
                .collect();
            let even = naive(&rules);
            for node in game.nodes().filter(|&node| colouring.colour(node).is_known()) {
                assert_eq!(Truth::from(even >> node & 1 == 1), colouring.colour(node), "{game:?}");
            }
        }
    }
}

#[test]
fn limits_hold() {
    let (mut rng, mut budget) = (Rng::new(9), Budget::unlimited());
    let mut builder = TernaryBuilder::default();
    for _ in 0..20_000 {
        let edges = [0; 2].map(|_| Edge { to: rng.below(20_000) as u32, must: rng.below(2) == 0 });
        let owner = Player::of(rng.below(2) as u32);
        builder.push(owner, rng.below(3) as u32, &edges, &mut budget).expect("no limit");
    }
    let game = builder.finish(&mut budget).expect("no limit");
    // a few bytes of empty lists are not charged
    assert!(budget.used().abs_diff(game.bytes()) <= 16);
    assert_eq!(colour(&game, &mut Budget::steps(20_000)), Err(Exhausted::Time));
    assert_eq!(colour(&game, &mut Budget::new(None, Some(300_000))), Err(Exhausted::Memory));
    let mut budget = Budget::unlimited();
    let colouring = colour(&game, &mut budget).expect("no limit");
    assert_eq!(budget.used(), colouring.bytes());
    let root = game.nodes().find(|&node| !colouring.colour(node).is_known()).expect("some are unknown");
    let late = undecided(&game, &colouring, root, &mut Budget::steps(1000));
    assert_eq!(late.map(|_| ()), Err(Exhausted::Time));
    let mut budget = Budget::unlimited();
    let part = undecided(&game, &colouring, root, &mut budget).expect("no limit");
    assert!(part.nodes.len() > 100);
    assert!(budget.used().abs_diff(part.game.bytes() + 4 * part.nodes.capacity()) <= 16);
}

#[test]
fn graphs_of_coloured_games() {
    let game = e1();
    let mut out = Vec::new();
    write_dot(&mut out, &game, &coloured(&game), |node| format!("\"{node}\\")).expect("memory does not fail");
    let text = String::from_utf8(out).expect("UTF-8");
    for line in [
        r##"  n1 [label="\"1\\\n?, 1", shape=diamond, fillcolor="#fdf0cc"]"##,
        r##"  n11 [label="\"11\\\nT", shape=ellipse, fillcolor="#d8ead3"]"##,
        "  n4 -> n5 [style=dashed]",
        "  n2 -> n10",
        "  n8 -> n5 [penwidth=2]",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} in {text}");
    }
}

/// The undecided part has the colours of the whole, and unknown nodes have a cause.
fn check_unknown(game: &TernaryGame, colouring: &Colouring, root: u32) {
    let mut budget = Budget::unlimited();
    let part = undecided(game, colouring, root, &mut budget).expect("no limit");
    let of_part = coloured(&part.game);
    for (node, &whole) in part.nodes.iter().enumerate() {
        assert_eq!(of_part.colour(node as u32), colouring.colour(whole), "{game:?} from {root}");
        if part.game.value(node as u32) == Some(Truth::Unknown) {
            assert_eq!(game.value(whole), Some(Truth::Unknown));
        }
    }
    match cause(game, colouring, root, &mut budget).expect("no limit") {
        None => assert_ne!(colouring.colour(root), Truth::Unknown),
        Some(Cause::Tie(node)) => assert_eq!(game.value(node), Some(Truth::Unknown)),
        Some(Cause::MayStep { from, to }) => {
            assert_eq!(colouring.colour(from), Truth::Unknown);
            assert!(game.edges_of(from).any(|edge| edge == Edge::may(to)));
        }
    }
}

/// Without uncertain edges and unknown terminals nothing is unknown, and one game is solved.
#[test]
fn ordinary_games_are_decided() {
    let mut rng = Rng::new(17);
    let mut budget = Budget::unlimited();
    for _ in 0..cases(1000) {
        let whole = random_ternary(&mut rng, 12);
        let mut builder = TernaryBuilder::default();
        for node in whole.nodes() {
            let added = if let Some(value) = whole.value(node) {
                builder.terminal(Truth::from(value == Truth::True), &mut budget)
            } else {
                let edges: Vec<Edge> = whole.successors(node).iter().map(|&to| Edge::must(to)).collect();
                builder.push(whole.owner(node), whole.priority(node), &edges, &mut budget)
            };
            added.expect("no limit");
        }
        let game = builder.finish(&mut budget).expect("no limit");
        assert!(game.is_certain());
        let colouring = coloured(&game);
        assert_eq!(colouring.colours(), naive_colours(&game), "{game:?}");
        assert_eq!(colouring.count(Truth::Unknown), 0);
        assert_eq!(verify_colouring(&game, &colouring, &mut budget), Ok(Ok(())), "{game:?}");
        // a value that is given as unknown is unknown
        let given = colour_given(&game, |node| (node == 0).then_some(Truth::Unknown), &mut budget);
        assert_eq!(given.expect("no limit").colour(0), Truth::Unknown);
    }
}

#[test]
fn colours_given_change_nothing() {
    let mut rng = Rng::new(4);
    for _ in 0..cases(2000) {
        let game = random_ternary(&mut rng, 14);
        let expected = coloured(&game);
        let given: Vec<bool> = game.nodes().map(|_| rng.below(3) == 0).collect();
        let given = |node: u32| given[node as usize].then(|| expected.colour(node));
        let found = colour_given(&game, given, &mut Budget::unlimited()).expect("no limit");
        assert_eq!(found.colours(), expected.colours(), "{game:?}");
    }
}

/// The KMTS of example E1 with the formula mu Z.(q | (p & []Z)): 13 nodes, six of each state and p.
fn e1() -> TernaryGame {
    let must = |to| vec![Edge::must(to)];
    let both = |left, right| vec![Edge::must(left), Edge::must(right)];
    let mut budget = Budget::unlimited();
    let mut builder = TernaryBuilder::default();
    let mut push = |owner, priority, edges: Vec<Edge>| {
        builder.push(owner, priority, &edges, &mut budget).expect("no limit");
    };
    // s0: 0 formula, 1 Z, 2 q | (p & []Z), 3 p & []Z, 4 []Z
    push(Player::Even, 0, must(1));
    push(Player::Even, 1, must(2));
    push(Player::Even, 0, both(10, 3));
    push(Player::Odd, 0, both(11, 4));
    push(Player::Odd, 0, vec![Edge::may(5)]);
    // s1: 5 Z, 6 body, 7 p & []Z, 8 []Z, 9 q; then s0: 10 q, 11 p; s1: 12 p
    push(Player::Even, 1, must(6));
    push(Player::Even, 0, both(9, 7));
    push(Player::Odd, 0, both(12, 8));
    push(Player::Odd, 0, must(5));
    for value in [Truth::False, Truth::Unknown, Truth::True, Truth::False] {
        builder.terminal(value, &mut budget).expect("no limit");
    }
    builder.finish(&mut budget).expect("no limit")
}

#[test]
fn example_e1() {
    let (game, mut budget) = (e1(), Budget::unlimited());
    let colouring = coloured(&game);
    assert_eq!(game.len(), 13);
    for node in game.nodes() {
        let expected = match node {
            0..=4 | 10 => Truth::Unknown,
            11 => Truth::True,
            _ => Truth::False,
        };
        assert_eq!(colouring.colour(node), expected, "{node}");
    }
    let part = undecided(&game, &colouring, 0, &mut budget).expect("no limit");
    let mut nodes = part.nodes.clone();
    nodes.sort_unstable();
    assert_eq!(nodes, [0, 1, 2, 3, 4, 5, 10]);
    let terminals: Vec<_> = part
        .nodes
        .iter()
        .zip(part.game.nodes())
        .filter_map(|(&whole, node)| Some((whole, part.game.value(node)?)))
        .collect();
    assert_eq!(terminals, [(10, Truth::Unknown), (5, Truth::False)]);
    assert_eq!(cause(&game, &colouring, 0, &mut budget), Ok(Some(Cause::Tie(10))));
    assert_eq!(cause(&game, &colouring, 4, &mut budget), Ok(Some(Cause::MayStep { from: 4, to: 5 })));
    assert_eq!(cause(&game, &colouring, 11, &mut budget), Ok(None));
}

/// The value of node 0.
fn check(nodes: &[(u32, u32, &[Edge])], terminals: &[Truth], expected: Truth) {
    let (mut builder, mut budget) = (TernaryBuilder::default(), Budget::unlimited());
    for &(owner, priority, edges) in nodes {
        builder.push(Player::of(owner), priority, edges, &mut budget).expect("no limit");
    }
    for &value in terminals {
        builder.terminal(value, &mut budget).expect("no limit");
    }
    let game = builder.finish(&mut budget).expect("no limit");
    assert_eq!(coloured(&game).colour(0), expected, "{nodes:?} {terminals:?}");
}

#[test]
fn laws_of_e4() {
    use Truth::{False, True, Unknown};
    let (may, must) = (Edge::may, Edge::must);
    // one state without steps: []ff, <>tt
    check(&[(1, 0, &[])], &[], True);
    check(&[(0, 0, &[])], &[], False);
    // a loop that may exist, p holds: <>p, []p, []~p, <>~p
    check(&[(0, 0, &[may(1)])], &[True], Unknown);
    check(&[(1, 0, &[may(1)])], &[True], True);
    check(&[(1, 0, &[may(1)])], &[False], Unknown);
    check(&[(0, 0, &[may(1)])], &[False], False);
    // p is unknown: p | ~p
    check(&[(0, 0, &[must(1), must(2)])], &[Unknown, Unknown], Unknown);
    // mu Z.Z, nu Z.Z
    check(&[(0, 0, &[must(1)]), (0, 1, &[must(1)])], &[], False);
    check(&[(0, 0, &[must(1)]), (0, 2, &[must(1)])], &[], True);
    // the local rule does not suffice on cycles: nu Z. []Z with a step that may exist
    check(&[(1, 2, &[may(0)])], &[], True);
    check(&[(1, 1, &[may(0)])], &[], Unknown);
    check(&[(1, 1, &[must(0)])], &[], False);
}
