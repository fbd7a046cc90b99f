//! `loris check`: verdicts.

use crate::flags::{AT_EXIT, Format, LOGICS, Limits, RUNS, Wanted, Word, words};
use crate::input::{self, Problems};
use crate::model::{self, FORMATS as MODELS, Format as ModelFormat, Origin};
use crate::output::{NewFile, Output, say};
use crate::progress::Progress;
use crate::questions::Asked;
use crate::stream::Stream;
use anyhow::{Context as _, bail};
use loris_check::{
    Answer, Choice, ENGINES, Logic, Options, Prepared, Question, Runs, Shard, UnknownAtoms, check_all,
    semantics_refusal,
};
use loris_evidence::AtExit;
use loris_report::{Context, Detail, Tally, counted, json_report, json_result, text_result, text_summary};
use loris_rsm::Semantics;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

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
        loris check model.rsm -f properties.ctl --format json --timeout 60\n  \
        loris check model.pds --logic ltl -p 'G (request -> F reply)'\n  \
        loris check model.pds --logic 'ctl*' -p 'A (G F request -> E F G idle)'\n  \
        loris check model.rsm --with lock.aut -p 'A G !error'"
)]
pub(crate) struct Args {
    /// The model, a recursive state machine or a pushdown system; `-` is standard input
    #[arg(required_unless_present = "engine")]
    model: Option<PathBuf>,
    /// The format of the model [default: by its extension, or rsm]
    #[arg(long, visible_alias = "from", value_name = "FORMAT", value_parser = words(&MODELS))]
    model_format: Option<ModelFormat>,
    /// A property to check, as in 'A G (p -> E F q)'; repeatable
    #[arg(short, long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    property: Vec<String>,
    /// A file of properties, one a line, with `#` comments; repeatable
    #[arg(short = 'f', long, value_name = "FILE", help_heading = "Properties")]
    property_file: Vec<PathBuf>,
    /// A Büchi automaton in the HOA format, which holds if it accepts some run; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    automaton: Vec<PathBuf>,
    /// The logic of the properties [default: ctl, or as the model says of those it carries]
    #[arg(long, value_parser = words(&LOGICS), help_heading = "Properties")]
    logic: Option<Wanted>,
    /// What an atom means that no node carries [default: error; for what a .pdmu carries, false]
    #[arg(
        long,
        value_name = "READING",
        value_parser = words(&UNKNOWN_ATOMS),
        help_heading = "Properties"
    )]
    unknown_atoms: Option<UnknownAtoms>,
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
    /// Which runs count, in linear time
    #[arg(
        long,
        value_name = "KIND",
        default_value = "all",
        value_parser = words(&RUNS),
        help_heading = "Semantics"
    )]
    runs: Runs,
    #[command(flatten)]
    origin: Origin,
    /// The engine; `--engine help` lists them
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Work")]
    engine: Engine,
    #[command(flatten)]
    limits: Limits,
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

const FORMATS: [Word<Format>; 3] = [
    ("text", Format::Text, "A line a property, for people"),
    ("json", Format::Json, "One document, when all is decided"),
    ("jsonl", Format::Jsonl, "A line a result, in the order they are decided"),
];
const UNKNOWN_ATOMS: [Word<UnknownAtoms>; 2] = [
    ("error", UnknownAtoms::Error, "A slip: the property is refused, and the nearest label suggested"),
    ("false", UnknownAtoms::False, "It is false everywhere"),
];
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

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let engine = match args.engine {
        Engine::Help => return list_engines(),
        Engine::Choice(engine) => engine,
    };
    let options = args.options(engine);
    let logic = args.logic()?;
    let formulas = !args.property.is_empty() || !args.property_file.is_empty();
    if let (true, Some(why)) = (formulas, semantics_refusal(logic.unwrap_or(Logic::Ctl), &options)) {
        bail!("{why}");
    }
    let Some(path) = &args.model else { bail!("no model is given; usage: loris check MODEL [OPTIONS]") };
    let inputs = || {
        let properties = args.property_file.iter().chain(&args.automaton);
        properties.chain(&args.origin.with).chain([path])
    };
    input::only_one_from_stdin(inputs())?;
    if let Some(target) = &args.evidence_file {
        input::spare(target, inputs())?;
    }

    let start = Instant::now();
    let progress = Progress::start(!args.quiet, "reading");
    let semantics = args.origin.readings.semantics(Semantics::default());
    let with = args.origin.with.as_deref();
    let mut problems = Problems::default();
    let model = model::model(path, args.model_format, with, semantics, &mut problems);
    let read = start.elapsed();
    let prepared = model.as_ref().map(|model| Prepared::new(&model.rsm));
    let asked = Asked {
        formulas: &args.property,
        files: &args.property_file,
        automata: &args.automaton,
        logic,
        unknown_atoms: args.unknown_atoms,
        options: &options,
    };
    let mut questions = asked.questions(model.as_ref().zip(prepared.as_ref()), &mut problems);
    progress.aside(|| problems.settle(args.quiet))?;
    let (model, prepared) = model.as_ref().zip(prepared.as_ref()).context("the model cannot be read")?;
    let rsm = &model.rsm;
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

    let (path, with) = (path.display().to_string(), with.map(|with| with.display().to_string()));
    let context = Context {
        path: &path,
        format: model.format.name(),
        with: with.as_deref(),
        rsm,
        semantics,
        at_exit: args.at_exit,
        runs: args.runs,
    };
    answer(args, &options, &context, prepared, &questions, progress, start)
}

impl Args {
    fn options(&self, engine: Choice) -> Options {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            engine,
            at_exit: self.at_exit,
            runs: self.runs,
            timeout: self.limits.timeout,
            memory: self.limits.bytes(),
            jobs: self.jobs.map_or_else(cores, usize::from),
            seed: self.seed,
            evidence: self.evidence || self.evidence_file.is_some(),
        }
    }

    fn logic(&self) -> anyhow::Result<Option<Logic>> {
        match self.logic {
            None => Ok(None),
            Some(Wanted::Now(logic)) => Ok(Some(logic)),
            Some(Wanted::Later) => {
                bail!("--logic mu is not available yet: this version decides ctl, ltl and ctl*")
            }
        }
    }
}

fn list_engines() -> anyhow::Result<ExitCode> {
    let mut out = Output::stdout();
    let rows = ENGINES.iter().map(|row| {
        let logics: Vec<&str> = row.logics.iter().map(|logic| logic.name()).collect();
        (row.name, logics.join(", "), row.about)
    });
    let auto = (
        "auto",
        "all".to_owned(),
        "buchi for linear time, else summary; if that is nested and ctl, first a look as lazy starts",
    );
    let rows: Vec<_> = std::iter::once(auto).chain(rows).collect();
    let width = rows.iter().map(|(_, logics, _)| logics.len()).max().unwrap_or(0);
    for (name, logics, about) in rows {
        writeln!(out, "{name:<8} {logics:<width$}  {about}")?;
    }
    writeln!(out, "\nThose that decide a property agree on its verdict.")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn answer(
    args: &Args,
    options: &Options,
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    questions: &[Question],
    progress: Progress,
    start: Instant,
) -> anyhow::Result<ExitCode> {
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    // a file that cannot be written should be known before hours of work, not after
    let evidence_file = args.evidence_file.as_deref().map(NewFile::create).transpose()?;
    let stream = Mutex::new(Stream::new(args.format == Format::Text));
    progress.steps("checking", questions.len());
    let answers = check_all(prepared, questions, options, |index, answer| {
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
