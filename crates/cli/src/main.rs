//! `loris`: the only place with `main`, files, clocks and a terminal.
//!
//! Exit status: 0 every property holds, 1 some property fails, 2 the call or an input is wrong,
//! 3 nothing fails but something stays unknown, 130 a second Ctrl-C ended the program. Results go to standard output, all else to
//! standard error.

mod answers;
mod check;
mod control;
mod convert;
mod flags;
mod generate;
mod ground;
mod info;
mod input;
mod limits;
mod model;
mod output;
mod pages;
mod progress;
mod questions;
mod reach;
mod replay;
mod smv;
mod stream;

use clap::{Parser, Subcommand};
use control::Control;
use std::process::ExitCode;

/// A lazy, three-valued model checker for systems that call.
///
/// A model is a recursive state machine in JSON, components with nodes and boxes through which they call
/// each other, a pushdown system, or modules in the language SMV, finite or with calls. A property is a formula of CTL, LTL or CTL*, or a Büchi automaton.
/// `loris check --help` shows how to ask.
#[derive(Parser)]
#[command(name = "loris", version, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(Box<check::Args>),
    Reach(reach::Args),
    Info(info::Args),
    Convert(convert::Args),
    #[command(subcommand)]
    Generate(generate::Kind),
    Replay(replay::Args),
    Completions(pages::Completions),
    /// Prints the manual page
    Man,
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let control = Control::start();
    let done = match command {
        Command::Check(args) => check::run(&args, &control),
        Command::Reach(args) => reach::run(&args, &control),
        Command::Info(args) => info::run(&args, &control),
        Command::Convert(args) => convert::run(&args, &control),
        Command::Generate(kind) => generate::run(&kind, &control),
        Command::Replay(args) => replay::run(&args, &control),
        Command::Completions(args) => pages::completions(&args),
        Command::Man => pages::man(),
    };
    done.unwrap_or_else(|error| ExitCode::from(output::complain(&error)))
}
