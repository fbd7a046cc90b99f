//! `loris java`: rules over Java programs.

use crate::changed::ChangedArgs;
use crate::control::Control;
use crate::errors::Stopped;
use crate::flags::{CHECKSTYLE, Format, GITHUB, JUNIT, Word, words};
use crate::input;
use crate::limits::{Limits, Threads};
use crate::output::{NewFile, Output};
use crate::phrasing::WORDS;
use crate::progress::Progress;
use crate::reports::PageArgs;
use anyhow::Context as _;
use loris_base::{Budget, Explored};
use loris_load::Reading;
use loris_report::{Count, Detail, draw_traces, json_finding, json_findings, text_finding, text_findings};
use loris_rules::{
    Asked, CacheOptions, Changed, JavaRequest, JudgeOptions, Judged, Phase, Refused, Rule, RuleBody,
    configuration_of,
};
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
        loris java app.jar --suppress spotbugs-exclude.xml --format checkstyle\n  \
        loris java build/classes --changed-since origin/main --sources src/main/java\n  \
        loris java build/classes --cache .loris-cache\n  \
        loris java app.jar -p 'A G !\"call java.lang.System.exit\"'\n  \
        loris java app.jar --sources src --report report.html --sarif report.sarif\n  \
        loris java --list-rules")]
#[expect(clippy::struct_excessive_bools, reason = "a flag each")]
pub(crate) struct Args {
    /// The program: jars, class files, and folders with these
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
    /// Reports also what only may be a defect: findings of any confidence, and objects that escape
    /// to unknown code
    #[arg(long, help_heading = "Rules")]
    strict: bool,
    /// Counts exceptions that any instruction may throw: null pointers, indices, casts, divisions
    #[arg(long, help_heading = "Rules")]
    runtime_exceptions: bool,
    /// A method where runs start, as `com.acme.Main.main`: only what it reaches is judged;
    /// repeatable [default: rules judge all methods, and properties every `main`, or all public
    /// methods]
    #[arg(long, value_name = "METHOD")]
    entry: Vec<String>,
    /// Lets runs start in every method, for properties
    #[arg(long, help_heading = "Rules")]
    all: bool,
    /// A folder or an archive with sources, for lines in the output and for annotations that
    /// suppress findings; repeatable
    #[arg(long, value_name = "PATH")]
    sources: Vec<PathBuf>,
    /// A filter file as `SpotBugs` has it, in XML: findings that one of its `Match` fits do not
    /// count; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    suppress: Vec<PathBuf>,
    /// Findings of this file are known, and do not count
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    baseline: Option<PathBuf>,
    /// Writes the findings into a file for --baseline
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    write_baseline: Option<PathBuf>,
    #[command(flatten)]
    changed: ChangedArgs,
    /// Keeps results in this folder, so that the next run costs what changed since; the findings
    /// are those of a run without it
    #[arg(long, value_name = "FOLDER", help_heading = "Findings")]
    cache: Option<PathBuf>,
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
    fn request(&self) -> anyhow::Result<JavaRequest> {
        Ok(JavaRequest {
            program: self.program.clone(),
            library: self.library.clone(),
            sources: self.sources.clone(),
            rules: self.rules.clone(),
            rules_files: self.rules_file.clone(),
            properties: self.property.clone(),
            logic: Some(self.logic.clone()),
            all_rules: self.list_rules,
            configuration: configuration(),
            suppress: self.suppress.clone(),
            baseline: self.baseline.clone(),
            changed: self.changed.paths()?.map(Changed::new),
            cache: self.cache.clone().map(CacheOptions::of_this_program).transpose()?,
            options: JudgeOptions {
                strict: self.strict,
                runtime_exceptions: self.runtime_exceptions,
                all: self.all,
                entries: self.entry.clone(),
                models: Vec::new(),
            },
        })
    }

    /// Refuses to write a report over an input, or over the new baseline.
    fn spare_inputs(&self) -> anyhow::Result<()> {
        let inputs = || {
            self.program
                .iter()
                .chain(&self.library)
                .chain(&self.sources)
                .chain(&self.suppress)
                .chain(&self.baseline)
        };
        self.pages.spare(inputs, self.write_baseline.as_ref().map(|path| ("--write-baseline", path)))
    }
}

/// The configuration file of the working directory; if it is there, its name is enough.
fn configuration() -> Option<PathBuf> {
    let folder = std::env::current_dir().ok()?;
    let found = configuration_of(&folder)?;
    Some(if found.parent() == Some(&folder) { found.file_name()?.into() } else { found })
}

