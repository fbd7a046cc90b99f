//! `loris check`: verdicts.

use crate::input::{self, AT_EXIT, Input, Problems, Readings, Text, Word, words};
use crate::output::{NewFile, Output, about, say};
use crate::progress::Progress;
use anyhow::{Context as _, bail};
use loris_base::{Diagnostic, Diagnostics};
use loris_check::{Answer, Choice, ENGINES, Options, Question, Shard, Source, UnknownAtoms, check_all};
use loris_evidence::AtExit;
use loris_logic::{Core, Formula, parse, parse_properties};
use loris_report::{Context, Detail, Tally, counted, json_report, json_result, text_result, text_summary};
use loris_rsm::{Rsm, Semantics};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Checks properties of a model and prints a verdict for each.
///
/// Exit status: 0 every property holds, 1 some property fails, 2 the call or an input is wrong and
/// nothing was checked, 3 nothing fails but something stays unknown.
#[derive(clap::Args)]
#[command(
    override_usage = "loris check [OPTIONS] <MODEL>\n       loris check --engine help",
    after_long_help = "Examples:\n  \
        loris check model.rsm -p 'A G (request -> A F reply)'\n  \
        loris check model.rsm -f properties.ctl --evidence\n  \
        loris check model.rsm -f properties.ctl --format json --timeout 60"
)]
pub(crate) struct Args {
    /// The model, a recursive state machine in JSON; `-` is standard input
    #[arg(required_unless_present = "engine")]
    model: Option<PathBuf>,
    /// A property to check, as in 'A G (p -> E F q)'; repeatable
    #[arg(short, long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    property: Vec<String>,
    /// A file of properties, one a line, with `#` comments; repeatable
    #[arg(short = 'f', long, value_name = "FILE", help_heading = "Properties")]
    property_file: Vec<PathBuf>,
    /// The logic of the properties
    #[arg(long, default_value = "ctl", value_parser = words(&LOGICS), help_heading = "Properties")]
    logic: &'static str,
    /// What an atom means that no node carries
    #[arg(
        long,
        value_name = "READING",
        default_value = "error",
        value_parser = words(&UNKNOWN_ATOMS),
        help_heading = "Properties"
    )]
    unknown_atoms: UnknownAtoms,
    /// Checks every N-th property only, from the I-th on: 1/4, 2/4, 3/4 and 4/4 together check all
    #[arg(long, value_name = "I/N", help_heading = "Properties")]
    shard: Option<Shard>,
    /// What an exit does when the stack is empty
    #[arg(
        long,
        value_name = "MODE",
        default_value = "loop",
        value_parser = words(&AT_EXIT),
        help_heading = "Semantics"
    )]
    at_exit: AtExit,
    #[command(flatten)]
    readings: Readings,
    /// The engine; `--engine help` lists them
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Work")]
    engine: Engine,
    /// Bounds the time for each property; past it, the verdict is `unknown`
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = seconds,
        allow_negative_numbers = true,
        help_heading = "Work"
    )]
    timeout: Option<Duration>,
    /// Bounds the memory for each property; past it, the verdict is `unknown`
    #[arg(long, value_name = "MIB", help_heading = "Work")]
    memory: Option<usize>,
    /// How many threads share the work [default: all cores]
    #[arg(
        short,
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = "Work"
    )]
    jobs: Option<u16>,
    /// Where engines that choose at random start from
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Work")]
    seed: u64,
    /// Adds evidence to every verdict that has some: a run that shows it
    #[arg(long, help_heading = "Output")]
    evidence: bool,
    /// Writes the results with their evidence into a file, as JSON for `loris replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    evidence_file: Option<PathBuf>,
    /// How results are written
    #[arg(long, default_value = "text", value_parser = words(&FORMATS), help_heading = "Output")]
    format: Format,
    /// Prints verdicts and errors only
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,
    /// Says more about the model and the work, and prints evidence at any length
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
    Jsonl,
}

const FORMATS: [Word<Format>; 3] = [
    ("text", Format::Text, "A line a property, for people"),
    ("json", Format::Json, "One document, when all is decided"),
    ("jsonl", Format::Jsonl, "A line a result, in the order they are decided"),
];
const UNKNOWN_ATOMS: [Word<UnknownAtoms>; 2] = [
    ("error", UnknownAtoms::Error, "A slip: the property is refused, and the nearest label suggested"),
    ("false", UnknownAtoms::False, "It is false everywhere"),
];
const LOGICS: [Word<&str>; 4] =
    [("ctl", "ctl", "Computation tree logic"), ("ltl", "ltl", ""), ("ctl*", "ctl*", ""), ("mu", "mu", "")];

#[derive(Clone, Copy)]
enum Engine {
    Help,
    Choice(Choice),
}

