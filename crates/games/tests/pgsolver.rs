//! The formats of `PGSolver`: round trips, problems with their places, limits.

mod common;

use common::{cases, random_game};
use loris_base::{Budget, Diagnostics, Exhausted, Rng, Stopped};
use loris_games::pgsolver::{
    GameFile, ReadError, read_game, read_game_from, read_solution, read_solution_from, write_game,
    write_named, write_solution,
};
use loris_games::{Player, Solver, generate, solve, verify};
use std::io::Read;

fn read(text: &str) -> GameFile {
    read_game(text, &mut Budget::unlimited()).unwrap_or_else(|why| panic!("{text:?}: {why:?}"))
}

fn written(file: &GameFile) -> String {
    let mut out = Vec::new();
    write_game(&mut out, file).expect("memory does not fail");
    String::from_utf8(out).expect("the text is UTF-8")
}

/// The text is written like this after it was read, and stays so.
fn check(text: &str, expected: &str) {
    let file = read(text);
    assert_eq!(written(&file), expected);
    assert_eq!(written(&read(expected)), expected);
}

#[test]
fn games_are_read_and_written() {
    check("0 0 0 0;", "parity 0;\n0 0 0 0;\n");
    check("parity 0;", "parity 0;\n");
    check(
        "\u{feff}parity 4;\nstart 4 ;\n0 6 1 4,2 \"Africa\";\r\n4 5 1 0;\n2 8 0 2,4,2 \"a;b\";",
        "parity 4;\nstart 4;\n0 6 1 4,2 \"Africa\";\n4 5 1 0;\n2 8 0 2,4,2 \"a;b\";\n",
    );
    // on one line, and over several
    check("1 1 1 1;0 4294967294 0\n1 ,\n 0\n;", "parity 1;\n1 1 1 1;\n0 4294967294 0 1,0;\n");
    // numbers far apart
    check(
        "4294967295 0 0 7; 7 1 1 4294967295;",
        "parity 4294967295;\n4294967295 0 0 7;\n7 1 1 4294967295;\n",
    );
    // dead ends get a loop by which their owner loses
    check("0 4 0; 1 5 1 \"end\";", "parity 1;\n0 1 0 0;\n1 0 1 1 \"end\";\n");
}

/// Gives a few bytes at a time.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn random_games_survive() {
    let mut rng = Rng::new(8);
    for case in 0..cases(1000) {
        let game = random_game(&mut rng, 12);
        let mut out = Vec::new();
        let name = |node| if node % 3 == 0 { String::new() } else { format!("n\"{node}\n") };
        write_named(&mut out, &game, name).expect("memory does not fail");
        let mut budget = Budget::unlimited();
        let file = read_game_from(Slow(&out, 1 + case % 7), &mut budget).expect("well-formed");
        assert_eq!(written(&file), String::from_utf8(out).expect("UTF-8"));
        let (whole, again) = (game, file.game.clone());
        if whole.nodes().all(|node| !whole.successors(node).is_empty()) {
            assert_eq!(whole, again);
        }
        // the same winners, and solutions survive, too
        let solution = solve(&again, Solver::Zielonka, &mut budget).expect("no limit");
        let before = solve(&whole, Solver::Zielonka, &mut budget).expect("no limit");
        assert!(whole.nodes().all(|node| before.winner(node) == solution.winner(node)));
        let mut out = Vec::new();
        write_solution(&mut out, &file, &solution).expect("memory does not fail");
        let text = String::from_utf8(out).expect("UTF-8");
        let read = read_solution(&text, &file, &mut budget).expect("well-formed");
        assert_eq!(read, solution, "{text}");
        assert_eq!(verify(&again, &read, &mut budget), Ok(Ok(())));
    }
}

