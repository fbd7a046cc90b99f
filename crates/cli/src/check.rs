//! `loris check`: verdicts.

use crate::flags::{AT_EXIT, Format, LOGICS, Limits, RUNS, Wanted, Word, words};
use crate::input::{self, Problems};
use crate::model::{self, FORMATS as MODELS, Format as ModelFormat, Origin};
use crate::output::{NewFile, Output, say};
use crate::progress::Progress;
use crate::questions::Asked;
use crate::smv;
use crate::stream::Stream;
use anyhow::{Context as _, bail};
use loris_base::{Budget, Exhausted};
use loris_check::{
    Answer, Choice, ENGINES, Logic, Options, Panicked, Prepared, Question, Runs, Shard, UnknownAtoms,
    check_all, refusal, semantics_refusal, unanswered,
};
use loris_evidence::AtExit;
use loris_report::{Context, Detail, Tally, counted, json_report, json_result, text_result, text_summary};
use loris_rsm::{Rsm, Semantics};
use std::io::Write;
use std::path::{Path, PathBuf};
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
    /// What an exit does when the stack is empty [default: loop; for rks engines: sink]
    #[arg(long, value_name = "MODE", value_parser = words(&AT_EXIT), help_heading = "Semantics")]
    at_exit: Option<AtExit>,
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
    let mut problems = Problems::default();
    let asked = Asked {
        formulas: &args.property,
        files: &args.property_file,
        automata: &args.automaton,
        logic,
        unknown_atoms: args.unknown_atoms,
        options: &options,
    };
    let format = args.model_format.unwrap_or_else(|| ModelFormat::of(path));
    let (mut grounds, stopped) = match format {
        ModelFormat::Smv => args.grounds_of_smv(path, &asked, semantics, &mut problems),
        _ => (args.ground(path, &asked, semantics, &mut problems).into_iter().collect(), None),
    };
    let read = start.elapsed();
    progress.aside(|| problems.settle(args.quiet))?;
    let rsm = grounds.first().map(|ground| ground.rsm.clone()).context("the model cannot be read")?;
    if let Some(shard) = args.shard {
        grounds.iter_mut().for_each(|ground| ground.questions.retain(|(place, _)| shard.takes(*place)));
    }
    if args.verbose && stopped.is_none() {
        let facts = [
            counted(rsm.component_count(), "component", "components"),
            counted(rsm.node_count(), "node", "nodes"),
            counted(rsm.box_count(), "box", "boxes"),
            counted(rsm.edge_count(), "edge", "edges"),
        ];
        progress.aside(|| say(&format!("read {}  [{:.3} s]", facts.join(", "), read.as_secs_f64())));
    }

    let with = args.origin.with.as_ref().map(|with| with.display().to_string());
    let path = path.display().to_string();
    let context = Context {
        path: &path,
        format: format.name(),
        with: with.as_deref(),
        rsm: &rsm,
        semantics,
        at_exit: options.at_exit,
        runs: args.runs,
    };
    answer(args, &options, &context, &grounds, stopped, progress, start)
}

/// Questions that are asked of one machine, with their places among all.
struct Ground {
    rsm: Rsm,
    questions: Vec<(usize, Question)>,
}

impl Args {
    /// The machine of a model that has one, and what is asked of it.
    fn ground(
        &self,
        path: &Path,
        asked: &Asked<'_>,
        semantics: Semantics,
        problems: &mut Problems,
    ) -> Option<Ground> {
        let model = model::model(path, self.model_format, &self.origin, semantics, problems);
        let prepared = model.as_ref().map(|model| Prepared::new(&model.rsm));
        let questions = asked.questions(model.as_ref().zip(prepared.as_ref()), problems);
        let questions = questions.into_iter().enumerate().collect();
        Some(Ground { rsm: model?.rsm, questions })
    }

    /// The machines of an SMV model, one for each module that something is asked of; why they are not made, if so.
    fn grounds_of_smv(
        &self,
        path: &Path,
        asked: &Asked<'_>,
        semantics: Semantics,
        problems: &mut Problems,
    ) -> (Vec<Ground>, Option<Exhausted>) {
        let Some((mut smv, input)) = smv::read(path, problems) else { return (Vec::new(), None) };
        let properties = asked.of_smv(&mut smv, &input, problems);
        let limits = self.origin.limits(semantics);
        let mut budget = Budget::new(asked.options.timeout, asked.options.memory);
        let (grounds, stopped) = match smv::grounds(&smv, properties, &limits, &mut budget) {
            Ok(made) => made,
            Err(found) => {
                problems.add(input, found);
                return (Vec::new(), None);
            }
        };
        let mut made = Vec::new();
        for smv::Ground { rsm, asked: placed } in grounds {
            let prepared = Prepared::new(&rsm);
            let mut questions = Vec::new();
            for smv::Placed { place, asked: one, formula, fairness } in placed {
                let unknown = UnknownAtoms::False;
                let question = Question::fair(&rsm, one.logic, &one.text, &formula, &fairness, unknown);
                let question =
                    question.and_then(|question| match refusal(&prepared, &question, asked.options) {
                        Some(why) => Err(one.problem(why)),
                        None => Ok(question),
                    });
                match question {
                    Ok(mut question) => {
                        question.source = one.source;
                        questions.push((place, question));
                    }
                    Err(found) => problems.add(one.input, found),
                }
            }
            drop(prepared);
            made.push(Ground { rsm, questions });
        }
        (made, stopped)
    }

