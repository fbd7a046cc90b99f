//! Java programs as models: the speed of extraction, and all use-def properties of a program
//! against it. The programs are archives in the folder that the variable `LORIS_JARS` names; none
//! is in the repository.

use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{least, median};
use anyhow::Context;
use loris_base::Budget;
use loris_java::archive::{Given, class_files};
use loris_java::calls::{CallGraph, CallOptions, Entries, methods_named};
use loris_java::extract::{Choice, ExtractOptions, extract};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{ClassOrigin, LoadOptions, Program};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Millions of bytes of class files a second, on one core.
const SPEED: f64 = 50.0;
/// Seconds for `java.base`.
const PLATFORM: f64 = 2.0;
/// The time for all use-def properties, in times of extraction.
const TIMES: f64 = 10.0;
/// The program whose use-def properties are checked, and where it starts.
const USEDEF: (&str, &str) = ("fop.jar", "org.apache.fop.cli.Main.main");

/// The seconds of each phase, and sizes.
#[derive(Default)]
struct Extracted {
    /// Inflating and reading, calls, exceptions, the machine.
    phases: [f64; 4],
    bytes: usize,
    methods: usize,
    nodes: usize,
}

impl Extracted {
    fn seconds(&self) -> f64 {
        self.phases.iter().sum()
    }

    /// Millions of bytes a second.
    fn speed(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.seconds()
    }
}

/// Makes the machine of a program with all labels but lines, on one thread.
fn extracted(path: &Path, entry: Option<&str>) -> anyhow::Result<Extracted> {
    let bytes = std::fs::read(path)?;
    let budget = &mut Budget::unlimited();
    let mut found = Extracted::default();
    let mut start = Instant::now();
    let mut lap = || std::mem::replace(&mut start, Instant::now()).elapsed().as_secs_f64();
    let given = Given { path: path.display().to_string(), origin: ClassOrigin::Application, bytes };
    let files = class_files(vec![given], budget)?;
    found.bytes = files.inputs.iter().map(|input| input.bytes.len()).sum();
    let program = Program::load(files.inputs, &LoadOptions::default()).program;
    found.phases[0] = lap();
    let entries = match entry {
        Some(name) => Entries::Methods(methods_named(&program, name)?),
        None => Entries::All,
    };
    let graph = CallGraph::new(&program, &CallOptions { entries, ..CallOptions::default() }, budget)?;
    found.phases[1] = lap();
    let throws = Throws::new(&program, &graph, &ThrowOptions::default(), budget)?;
    found.phases[2] = lap();
    let options = ExtractOptions { labels: Choice::Most, ..ExtractOptions::default() };
    let rsm = extract(&program, &graph, &throws, &options, budget)?;
    found.phases[3] = lap();
    found.nodes = rsm.node_count();
    let own = program.classes().filter(|&class| program.origin(class) == ClassOrigin::Application);
    found.methods = own.map(|class| program.class(class).methods.len()).sum();
    Ok(found)
}

