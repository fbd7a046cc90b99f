//! `loris reach`: whether runs get somewhere, and by which path.

use crate::control::Control;
use crate::flags::{Format, Word, words};
use crate::input;
use crate::limits::{Limits, Threads};
use crate::origin::OriginArgs;
use crate::output::{NewFile, Output};
use crate::phrasing::WORDS;
use crate::program::ProgramArgs;
use crate::progress::Progress;
use crate::reports::{ReportArgs, ReportFiles};
use anyhow::{Context as _, bail};
use loris_check::{ExploreDirection, Model, Reachable, SearchOptions};
use loris_evidence::Verdict;
use loris_load::{FORMATS as MODELS, Format as ModelFormat, Origin, Reading};
use loris_report::{
    Context, Detail, ReachReport, json_reach, json_reach_line, reach_report, text_nodes, text_reach,
};
use loris_rsm::{DeadEnds, Semantics};
use loris_session::{Setting, seek};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Checks whether a node or a label is reachable, and prints a shortest path to it; in a circuit,
/// any path.
///
/// Exit status: 0 it is reachable, 1 it is not, 2 the call or an input is wrong, 3 it is unknown
/// because a limit was reached.
#[derive(clap::Args)]
#[command(after_long_help = "Examples:\n  \
        loris reach model.rsm --to error\n  \
        loris reach model.pds --to main/end --from main/start\n  \
        loris reach model.rsm --all\n  \
        loris reach model.smv --to 'state = waiting & count > 3'\n  \
        loris reach circuit.aig --to 'grant0 & grant1'\n  \
        loris reach app.jar --entry 'com.acme.*' --to 'call java.io.File.delete'")]
pub(crate) struct Args {
    /// The model; `-` is standard input
    model: PathBuf,
    /// Where to get: a label, or else a node as COMPONENT/NODE, or its name alone if no other node
    /// has it; in an SMV model also any condition on states; in a circuit a name or a Boolean
    /// combination of names; in a Java program also a pattern of labels
    ///
    /// With a peer, that is the node in any of the peer's states; NODE@STATE is the node in one.
    #[arg(long, value_name = "LABEL|NODE|CONDITION", required_unless_present = "all")]
    to: Option<String>,
    /// Where to start, with an empty stack: a node as for --to [default: the initial nodes]
    #[arg(long, value_name = "NODE")]
    from: Option<String>,
    /// Prints all nodes that can be reached, as COMPONENT/NODE, a line each
    #[arg(long)]
    all: bool,
    /// The format of the model [default: by its extension or its content]
    #[arg(long, value_name = "FORMAT", value_parser = words(&MODELS))]
    model_format: Option<ModelFormat>,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    java: ProgramArgs,
    /// From where components are looked at; verdicts and the lengths of paths are the same
    #[arg(long, value_name = "SIDE", default_value = "fewer", value_parser = words(&DIRECTIONS), hide = true)]
    direction: ExploreDirection,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    threads: Threads,
    /// Writes the result with its path into a file, as JSON for `loris replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    evidence_file: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
    /// How the result is written
    #[arg(long, default_value = "text", value_parser = words(&FORMATS), help_heading = "Output")]
    format: Format,
    /// Prints the verdict without the path
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,
    /// Prints the path at any length
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
}

