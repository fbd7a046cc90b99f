//! Parity games.

use super::target::{Target, write_text};
use crate::control::Control;
use crate::errors::Stopped;
use crate::flags::{Word, words};
use clap::Args;
use loris_base::{Budget, Exhausted};
use loris_games::Game;
use loris_games::generate::{clique, clustered, jurdzinski, ladder, random, recursive_ladder};
use loris_games::pgsolver::{GameFile, write_game};
use std::process::ExitCode;

/// A parity game in PGSolver's format: a random one, owners and priorities uniform, or one of a
/// family that is hard for some solvers.
#[derive(Args)]
pub(crate) struct GameArgs {
    /// What the game looks like
    #[arg(long, value_name = "NAME", default_value = "random", value_parser = words(&FAMILIES))]
    family: Family,
    /// Nodes, or about as many
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Edges of random games, at least one for each node [default: three times the nodes]
    #[arg(long, value_name = "N")]
    edges: Option<u32>,
    /// Priorities of random games: 0, 1, …
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    priorities: u32,
    #[command(flatten)]
    target: Target,
}

/// What a game looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Random,
    Clustered,
    Ladder,
    Clique,
    RecursiveLadder,
    Jurdzinski,
}

const FAMILIES: [Word<Family>; 6] = [
    ("random", Family::Random, "Edges lead anywhere"),
    ("clustered", Family::Clustered, "Random, but most edges lead to nodes nearby"),
    ("ladder", Family::Ladder, "The players take turns, and each can skip a node of the other's"),
    ("clique", Family::Clique, "All edges, and as many priorities as nodes"),
    ("recursive-ladder", Family::RecursiveLadder, "Hard for Zielonka's algorithm"),
    ("jurdzinski", Family::Jurdzinski, "Hard for progress measures"),
];

impl GameArgs {
    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let mut budget = Budget::new(None, control.room(1)).interruptible(control.interrupt());
        let edges = self.edges.unwrap_or_else(|| self.nodes.saturating_mul(3));
        let game = self.game(edges as usize, &mut budget).map_err(|why| Stopped { input: None, why })?;
        write_text(&self.target, control, |_, mut out| write_game(&mut out, &GameFile::new(game)))
    }

    fn game(&self, edges: usize, budget: &mut Budget) -> Result<Game, Exhausted> {
        let (nodes, seed) = (self.nodes as usize, self.target.seed);
        match self.family {
            Family::Random => random(nodes, edges, self.priorities, seed, budget),
            Family::Clustered => clustered(nodes, edges, self.priorities, seed, budget),
            Family::Ladder => ladder(nodes.div_ceil(2), budget),
            Family::Clique => clique(nodes, budget),
            Family::RecursiveLadder => recursive_ladder(nodes.div_ceil(5), budget),
            Family::Jurdzinski => {
                // a square of cells of three nodes
                let side = nodes.div_ceil(3).isqrt().max(1);
                jurdzinski(side, side, budget)
            }
        }
    }
}
