//! How a model is read: the flags for it.

use crate::flags::Readings;
use loris_base::Explored;
use loris_load::{JavaOptions, Origin};
use loris_rsm::{DeadEnds, Semantics};
use std::path::PathBuf;
use std::sync::Arc;

/// How a model is read.
#[derive(clap::Args, Clone)]
pub(crate) struct OriginArgs {
    /// Composes the model with a finite-state peer that reads its labels: an automaton in HOA, or a
    /// labelled transition system in the Aldébaran format (.aut)
    ///
    /// Nodes are then named NODE@STATE and carry the state of the peer as a label. States have the
    /// names that a HOA file gives them; those without a name, or with a number for one, are
    /// `peer_0`, `peer_1`, …
    #[arg(long, value_name = "FILE", help_heading = "Semantics")]
    pub(crate) with: Option<PathBuf>,
    #[command(flatten)]
    readings: Readings,
    /// Where runs start, in an SMV model [default: where the property stands; else main, or the
    /// first module]
    #[arg(long, value_name = "NAME", help_heading = "Semantics")]
    module: Option<String>,
    /// Bounds the states that are explored of an SMV model; with more, verdicts are `unknown`
    #[arg(long, value_name = "N", help_heading = "Work")]
    max_states: Option<usize>,
    /// how far the exploration of states has come
    #[arg(skip)]
    pub(crate) explored: Arc<Explored>,
}

impl OriginArgs {
    /// The origin that the flags describe, with these readings where no flag is given.
    pub(crate) fn origin(&self, default: Semantics) -> Origin {
        Origin {
            with: self.with.clone(),
            semantics: self.readings.semantics(default),
            refuses_dead_ends: self.readings.dead_ends == Some(DeadEnds::Error),
            module: self.module.clone(),
            max_states: self.max_states,
            java: JavaOptions::default(),
            explored: Arc::clone(&self.explored),
        }
    }
}
