//! Parity games in `PGSolver`'s format: any bytes are read without a panic, problems lie within
//! them, and a game that is read is written as a text that is read as the same game, has a solution
//! that is verified, and one that survives its own format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::{Budget, Stopped};
use loris_games::pgsolver::{
    GameFile, ReadError, read_game_from, read_solution, read_solution_from, write_game, write_solution,
};
use loris_games::{Solver, solve, verify};

fuzz_target!(|bytes: &[u8]| {
    let mut budget = Budget::unlimited();
    match read_game_from(bytes, &mut budget) {
        Ok(file) => check(&file, bytes),
        Err(ReadError::Stopped(Stopped::Wrong(problems))) => {
            assert!(problems.has_errors());
            for problem in problems.sorted() {
                assert!(problem.offset.is_none_or(|offset| offset <= bytes.len() as u64), "{problem:?}");
            }
        }
        Err(other) => panic!("{other:?}"),
    }
});

fn check(file: &GameFile, bytes: &[u8]) {
    let mut budget = Budget::unlimited();
    let text = written(|out| write_game(out, file));
    let again = read_game_from(text.as_bytes(), &mut budget).expect("what is written can be read");
    assert_eq!(written(|out| write_game(out, &again)), text);
    if file.game.len() > 200 {
        return;
    }
    let solution = solve(&file.game, Solver::Zielonka, &mut budget).expect("there is no limit");
    let verdict = verify(&file.game, &solution, &mut budget).expect("there is no limit");
    assert_eq!(verdict, Ok(()));
    let text = written(|out| write_solution(out, file, &solution));
    let read = read_solution(&text, file, &mut budget).expect("what is written can be read");
    assert_eq!(read, solution);
    // the text of a game is not a solution, but must not hurt
    let _ = read_solution_from(bytes, file, &mut budget);
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("memory takes everything");
    String::from_utf8(out).expect("names are UTF-8")
}
