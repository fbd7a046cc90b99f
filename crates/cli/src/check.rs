//! `loris check`: verdicts.

use crate::answers::{Rendering, answers, compared, finish};
use crate::control::Control;
use crate::errors::eprint_line;
use crate::flags::{AT_EXIT, CHECKSTYLE, Format, GITHUB, LOGICS, RUNS, Word, words};
use crate::guided::GuidedArgs;
use crate::input;
use crate::limits::{Bounds, Limits, Threads};
use crate::origin::OriginArgs;
use crate::output::{NewFile, Output};
use crate::phrasing::{self, WORDS};
use crate::processes::ProcessArgs;
use crate::program::JavaArgs;
use crate::progress::Progress;
use crate::reports::ReportArgs;
use crate::services::Service;
use crate::witness;
use anyhow::{Context as _, bail};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use loris_check::{
    AUTO, Choice, ENGINES, Logic, Model, Options, Runs, Shard, Size, UnknownAtoms, UnknownEngine,
    semantics_refusal,
};
use loris_evidence::AtExit;
use loris_load::{FORMATS as MODELS, Format as ModelFormat, Origin, Reading};
use loris_report::{Detail, counted};
use loris_rsm::Semantics;
use loris_session::{Request, Setting, inquire};
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

/// Checks properties of a model and prints a verdict for each.
///
/// Exit status: 0 every property holds, 1 some property fails, 2 the call or an input is wrong and
/// nothing was checked, 3 nothing fails but something stays unknown. Ctrl-C ends the work with the
/// results so far, and all others are unknown; a second Ctrl-C ends it at once, with status 130.
#[derive(clap::Args)]
#[command(
    override_usage = "loris check [OPTIONS] <MODEL>\n       loris check [OPTIONS] <COMPONENT> <COMPONENT>...\n       loris check --engine help",
    after_long_help = "Examples:\n  \
        loris check model.rsm -p 'A G (request -> A F reply)'\n  \
        loris check model.rsm -f properties.ctl --evidence\n  \
        loris check model.rsm -f properties.ctl --format json --timeout 60\n  \
        loris check model.pds --logic ltl -p 'G (request -> F reply)'\n  \
        loris check model.pds --logic 'ctl*' -p 'A (G F request -> E F G idle)'\n  \
        loris check model.rsm --with lock.aut -p 'A G !error'\n  \
        loris check circuit.aig -f properties.ctl --expect\n  \
        loris check circuit.aig -f properties.ctl --vcd runs.vcd\n  \
        loris check model.smv --report report.html --sarif report.sarif\n  \
        loris check sender.aut channel.aut --logic mu -p '[true*]<true*.receive>tt'\n  \
        loris check system.par -p 'A G E F <grant>tt' --engine compositional\n  \
        loris check model.smv\n  \
        loris check model.smv -p 'AG (state = ready -> AF x > 3)' --max-states 1000000"
)]
#[expect(clippy::struct_excessive_bools, reason = "a flag each")]
pub(crate) struct Args {
    /// The model: a recursive state machine, a pushdown system, an SMV file, a circuit, a Java
    /// program of one or several files, or processes that run in parallel, as one file that lists
    /// them or as several files; `-` is standard input
    #[arg(required_unless_present = "engine", value_name = "MODEL")]
    model: Vec<PathBuf>,
    /// The format of the model [default: by its extension or its content]
    #[arg(long, visible_alias = "from", value_name = "FORMAT", value_parser = words(&MODELS))]
    model_format: Option<ModelFormat>,
    /// A property to check, as in 'A G (p -> E F q)', of SMV as in 'AG (x = 1 -> EF y > 2)';
    /// repeatable
    #[arg(short, long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    property: Vec<String>,
    /// A file of properties, one per line, with `#` comments; repeatable
    #[arg(short = 'f', long, value_name = "FILE", help_heading = "Properties")]
    property_file: Vec<PathBuf>,
    /// A Büchi automaton in the HOA format, which holds if it accepts some run; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    automaton: Vec<PathBuf>,
    /// The logic of the properties [default: ctl, or that of the model's own properties]
    #[arg(long, value_parser = words(&LOGICS), help_heading = "Properties")]
    logic: Option<Logic>,
    /// The meaning of atoms that no node carries [default: error; for the property of a .pdmu file,
    /// false]; names in properties of an SMV model are known or wrong
    #[arg(
        long,
        value_name = "READING",
        value_parser = words(&UNKNOWN_ATOMS),
        help_heading = "Properties"
    )]
    unknown_atoms: Option<UnknownAtoms>,
    /// Compares verdicts with what the property files of a circuit expect (`#PASS: (0)`,
    /// `#FAIL: (1-3)`); the exit status is 0 if all agree, 1 if one differs, 3 if one stays unknown
    #[arg(long, help_heading = "Properties")]
    expect: bool,
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
    origin: OriginArgs,
    #[command(flatten)]
    java: JavaArgs,
    /// The engine; `--engine help` lists them, with the models and logics that each takes
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        value_parser = EngineParser,
        hide_possible_values = true,
        help_heading = "Work"
    )]
    engine: Engine,
    #[command(flatten)]
    processes: ProcessArgs,
    #[command(flatten)]
    guided: GuidedArgs,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    threads: Threads,
    /// The seed of engines that choose at random
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Work")]
    seed: u64,
    /// Adds evidence, a run that shows the verdict, wherever there is some
    #[arg(long, help_heading = "Output")]
    evidence: bool,
    /// Writes the results with their evidence into a file, as JSON for `loris replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    evidence_file: Option<PathBuf>,
    /// Writes what was found about the properties that a circuit carries into a file, in AIGER's
    /// format of witnesses; each run is simulated first
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    witness: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
    /// Adds the tables of the engine rks-eager, formula by formula
    #[arg(long, help_heading = "Output")]
    explain: bool,
    /// How results are written
    #[arg(long, default_value = "text", value_parser = words(&FORMATS), help_heading = "Output")]
    format: Format,
    /// Prints verdicts and errors only
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,
    /// Prints more about the model and the work, and evidence at any length
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
}

