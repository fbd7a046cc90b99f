//! `loris generate`: seeded models and formulas, the same next year.

mod game;
mod parts;
mod smv;
mod target;

use crate::control::Control;
use crate::output::write_to;
use clap::{Args, Subcommand};
use game::GameArgs;
use loris_base::Rng;
use loris_logic::{Formula, RandomAutomaton, RandomCtl, RandomLtl, RandomStar};
use loris_rsm::generate::{
    Choices, ContextChain, Ladder, LargePds, LargeRsm, RandomRsm, Sequence, StaggeredExits,
};
use loris_rsm::{Rsm, write_rsm_json};
use parts::PartsArgs;
use smv::{SmvArgs, SmvCountersArgs, SmvFairArgs, SmvFreeArgs, SmvGuardsArgs, SmvRecursiveArgs};
use std::process::ExitCode;
use target::{Target, degree, share, write_text};

/// Generates seeded random models and formulas, for benchmarks.
#[derive(Subcommand)]
pub(crate) enum Kind {
    Rsm(RandomArgs),
    Ctl(CtlArgs),
    Ltl(LtlArgs),
    #[command(name = "ctlstar")]
    Star(StarArgs),
    Large(LargeArgs),
    Pds(PdsArgs),
    Chain(ChainArgs),
    Staggered(StaggeredArgs),
    Ladder(LadderArgs),
    Sequence(SequenceArgs),
    Choices(ChoicesArgs),
    Smv(SmvArgs),
    SmvRecursive(SmvRecursiveArgs),
    SmvCounters(SmvCountersArgs),
    SmvGuards(SmvGuardsArgs),
    SmvFair(SmvFairArgs),
    SmvFree(SmvFreeArgs),
    Automaton(AutomatonArgs),
    Parts(PartsArgs),
    Game(GameArgs),
}

/// A random RSM, every possible edge with the same probability.
#[derive(Args)]
pub(crate) struct RandomArgs {
    /// Sets all that follows as in the benchmarks of the paper: I components of I/3 boxes, 3I nodes
    #[arg(long, value_name = "I", default_value_t = 10)]
    paper: u16,
    /// Components
    #[arg(long, value_name = "N")]
    components: Option<u32>,
    /// Boxes of each component
    #[arg(long, value_name = "N")]
    boxes: Option<u32>,
    /// Nodes of each component
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
    /// The probability of each possible edge
    #[arg(long, value_name = "SHARE", value_parser = share)]
    density: Option<f64>,
    /// The share of nodes that are entries
    #[arg(long, value_name = "SHARE", value_parser = share)]
    entries: Option<f64>,
    /// The share of nodes that are exits
    #[arg(long, value_name = "SHARE", value_parser = share)]
    exits: Option<f64>,
    /// A label and the share of nodes that carry it; repeatable
    #[arg(long = "label", value_name = "NAME=SHARE", value_parser = label)]
    labels: Vec<(String, f64)>,
    #[command(flatten)]
    target: Target,
}

/// Random CTL formulas, one per line.
#[derive(Args)]
pub(crate) struct CtlArgs {
    /// How many quantifiers lie over the deepest atom
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=1000))]
    depth: u32,
    /// The most operands of a boolean combination
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    branching: u32,
    /// The probability that a subformula is negated
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    negate: f64,
    #[command(flatten)]
    formulas: Formulas,
}

/// What all formulas have.
#[derive(Args)]
struct Formulas {
    /// An atom; repeatable
    #[arg(long = "atom", value_name = "NAME", default_values = ["a", "b", "c"])]
    atoms: Vec<String>,
    /// How many formulas
    #[arg(long, value_name = "N", default_value_t = 1)]
    count: u32,
    #[command(flatten)]
    target: Target,
}

/// Random LTL formulas, one per line.
#[derive(Args)]
pub(crate) struct LtlArgs {
    /// How many operators a formula has
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    operators: u32,
    /// The share of temporal operators among them
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, value_parser = share)]
    temporal: f64,
    #[command(flatten)]
    formulas: Formulas,
}

/// Random CTL* formulas, one per line.
#[derive(Args)]
pub(crate) struct StarArgs {
    /// How many operators a formula has
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    operators: u32,
    /// The share of temporal operators among those in path formulas
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, value_parser = share)]
    temporal: f64,
    /// The share of operands of temporal operators that are quantified again
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = share)]
    quantified: f64,
    #[command(flatten)]
    formulas: Formulas,
}