/// Texts with errors anywhere are read or refused, and problems lie within them.
#[test]
fn broken_texts_are_read_or_refused() {
    let mut rng = Rng::new(31);
    let text = b"parity 4;\nstart 2;\n0 6 1 4,2 \"Africa\";\n4 5 1 0;\n2 8 0 2,4 \"a;b\";\n";
    let mut refused = 0;
    for case in 0..cases(3000) {
        let mut text = text.to_vec();
        for _ in 0..=rng.below(3) {
            let place = rng.below(text.len());
            match rng.below(3) {
                0 => text[place] = b"0123 ,;\"\n\xffsp"[rng.below(12)],
                1 => drop(text.remove(place)),
                _ => text.insert(place, b"0123 ,;\"\n\xffsp"[rng.below(12)]),
            }
        }
        let mut budget = Budget::unlimited();
        match read_game_from(Slow(&text, 1 + case % 50), &mut budget) {
            Ok(file) => {
                let again = written(&file);
                assert_eq!(written(&read(&again)), again);
                // no solution either, but no harm
                let _ = read_solution_from(&text[..], &file, &mut budget);
            }
            Err(ReadError::Stopped(Stopped::Wrong(problems))) => {
                refused += 1;
                assert!(problems.has_errors());
                for problem in problems.sorted() {
                    let offset = problem.offset.unwrap_or(0) as usize;
                    assert!(offset <= text.len(), "{problem:?} in {text:?}");
                }
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(refused > 100);
}

/// The problems, each as `offset+length: message`.
fn shown(problems: &Diagnostics) -> Vec<String> {
    problems
        .sorted()
        .iter()
        .map(|problem| match problem.offset {
            Some(offset) => format!("{offset}+{}: {}", problem.length, problem.message),
            None => problem.message.clone(),
        })
        .collect()
}

fn check_problems(text: &str, expected: &[&str]) {
    match read_game(text, &mut Budget::unlimited()) {
        Err(Stopped::Wrong(problems)) => assert_eq!(shown(&problems), expected, "{text:?}"),
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn problems_have_places() {
    const NODE: &str = "a node: its number, priority, owner and successors, as in `0 2 1 3,4;`";
    check_problems("", &["there is no node"]);
    check_problems("  \n", &["there is no node"]);
    check_problems("x", &[&format!("0+1: unexpected word, expected {NODE}")]);
    check_problems("0 0 0 0", &["7+1: the file ends here, expected `,`, a name or `;`"]);
    check_problems("0;", &["1+1: unexpected `;`, expected the priority of the node"]);
    check_problems("0 1 2 0;", &["4+1: players are 0 and 1; expected the owner of the node, 0 or 1"]);
    check_problems("0 1 0 0,;", &["8+1: unexpected `;`, expected a successor"]);
    check_problems("0 4294967296 0 0;", &["2+10: this number is larger than 4294967295"]);
    check_problems("0 1 0 0 \"a;\n", &["8+1: this name is not closed in its line"]);
    check_problems("0 1 0 0 \"a\" 3;", &["12+1: unexpected `3`, expected `;` after the name"]);
    check_problems("0 0 0 12,0,3;", &["6+2: there is no node 12", "11+1: there is no node 3"]);
    check_problems("7 0 0 7;\n7 1 1 7;", &["9+1: there is a second node 7"]);
    check_problems("0 0 0 0; parity 3;", &["9+6: this line belongs before all nodes, once"]);
    check_problems("start 3; 0 0 0 0;", &["6+1: there is no node 3"]);
    check_problems("paritysol 3; 0 0;", &["0+9: this is a solution, and no game"]);
    // several problems at once; a line that is not closed does not hide the next one
    check_problems(
        "0 0 x 0\n1 0 0 1;\n2 0 0 2\n3 0 7 3;\n",
        &[
            "4+1: unexpected `x`, expected the owner of the node, 0 or 1",
            "25+1: unexpected `3`, expected `,`, a name or `;`",
            "29+1: players are 0 and 1; expected the owner of the node, 0 or 1",
        ],
    );
}

#[test]
fn bytes_that_are_no_text() {
    let problems = |text: &[u8]| match read_game_from(text, &mut Budget::unlimited()) {
        Err(ReadError::Stopped(Stopped::Wrong(problems))) => shown(&problems),
        other => panic!("{other:?}"),
    };
    assert_eq!(problems(b"0 0 0 0 \"a\xff\";"), ["10+1: this is not UTF-8"]);
    assert_eq!(problems(b"\xff\xfe0\0"), ["0+1: this text is in UTF-16"]);
    assert_eq!(
        problems(b"0 0 0 0 \xe2\x82\xac;"),
        ["8+1: unexpected `\u{20ac}`, expected `,`, a name or `;`"]
    );
}

fn check_solution(text: &str, expected: &[&str]) {
    let file = read("0 0 0 7; 7 1 1 0;");
    match read_solution(text, &file, &mut Budget::unlimited()) {
        Err(Stopped::Wrong(problems)) => assert_eq!(shown(&problems), expected, "{text:?}"),
        Ok(solution) => {
            assert_eq!(expected, [""; 0], "{text:?}");
            assert_eq!((solution.winner(0), solution.winner(1)), (Player::Odd, Player::Odd));
            assert_eq!((solution.successor(0), solution.successor(1)), (None, Some(0)));
        }
        Err(other) => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn solutions_are_read() {
    check_solution("paritysol 7;\n0 1;\n7 1 0;\n", &[]);
    // moves that mean nothing are left out, names are skipped
    check_solution("7 1 0 \"x\"; 0 1 7;", &[]);
    check_solution("0 1;", &["there is no line for node 7"]);
    check_solution("", &["there is no line for 2 nodes, of which 0 is the first"]);
    check_solution("0 1; 7 1 3;", &["9+1: the game has no node 3"]);
    check_solution(
        "0 1; 0 1; 7 2;",
        &[
            "5+4: there is a second line for node 0",
            "12+1: players are 0 and 1; expected the winner of the node, 0 or 1",
        ],
    );
    check_solution("parity 3; 0 1; 7 1 0;", &["0+6: this is a game, and no solution"]);
}

#[test]
fn limits_hold() {
    let mut budget = Budget::unlimited();
    let game = generate::random(30_000, 90_000, 4, 1, &mut budget).expect("no limit");
    let text = written(&GameFile::new(game));
    let stopped = |mut budget: Budget| match read_game(&text, &mut budget) {
        Err(Stopped::Exhausted(why)) => why,
        other => panic!("{:?}", other.map(|_| ())),
    };
    assert_eq!(stopped(Budget::steps(10_000)), Exhausted::Time);
    assert_eq!(stopped(Budget::new(None, Some(200_000))), Exhausted::Memory);
    let mut budget = Budget::unlimited();
    let file = read_game(&text, &mut budget).expect("well-formed");
    // all that is left is the game
    assert!(budget.used() <= file.game.bytes() + 1024, "{} {}", budget.used(), file.game.bytes());
}