/// Shows what reading found on standard error, and returns the result if it is one.
fn settled<T>(result: Result<T, Refused>, reading: Reading, quiet: bool) -> anyhow::Result<T> {
    input::settle(reading, quiet)?;
    result.map_err(|why| match why {
        Refused::Stopped(why) => Stopped { input: None, why }.into(),
        Refused::Problems | Refused::Wrong(_) => why.into(),
    })
}

const FORMATS: [Word<Format>; 6] = [
    ("text", Format::Text, "For people"),
    ("json", Format::Json, "One document"),
    ("jsonl", Format::Jsonl, "One line per finding"),
    JUNIT,
    CHECKSTYLE,
    GITHUB,
];

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let jobs = args.threads.count(control);
    let bounds = args.limits.bounds(control, jobs);
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let asked = Asked::read(args.request()?, &mut reading);
    let asked = settled(asked, reading, args.quiet)?;
    if args.list_rules {
        return list(&asked.rules);
    }
    args.spare_inputs()?;
    let start = Instant::now();
    let progress = Progress::start(!args.quiet, "reading", &Arc::new(Explored::default()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.context("no threads can be started")?;
    // a file that cannot be written should be known before the work
    let new_baseline = args.write_baseline.as_deref();
    let new_baseline = new_baseline.map(|path| NewFile::create(path, control)).transpose()?;
    let pages = args.pages.create(control)?;
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let opened = pool.install(|| asked.open(&mut reading));
    let opened = progress.aside(|| settled(opened, reading, args.quiet))?;
    control.keep();
    progress.steps("methods", 0);
    let told = |Phase { what, done, total }| progress.done(what, done, total);
    let rules_progress = loris_rules::Progress::new(&told);
    let mut reading = Reading::new(Budget::unlimited(), WORDS);
    let judged = pool.install(|| opened.judge(Some(&rules_progress), &mut reading));
    let mut judged = progress.aside(|| settled(judged, reading, args.quiet))?;
    if let Some(file) = new_baseline {
        file.put(judged.baseline().write().as_bytes())?;
    }
    drop(progress);
    judged.report.seconds = start.elapsed().as_secs_f64();
    if matches!(args.format, Format::Service(_)) {
        // services show findings in files, which they know by their paths
        judged.locate();
    }
    let text = written(args, &mut judged)?;
    let status = match (Count::of(&judged.report.findings).total(), judged.report.undecided.len()) {
        (0, 0) => 0,
        (0, _) => Stopped::STATUS,
        _ => 1,
    };
    if !pages.is_empty() {
        judged.locate();
        draw_traces(&mut judged.report);
        pages.write(judged.report, args.quiet)?;
    }
    let out = if args.format == Format::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    // the system takes the memory back faster than it is given back piece by piece
    std::mem::forget(judged.program);
    Ok(ExitCode::from(status))
}

/// The findings in the format that was asked for.
fn written(args: &Args, Judged { report, sources, .. }: &mut Judged) -> anyhow::Result<String> {
    let mut text = String::new();
    match args.format {
        Format::Json => json_findings(&mut text, report)?,
        Format::Jsonl => {
            for finding in &report.findings {
                json_finding(&mut text, finding)?;
                text.push('\n');
            }
        }
        Format::Service(service) => text = service.render(report),
        Format::Text => {
            let detail = match (args.quiet, args.verbose) {
                (true, _) => Detail::Quiet,
                (_, true) => Detail::Verbose,
                _ => Detail::Normal,
            };
            for finding in &report.findings {
                if finding.suppressed.is_none() || detail == Detail::Verbose {
                    text_finding(&mut text, finding, |file, line| sources.line(file, line), detail)?;
                }
            }
            if detail != Detail::Quiet {
                text_findings(&mut text, report)?;
                if report.below_bar > 0 {
                    writeln!(text, "{} more with --strict", report.below_bar)?;
                }
            }
        }
    }
    Ok(text)
}

fn list(rules: &[Rule]) -> anyhow::Result<ExitCode> {
    let mut text = String::new();
    let width = rules.iter().map(|rule| rule.info.id.len()).max().unwrap_or(0);
    for rule in rules {
        let off = if rule.on_by_default { "" } else { " (off by default)" };
        let kind = match &rule.body {
            RuleBody::Check(_) => "check",
            RuleBody::Question(_) => "property",
            RuleBody::Object(_) => "objects",
        };
        let loris_findings::RuleInfo { id, level, summary, .. } = &rule.info;
        writeln!(text, "{id:<width$}  {:<7}  {kind:<8}  {summary}{off}", level.word())?;
    }
    Output::text().put(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