/// A large RSM that looks like a program.
#[derive(Args)]
pub(crate) struct LargeArgs {
    /// Edges in all
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    edges: u32,
    /// Edges for each node
    #[arg(long, value_name = "NUMBER", default_value_t = 3.0, value_parser = degree)]
    degree: f64,
    /// Nodes of each component
    #[arg(long, value_name = "N", default_value_t = 200)]
    nodes: u32,
    /// Boxes of each component
    #[arg(long, value_name = "N", default_value_t = 20)]
    boxes: u32,
    /// Exits of each component
    #[arg(long, value_name = "N", default_value_t = 10)]
    exits: u32,
    /// The share of boxes that call any component, not only later ones
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    recursion: f64,
    /// A label and the share of nodes that carry it; repeatable
    #[arg(long = "label", value_name = "NAME=SHARE", value_parser = label)]
    labels: Vec<(String, f64)>,
    /// The share of nodes labelled `goal`
    #[arg(long, value_name = "SHARE", default_value_t = 1e-5, value_parser = share)]
    goals: f64,
    #[command(flatten)]
    target: Target,
}

/// A large pushdown system that looks like a program, in the format of `.pds`.
#[derive(Args)]
pub(crate) struct PdsArgs {
    /// Rules in all
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    rules: u32,
    /// Control states that procedures return into
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    exits: u32,
    /// The fewest symbols of a procedure
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    least: u32,
    /// The most symbols of a procedure
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    most: u32,
    /// The share of statements that call
    #[arg(long, value_name = "SHARE", default_value_t = 0.15, value_parser = share)]
    calls: f64,
    #[command(flatten)]
    target: Target,
}

/// A chain of calls with several exits each, which needs many contexts.
#[derive(Args)]
pub(crate) struct ChainArgs {
    /// Calls from the first component to the last
    #[arg(long, value_name = "N", default_value_t = 5)]
    depth: u32,
    /// Exits of each component
    #[arg(long, value_name = "N", default_value_t = 3)]
    exits: u32,
    /// Lets the last component call the first again
    #[arg(long)]
    recursive: bool,
    #[command(flatten)]
    target: Target,
}

/// A random Büchi automaton in the Hanoi format, every possible edge with the same probability.
#[derive(Args)]
pub(crate) struct AutomatonArgs {
    /// States
    #[arg(long, value_name = "N", default_value_t = 100)]
    states: u32,
    /// The probability of each possible edge
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    density: f64,
    /// The share of states that are accepting
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    accepting: f64,
    /// The atom that is read
    #[arg(long, value_name = "NAME", default_value = "a")]
    atom: String,
    #[command(flatten)]
    target: Target,
}

/// One long component whose exits are reached one after the other; `q` is behind the last.
#[derive(Args)]
pub(crate) struct StaggeredArgs {
    /// Exits of the component
    #[arg(long, value_name = "N", default_value_t = 1000)]
    exits: u32,
    /// Makes as many entries instead, and one exit
    #[arg(long)]
    entries: bool,
    #[command(flatten)]
    target: Target,
}

/// Components that call their neighbours on both sides; `p` at one end, `deep` at the other, `q`
/// behind.
#[derive(Args)]
pub(crate) struct LadderArgs {
    /// Components beside the first
    #[arg(long, value_name = "N", default_value_t = 1000)]
    components: u32,
    #[command(flatten)]
    target: Target,
}

/// A component that calls others, one call after the other; `p` in these, `q` after the last.
#[derive(Args)]
pub(crate) struct SequenceArgs {
    /// Calls
    #[arg(long, value_name = "N", default_value_t = 1000)]
    calls: u32,
    /// The most components that are called
    #[arg(long, value_name = "N", default_value_t = 1)]
    callees: u32,
    #[command(flatten)]
    target: Target,
}

/// A chain of calls at two places each, of which one leads to `q0`, `q1`, …: 2^N contexts for all
/// of them.
#[derive(Args)]
pub(crate) struct ChoicesArgs {
    /// Calls from the first component to the last
    #[arg(long, value_name = "N", default_value_t = 10)]
    depth: u32,
    #[command(flatten)]
    target: Target,
}

fn label(text: &str) -> Result<(String, f64), String> {
    let (name, rate) = text.split_once('=').ok_or("expected NAME=SHARE, as in a=0.4")?;
    Ok((name.to_owned(), share(rate)?))
}