impl FromStr for Engine {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "help" { Ok(Engine::Help) } else { text.parse().map(Engine::Choice) }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let engine = match args.engine {
        Engine::Help => return list_engines(),
        Engine::Choice(engine) => engine,
    };
    if args.logic != "ctl" {
        bail!("--logic {} is not available: this version decides ctl only", args.logic);
    }
    if args.at_exit == AtExit::Stop {
        bail!("--at-exit stop is for linear time only: in ctl every state needs a successor");
    }
    let Some(path) = &args.model else { bail!("no model is given; usage: loris check MODEL [OPTIONS]") };

    let stdin = args.property_file.iter().chain([path]).filter(|path| path.as_os_str() == "-").count();
    if stdin > 1 {
        bail!("only one input can come from standard input");
    }

    if let Some(target) = &args.evidence_file {
        spare_inputs(target, args.property_file.iter().chain([path]))?;
    }

    let start = Instant::now();
    let progress = Progress::start(!args.quiet, "reading");
    let semantics = args.readings.semantics(Semantics::default());
    let mut problems = Problems::default();
    let rsm = input::model(path, semantics, &mut problems);
    let read = start.elapsed();
    let mut questions = questions(args, rsm.as_ref(), &mut problems);
    progress.aside(|| problems.settle(args.quiet))?;
    let rsm = rsm.context("the model cannot be read")?;
    if let Some(shard) = args.shard {
        let mut index = 0..;
        questions.retain(|_| index.next().is_some_and(|index| shard.takes(index)));
    }
    if args.verbose {
        let facts = [
            counted(rsm.component_count(), "component", "components"),
            counted(rsm.node_count(), "node", "nodes"),
            counted(rsm.box_count(), "box", "boxes"),
            counted(rsm.edge_count(), "edge", "edges"),
        ];
        progress.aside(|| say(&format!("read {}  [{:.3} s]", facts.join(", "), read.as_secs_f64())));
    }

    let path = path.display().to_string();
    let context = Context { path: &path, rsm: &rsm, semantics, at_exit: args.at_exit };
    answer(args, engine, &context, &questions, progress, start)
}

/// Refuses to write evidence over what was given to read.
fn spare_inputs<'a>(target: &Path, mut inputs: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    let Ok(same) = target.canonicalize() else { return Ok(()) };
    if inputs.any(|input| input.canonicalize().is_ok_and(|input| input == same && input.is_file())) {
        return Err(about(target, "this is an input of this call; evidence is not written over it"));
    }
    Ok(())
}

fn list_engines() -> anyhow::Result<ExitCode> {
    let mut out = Output::stdout();
    writeln!(
        out,
        "auto     summary; a nested property of a shape of its own first gets one look, as lazy starts"
    )?;
    for (_, name, line) in ENGINES {
        writeln!(out, "{name:<8} {line}")?;
    }
    writeln!(out, "\nAll of them decide CTL on recursive state machines, with the same verdicts.")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The properties of the command line, then those of the files.
fn questions(args: &Args, rsm: Option<&Rsm>, problems: &mut Problems) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut written = 0;
    for text in &args.property {
        written += 1;
        let question =
            parse(text).and_then(|formula| resolve(rsm, text.trim(), &formula, args.unknown_atoms));
        match question {
            Ok(question) => questions.extend(question),
            Err(found) => problems.add(Input::text("-p", text), found),
        }
    }
    for path in &args.property_file {
        let Some(Text { input, content: text, problems: mut found }) = input::text(path, problems) else {
            written += 1;
            continue;
        };
        let file: Arc<str> = path.display().to_string().into();
        let (lines, others) = parse_properties(&text);
        others.sorted().into_iter().for_each(|problem| found.push(problem.clone()));
        written += lines.len() + found.len();
        for line in lines {
            let property = property_text(&text[line.offset as usize..], &line.formula);
            match resolve(rsm, &property, &line.formula, args.unknown_atoms) {
                Ok(None) => {}
                Ok(Some(mut question)) => {
                    question.source = Some(Source { file: Arc::clone(&file), line: line.line });
                    questions.push(question);
                }
                Err(others) => others.sorted().into_iter().for_each(|problem| {
                    let mut problem = problem.clone();
                    problem.offset = problem.offset.map(|offset| offset + line.offset);
                    found.push(problem);
                }),
            }
        }
        problems.add(input, found);
    }
    if written == 0 {
        let problem = Diagnostic::global("there is no property to check");
        let help = "give properties with -p FORMULA or -f FILE; a model in this format carries none";
        problems.add(Input::text("", ""), problem.help(help).into());
    }
    questions
}

/// A question if there is a model to ask; without one, at least what is wrong with the formula.
fn resolve(
    rsm: Option<&Rsm>,
    text: &str,
    formula: &Formula,
    unknown: UnknownAtoms,
) -> Result<Option<Question>, Diagnostics> {
    match rsm {
        Some(rsm) => Question::new(rsm, text, formula, unknown).map(Some),
        None => Core::new(formula).map(|_| None),
    }
}

