//! What the README and the pages under `docs/` say the tool prints is what it prints, their links
//! lead somewhere, and `.ci/run` runs the README's test command.
//!
//! In a block marked `console`, a line `$ loris …` (or `$ cargo run --release -p loris-cli -- …`)
//! is a command, run where `examples/` is at hand; what follows, up to the next command, is its
//! standard output and standard error. Times are masked. A line `...` stands for lines left out.
//! `LORIS_BLESS=1 cargo test -p loris-cli --test readme` writes the pages anew, where no line is
//! left out.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages for people, with their names. The page of benchmarks tells of inputs that are not
/// here.
fn pages() -> Vec<(PathBuf, String)> {
    let root = root();
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "examples/README.md"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    pages.retain(|page| {
        page.extension().is_some_and(|ending| ending == "md") && !page.ends_with("benchmarks.md")
    });
    pages.sort();
    pages.into_iter().map(|page| (page.clone(), fs::read_to_string(page).unwrap())).collect()
}

#[test]
fn pages_show_what_is_printed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    for part in ["examples", "examples/smv", "examples/processes", "examples/java"] {
        fs::create_dir_all(folder.join(part)).unwrap();
        let files = fs::read_dir(root().join(part)).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.is_file()) {
            fs::copy(&file, folder.join(part).join(file.file_name().unwrap())).unwrap();
        }
    }
    let update = loris_testing::blesses();
    let (mut wrong, mut commands) = (String::new(), 0);
    for (page, text) in pages() {
        let mut updated = text.clone();
        for (command, expected) in shown(&text) {
            commands += 1;
            let found = run(&folder, &command);
            if matches(&masked(&expected), &masked(&found)) {
                continue;
            }
            if update && !expected.is_empty() && !expected.contains("...\n") {
                updated = updated.replace(&expected, &found);
            } else {
                writeln!(wrong, "{}: $ loris {command}\n{found}", page.display()).unwrap();
            }
        }
        if updated != text {
            fs::write(&page, updated).unwrap();
        }
    }
    assert!(wrong.is_empty(), "these commands print something else now:\n{wrong}");
    assert!(commands >= 5, "only {commands} commands were found");
}

/// The commands of a page, without `loris`, and what the page says they print.
fn shown(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut within = false;
    for line in text.lines() {
        if line.starts_with("```") {
            within = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| within) {
            let mut tool = ["loris ", "cargo run --release -p loris-cli -- "].iter();
            let words = tool.find_map(|tool| command.strip_prefix(tool));
            found.push((words.expect("a console shows loris at work").to_owned(), String::new()));
        } else if let Some((_, output)) = found.last_mut().filter(|_| within) {
            *output += line;
            output.push('\n');
        }
    }
    for (_, output) in &mut found {
        output.truncate(output.trim_end().len());
    }
    found
}

fn run(folder: &Path, command: &str) -> String {
    // as a shell splits them, with single quotes only
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(i, part)| match i % 2 {
        1 => vec![part],
        _ => part.split_whitespace().collect(),
    });
    let mut loris = Command::new(env!("CARGO_BIN_EXE_loris"));
    let output = loris.args(words).current_dir(folder).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    (String::from_utf8(output.stdout).unwrap() + &errors).trim_end().to_owned()
}

/// Numbers before ` s]` and after `"seconds": ` become `_`.
fn masked(text: &str) -> String {
    let number = |c: char| c.is_ascii_digit() || ".e-".contains(c);
    let ends: Vec<&str> = text.split(" s]").collect();
    let masked: Vec<&str> = ends[..ends.len() - 1].iter().map(|part| part.trim_end_matches(number)).collect();
    let text = masked.iter().fold(String::new(), |text, part| text + part + "_ s]") + ends[ends.len() - 1];
    let mut starts = text.split("\"seconds\": ");
    let first = starts.next().unwrap_or_default().to_owned();
    starts.fold(first, |text, part| text + "\"seconds\": _" + part.trim_start_matches(number))
}

/// Whether lines are as expected, where `...` stands for any number of them.
fn matches(expected: &str, found: &str) -> bool {
    let Some((start, rest)) = expected.split_once("...\n") else { return expected == found };
    let Some(found) = found.strip_prefix(start) else { return false };
    rest.is_empty() || (0..found.len()).any(|at| found.is_char_boundary(at) && found[at..] == *rest)
}

#[test]
fn links_lead_somewhere() {
    for (page, text) in pages() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let target = page.parent().unwrap().join(file);
            assert!(link.contains("://") || target.exists(), "{}: {link}", page.display());
        }
    }
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let command = readme.lines().find(|line| line.starts_with("cargo test")).expect("how to run all tests");
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(script.lines().any(|line| line == format!("step {command}")), "{command}");
}

/// The doc tests of the library run the examples of its own page.
#[test]
fn examples_of_the_library_are_those_of_its_page() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let (readme, page) = (read("README.md"), read("crates/loris/README.md"));
    let examples: Vec<&str> =
        readme.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        assert!(page.contains(example), "{example}");
    }
}
