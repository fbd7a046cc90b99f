//! `loris java`: rules over Java programs.

mod asked;
mod given;
mod report;
mod sources;

use crate::control::Control;
use crate::errors::{Stopped, eprint_line};
use crate::flags::{Format, Word, words};
use crate::input;
use crate::limits::{Limits, Threads};
use crate::output::{NewFile, Output};
use crate::progress::Progress;
use crate::reports::PageArgs;
use crate::words::WORDS;
use anyhow::{Context as _, anyhow, bail};
use asked::Configured;
use loris_base::{Explored, visible};
use loris_java::calls::methods_named;
use loris_java::{LoadOptions, Origin, Program};
use loris_load::Reading;
use loris_rules::suppress::{Baseline, by_annotation, by_source};
use loris_rules::write::{Count, Detail, Summary, json_finding, json_report, text_finding, text_summary};
use loris_rules::{Context, Finding, Options, Outcome, Phase, Rule, RuleBody};
use sources::Sources;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Finds defects in Java programs: jars, class files and folders of them.
///
/// Exit status: 0 there is no finding, 1 there are findings, 2 the call or an input is wrong and
/// nothing was decided, 3 there is no finding but something stays undecided.
#[derive(clap::Args)]
#[command(after_long_help = "Examples:\n  \
        loris java app.jar\n  \
        loris java build/classes --library lib/driver.jar --sources src/main/java\n  \
        loris java app.jar --rules dead-store,infinite-loop --format json\n  \
        loris java app.jar --rules-file own.toml\n  \
        loris java app.jar -p 'A G !\"call java.lang.System.exit\"'\n  \
        loris java app.jar --sources src --report report.html --sarif report.sarif\n  \
        loris java --list-rules")]
#[expect(clippy::struct_excessive_bools, reason = "a flag each")]
pub(crate) struct Args {
    /// The program: jars, class files, and folders with class files
    #[arg(required_unless_present = "list_rules", value_name = "PROGRAM")]
    program: Vec<PathBuf>,
    /// A jar or folder whose code is read but not reported on; repeatable
    #[arg(long, value_name = "PATH")]
    library: Vec<PathBuf>,
    /// The rules to decide, by their identifiers with commas between [default: those that are on by
    /// default]
    #[arg(long, value_name = "ID,...", value_delimiter = ',', help_heading = "Rules")]
    rules: Vec<String>,
    /// A file with rules of one's own, in TOML; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    rules_file: Vec<PathBuf>,
    /// A property of the whole program, such as `A G !"call java.io.File.delete"`, in place of the
    /// rules; `loris labels` lists what can be asked about; repeatable
    #[arg(short, long, value_name = "FORMULA", help_heading = "Rules", conflicts_with = "rules")]
    property: Vec<String>,
    /// The logic of these properties
    #[arg(long, value_name = "LOGIC", default_value = "ctl", value_parser = ["ctl", "ltl", "ctl*"],
        help_heading = "Rules")]
    logic: String,
    /// Lists the rules, and decides nothing
    #[arg(long, help_heading = "Rules")]
    list_rules: bool,
    /// Reports also what only may be a defect, such as objects that escape to unknown code
    #[arg(long, help_heading = "Rules")]
    strict: bool,
    /// Counts exceptions that any instruction may throw: null pointers, indices, casts, divisions
    #[arg(long, help_heading = "Rules")]
    runtime_exceptions: bool,
    /// A method where runs start, as `com.acme.Main.main`: only what it reaches is judged; repeatable
    /// [default: rules judge all methods, and properties every `main`, or all public methods]
    #[arg(long, value_name = "METHOD")]
    entry: Vec<String>,
    /// Lets runs start in every method, for properties
    #[arg(long, help_heading = "Rules")]
    all: bool,
    /// A folder or an archive with sources, for lines in the output and for annotations that suppress
    /// findings; repeatable
    #[arg(long, value_name = "PATH")]
    sources: Vec<PathBuf>,
    /// Findings of this file are known, and do not count
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    baseline: Option<PathBuf>,
    /// Writes the findings into a file for --baseline
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    write_baseline: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    pages: PageArgs,
    /// How findings are written
    #[arg(long, default_value = "text", value_parser = words(&FORMATS), help_heading = "Output")]
    format: Format,
    /// Prints one line per finding, and nothing else
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,
    /// Prints every step of a finding, and findings that are suppressed
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
}

