//! Solvers of parity games.

mod components;
mod regions;
mod zielonka;

use crate::arena::Arena;
use crate::{Game, Solution};
use loris_base::{Budget, Exhausted};

/// An algorithm that solves parity games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Solver {
    /// Zielonka's algorithm on strongly connected components.
    #[default]
    Zielonka,
}

impl Solver {
    /// All solvers.
    pub const ALL: [Solver; 1] = [Solver::Zielonka];
}

/// Who wins each node, with a positional strategy for both players.
///
/// The memory in use is charged to the budget; the solution stays declared there.
///
/// # Errors
/// The budget ran out.
pub fn solve(game: &Game, solver: Solver, budget: &mut Budget) -> Result<Solution, Exhausted> {
    solve_arena(game, solver, budget)
}

/// The same for any graph.
pub(crate) fn solve_arena(
    arena: &impl Arena,
    solver: Solver,
    budget: &mut Budget,
) -> Result<Solution, Exhausted> {
    match solver {
        Solver::Zielonka => zielonka::solve(arena, budget),
    }
}