/// A property as its line says it; where it is not plain which `#` starts the comment, as it was read.
fn property_text(rest: &str, formula: &Formula) -> String {
    let line = rest.lines().next().unwrap_or_default().trim_start_matches('\u{feff}');
    match line.split_once('#') {
        None => line.trim().to_owned(),
        Some((before, _)) if !before.contains('"') => before.trim().to_owned(),
        Some(_) => formula.to_string(),
    }
}

fn answer(
    args: &Args,
    engine: Choice,
    context: &Context<'_>,
    questions: &[Question],
    progress: Progress,
    start: Instant,
) -> anyhow::Result<ExitCode> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        engine,
        at_exit: args.at_exit,
        timeout: args.timeout,
        memory: args.memory.map(|mib| mib.saturating_mul(1 << 20)),
        jobs: args.jobs.map_or_else(cores, usize::from),
        seed: args.seed,
        evidence: args.evidence || args.evidence_file.is_some(),
    };
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    // a file that cannot be written should be known before hours of work, not after
    let evidence_file = args.evidence_file.as_deref().map(NewFile::create).transpose()?;
    let stream = Mutex::new(Stream { in_order: args.format == Format::Text, ..Stream::default() });
    progress.steps("checking", questions.len());
    let answers = check_all(context.rsm, questions, &options, |index, answer| {
        let result = (&questions[index], answer);
        let mut text = String::new();
        let rendered = match args.format {
            Format::Text => text_result(&mut text, context, result, detail, args.evidence),
            Format::Json => Ok(()),
            Format::Jsonl if args.evidence => json_result(&mut text, context, result),
            Format::Jsonl => json_result(&mut text, context, (result.0, &without_evidence(answer))),
        };
        rendered.expect("a string takes everything");
        progress.step();
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        progress.aside(|| stream.put(index, text));
    })?;
    let mut stream = stream.into_inner().unwrap_or_else(PoisonError::into_inner);
    stream.finish()?;
    drop(progress);

    let both = questions.iter().zip(&answers);
    let results: Vec<_> =
        both.clone().filter_map(|(question, answer)| Some((question, answer.as_ref().ok()?))).collect();
    let seconds = start.elapsed().as_secs_f64();
    let mut text = String::new();
    if let Some(mut file) = evidence_file {
        json_report(&mut text, context, &results, seconds)?;
        file.write_all(text.as_bytes())?;
        file.finish()?;
        text.clear();
    }
    match args.format {
        Format::Text if !args.quiet => text_summary(&mut text, context, &results, seconds)?,
        Format::Json if args.evidence => json_report(&mut text, context, &results, seconds)?,
        Format::Json => {
            let bare: Vec<Answer> = results.iter().map(|(_, answer)| without_evidence(answer)).collect();
            let bare: Vec<_> = results.iter().map(|(question, _)| *question).zip(&bare).collect();
            json_report(&mut text, context, &bare, seconds)?;
        }
        Format::Text | Format::Jsonl => {}
    }
    let mut out = Output::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;

    let mut panicked = false;
    for (question, answer) in both {
        if let Err(panic) = answer {
            panicked = true;
            say(&format!("error: the engine panicked on \"{}\": {}", question.text, panic.0));
        }
    }
    if panicked {
        say("this is a defect of Loris; the other results stand");
        return Ok(ExitCode::from(101));
    }
    Ok(status(results.iter().map(|(_, answer)| answer.verdict).collect()))
}

fn status(tally: Tally) -> ExitCode {
    ExitCode::from(match tally {
        Tally { fails: 1.., .. } => 1,
        Tally { unknown: 1.., .. } => 3,
        _ => 0,
    })
}

fn without_evidence(answer: &Answer) -> Answer {
    Answer { evidence: None, evidence_note: None, ..*answer }
}

/// Results on their way to standard output, as they come or in the order they were asked.
#[derive(Default)]
struct Stream {
    in_order: bool,
    next: usize,
    waiting: BTreeMap<usize, String>,
    failed: Option<io::Error>,
}

impl Stream {
    fn put(&mut self, index: usize, text: String) {
        self.waiting.insert(index, text);
        let mut ready = String::new();
        while let Some(first) = self.waiting.first_entry() {
            if self.in_order && *first.key() > self.next {
                break;
            }
            ready += &first.remove();
            self.next += 1;
        }
        self.write(&ready);
    }

    fn write(&mut self, text: &str) {
        if !text.is_empty() && self.failed.is_none() {
            let mut out = Output::stdout();
            self.failed = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err();
        }
    }

    /// Writes what waited for a result that never came.
    fn finish(&mut self) -> io::Result<()> {
        let rest: String = std::mem::take(&mut self.waiting).into_values().collect();
        self.write(&rest);
        self.failed.take().map_or(Ok(()), Err)
    }
}
