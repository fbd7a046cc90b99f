//! `loris`: the only place with `main`, files, clocks and a terminal.
//!
//! Exit status: 0 every property holds, 1 some property fails, 2 the call or an input is wrong, 3
//! nothing fails but something stays unknown, 130 a second Ctrl-C ended the program. Results go to
//! standard output, all else to standard error.

mod answers;
mod changed;
mod check;
mod control;
mod convert;
mod convert_net;
mod convert_process;
mod errors;
mod extract;
mod flags;
mod folder;
mod generate;
mod guided;
mod info;
mod input;
mod java;
mod labels;
mod limits;
mod lsp;
mod minimize;
mod origin;
mod output;
mod pages;
mod phrasing;
mod processes;
mod program;
mod progress;
mod reach;
mod replay;
mod reports;
mod services;
mod solve;
mod stream;
mod terminal;
mod witness;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use control::Control;
use loris_base::{is_hidden, visible};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use terminal::Color;

/// A lazy, three-valued model checker for systems that call.
///
/// A model is a recursive state machine, whose components have nodes and boxes through which they
/// call each other; a pushdown system; modules in the language SMV, finite or with calls; a
/// circuit; processes that run in parallel, or a Petri net of such; or a Java program. A property
/// is a formula of CTL, LTL, CTL* or the mu-calculus, or a Büchi automaton. `loris check --help`
/// shows how to ask, `loris check --engine help` lists which engine takes what.
#[derive(Parser)]
#[command(name = "loris", version, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    /// When text has colours; `auto` is on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(Box<check::Args>),
    Reach(reach::Args),
    Info(info::Args),
    Java(Box<java::Args>),
    Convert(convert::Args),
    Extract(extract::Args),
    Labels(labels::Args),
    Minimize(minimize::Args),
    #[command(subcommand)]
    Generate(generate::Kind),
    Replay(replay::Args),
    Solve(solve::Args),
    Lsp(lsp::Args),
    Completions(pages::Completions),
    Man(pages::Manual),
}

fn main() -> ExitCode {
    control::restrict_arenas();
    let Cli { color, command } = match parsed(&std::env::args_os().collect::<Vec<_>>()) {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    color.apply();
    let control = Control::start();
    let done = match command {
        Command::Check(args) => check::run(&args, &control),
        Command::Reach(args) => reach::run(&args, &control),
        Command::Info(args) => info::run(&args, &control),
        Command::Java(args) => java::run(&args, &control),
        Command::Convert(args) => convert::run(&args, &control),
        Command::Extract(args) => extract::run(&args, &control),
        Command::Labels(args) => labels::run(&args, &control),
        Command::Minimize(args) => minimize::run(&args, &control),
        Command::Generate(kind) => generate::run(&kind, &control),
        Command::Replay(args) => replay::run(&args, &control),
        Command::Solve(args) => solve::run(&args, &control),
        Command::Lsp(args) => lsp::run(&args, &control),
        Command::Completions(args) => pages::completions(&args, Cli::command()),
        Command::Man(args) => pages::man(&args, Cli::command(), &control),
    };
    done.unwrap_or_else(|error| ExitCode::from(errors::complain(&error)))
}

/// What a call asks for, or the exit status after help or an error.
fn parsed(arguments: &[OsString]) -> Result<Cli, ExitCode> {
    let color = color_of(arguments).unwrap_or(Color::Auto);
    let matches = Cli::command().color(color.into()).try_get_matches_from(arguments);
    if let Ok(Some((_, matches))) = matches.as_ref().map(clap::ArgMatches::subcommand)
        && let Ok(Some(&memory)) = matches.try_get_one::<usize>("memory")
    {
        control::restrict_arenas_within(memory);
    }
    matches.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| {
        let status = ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        // an error message repeats the arguments, which must not control a terminal
        let text = error.render().to_string();
        if text.chars().any(|c| c != '\n' && is_hidden(c)) {
            let lines: Vec<_> = text.trim_end().split('\n').map(visible).collect();
            errors::eprint_line(&lines.join("\n"));
        } else if let Err(error) = error.print()
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            return ExitCode::from(errors::complain(&errors::unprintable(&error)));
        }
        status
    })
}

/// The value of `--color`, for help and errors about other flags.
fn color_of(arguments: &[OsString]) -> Option<Color> {
    let mut words = arguments.iter().filter_map(|word| word.to_str());
    let value = words.find_map(|word| word.strip_prefix("--color"))?;
    let value = value.strip_prefix('=').or_else(|| words.next())?;
    Color::from_str(value, false).ok()
}
