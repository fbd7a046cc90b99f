//! `loris generate parts`: families of compositions.

use super::target::degree;
use crate::control::Control;
use crate::flags::{Word, words};
use crate::folder::write_parts;
use crate::output::write_to;
use clap::Args;
use loris_base::Rng;
use loris_lts::families::{
    Family, RandomProcesses, chain, counters, milner, philosophers, random, star, token_ring,
};
use std::path::PathBuf;
use std::process::ExitCode;

/// Processes that run in parallel, with properties: a folder with a file for each part, their
/// composition and properties of the mu-calculus.
#[derive(Args)]
pub(crate) struct PartsArgs {
    /// Which parts
    #[arg(value_parser = words(&FAMILIES))]
    family: FamilyName,
    /// How many parts, or for `philosophers` how many of them
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    parts: u32,
    /// States of each random part
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    states: u32,
    /// Actions of its own of each random part
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    own: u32,
    /// Actions that random parts share, each known by two or more
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=100_000))]
    shared: u32,
    /// Steps from each state of a random part
    #[arg(long, value_name = "NUMBER", default_value_t = 2.0, value_parser = degree)]
    degree: f64,
    /// Chooses among all random parts of these parameters
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The folder they go into, which is made if it is not there
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FamilyName {
    Counters,
    TokenRing,
    Chain,
    Star,
    Philosophers,
    Milner,
    Random,
}

const FAMILIES: [Word<FamilyName>; 7] = [
    ("counters", FamilyName::Counters, "Counters from 0 to 4 that share nothing"),
    ("token-ring", FamilyName::TokenRing, "Stations that pass a token on"),
    ("chain", FamilyName::Chain, "Stages that hand over pieces of work"),
    ("star", FamilyName::Star, "Clients of one server"),
    ("philosophers", FamilyName::Philosophers, "Dining philosophers and their forks"),
    ("milner", FamilyName::Milner, "The cells of Milner's scheduler"),
    ("random", FamilyName::Random, "Random parts"),
];

impl PartsArgs {
    fn family(&self) -> Family {
        let n = self.parts as usize;
        match self.family {
            FamilyName::Counters => counters(n),
            FamilyName::TokenRing => token_ring(n),
            FamilyName::Chain => chain(n),
            FamilyName::Star => star(n),
            FamilyName::Philosophers => philosophers(n),
            FamilyName::Milner => milner(n),
            FamilyName::Random => {
                let shape = RandomProcesses {
                    processes: n,
                    states: self.states as usize,
                    own: self.own as usize,
                    shared: self.shared as usize,
                    degree: self.degree,
                };
                random(&shape, &mut Rng::new(self.seed))
            }
        }
    }

    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let family = self.family();
        write_parts(&self.output, &family.processes, control)?;
        write_to(&self.output.join("properties.mu"), control, |out| {
            family.properties().iter().try_for_each(|(what, property)| writeln!(out, "# {what}\n{property}"))
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
