//! Solvers of parity games.

mod bottom_up;
mod components;
mod measures;
mod promotion;
mod regions;
mod solitaire;
mod tangles;
#[cfg(test)]
mod tests;
mod zielonka;

use crate::arena::Arena;
use crate::{Game, Solution};
use loris_base::{Budget, Exhausted};

/// An algorithm that solves parity games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Solver {
    /// Tangle learning and priority promotion in turn, each with more time than before.
    #[default]
    Auto,
    /// The recursive algorithm of Zielonka (1998): fast on most games.
    Zielonka,
    /// Priority promotion (Benerecetti, Dell'Erba and Mogavero 2016), with promotion on the way up.
    PriorityPromotion,
    /// Tangle learning (van Dijk 2018).
    TangleLearning,
    /// Small progress measures (Jurdziński 2000): slow, but simple.
    ProgressMeasures,
}

impl Solver {
    /// All solvers.
    pub const ALL: [Solver; 5] = [
        Solver::Auto,
        Solver::Zielonka,
        Solver::PriorityPromotion,
        Solver::TangleLearning,
        Solver::ProgressMeasures,
    ];

    /// The name of the solver, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Auto => "auto",
            Solver::Zielonka => "zielonka",
            Solver::PriorityPromotion => "priority-promotion",
            Solver::TangleLearning => "tangle-learning",
            Solver::ProgressMeasures => "progress-measures",
        }
    }
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
    bottom_up::solve(arena, solver, budget)
}
