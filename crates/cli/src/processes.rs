//! Flags of `loris check` for parallel processes.

use crate::flags::{Word, words};
use crate::output::write_to;
use crate::{control::Control, input};
use anyhow::bail;
use loris_base::Budget;
use loris_check::{Abstract, Model, Options, coloured_game};
use loris_games::Player;
use loris_games::pgsolver::write_named;
use loris_games::ternary::{careful, write_dot};
use loris_load::{FormatKind, exhausted, extension};
use loris_session::{Case, Inquiry};
use std::io;
use std::path::{Path, PathBuf};

/// How parallel processes are checked.
#[derive(clap::Args)]
pub(crate) struct ProcessArgs {
    /// Abstracts the last of the processes, or all, and refines them as the property needs (engine
    /// compositional); -v prints the rounds
    #[arg(long = "abstract", value_name = "WHICH", value_parser = words(&ABSTRACT), help_heading = "Work")]
    abstraction: Option<Abstract>,
    /// Finds out the size of the whole game beside that of the engine compositional
    #[arg(long, help_heading = "Work")]
    compare: bool,
    /// Writes the whole game of the property on the processes, coloured: for Graphviz (.dot), or
    /// for solvers of parity games (.pg), where player 0 wins what holds
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) game: Option<PathBuf>,
}

const ABSTRACT: [Word<Abstract>; 3] = [
    ("one", Abstract::One, "The last process"),
    ("all", Abstract::All, "All processes"),
    ("both", Abstract::All, "All processes, of which there are two"),
];

impl ProcessArgs {
    /// The options with these flags.
    pub(crate) fn apply(&self, options: Options) -> Options {
        Options { compare: self.compare, abstraction: self.abstraction, ..options }
    }

    /// Refuses the flags for other models.
    pub(crate) fn fit<'a>(
        &self,
        kind: FormatKind,
        inputs: impl Iterator<Item = &'a PathBuf>,
    ) -> anyhow::Result<()> {
        let flags = [
            ("--abstract", self.abstraction.is_some()),
            ("--compare", self.compare),
            ("--game", self.game.is_some()),
        ];
        if let Some((flag, _)) = flags.iter().find(|(_, given)| *given && !kind.is_parallel()) {
            bail!("{flag} is for parallel processes");
        }
        if let Some(file) = &self.game {
            input::spare(file, inputs)?;
            if !matches!(extension(file).as_deref(), Some("dot" | "pg" | "gm")) {
                bail!("--game writes files named *.dot or *.pg");
            }
        }
        Ok(())
    }

    /// Writes the game, if that is asked for.
    pub(crate) fn write_game(
        &self,
        inquiry: &Inquiry,
        mut budget: Budget,
        control: &Control,
    ) -> anyhow::Result<()> {
        let Some(file) = &self.game else { return Ok(()) };
        let [Case { model: Some(Model::Processes(processes)), plans, .. }] = &inquiry.cases[..] else {
            bail!("--game is for parallel processes")
        };
        let [plan] = &plans[..] else { bail!("--game writes the game of one property: give one") };
        let budget = &mut budget;
        let Some(game) = coloured_game(processes, plan, budget) else {
            bail!("--game writes the game of a property of ctl or mu")
        };
        let game = game.map_err(io::Error::other);
        let game = game.map_err(|error| anyhow::anyhow!("{}: the game: {error}", file.display()))?;
        let is_dot = extension(file).as_deref() == Some("dot");
        write_to(Path::new(file), control, |mut out| {
            if is_dot {
                return write_dot(&mut out, &game.game, &game.colouring, |node| game.name(node));
            }
            let plain = careful(&game.game, Player::Even, budget).map_err(io::Error::other)?;
            write_named(&mut out, &plain, |node| game.name(node))
        })
        .map_err(|error| match error.downcast_ref::<io::Error>().and_then(exhausted) {
            Some(why) => anyhow::anyhow!("{}: {why}", file.display()),
            None => error,
        })
    }
}