const FORMATS: [Word<Format>; 3] = [
    ("text", Format::Text, "Lines for people"),
    ("json", Format::Json, "One object"),
    ("jsonl", Format::Jsonl, "The same on one line"),
];
const DIRECTIONS: [Word<ExploreDirection>; 3] = [
    (
        "fewer",
        ExploreDirection::Fewer,
        "Of each component, from whichever is fewer, its entries or its exits",
    ),
    ("entries", ExploreDirection::Entries, "From the entries"),
    ("exits", ExploreDirection::Exits, "From the exits"),
];

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let inputs = || args.origin.with.iter().chain(&args.java.library).chain([&args.model]);
    input::only_one_from_stdin(inputs())?;
    if let Some(file) = &args.evidence_file {
        input::spare(file, inputs())?;
    }
    args.reports.spare(inputs, args.evidence_file.as_ref())?;
    let progress = Progress::start(!args.quiet, "searching", &args.origin.explored);
    let start = Instant::now();
    // a path that has come to a dead end has gone nowhere else: nothing depends on what happens
    // there
    let default = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let origin = Origin { java: args.java.options(), ..args.origin.origin(default) };
    let bounds = args.limits.bounds(control, args.threads.count(control));
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let format = reading.format(&args.model, args.model_format);
    if format.is_some_and(|format| format.kind().is_circuit()) {
        if args.to.is_none() {
            bail!("--all lists nodes, and a circuit has none; name a condition on its states with --to");
        }
        if args.all || args.from.is_some() {
            let flag = if args.all { "--all" } else { "--from" };
            bail!("{flag} is about nodes, and a circuit has none");
        }
    }
    let names = (args.to.as_deref(), args.from.as_deref());
    let sought = format.and_then(|format| seek((&args.model, format), &origin, names, &mut reading));
    control.keep();
    progress.aside(|| input::settle(reading, args.quiet))?;
    let (format, sought) = format.zip(sought).context("the model cannot be read")?;
    if args.reports.has_waves() && !format.kind().has_variables() {
        bail!("--vcd is for circuits and SMV models: states of other models have no variables");
    }
    let evidence_file = args.evidence_file.as_deref();
    let evidence_file = evidence_file.map(|path| NewFile::create(path, control)).transpose()?;
    let files = (evidence_file, args.reports.create(control)?);

    let search = SearchOptions {
        from: None,
        direction: args.direction,
        timeout: bounds.time,
        memory: bounds.left(sought.model.as_ref().map_or(0, Model::bytes)),
        interrupt: Some(&bounds.interrupt),
    };
    let found = sought.search((args.to.is_some(), args.all), &search, start.elapsed());
    drop(progress);
    let setting = Setting::new(std::slice::from_ref(&args.model), format, &origin);
    let setting = setting.exploring(&origin, sought.model.is_err());
    let context = setting.context(sought.model.as_ref().ok(), sought.module.as_deref());
    report(args, &context, found.to.as_ref(), found.all.as_ref(), files, start)
}

fn report(
    args: &Args,
    context: &Context<'_>,
    found: Option<&Reachable>,
    all: Option<&Reachable>,
    (evidence_file, files): (Option<NewFile>, ReportFiles),
    start: Instant,
) -> anyhow::Result<ExitCode> {
    let main = found.or(all).context("there is nothing to look for")?;
    let reached = ReachReport {
        to: args.to.as_deref(),
        from: args.from.as_deref(),
        found: main,
        nodes: all.map(|all| &all.nodes[..]),
    };
    let mut text = String::new();
    if let Some(file) = evidence_file {
        json_reach(&mut text, context, &reached)?;
        file.put(text.as_bytes())?;
        text.clear();
    }
    if !files.is_empty() {
        files.write(reach_report(context, &reached, start.elapsed().as_secs_f64()), args.quiet)?;
    }
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    match args.format {
        Format::Json => json_reach(&mut text, context, &reached)?,
        Format::Jsonl => json_reach_line(&mut text, context, &reached)?,
        Format::Service(service) => {
            text = service.render(&mut reach_report(context, &reached, start.elapsed().as_secs_f64()));
        }
        Format::Text => {
            if found.is_some() || !main.verdict.is_known() {
                text_reach(&mut text, context, &reached, detail)?;
            }
            if let Some(nodes) = reached.nodes {
                text_nodes(&mut text, context, nodes)?;
            }
        }
    }
    let out = if args.format == Format::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    let is_cut_short = all.is_some_and(|all| !all.verdict.is_known());
    Ok(ExitCode::from(match main.verdict {
        Verdict::Holds => 0,
        _ if is_cut_short => 3,
        Verdict::Fails => u8::from(found.is_some()),
        Verdict::Unknown(_) => 3,
    }))
}