    fn options(&self, engine: Choice) -> Options {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            engine,
            at_exit: self.at_exit.unwrap_or_else(|| engine.at_exit()),
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
    grounds: &[Ground],
    stopped: Option<Exhausted>,
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
    let count = grounds.iter().map(|ground| ground.questions.len()).sum();
    let mut results: Vec<(usize, &Rsm, &Question, Result<Answer, Panicked>)> = Vec::with_capacity(count);
    let mut ranks: Vec<usize> =
        grounds.iter().flat_map(|ground| &ground.questions).map(|(place, _)| *place).collect();
    ranks.sort_unstable();
    let stream = Mutex::new(Stream::new(args.format == Format::Text));
    progress.steps("checking", count);
    for ground in grounds {
        let context = Context { rsm: &ground.rsm, ..*context };
        let (places, questions): (Vec<usize>, Vec<Question>) = ground.questions.iter().cloned().unzip();
        let on_result = |index: usize, answer: &Answer| {
            let result = (&questions[index], answer);
            let mut text = String::new();
            let rendered = match args.format {
                Format::Text => text_result(&mut text, &context, result, detail, args.evidence),
                Format::Json => Ok(()),
                Format::Jsonl if args.evidence => json_result(&mut text, &context, result),
                Format::Jsonl => json_result(&mut text, &context, (result.0, &without_evidence(answer))),
            };
            rendered.expect("a string takes everything");
            progress.step();
            let rank = ranks.binary_search(&places[index]).expect("every place has a rank");
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            progress.aside(|| stream.put(rank, text));
        };
        let answers = match stopped {
            Some(why) => unanswered(&questions, options, why, on_result),
            None => check_all(&Prepared::new(&ground.rsm), &questions, options, on_result)?,
        };
        let both = ground.questions.iter().zip(answers);
        results.extend(both.map(|((place, question), answer)| (*place, &ground.rsm, question, answer)));
    }
    let mut stream = stream.into_inner().unwrap_or_else(PoisonError::into_inner);
    stream.finish()?;
    drop(progress);
    results.sort_by_key(|(place, ..)| *place);

    let answered = |strip: bool| -> Vec<(&Rsm, &Question, Answer)> {
        let kept = results.iter().filter_map(|(_, rsm, question, answer)| {
            let answer = answer.as_ref().ok()?;
            Some((*rsm, *question, if strip { without_evidence(answer) } else { answer.clone() }))
        });
        kept.collect()
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut text = String::new();
    let report = |text: &mut String, strip: bool| {
        let answered = answered(strip);
        let all: Vec<_> =
            answered.iter().map(|(rsm, question, answer)| (*rsm, (*question, answer))).collect();
        json_report(text, context, &all, seconds)
    };
    if let Some(mut file) = evidence_file {
        report(&mut text, false)?;
        file.write_all(text.as_bytes())?;
        file.finish()?;
        text.clear();
    }
    match args.format {
        Format::Text if !args.quiet => {
            let all: Vec<_> = results
                .iter()
                .filter_map(|(_, _, question, answer)| Some((*question, answer.as_ref().ok()?)))
                .collect();
            text_summary(&mut text, context, &all, seconds)?;
        }
        Format::Json => report(&mut text, !args.evidence)?,
        Format::Text | Format::Jsonl => {}
    }
    let mut out = Output::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;

    let mut panicked = false;
    for (_, _, question, answer) in &results {
        if let Err(panic) = answer {
            panicked = true;
            say(&format!("error: the engine panicked on \"{}\": {}", question.text, panic.0));
        }
    }
    if panicked {
        say("this is a defect of Loris; the other results stand");
        return Ok(ExitCode::from(101));
    }
    Ok(status(results.iter().filter_map(|(.., answer)| Some(answer.as_ref().ok()?.verdict)).collect()))
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