pub(crate) fn run(kind: &Kind, control: &Control) -> anyhow::Result<ExitCode> {
    match kind {
        Kind::Rsm(args) => {
            let paper = RandomRsm::paper(usize::from(args.paper));
            let count = |given: Option<u32>, default| given.map_or(default, |given| given as usize);
            let random = RandomRsm {
                components: count(args.components, paper.components),
                boxes: count(args.boxes, paper.boxes),
                nodes: count(args.nodes, paper.nodes),
                entries: args.entries.unwrap_or(paper.entries),
                exits: args.exits.unwrap_or(paper.exits),
                labels: or_default(&args.labels, paper.labels),
                density: args.density.unwrap_or(paper.density),
            };
            write_model(&args.target, control, |rng| random.to_rsm(rng))
        }
        Kind::Ctl(args) => {
            let (depth, branching, negate) = (args.depth, args.branching, args.negate);
            let random = RandomCtl { depth, branching, negate, atoms: args.formulas.atoms.clone() };
            write_formulas(&args.formulas, control, |rng| random.generate(rng))
        }
        Kind::Ltl(args) => {
            let (operators, temporal) = (args.operators, args.temporal);
            let random = RandomLtl { operators, temporal, atoms: args.formulas.atoms.clone() };
            write_formulas(&args.formulas, control, |rng| random.generate(rng))
        }
        Kind::Star(args) => {
            let (operators, temporal, quantified) = (args.operators, args.temporal, args.quantified);
            let random = RandomStar { operators, temporal, quantified, atoms: args.formulas.atoms.clone() };
            write_formulas(&args.formulas, control, |rng| random.generate(rng))
        }
        Kind::Pds(args) => {
            let random = LargePds {
                rules: args.rules as usize,
                exits: args.exits as usize,
                symbols: (args.least as usize, args.most.max(args.least) as usize),
                calls: args.calls,
            };
            write_text(&args.target, control, |rng, mut out| random.write(rng, &mut out))
        }
        Kind::Large(args) => {
            let large = LargeRsm {
                edges: args.edges as usize,
                degree: args.degree,
                nodes_per_component: args.nodes as usize,
                boxes_per_component: args.boxes as usize,
                exits_per_component: args.exits as usize,
                recursion: args.recursion,
                labels: or_default(&args.labels, LargeRsm::default().labels),
                goals: args.goals,
            };
            write_model(&args.target, control, |rng| large.to_rsm(rng))
        }
        Kind::Chain(args) => {
            let (depth, exits) = (args.depth as usize, args.exits as usize);
            let chain = ContextChain { depth, exits, recursive: args.recursive };
            write_model(&args.target, control, |rng| chain.to_rsm(rng))
        }
        Kind::Staggered(args) => {
            let staggered = StaggeredExits { exits: args.exits as usize, entries: args.entries };
            write_model(&args.target, control, |_| staggered.to_rsm())
        }
        Kind::Ladder(args) => {
            let ladder = Ladder { components: args.components as usize };
            write_model(&args.target, control, |_| ladder.to_rsm())
        }
        Kind::Sequence(args) => {
            let sequence = Sequence { calls: args.calls as usize, callees: args.callees as usize };
            write_model(&args.target, control, |_| sequence.to_rsm())
        }
        Kind::Choices(args) => {
            let choices = Choices { depth: args.depth as usize };
            write_model(&args.target, control, |_| choices.to_rsm())
        }
        Kind::Smv(args) => args.write(control),
        Kind::SmvRecursive(args) => args.write(control),
        Kind::SmvCounters(args) => args.write(control),
        Kind::SmvGuards(args) => args.write(control),
        Kind::SmvFair(args) => args.write(control),
        Kind::SmvFree(args) => args.write(control),
        Kind::Parts(args) => args.write(control),
        Kind::Game(args) => args.write(control),
        Kind::Automaton(args) => {
            let random = RandomAutomaton {
                states: args.states as usize,
                density: args.density,
                accepting: args.accepting,
                atom: args.atom.clone(),
            };
            write_text(&args.target, control, |rng, mut out| random.write(rng, &mut out))
        }
    }
}

fn or_default(given: &[(String, f64)], default: Vec<(String, f64)>) -> Vec<(String, f64)> {
    if given.is_empty() { default } else { given.to_vec() }
}

fn write_model(
    target: &Target,
    control: &Control,
    make: impl FnOnce(&mut Rng) -> Rsm,
) -> anyhow::Result<ExitCode> {
    let rsm = make(&mut Rng::new(target.seed));
    write_to(&target.output, control, |mut out| write_rsm_json(&rsm, &mut out))?;
    Ok(ExitCode::SUCCESS)
}

fn write_formulas(
    formulas: &Formulas,
    control: &Control,
    mut generate: impl FnMut(&mut Rng) -> Formula,
) -> anyhow::Result<ExitCode> {
    let mut rng = Rng::new(formulas.target.seed);
    write_to(&formulas.target.output, control, |out| {
        (0..formulas.count).try_for_each(|_| writeln!(out, "{}", generate(&mut rng)))
    })?;
    Ok(ExitCode::SUCCESS)
}