const FORMATS: [Word<Format>; 6] = [
    ("text", Format::Text, "One line per property, for people"),
    ("json", Format::Json, "One document, when all is decided"),
    ("jsonl", Format::Jsonl, "One line per result, in the order they are decided"),
    ("junit", Format::Service(Service::Junit), "The XML of JUnit, a test for each property"),
    CHECKSTYLE,
    GITHUB,
];
const UNKNOWN_ATOMS: [Word<UnknownAtoms>; 2] = [
    ("error", UnknownAtoms::Error, "The property is refused, and the nearest label suggested"),
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
        if text == "help" {
            return Ok(Engine::Help);
        }
        text.parse().map(Engine::Choice).map_err(|unknown: UnknownEngine| match unknown.near {
            Some(_) => unknown.to_string(),
            None => format!("{unknown}; `--engine help` lists them"),
        })
    }
}

/// Reads the name of an engine. Shells complete what it lists; help does not repeat
/// `--engine help`.
#[derive(Clone)]
struct EngineParser;

impl TypedValueParser for EngineParser {
    type Value = Engine;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Engine, clap::Error> {
        StringValueParser::new().try_map(|name| name.parse::<Engine>()).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let engines = ENGINES.iter().map(|row| PossibleValue::new(row.name).help(about(row)));
        let auto = PossibleValue::new("auto").help("The one that fits the property and the model best");
        let help = PossibleValue::new("help").help("Lists the engines");
        Some(Box::new([auto].into_iter().chain(engines).chain([help])))
    }
}

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let engine = match args.engine {
        Engine::Help => return list_engines(),
        Engine::Choice(engine) => engine,
    };
    let bounds = args.limits.bounds(control, args.threads.count(control));
    let options = Options { omg: args.guided.options(engine)?, ..args.options(engine, &bounds) };
    let mut options = args.processes.apply(options);
    let logic = args.logic;
    let formulas = !args.property.is_empty() || !args.property_file.is_empty();
    if let (true, Some(why)) = (formulas, semantics_refusal(logic.unwrap_or(Logic::Ctl), &options)) {
        bail!("{}", phrasing::refusal(&why));
    }
    if args.explain && !engine.has_tables() {
        bail!("--explain prints the tables of the engine rks-eager; select it with --engine rks-eager");
    }
    let [path, ..] = &args.model[..] else { bail!("no model is given; usage: loris check MODEL [OPTIONS]") };
    let inputs = || {
        let properties = args.property_file.iter().chain(&args.automaton);
        properties.chain(&args.origin.with).chain(&args.model)
    };
    input::only_one_from_stdin(inputs())?;
    if let Some(file) = &args.evidence_file {
        input::spare(file, inputs())?;
    }
    args.reports.spare(inputs, args.evidence_file.as_ref())?;

    let start = Instant::now();
    let progress = Progress::start(!args.quiet, "reading", &args.origin.explored);
    let origin = Origin { java: args.java.options(), ..args.origin.origin(Semantics::default()) };
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let request = Request {
        formulas: &args.property,
        files: &args.property_file,
        automata: &args.automaton,
        logic,
        unknown_atoms: args.unknown_atoms,
        shard: args.shard,
        options: &options,
    };
    let format = reading.format(path, args.model_format);
    let inquiry = format.and_then(|format| inquire(&args.model, format, &origin, &request, &mut reading));
    let read = start.elapsed();
    control.keep();
    progress.aside(|| input::settle(reading, args.quiet))?;
    let (format, inquiry) = format.zip(inquiry).context("the model cannot be read")?;
    args.processes.fit(format.kind(), inputs())?;
    if args.witness.is_some() {
        witness::fit(format.kind(), formulas || !args.automaton.is_empty())?;
    }
    if args.reports.has_waves() && !format.kind().has_variables() {
        bail!("--vcd is for circuits and SMV models: states of other models have no variables");
    }
    let bytes = inquiry.bytes();
    options.shared_memory = bounds.shared.map(|all| all.saturating_sub(bytes));
    if let (true, Some(sizes)) = (args.verbose, inquiry.model.as_ref().map(sizes)) {
        progress.aside(|| eprint_line(&format!("read {sizes}  [{:.3} s]", read.as_secs_f64())));
    }

    let setting = Setting::new(&args.model, format, &origin).asking(&options);
    let setting = setting.exploring(&origin, inquiry.stopped.is_some());
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    let rendering = Rendering { format: args.format, detail, evidence: args.evidence };
    // a file that cannot be written should be known before hours of work, not after
    let evidence_file = args.evidence_file.as_deref();
    let evidence_file = evidence_file.map(|path| NewFile::create(path, control)).transpose()?;
    let reports = args.reports.create(control)?;
    let witness = args.witness.as_deref().map(|path| NewFile::create(path, control)).transpose()?;
    let answers = answers(rendering, &options, &setting, (&inquiry, read), progress)?;
    args.processes.write_game(&inquiry, bounds.budget(), control)?;
    if !reports.is_empty() {
        reports.write(answers.report(start.elapsed().as_secs_f64()), args.quiet)?;
    }
    if let Some(file) = witness {
        witness::write(file, &answers, path, bounds.budget(), args.quiet)?;
    }
    let status = finish(&answers, rendering, evidence_file, start)?;
    Ok(if args.expect { compared(&answers) } else { status })
}