/// The programs of the folder, unless there is none.
fn programs() -> anyhow::Result<Option<Vec<PathBuf>>> {
    let Some(folder) = std::env::var_os("LORIS_JARS") else {
        println!("   SKIPPED: LORIS_JARS names no folder with Java programs");
        return Ok(None);
    };
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut programs: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    programs.retain(|path| path.is_file());
    programs.sort();
    Ok(Some(programs))
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let Some(programs) = programs()? else { return Ok(None) };
    let (mut rows, mut data, mut speeds, mut platform) = (Vec::new(), Vec::new(), Vec::new(), None);
    for path in &programs {
        let name = path.file_name().unwrap_or_default().display().to_string();
        let mut runs = Vec::new();
        for run in 0..lab.unless_quick(5, 1) {
            let found = extracted(path, None)?;
            let [read, calls, throws, machine] = found.phases;
            data.push(format!("{name},{},{run},{read},{calls},{throws},{machine}", found.methods));
            runs.push(found);
        }
        let seconds: Vec<f64> = runs.iter().map(Extracted::seconds).collect();
        let middle = median(&seconds);
        let phase = |number: usize| {
            milliseconds(median(&runs.iter().map(|run| run.phases[number]).collect::<Vec<_>>()))
        };
        let Some(best) = runs.iter().max_by(|one, other| one.speed().total_cmp(&other.speed())) else {
            continue;
        };
        if best.bytes > 1_000_000 {
            speeds.push(best.speed());
        }
        if name.starts_with("java.base") {
            platform = Some(middle);
        }
        let sizes =
            [best.methods.to_string(), format!("{:.1}", best.bytes as f64 / 1e6), best.nodes.to_string()];
        let times =
            [phase(0), phase(1), phase(2), phase(3), milliseconds(middle), format!("{:.1}", best.speed())];
        rows.push([name].into_iter().chain(sizes).chain(times).collect());
    }
    let mut findings = Findings::default();
    let head = [
        "program",
        "methods",
        "MB",
        "nodes",
        "read, ms",
        "calls",
        "exceptions",
        "machine",
        "all, ms",
        "MB/s, best",
    ];
    findings.table(&head, &rows);
    findings.data("extraction", "program,methods,run,read,calls,exceptions,machine", &data);
    if !speeds.is_empty() {
        let slowest = least(speeds);
        let goal = format!("{SPEED} MB/s or more");
        findings.target("extraction, one thread", &goal, format!("{slowest:.1} at least"), slowest >= SPEED);
    }
    if let Some(seconds) = platform {
        let goal = format!("under {PLATFORM} s");
        findings.target("extraction of java.base", &goal, format!("{seconds:.2} s"), seconds < PLATFORM);
    }
    Ok(Some(findings))
}

/// All use-def properties of a program, from where it starts.
pub(super) fn usedef(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let Some(programs) = programs()? else { return Ok(None) };
    let (name, entry) = USEDEF;
    let Some(path) = programs.iter().find(|path| path.file_name().is_some_and(|file| file == name)) else {
        println!("   SKIPPED: there is no {name} in LORIS_JARS");
        return Ok(None);
    };
    let file = path.display().to_string();
    let (text, _) = lab.output(&["labels", &file, "def *", "use *", "--entry", entry, "--format", "json"])?;
    let listed: Value = serde_json::from_str(&text)?;
    let labels = listed["labels"].as_array().context("a list of labels")?;
    let labels: BTreeSet<&str> = labels.iter().filter_map(|label| label["label"].as_str()).collect();
    // fields, and local variables with their methods
    let values = labels.iter().filter_map(|label| label.strip_prefix("def "));
    let values = values.filter(|name| name.contains('.') && labels.contains(&*format!("use {name}")));
    let mut values: Vec<&str> = values.collect();
    values.truncate(lab.unless_quick(usize::MAX, 640));
    let property =
        |name: &&str| format!("A G (\"def {name}\" -> E X E [ !\"def {name}\" U \"use {name}\" ])\n");
    let properties = lab.file("usedef.ctl");
    std::fs::write(&properties, values.iter().map(property).collect::<String>())?;
    let (mut rows, mut data, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..lab.unless_quick(3, 1) {
        let alone = extracted(path, Some(entry))?;
        let whole = extracted(path, None)?;
        let start = Instant::now();
        let options = ["--entry", entry, "--jobs", "1", "-f", &properties.display().to_string()];
        let checked = lab.check(path, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        let failing = checked.answers.iter().filter(|answer| answer.verdict == "fails").count();
        let ratio = seconds / alone.seconds();
        ratios.push(ratio);
        data.push(format!("{run},{},{seconds},{},{}", values.len(), alone.seconds(), whole.seconds()));
        rows.push(vec![
            values.len().to_string(),
            failing.to_string(),
            format!("{seconds:.2}"),
            milliseconds(alone.seconds()),
            format!("{ratio:.1}"),
            milliseconds(whole.seconds()),
            format!("{:.1}", seconds / whole.seconds()),
        ]);
    }
    let mut findings = Findings::default();
    let head =
        ["properties", "fail", "all, s", "extraction from main, ms", "times", "of all methods, ms", "times"];
    findings.table(&head, &rows);
    findings.data("usedef", "run,properties,seconds,extraction_from_main,extraction_of_all", &data);
    let ratio = median(&ratios);
    let goal = format!("under {TIMES} times the extraction");
    findings.target(
        &format!("all use-def properties of {name}"),
        &goal,
        format!("{ratio:.1} times"),
        ratio < TIMES,
    );
    Ok(Some(findings))
}
