//! `loris info`: what was read.

use crate::input::{self, Problems, Readings, Word, words};
use crate::output::Output;
use anyhow::Context;
use loris_report::{json_facts, text_facts};
use loris_rsm::{DeadEnds, Semantics};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Tells what a model is: sizes, recursion, labels, dead ends.
///
/// Dead ends are listed as a fact unless `--dead-ends error` makes them errors.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model; `-` is standard input
    model: PathBuf,
    #[command(flatten)]
    readings: Readings,
    /// How the facts are written
    #[arg(long, default_value = "text", value_parser = words(&FORMATS))]
    format: Format,
}

#[derive(Clone, Copy)]
enum Format {
    Text,
    Json,
}

const FORMATS: [Word<Format>; 2] =
    [("text", Format::Text, "A line a fact, for people"), ("json", Format::Json, "One object")];

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let default = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let mut problems = Problems::default();
    let rsm = input::model(&args.model, args.readings.semantics(default), &mut problems);
    problems.settle(false)?;
    let rsm = rsm.context("the model cannot be read")?;
    let path = args.model.display().to_string();
    let mut text = String::new();
    match args.format {
        Format::Text => text_facts(&mut text, &path, &rsm),
        Format::Json => json_facts(&mut text, &path, &rsm),
    }?;
    let mut out = Output::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