/// How large a model is, in words.
fn sizes(model: &Model) -> String {
    let sizes = model.checkable().sizes().into_iter();
    let worded =
        sizes.filter_map(|Size { count, noun, .. }| noun.map(|(one, many)| counted(count, one, many)));
    worded.collect::<Vec<_>>().join(", ")
}

impl Args {
    fn options(&self, engine: Choice, bounds: &Bounds) -> Options {
        Options {
            engine,
            at_exit: self.at_exit.unwrap_or_else(|| engine.at_exit()),
            runs: self.runs,
            timeout: bounds.time,
            shared_memory: bounds.shared,
            interrupt: bounds.interrupt.clone(),
            jobs: bounds.jobs,
            seed: self.seed,
            evidence: self.evidence
                || self.evidence_file.is_some()
                || self.witness.is_some()
                || self.reports.is_any(),
            explain: self.explain,
            ..Options::default()
        }
    }
}

/// A line on an engine, with the flag that it listens to.
fn about(row: &loris_check::Engine) -> String {
    let seed = row.is_random.then(|| "--seed".to_owned());
    let notes: Vec<String> =
        seed.into_iter().chain(row.needs.map(|needs| format!("needs {needs}"))).collect();
    if notes.is_empty() { row.about.to_owned() } else { format!("{} ({})", row.about, notes.join("; ")) }
}

fn list_engines() -> anyhow::Result<ExitCode> {
    let mut out = Output::text();
    let logics = |logics: &[Logic]| logics.iter().map(|logic| logic.name()).collect::<Vec<_>>().join(", ");
    let auto = AUTO.iter().map(|&(models, of, about)| ("auto", models.words(), logics(of), about.to_owned()));
    let rows = ENGINES.iter().map(|row| (row.name, row.models.words(), logics(row.logics), about(row)));
    let rows: Vec<_> = auto.chain(rows).collect();
    let names = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    let kinds = rows.iter().map(|(_, models, ..)| models.len()).max().unwrap_or(0);
    let width = rows.iter().map(|(.., logics, _)| logics.len()).max().unwrap_or(0);
    for (name, models, logics, about) in rows {
        writeln!(out, "{name:<names$}  {models:<kinds$}  {logics:<width$}  {about}")?;
    }
    writeln!(
        out,
        "\nMachines are recursive state machines, pushdown systems and Java programs. Engines for ctl take \
         formulas\nof ctl* that are formulas of ctl. In mu, an SMV model or a circuit is a process. \
         All engines\nthat decide a property agree on its verdict."
    )?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