impl Args {
    /// How the program is judged.
    fn options(&self, program: &Program, models: Vec<(String, String)>) -> anyhow::Result<Options> {
        for name in &self.entry {
            methods_named(program, name).map_err(|problem| match &problem.nearest {
                Some(nearest) => anyhow!("{problem}; did you mean \"{nearest}\"?"),
                None => anyhow!("{problem}"),
            })?;
        }
        Ok(Options {
            strict: self.strict,
            runtime_exceptions: self.runtime_exceptions,
            all: self.all,
            entries: self.entry.clone(),
            models,
        })
    }
}

const FORMATS: [Word<Format>; 3] = [
    ("text", Format::Text, "For people"),
    ("json", Format::Json, "One document"),
    ("jsonl", Format::Jsonl, "One line per finding"),
];

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let jobs = args.threads.count(control);
    let bounds = args.limits.bounds(control, jobs);
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let configured = Configured::find(&mut reading);
    let rules = asked::rules(args, &configured, &mut reading);
    let models = configured.models(&mut reading);
    let baseline = args.baseline.as_ref().and_then(|path| reading.text(path));
    let baseline = baseline.map(|text| Baseline::read(&text.content));
    input::settle(reading, args.quiet)?;
    let rules = rules?;
    if args.list_rules {
        return list(&rules);
    }
    args.spare_inputs()?;
    let start = Instant::now();
    let progress = Progress::start(!args.quiet, "reading", &Arc::new(Explored::default()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.context("no threads can be started")?;
    let own_sources = configured.config.sources.iter().map(|path| configured.resolve(path));
    let all_sources: Vec<PathBuf> = args.sources.iter().cloned().chain(own_sources).collect();
    let mut sources = Sources::find(&all_sources)?;
    let libraries = configured.config.libraries.iter().map(|path| configured.resolve(path));
    let libraries: Vec<PathBuf> = args.library.iter().cloned().chain(libraries).collect();
    // a file that cannot be written should be known before the work
    let new_baseline = args.write_baseline.as_deref();
    let new_baseline = new_baseline.map(|path| NewFile::create(path, control)).transpose()?;
    let pages = args.pages.create(control)?;
    let mut budget = bounds.budget();
    let mut given = given::read(&args.program, Origin::Application, &mut budget)?;
    given.extend(given::read(&libraries, Origin::Library, &mut budget)?);
    let stopped = |why| Stopped { input: None, why };
    let files = pool.install(|| loris_java::archive::class_files(given, &mut budget)).map_err(stopped)?;
    let loaded = pool.install(|| Program::load(files.inputs, &LoadOptions::default()));
    let problems: Vec<_> = files.problems.into_iter().chain(loaded.problems).collect();
    control.keep();
    let program = loaded.program;
    budget.note(program.bytes()).map_err(stopped)?;
    let options = args.options(&program, models)?;
    let told = |Phase { what, done, total }| progress.done(what, done, total);
    let rules_progress = loris_rules::Progress::new(&told);
    let context = Context::new(&program, &options).with_progress(&rules_progress);
    let own: Vec<_> = context.reported().collect();
    if own.is_empty() {
        for problem in problems.iter().take(10) {
            eprint_line(&format!("{}: error: {}", visible(&problem.path), problem.error));
        }
        bail!("there is no class file in what was given");
    }
    if !args.quiet {
        for problem in &problems {
            let path = visible(&problem.path);
            progress.aside(|| eprint_line(&format!("{path}: warning: not read: {}", problem.error)));
        }
    }
    progress.steps("methods", 0);
    let Outcome { mut findings, escaped, undecided } =
        pool.install(|| loris_rules::run(&context, &rules, &mut budget));
    by_annotation(&context, &rules, &mut findings);
    let files: BTreeSet<String> = findings.iter().filter_map(|finding| finding.file.clone()).collect();
    for file in &files {
        if let Some(text) = sources.text(file) {
            by_source(&mut findings, file, text);
        }
    }
    if let Some(path) = &configured.path {
        configured.config.skip(&mut findings, &path.display().to_string());
    }
    if let (Some(baseline), Some(path)) = (baseline, &args.baseline) {
        baseline.apply(&mut findings, &path.display().to_string());
    }
    if let Some(file) = new_baseline {
        file.put(Baseline::of(&findings).write().as_bytes())?;
    }
    drop(progress);
    let paths: Vec<String> = args.program.iter().map(|path| path.display().to_string()).collect();
    let ids: Vec<String> = rules.iter().map(|rule| rule.id.clone()).collect();
    let summary = Summary {
        paths: &paths,
        classes: own.len(),
        methods: own.iter().map(|&class| program.class(class).methods.len()).sum(),
        library_classes: program.classes().filter(|&class| program.origin(class) == Origin::Library).count(),
        unreadable: problems.len(),
        rules: &ids,
        escaped,
        undecided: &undecided,
        seconds: start.elapsed().as_secs_f64(),
    };
    if !pages.is_empty() {
        let report = report::report(&summary, &rules, &findings, &mut sources, args.baseline.is_some());
        pages.write(report, args.quiet)?;
    }
    write(args, &summary, &findings, &sources)?;
    let status = match (Count::of(&findings).total(), undecided.len()) {
        (0, 0) => 0,
        (0, _) => Stopped::STATUS,
        _ => 1,
    };
    Ok(ExitCode::from(status))
}

impl Args {
    /// Refuses to write a report over an input, or over the new baseline.
    fn spare_inputs(&self) -> anyhow::Result<()> {
        let inputs = || self.program.iter().chain(&self.library).chain(&self.sources).chain(&self.baseline);
        self.pages.spare(inputs, self.write_baseline.as_ref().map(|path| ("--write-baseline", path)))
    }
}

fn write(args: &Args, summary: &Summary<'_>, findings: &[Finding], sources: &Sources) -> anyhow::Result<()> {
    let mut text = String::new();
    match args.format {
        Format::Json => json_report(&mut text, summary, findings)?,
        Format::Jsonl => {
            for finding in findings {
                json_finding(&mut text, finding)?;
                text.push('\n');
            }
        }
        Format::Text => {
            let detail = match (args.quiet, args.verbose) {
                (true, _) => Detail::Quiet,
                (_, true) => Detail::Verbose,
                _ => Detail::Normal,
            };
            for finding in findings {
                if finding.suppressed.is_none() || detail == Detail::Verbose {
                    text_finding(&mut text, finding, |file, line| sources.line(file, line), detail)?;
                }
            }
            if detail != Detail::Quiet {
                text_summary(&mut text, summary, findings)?;
            }
        }
    }
    let out = if args.format == Format::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())
}

fn list(rules: &[Rule]) -> anyhow::Result<ExitCode> {
    let mut text = String::new();
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in rules {
        let off = if rule.on_by_default { "" } else { " (off by default)" };
        let kind = match &rule.body {
            RuleBody::Check(_) => "check",
            RuleBody::Question(_) => "property",
            RuleBody::Object(_) => "objects",
        };
        writeln!(text, "{:<width$}  {:<7}  {:<8}  {}{off}", rule.id, rule.level.name(), kind, rule.name)?;
    }
    Output::text().put(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
