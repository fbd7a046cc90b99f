//! SMV files, finite and with calls.

use super::target::{File, Target, degree, share, write_text};
use crate::control::Control;
use crate::output::write_to;
use clap::Args;
use clap::ValueEnum;
use loris_smv::generate::{Counters, FairRing, Free, Guards, RandomModule, RandomRecursive, Spelling};
use std::process::ExitCode;

/// A finite SMV module that looks like the flow graph of a function, with many properties.
#[derive(Args)]
pub(crate) struct SmvArgs {
    /// Values of its one variable, all of them reachable
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..))]
    states: u32,
    /// Properties, CTL over the labels
    #[arg(long, value_name = "N", default_value_t = 4500)]
    properties: u32,
    /// Labels: p0, p1, …
    #[arg(long, value_name = "N", default_value_t = 250)]
    labels: u32,
    /// How many states carry a label, on average
    #[arg(long, value_name = "NUMBER", default_value_t = 8.0, value_parser = degree)]
    carriers: f64,
    /// How many successors a state has, on average
    #[arg(long, value_name = "NUMBER", default_value_t = 1.4, value_parser = degree)]
    degree: f64,
    /// The most quantifiers over an atom of a property that is of no common shape
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=1000))]
    depth: u32,
    #[command(flatten)]
    target: Target,
}

/// SMV modules that call each other, with properties of the first.
#[derive(Args)]
pub(crate) struct SmvRecursiveArgs {
    /// Modules
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    modules: u32,
    /// Locations of each besides the exit
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    locations: u32,
    /// Calls of each
    #[arg(long, value_name = "N", default_value_t = 5)]
    calls: u32,
    /// The share of calls that call any module, not only later ones
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share)]
    recursion: f64,
    /// How many successors a location has, on average, besides calls
    #[arg(long, value_name = "NUMBER", default_value_t = 1.4, value_parser = degree)]
    degree: f64,
    /// Labels: p0, p1, …
    #[arg(long, value_name = "N", default_value_t = 10)]
    labels: u32,
    /// The share of locations with each of them
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    share: f64,
    /// Properties, CTL over the labels
    #[arg(long, value_name = "N", default_value_t = 20)]
    properties: u32,
    /// The most quantifiers over an atom of a property that is of no common shape
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=1000))]
    depth: u32,
    #[command(flatten)]
    target: Target,
}

/// A finite SMV module of three counters, with any number of states.
#[derive(Args)]
pub(crate) struct SmvCountersArgs {
    /// About how many states, all of them reachable
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    states: u32,
    #[command(flatten)]
    file: File,
}

/// A finite SMV module of booleans that are set and cleared in turn, under guards.
#[derive(Args)]
pub(crate) struct SmvGuardsArgs {
    /// Booleans; there are two states for each of them
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    variables: u32,
    /// How the steps are spelled
    #[arg(long, value_name = "HOW", default_value = "or")]
    spelling: Spelled,
    #[command(flatten)]
    file: File,
}

/// How a transition relation is spelled.
#[derive(Clone, Copy, ValueEnum)]
enum Spelled {
    /// An assignment for each variable
    Assign,
    /// `TRANS` with a disjunction of guarded steps
    Or,
    /// A `TRANS` with an implication for each guard
    Implies,
    /// `TRANS` with a `case` over the guards
    Case,
}

/// A finite SMV module with as many conditions of fairness as states.
#[derive(Args)]
pub(crate) struct SmvFairArgs {
    /// Conditions
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    conditions: u32,
    /// Makes them `COMPASSION` instead of `FAIRNESS`
    #[arg(long)]
    compassion: bool,
    #[command(flatten)]
    file: File,
}

/// A finite SMV module of unconstrained variables.
#[derive(Args)]
pub(crate) struct SmvFreeArgs {
    /// Variables
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    variables: u32,
    /// Values of each
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..))]
    values: u32,
    #[command(flatten)]
    file: File,
}

impl SmvArgs {
    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let module = RandomModule {
            states: self.states as usize,
            properties: self.properties as usize,
            labels: self.labels as usize,
            carriers: self.carriers,
            degree: self.degree.max(1.0),
            depth: self.depth,
        };
        write_text(&self.target, control, |rng, mut out| module.write(rng, &mut out))
    }
}

impl SmvRecursiveArgs {
    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let modules = RandomRecursive {
            modules: self.modules as usize,
            locations: self.locations as usize,
            calls: self.calls as usize,
            recursion: self.recursion,
            degree: self.degree.max(1.0),
            labels: self.labels as usize,
            share: self.share,
            properties: self.properties as usize,
            depth: self.depth,
        };
        write_text(&self.target, control, |rng, mut out| modules.write(rng, &mut out))
    }
}

impl SmvCountersArgs {
    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let counters = Counters { states: self.states as usize };
        write_to(&self.file.output, control, |mut out| counters.write(&mut out))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl SmvGuardsArgs {
    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let spelling = match self.spelling {
            Spelled::Assign => Spelling::Assign,
            Spelled::Or => Spelling::Or,
            Spelled::Implies => Spelling::Implies,
            Spelled::Case => Spelling::Case,
        };
        let guards = Guards { variables: self.variables as usize, spelling };
        write_to(&self.file.output, control, |mut out| guards.write(&mut out))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl SmvFairArgs {
    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let ring = FairRing { conditions: self.conditions as usize, compassion: self.compassion };
        write_to(&self.file.output, control, |mut out| ring.write(&mut out))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl SmvFreeArgs {
    pub(super) fn write(&self, control: &Control) -> anyhow::Result<ExitCode> {
        let free = Free { variables: self.variables as usize, values: self.values as usize };
        write_to(&self.file.output, control, |mut out| free.write(&mut out))?;
        Ok(ExitCode::SUCCESS)
    }
}
