//! `loris extract`: the model of a Java program.

use crate::control::Control;
use crate::convert;
use crate::errors::about;
use crate::input;
use crate::limits::{Limits, Threads};
use crate::output::write_to;
use crate::phrasing::WORDS;
use crate::program::JavaArgs;
use anyhow::Context;
use loris_java::extract::{Choice, Pattern};
use loris_load::{Conversion, Format, JavaOptions, Origin, Reading};
use std::path::PathBuf;
use std::process::ExitCode;

/// Writes the model of a Java program, with its labels and the places of its nodes in the sources.
///
/// A component is a method, a box is a call. `loris labels` lists the labels that nodes can have.
#[derive(clap::Args)]
#[command(after_long_help = "Examples:\n  \
        loris extract app.jar -o app.rsm\n  \
        loris extract build/classes --library lib/driver.jar --entry com.acme.Main.main -o main.rsm\n  \
        loris extract app.jar --labels 'call java.io.*' --labels 'exit *' -o app.rsm")]
pub(crate) struct Args {
    /// The program: jars, class files, and folders with these
    #[arg(required = true, value_name = "PROGRAM")]
    program: Vec<PathBuf>,
    /// Where the model goes; its extension names the format: .rsm or .json, .pds, .dot or .gv
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A pattern of the labels that nodes get; repeatable [default: all but lines, which places
    /// have anyway]
    #[arg(long, value_name = "PATTERN")]
    labels: Vec<String>,
    #[command(flatten)]
    java: JavaArgs,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    threads: Threads,
}

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let to = convert::by_extension(&args.output)?;
    let inputs = || args.program.iter().chain(&args.java.program.library);
    input::only_one_from_stdin(inputs())?;
    input::spare(&args.output, inputs())?;
    let bounds = args.limits.bounds(control, args.threads.count(control));
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let [path, also @ ..] = &args.program[..] else { anyhow::bail!("no program is given") };
    for path in &args.program {
        match reading.format(path, None) {
            Some(Format::Java) | None => {}
            Some(_) => return Err(about(path, "this is not a Java program")),
        }
    }
    let labels = match &args.labels[..] {
        [] => Choice::Most,
        patterns => Choice::Matching(patterns.iter().map(|text| Pattern::new(text)).collect()),
    };
    let java = JavaOptions { also: also.to_vec(), labels, ..args.java.options() };
    let origin = Origin { java, ..Origin::default() };
    let conversion = if reading.has_errors() {
        None
    } else {
        Conversion::read((path, Format::Java), to, &origin, &mut reading)
    };
    input::settle(reading, false)?;
    let conversion = conversion.context("the program cannot be read")?;
    write_to(&args.output, control, |out| conversion.write(out).map(|_| ()))?;
    Ok(ExitCode::SUCCESS)
}
