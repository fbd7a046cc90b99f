//! Parity games.

use super::target::{Target, write_text};
use crate::control::Control;
use crate::errors::Stopped;
use clap::Args;
use loris_base::Budget;
use loris_games::generate::random;
use loris_games::pgsolver::{GameFile, write_game};
use std::process::ExitCode;

/// A random parity game in PGSolver's format, owners and priorities uniform.
#[derive(Args)]
pub(crate) struct GameArgs {
    /// Nodes
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Edges, at least one for each node [default: three times the nodes]
    #[arg(long, value_name = "N")]
    edges: Option<u32>,
    /// Priorities: 0, 1, …
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    priorities: u32,
    #[command(flatten)]
    target: Target,
}

impl GameArgs {
    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let mut budget = Budget::new(None, control.room(1)).interruptible(control.interrupt());
        let edges = self.edges.unwrap_or_else(|| self.nodes.saturating_mul(3));
        let game =
            random(self.nodes as usize, edges as usize, self.priorities, self.target.seed, &mut budget)
                .map_err(|why| Stopped { input: None, why })?;
        write_text(&self.target, control, |_, mut out| write_game(&mut out, &GameFile::new(game)))
    }
}
