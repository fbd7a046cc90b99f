//! `loris info`: what was read.

use crate::control::Control;
use crate::errors::Stopped;
use crate::flags::{DOCUMENTS, Document, words};
use crate::input;
use crate::limits::{Limits, Threads};
use crate::origin::OriginArgs;
use crate::output::Output;
use crate::phrasing::WORDS;
use crate::program::JavaArgs;
use anyhow::Context;
use loris_check::{Prepared, SearchOptions, reached};
use loris_load::{FORMATS, Format, JavaProgram, Origin, Reading, circuit, machine, parallel};
use loris_report::{
    CircuitFacts, Facts, JavaFacts, ParallelFacts, Subject, cones, json_circuit, json_facts, json_java,
    json_parallel, text_circuit, text_facts, text_java, text_parallel,
};
use loris_rsm::{DeadEnds, Semantics};
use std::path::PathBuf;
use std::process::ExitCode;

/// Prints facts about a model: sizes, recursion, reachable nodes, labels, dead ends.
///
/// Dead ends are listed as a fact unless `--dead-ends error` makes them errors.
///
/// Exit status: 0 all is known, 2 the call or an input is wrong, 3 a limit was reached.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model; `-` is standard input
    model: PathBuf,
    /// The format of the model [default: by its extension or its content]
    #[arg(long, visible_alias = "from", value_name = "FORMAT", value_parser = words(&FORMATS))]
    model_format: Option<Format>,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    java: JavaArgs,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    threads: Threads,
    /// How the facts are written
    #[arg(long, default_value = "text", value_parser = words(&DOCUMENTS))]
    format: Document,
}

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let default = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let with = args.origin.with.as_deref();
    input::only_one_from_stdin(args.origin.with.iter().chain([&args.model]))?;
    let bounds = args.limits.bounds(control, args.threads.count(control));
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let origin = Origin { java: args.java.options(), ..args.origin.origin(default) };
    let format = reading.format(&args.model, args.model_format);
    if format.is_some_and(|format| format.kind().is_circuit()) {
        return of_circuit(args, &origin, reading);
    }
    if let Some(format) = format.filter(|format| format.kind().is_parallel()) {
        return of_processes(args, format, &origin, reading);
    }
    if format.is_some_and(|format| format.kind().is_program()) {
        return of_java(args, &origin, reading);
    }
    let model = format.and_then(|format| machine(&args.model, format, &origin, &mut reading));
    input::settle(reading, false)?;
    let model = model.context("the model cannot be read")?;
    control.keep();
    let memory = bounds.left(model.rsm.bytes());
    let search = SearchOptions {
        memory,
        timeout: bounds.time,
        interrupt: Some(&bounds.interrupt),
        ..SearchOptions::default()
    };
    let reached = reached(&Prepared::new(&model.rsm), &search);
    let (path, with) = (args.model.display().to_string(), with.map(|with| with.display().to_string()));
    let is_one_of_many = model.places.windows(2).any(|pair| pair[0].0 != pair[1].0);
    let subject = |(module, instance)| Subject { module, instance, is_one_of_many };
    let places = model.places.iter().map(|(module, instance)| (&**module, &**instance));
    let subjects: Vec<Subject<'_>> = places.map(subject).collect();
    let facts = Facts {
        path: &path,
        format: model.format.name(),
        with: with.as_deref(),
        rsm: &model.rsm,
        properties: &model.properties,
        subjects: &subjects,
        reached: &reached,
        fairness: &model.fairness,
    };
    let mut text = String::new();
    match args.format {
        Document::Text => text_facts(&mut text, &facts),
        Document::Json => json_facts(&mut text, &facts),
    }?;
    let out = if args.format == Document::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    Ok(if reached.verdict.is_known() { ExitCode::SUCCESS } else { ExitCode::from(Stopped::STATUS) })
}

/// Reports what a circuit is.
fn of_circuit(args: &Args, origin: &Origin, mut reading: Reading) -> anyhow::Result<ExitCode> {
    let model = circuit(&args.model, origin, &mut reading);
    let cones = model.as_ref().map(|model| cones(&model.circuit, &mut reading.budget));
    input::settle(reading, false)?;
    let (model, cones) = model.zip(cones).context("the model cannot be read")?;
    let path = args.model.display().to_string();
    let cones = cones.map_err(|why| Stopped { input: Some(path.clone()), why })?;
    let facts = CircuitFacts { path: &path, circuit: &model.circuit, cones: &cones };
    let mut text = String::new();
    match args.format {
        Document::Text => text_circuit(&mut text, &facts),
        Document::Json => json_circuit(&mut text, &facts),
    }?;
    let out = if args.format == Document::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Reports what a Java program is.
fn of_java(args: &Args, origin: &Origin, mut reading: Reading) -> anyhow::Result<ExitCode> {
    let program = JavaProgram::read(&args.model, &origin.java, &mut reading);
    let rsm = program.as_ref().map(|program| program.machine(&origin.java, &mut reading));
    input::settle(reading, false)?;
    let program = program.context("the program cannot be read")?;
    let path = args.model.display().to_string();
    let rsm = rsm.context("the program cannot be read")?;
    let rsm = rsm.map_err(|why| Stopped { input: Some(path.clone()), why })?;
    let facts = JavaFacts { path: &path, program: &program.program, graph: &program.graph, rsm: &rsm };
    let mut text = String::new();
    match args.format {
        Document::Text => text_java(&mut text, &facts),
        Document::Json => json_java(&mut text, &facts),
    }?;
    let out = if args.format == Document::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Reports what processes are.
fn of_processes(
    args: &Args,
    format: Format,
    origin: &Origin,
    mut reading: Reading,
) -> anyhow::Result<ExitCode> {
    let model = parallel(std::slice::from_ref(&args.model), args.model_format, origin, &mut reading);
    input::settle(reading, false)?;
    let model = model.context("the model cannot be read")?;
    let path = args.model.display().to_string();
    let facts = ParallelFacts { path: &path, format: format.name(), system: &model.system };
    let mut text = String::new();
    match args.format {
        Document::Text => text_parallel(&mut text, &facts),
        Document::Json => json_parallel(&mut text, &facts),
    }?;
    let out = if args.format == Document::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
