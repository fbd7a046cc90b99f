//! Parity games and their solutions, in the formats of `PGSolver`.

use crate::model::streamed;
use crate::reading::Reading;
use loris_base::{Diagnostics, Stopped};
use loris_games::Solution;
use loris_games::pgsolver::{self, GameFile, read_game_from, read_solution_from};
use loris_rsm::ReadError;
use std::path::Path;

/// Reads a parity game; problems are added to the reading.
pub fn parity_game(path: &Path, reading: &mut Reading) -> Option<GameFile> {
    let (file, _) = streamed(path, |source, budget| made(read_game_from(source, budget)), reading)?;
    Some(file)
}

/// Reads a solution of a parity game, which is not verified; problems are added to the reading.
pub fn parity_solution(path: &Path, file: &GameFile, reading: &mut Reading) -> Option<Solution> {
    let (solution, _) =
        streamed(path, |source, budget| made(read_solution_from(source, file, budget)), reading)?;
    Some(solution)
}

fn made<T>(read: Result<T, pgsolver::ReadError>) -> Result<(T, Diagnostics), ReadError> {
    match read {
        Ok(read) => Ok((read, Diagnostics::default())),
        Err(pgsolver::ReadError::Io(error)) => Err(ReadError::Io(error)),
        Err(pgsolver::ReadError::Stopped(Stopped::Wrong(problems))) => Err(ReadError::Invalid(problems)),
        Err(pgsolver::ReadError::Stopped(Stopped::Exhausted(why))) => Err(ReadError::Exhausted(why)),
    }
}
