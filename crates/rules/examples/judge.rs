//! Judges class files and jars and prints findings as JSON lines; for trying rules out.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, missing_docs)]
use loris_base::Budget;
use loris_java::archive::{Given, class_files};
use loris_java::{LoadOptions, Origin, Program};
use loris_rules::{Context, Options, run, shipped_rules};

fn main() {
    let start = std::time::Instant::now();
    let mut given = Vec::new();
    let (mut work, mut only): (Vec<std::path::PathBuf>, Option<String>) = (Vec::new(), None);
    for word in std::env::args().skip(1) {
        match word.strip_prefix("--rules=") {
            Some(rules) => only = Some(rules.to_owned()),
            None => work.push(word.into()),
        }
    }
    while let Some(path) = work.pop() {
        if path.is_dir() {
            let mut entries: Vec<_> = std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()).collect();
            entries.sort();
            work.extend(entries);
        } else if path.extension().is_some_and(|e| e == "class" || e == "jar") {
            let bytes = std::fs::read(&path).unwrap();
            given.push(Given { path: path.display().to_string(), origin: Origin::Application, bytes });
        }
    }
    let mut budget = Budget::unlimited();
    let files = class_files(given, &mut budget).unwrap();
    let loaded = Program::load(files.inputs, &LoadOptions::default());
    let loaded_at = start.elapsed();
    let mut rules = shipped_rules();
    if only.is_none() {
        rules.retain(|rule| rule.on_by_default);
    }
    if let Some(only) = only {
        rules.retain(|rule| only.split(',').any(|id| id == rule.id));
    }
    let options = Options::default();
    let outcome = run(&Context::new(&loaded.program, &options), &rules, &mut budget);
    println!("{{\"findings\": [");
    for (n, f) in outcome.findings.iter().enumerate() {
        let quote = |s: &str| format!("{s:?}");
        let steps: Vec<String> = f
            .steps
            .iter()
            .map(|s| format!("[{},{},{}]", s.depth, s.line.unwrap_or(0), quote(&s.text)))
            .collect();
        println!(
            "{}{{\"rule\":{},\"class\":{},\"method\":{},\"descriptor\":{},\"line\":{},\"field\":{},\"message\":{},\"steps\":[{}]}}",
            if n > 0 { "," } else { "" },
            quote(&f.rule),
            quote(&f.class),
            quote(&f.method),
            quote(&f.descriptor),
            f.line.unwrap_or(0),
            f.field.as_ref().map_or("null".into(), |x| quote(x)),
            quote(&f.message),
            steps.join(",")
        );
    }
    println!("]}}");
    eprintln!(
        "{} classes {} methods {} findings, load {loaded_at:?} all {:?} undecided {:?}",
        loaded.program.classes().len(),
        loaded.program.method_count(),
        outcome.findings.len(),
        start.elapsed(),
        outcome.undecided
    );
}
