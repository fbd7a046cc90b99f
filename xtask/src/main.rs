//! Chores of the repository: `cargo run --release -p xtask -- help`.
//!
//! A chore talks to its user, and there is nothing else on its standard output.
#![allow(clippy::print_stdout, reason = "a chore talks to its user")]

mod api;
mod bench;
mod facts;
mod lab;
mod page;
mod stats;
mod svg;
mod tidy;
mod web;

use anyhow::bail;
use std::process::ExitCode;

const HELP: &str = "\
Chores of Loris.

    cargo run --release -p xtask -- bench [NAME...] [--quick]
    cargo run -p xtask -- java-api FOLDER
    cargo run -p xtask -- web
    cargo run --bin xtask -- tidy [--bless]
    cargo run -p xtask -- help

java-api writes the declarations of the Java platform that Loris brings along
(crates/java/data/platform.zip), from a folder with the classes of a JDK's modules,
as `jimage extract` makes it.

bench measures a release build of loris, which it builds first. Without names it
runs all benchmarks, about two and a half hours; tables go into docs/benchmarks.md,
raw data and plots into docs/benchmarks/. A missed target is reported; this is not a failure.

web bundles the viewer of reports, web/src, into crates/report/src/page.

tidy checks what neither the compiler nor a test sees: which crate and which module
uses which, unused dependencies, the prose of comments, messages and pages, links.
With --bless it writes the table of crates into ARCHITECTURE.md first.

";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> anyhow::Result<()> {
    match arguments.split_first() {
        None => help(),
        Some((chore, rest)) => match chore.as_str() {
            "help" | "--help" | "-h" => help(),
            "bench" if rest.iter().any(|word| word == "--help" || word == "-h") => help(),
            "bench" => return bench(rest),
            "java-api" => return api::write(rest),
            "web" => return web::build(),
            "tidy" => return tidy::run(rest),
            other => bail!("there is no chore \"{other}\"; `cargo run -p xtask -- help` lists them"),
        },
    }
    Ok(())
}

fn help() {
    print!("{HELP}");
    for benchmark in &bench::ALL {
        println!("    {:<9} {}", benchmark.name, benchmark.line);
    }
    println!("    --quick   smaller inputs and fewer runs; writes into target/benchmarks, not into docs");
}

fn bench(words: &[String]) -> anyhow::Result<()> {
    let (options, names): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.starts_with('-'));
    if let Some(option) = options.iter().find(|option| **option != "--quick") {
        bail!("there is no option \"{option}\"; `cargo run -p xtask -- help` lists them");
    }
    let mut chosen: Vec<&bench::Benchmark> = Vec::new();
    for name in names {
        match bench::ALL.iter().find(|benchmark| benchmark.name == name) {
            Some(benchmark) => chosen.push(benchmark),
            None => bail!("there is no benchmark \"{name}\"; `cargo run -p xtask -- help` lists them"),
        }
    }
    if chosen.is_empty() {
        chosen.extend(&bench::ALL);
    }
    bench::run(&chosen, !options.is_empty())
}
