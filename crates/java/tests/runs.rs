//! What a Java virtual machine does is a path of the model: random programs print the lines that
//! they run, and each such word is accepted by the machine of the program.
//!
//! `LORIS_CASES` is the number of programs.
#![allow(clippy::print_stderr, reason = "what is skipped is reported")]

#[path = "runs/source.rs"]
mod source;

use loris_base::{Budget, Rng};
use loris_java::calls::{CallGraph, CallOptions, Calls, Entries, methods_named};
use loris_java::extract::{Choice, ExtractOptions, Granularity, Pattern, extract};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};
use loris_rsm::{BoxId, Rsm, Vertex, VertexKind};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Seeds of runs for each program.
const RUNS: u64 = 12;

/// Needs: javac, java
#[test]
fn runs_of_the_virtual_machine_are_paths() {
    let is_there = |program: &str| Command::new(program).arg("-version").output().is_ok();
    if !is_there("javac") || !is_there("java") {
        eprintln!("SKIPPED: there is no javac or no java here");
        return;
    }
    let count = loris_testing::cases(24);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("runs-{}", std::process::id()));
    let (model, run) = (folder.join("model"), folder.join("run"));
    let names: Vec<String> = (0..count).map(|number| format!("P{number}")).collect();
    let mut sources = vec![("model/T.java".to_owned(), source::STUB.to_owned())];
    let mut rng = Rng::new(7);
    for (number, name) in names.iter().enumerate() {
        let text = source::program(name, rng.fork(), is_implicit(number));
        sources.push((format!("model/{name}.java"), text));
    }
    write(&folder, &sources);
    write(
        &folder,
        &[("run/T.java".into(), source::RUNNER.into()), ("run/Driver.java".into(), source::DRIVER.into())],
    );
    compile(&model, None);
    compile(&run, Some(&model));
    let traces = runs(&folder, &names);
    assert_eq!(traces.len(), names.len() * RUNS as usize);
    let (mut lines, mut changed, mut refused) = (0, 0, 0);
    for (number, name) in names.iter().enumerate() {
        let program = load(&model, name);
        let traces = &traces[number * RUNS as usize..][..RUNS as usize];
        for options in options(is_implicit(number)) {
            let words = Words::new(machine(&program, name, options));
            for (seed, (is_stopped, trace)) in traces.iter().enumerate() {
                lines += trace.len();
                let (accepted, ends) = words.accepts(trace);
                let source = folder.join(format!("model/{name}.java"));
                assert!(
                    accepted == trace.len() && (ends || *is_stopped),
                    "{}, seed {seed}, {options:?}: the model does not go on after {:?}, to {:?}",
                    source.display(),
                    &trace[..accepted],
                    trace.get(accepted)
                );
                if trace.len() > 3 {
                    // the model is not one that has all runs: mostly, no line can be left out
                    let mut wrong = trace.clone();
                    wrong.remove(trace.len() / 2);
                    changed += 1;
                    refused += usize::from(words.accepts(&wrong).0 < wrong.len());
                }
            }
        }
    }
    assert!(2 * refused > changed, "of {changed} words that no run has, {refused} are refused");
    assert!(lines > 100 * count, "programs do next to nothing: {lines} lines");
    std::fs::remove_dir_all(&folder).expect("a folder of this test");
}

fn is_implicit(number: usize) -> bool {
    number.is_multiple_of(2)
}

/// The sources of a folder.
fn write(folder: &Path, sources: &[(String, String)]) {
    for (name, text) in sources {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a source");
    }
}

