//! `loris convert`: from one model format to another.

use crate::input::{self, Problems, Readings, Word, words};
use crate::output::{about, write_to};
use anyhow::Context;
use loris_rsm::{Semantics, write_dot, write_rsm_json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Converts a model into another format.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model; `-` is standard input
    input: PathBuf,
    /// Where it goes; `-` is standard output
    output: PathBuf,
    /// The format of the input [default: by its extension]
    #[arg(long, value_name = "FORMAT", value_parser = words(&[("rsm", Format::Rsm, "RSM JSON")]))]
    from: Option<Format>,
    /// The format of the output [default: by its extension, .rsm or .json, .dot or .gv]
    #[arg(long, value_name = "FORMAT", value_parser = words(&TARGETS))]
    to: Option<Format>,
    #[command(flatten)]
    readings: Readings,
}

#[derive(Clone, Copy)]
enum Format {
    Rsm,
    Dot,
}

const TARGETS: [Word<Format>; 2] =
    [("rsm", Format::Rsm, "RSM JSON"), ("dot", Format::Dot, "A drawing for Graphviz")];

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let to = match args.to {
        Some(format) => format,
        None => by_extension(&args.output)
            .ok_or_else(|| about(&args.output, "the extension says no format; give one with --to"))?,
    };
    if args.from.is_none() && matches!(by_extension(&args.input), Some(Format::Dot)) {
        return Err(about(&args.input, "DOT is written, not read"));
    }
    let mut problems = Problems::default();
    let rsm = input::model(&args.input, args.readings.semantics(Semantics::default()), &mut problems);
    problems.settle(false)?;
    let rsm = rsm.context("the model cannot be read")?;
    write_to(&args.output, |mut out| match to {
        Format::Rsm => write_rsm_json(&rsm, &mut out),
        Format::Dot => write_dot(&rsm, &mut out),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn by_extension(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "rsm" | "json" => Some(Format::Rsm),
        "dot" | "gv" => Some(Format::Dot),
        _ => None,
    }
}
