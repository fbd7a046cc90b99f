//! Runs the commands of `golden/*.txt` and compares what they print, to the letter.
//!
//! A line `$ loris …` is a command, run in the root of the workspace; what follows, up to the next
//! command, is its standard output, its standard error with `! ` before each line, and its exit
//! status if that is not 0. Times are masked. `LORIS_BLESS=1 cargo test` writes the files anew.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

#[test]
fn golden() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    loris_testing::golden(files.iter().map(|file| (file, rerun(&std::fs::read_to_string(file).unwrap()))));
}

/// The commands of a file with what they print now; comments before the first command stay.
fn rerun(file: &str) -> String {
    let is_command = |line: &&str| line.starts_with("$ ");
    let mut found = file.split_inclusive('\n').take_while(|line| !is_command(line)).collect::<String>();
    for line in file.lines().filter(is_command) {
        let output = run(&words(line.strip_prefix("$ loris ").expect("a command is `$ loris ...`")));
        write!(found, "{line}\n{output}\n").unwrap();
    }
    found.truncate(found.trim_end().len());
    found + "\n"
}

fn run(arguments: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_loris"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    let mut text = masked(&String::from_utf8(output.stdout).unwrap());
    for line in String::from_utf8(output.stderr).unwrap().lines() {
        writeln!(text, "{}", format!("! {}", masked(line)).trim_end()).unwrap();
    }
    match output.status.code() {
        Some(0) => text,
        status => text + &format!("? {}\n", status.unwrap_or(-1)),
    }
}

/// Words as a shell splits them, with single quotes only.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// `0.123 s` becomes `_ s`, `"seconds": 0.123` becomes `"seconds": _`.
fn masked(text: &str) -> String {
    let number = |c: char| c.is_ascii_digit() || ".e-".contains(c);
    let mut parts = text.split("\"seconds\": ");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        masked += "\"seconds\": _";
        masked += part.trim_start_matches(number);
    }
    let mut parts: Vec<&str> = masked.split(" s]").collect();
    let last = parts.pop().unwrap_or_default().to_owned();
    parts.iter().map(|part| part.trim_end_matches(number).to_owned() + "_ s]").collect::<String>() + &last
}