/// Compiles the sources of a folder. The classes of another come along.
fn compile(folder: &Path, with: Option<&PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("sources");
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.expect("a source").path()).collect();
    sources.sort();
    let mut command = Command::new("javac");
    command.args(["-g", "-nowarn", "-d"]).arg(folder);
    if let Some(with) = with {
        command.arg("-cp").arg(with);
    }
    let output = command.args(sources).output().expect("javac runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs all programs: whether each run was stopped, and the lines that it printed.
fn runs(folder: &Path, names: &[String]) -> Vec<(bool, Vec<u32>)> {
    // the programs beside the class that really prints
    let (model, run) = (folder.join("model/r"), folder.join("run/r"));
    for entry in std::fs::read_dir(&model).expect("classes") {
        let path = entry.expect("a class").path();
        let name = path.file_name().expect("a name");
        if name != "T.class" {
            std::fs::copy(&path, run.join(name)).expect("a copy");
        }
    }
    let run = folder.join("run");
    let mut command = Command::new("java");
    command
        .args(["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp"])
        .arg(&run)
        .arg("Driver")
        .arg(format!("{}/", run.display()));
    for name in names {
        for seed in 0..RUNS {
            command.arg(name).arg((seed * 7919 + 1).to_string());
        }
    }
    let output = command.output().expect("java runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("numbers");
    let run = |line: &str| {
        let mut words = line.split_whitespace();
        let is_stopped = words.next() == Some("true");
        (is_stopped, words.map(|word| word.parse().expect("a line")).collect())
    };
    text.lines().map(run).collect()
}

/// A program as the model knows it.
fn load(folder: &Path, name: &str) -> Program {
    let mut inputs = Vec::new();
    for entry in std::fs::read_dir(folder.join("r")).expect("classes") {
        let path = entry.expect("a class").path();
        let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if file == name || file.starts_with(&format!("{name}$")) || file == "T" {
            let bytes = std::fs::read(&path).expect("a class file").into();
            inputs.push(ClassInput { path: file, origin: ClassOrigin::Application, bytes });
        }
    }
    inputs.sort_by(|one, other| one.path.cmp(&other.path));
    let loaded = Program::load(inputs, &LoadOptions::default());
    assert_eq!(loaded.problems, []);
    loaded.program
}

/// Ways to make a machine that must all have every run.
fn options(implicit: bool) -> Vec<(Calls, Granularity, bool)> {
    let mut options = vec![
        (Calls::Created, Granularity::Block, true),
        (Calls::Created, Granularity::Instruction, true),
        (Calls::Hierarchy, Granularity::Block, true),
    ];
    if !implicit {
        options.push((Calls::Created, Granularity::Block, false));
    }
    options
}

fn machine(program: &Program, name: &str, options: (Calls, Granularity, bool)) -> Rsm {
    let (calls, granularity, runtime) = options;
    let budget = &mut Budget::unlimited();
    let main = methods_named(program, &format!("r.{name}.main")).expect("a method");
    let graph = CallGraph::new(program, &CallOptions { calls, entries: Entries::Methods(main) }, budget);
    let graph = graph.expect("no limit");
    let throws = Throws::new(program, &graph, &ThrowOptions { runtime }, budget).expect("no limit");
    let labels = Choice::Matching(vec![Pattern::new("call r.T.at")]);
    extract(program, &graph, &throws, &ExtractOptions { granularity, labels }, budget).expect("no limit")
}

/// The words of a machine: the lines of its calls of `T.at`, in the order of a run.
struct Words {
    rsm: Rsm,
    /// The line that a node prints.
    printed: HashMap<Vertex, u32>,
}

/// Calls that were entered after the same part of a word by the same entry share their future, and
/// so their place here: all the boxes that entered them, each with the call around it (a
/// graph-structured stack, as parsers of ambiguous languages have).
#[derive(Default)]
struct Frames {
    around: Vec<HashSet<(usize, BoxId)>>,
    /// The exits by which each was left without printing.
    left: Vec<HashSet<usize>>,
}

impl Frames {
    fn add(&mut self) -> usize {
        self.around.push(HashSet::new());
        self.left.push(HashSet::new());
        self.around.len() - 1
    }
}

impl Words {
    fn new(rsm: Rsm) -> Self {
        let label = rsm.label("call r.T.at").expect("programs print");
        let printed = rsm.labelled(label).map(|node| (node, rsm.place(node).expect("a line").line)).collect();
        Self { rsm, printed }
    }

    /// How many lines of a word some run prints, one after the other, and whether it can then end.
    fn accepts(&self, word: &[u32]) -> (usize, bool) {
        let mut calls = Frames::default();
        let first = calls.add();
        let start = self.rsm.initial().iter().map(|&node| (first, node)).collect();
        let (mut now, mut ends) = self.silent(start, &mut calls);
        for (read, &line) in word.iter().enumerate() {
            now.retain(|(_, node)| self.printed.get(node) == Some(&line));
            if now.is_empty() {
                return (read, false);
            }
            let next = now.iter();
            let next = next.flat_map(|&(call, node)| self.rsm.successors(node).map(move |next| (call, next)));
            (now, ends) = self.silent(next.collect(), &mut calls);
        }
        (word.len(), ends)
    }

    /// The nodes that print to which runs lead without printing, and whether one can end.
    fn silent(&self, mut work: Vec<(usize, Vertex)>, calls: &mut Frames) -> (Vec<(usize, Vertex)>, bool) {
        let rsm = &self.rsm;
        let (mut found, mut met, mut ends) = (Vec::new(), HashSet::new(), false);
        let mut entered: HashMap<Vertex, usize> = HashMap::new();
        while let Some((call, vertex)) = work.pop() {
            if !met.insert((call, vertex)) {
                continue;
            }
            match rsm.kind(vertex) {
                VertexKind::Call(site) => {
                    let entry = rsm.node_of(vertex);
                    let inner = *entered.entry(entry).or_insert_with(|| calls.add());
                    if calls.around[inner].insert((call, site)) {
                        let ports = calls.left[inner].iter().filter_map(|&exit| rsm.return_port(site, exit));
                        work.extend(ports.map(|port| (call, port)));
                    }
                    work.push((inner, entry));
                }
                VertexKind::Node if self.printed.contains_key(&vertex) => found.push((call, vertex)),
                VertexKind::Node if rsm.is_exit(vertex) => {
                    let exit = rsm.exit_index(vertex).expect("an exit");
                    calls.left[call].insert(exit);
                    ends |= call == 0;
                    let around = calls.around[call].iter();
                    work.extend(
                        around.filter_map(|&(call, site)| Some((call, rsm.return_port(site, exit)?))),
                    );
                }
                _ => {
                    ends |= call == 0 && rsm.vertex_name(vertex) == "end";
                    work.extend(rsm.successors(vertex).map(|next| (call, next)));
                }
            }
        }
        (found, ends)
    }
}
