//! Reports, in one line at the end of `cargo test`, which tests were skipped because something they
//! need is missing.
//!
//! A test that may be skipped says `/// Needs: PATH` or `/// Needs: PROGRAM` right above it, with
//! paths as seen from the root of the workspace. A file that reads optional inputs without saying
//! so fails.

#![allow(clippy::print_stdout, reason = "a report is printed")]
#![allow(clippy::expect_used, reason = "a test that panics has failed")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut skipped: Vec<String> = Vec::new();
    let mut needy = 0;
    for file in sources(&root.join("crates")) {
        let text = std::fs::read_to_string(&file).expect("sources are readable");
        let found = needs(&text);
        let name = file.strip_prefix(&root).unwrap_or(&file).display();
        assert!(
            !found.is_empty()
                || !text.contains("benchmarks(")
                || file.starts_with(root.join("crates/testing")),
            "{name} does not say what it needs"
        );
        needy += found.len();
        for (test, needed) in found {
            let missing: Vec<&str> = needed.into_iter().filter(|what| !is_there(&root, what)).collect();
            if !missing.is_empty() {
                skipped.push(format!("{test} ({})", missing.join(", ")));
            }
        }
    }
    assert!(needy > 0, "no test says what it needs");
    match skipped.len() {
        0 => println!("no test was skipped: all {needy} that need optional inputs have them"),
        count => {
            println!("SKIPPED: {count} of {needy} tests that need optional inputs: {}", skipped.join("; "));
        }
    }
}

/// The tests of a file that need something, and what.
fn needs(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = Vec::new();
    let mut needed: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(list) = line.strip_prefix("/// Needs: ") {
            needed.extend(list.split(", "));
        } else if let (Some(rest), false) = (line.strip_prefix("fn "), needed.is_empty()) {
            found.push((rest.split('(').next().unwrap_or(rest), std::mem::take(&mut needed)));
        }
    }
    found
}

/// Whether a path exists, or a program without a path can be started.
fn is_there(root: &Path, what: &str) -> bool {
    if what.contains('/') { root.join(what).exists() } else { Command::new(what).output().is_ok() }
}

/// All tests in Rust.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).expect("folders are readable") {
            let path = entry.expect("folders are readable").path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
