//! `loris convert`: from one model format to another.

use crate::control::Control;
use crate::errors::{about, eprint_line};
use crate::flags::words;
use crate::input;
use crate::limits::{Limits, Threads};
use crate::origin::OriginArgs;
use crate::output::write_to;
use crate::phrasing::WORDS;
use crate::program::JavaArgs;
use crate::{convert_net, convert_process};
use anyhow::{Context, bail};
use loris_load::{Conversion, FORMATS, Format, Origin, OutputFormat, Reading, TARGETS, extension};
use loris_rsm::Semantics;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Converts a model into another format.
///
/// A property that the model carries is converted with it where the format has a place for it.
///
/// A process is converted from .aut to .kmts and back, as far as .aut has a place for it.
///
/// A Petri net in PNML (.pnml) is cut into processes, one for each of its units: the output is a
/// folder, with an .aut file for each and their composition.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model; `-` is standard input
    input: PathBuf,
    /// Where it goes; `-` is standard output
    output: PathBuf,
    /// The format of the input [default: by its extension or its content]
    #[arg(long, visible_alias = "model-format", value_name = "FORMAT", value_parser = words(&FORMATS))]
    from: Option<Format>,
    /// The format of the output [default: by its extension, .rsm or .json, .pds, .smv, .dot or .gv,
    /// .aig, .aag]
    #[arg(long, value_name = "FORMAT", value_parser = words(&TARGETS))]
    to: Option<OutputFormat>,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    java: JavaArgs,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    threads: Threads,
}

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let from = args.from.or_else(|| Format::of(&args.input));
    if let Some(format @ (Format::Aut | Format::Kmts)) = from
        && args.to.is_none()
    {
        let from = (&*args.input, format);
        return convert_process::run(from, &args.output, args.limits, args.threads, control);
    }
    if from == Some(Format::Pnml) {
        if args.to.is_some() {
            bail!("a net is converted into a folder of processes; --to has no place there");
        }
        return convert_net::run(&args.input, &args.output, args.limits, args.threads, control);
    }
    let to = match args.to {
        Some(format) => format,
        None => by_extension(&args.output)?,
    };
    if args.from.is_none() && matches!(by_extension(&args.input), Ok(OutputFormat::Dot)) {
        return Err(about(&args.input, "DOT is written, not read"));
    }
    input::only_one_from_stdin(args.origin.with.iter().chain([&args.input]))?;
    input::spare(&args.output, args.origin.with.iter().chain([&args.input]))?;
    let mut reading = Reading::new(args.limits.bounds(control, args.threads.count(control)).budget(), WORDS);
    let Some(format) = reading.format(&args.input, args.from) else {
        input::settle(reading, false)?;
        bail!("the model cannot be read")
    };
    let origin = Origin { java: args.java.options(), ..args.origin.origin(Semantics::default()) };
    let conversion = Conversion::read((&args.input, format), to, &origin, &mut reading);
    input::settle(reading, false)?;
    let conversion = conversion.context("the model cannot be read")?;
    let mut notes = Vec::new();
    write_to(&args.output, control, |out| {
        notes = conversion.write(out)?;
        Ok(())
    })?;
    for note in notes {
        eprint_line(&format!("note: {note}"));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn by_extension(path: &Path) -> anyhow::Result<OutputFormat> {
    OutputFormat::of(path).ok_or_else(|| match extension(path).as_deref() {
        Some("pdmu") => {
            about(path, "PDMU is read, not written; .pds is the same with a place for properties")
        }
        _ if path == Path::new("-") => about(path, "name the format of standard output with --to"),
        _ => about(path, "the extension names no format; give one with --to"),
    })
}
