//! Bad inputs, kept as files: `corpus/*.{rsm,pds,pdmu}`, each with the problems it must give in a
//! file of the same name and `expected`, one line per problem. And the real models of the benchmark
//! folder, where that is at hand.
//!
//! `LORIS_BLESS=1 cargo test -p loris-rsm --test corpus` writes what is found instead.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use loris_base::Diagnostics;
use loris_rsm::{DeadEnds, ReadError, Semantics, Stats, read_pdmu, read_pds, read_rsm_json};
use loris_testing::{benchmarks, golden};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn files(folder: &Path, wanted: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == wanted));
    files.sort();
    files
}

/// What is wrong with a text of a format.
fn problems_in(text: &[u8], format: &str) -> Result<(), Diagnostics> {
    let string = || std::str::from_utf8(text).unwrap();
    match format {
        "pds" => read_pds(string()).map(drop),
        "pdmu" => read_pdmu(string()).map(drop),
        _ => match read_rsm_json(text, &Semantics::default()) {
            Ok(_) => Ok(()),
            Err(ReadError::Exhausted(why)) => panic!("{why}"),
            Err(ReadError::Io(error)) => panic!("{error}"),
            Err(ReadError::Invalid(problems)) => Err(problems),
        },
    }
}

/// What is wrong with a text, as `line:column: message`.
fn problems(text: &[u8], format: &str) -> String {
    let mut lines = String::new();
    match problems_in(text, format) {
        Ok(()) => lines.push_str("valid\n"),
        Err(problems) => {
            for problem in problems.sorted() {
                let before = &text[..problem.offset.unwrap_or(0) as usize];
                let line = before.split(|&byte| byte == b'\n').count();
                let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
                writeln!(lines, "{line}:{column}: {}", problem.message).unwrap();
                if let Some(help) = problem.advice(|remedy| remedy.to_string()) {
                    writeln!(lines, "  help: {help}").unwrap();
                }
            }
        }
    }
    lines
}

#[test]
fn bad_inputs_give_the_problems_noted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for format in ["rsm", "pds", "pdmu"] {
        let files = files(&folder, format);
        assert!(!files.is_empty());
        for file in files {
            check(&file, format);
        }
    }
}

fn check(file: &Path, format: &str) {
    let found = problems(&std::fs::read(file).unwrap(), format);
    let noted = file.with_extension(if format == "rsm" {
        "expected".to_owned()
    } else {
        format!("{format}.expected")
    });
    golden([(noted, found)]);
}

/// Needs: ../shared/benchmarks/rsm-small
#[test]
fn real_models_are_read() {
    let Some(folder) = benchmarks("rsm-small") else { return };
    let semantics = Semantics { dead_ends: DeadEnds::Error, ..Semantics::default() };
    // components, nodes, boxes, edges, labels
    let table = [("example", (2, 7, 1, 7, 3)), ("simple", (2, 4, 1, 4, 2)), ("test", (2, 10, 3, 12, 1))];
    for (name, expected) in table {
        let text = std::fs::read(folder.join(name).with_extension("rsm")).unwrap();
        let (rsm, remarks) = read_rsm_json(text.as_slice(), &semantics).unwrap();
        assert!(remarks.is_empty());
        let stats = Stats::of(&rsm);
        let found = (stats.components, stats.nodes, stats.boxes, stats.edges, stats.labels);
        assert_eq!(found, expected, "{name}");
    }
}
