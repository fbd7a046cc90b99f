//! `loris java --cache`: what is printed is what is printed without it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{scratch, text};
use std::path::Path;
use std::process::{Command, Output};

fn loris(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loris"));
    let classes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/tests/programs/classes");
    command.arg("java").arg(classes).args(arguments).current_dir(folder).output().unwrap()
}

/// The output but for the time that it took.
fn without_times(output: &Output) -> String {
    let lines = text(&output.stdout).lines().map(|line| match line.rsplit_once("  [") {
        Some((rest, time)) if time.ends_with(" s]") => rest.to_owned(),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn findings_are_those_without_a_cache() {
    let folder = scratch("java-cache");
    for format in [&["-v"][..], &["--format", "jsonl"], &["--changed", "Leaks.java"], &["--strict", "-q"]] {
        let fresh = loris(&folder, format);
        for run in 0..3 {
            let arguments = [format, &["--cache", "kept"]].concat();
            let kept = loris(&folder, &arguments);
            assert_eq!(without_times(&kept), without_times(&fresh), "{format:?} {run}");
            assert_eq!((kept.status, kept.stderr), (fresh.status, fresh.stderr.clone()), "{format:?} {run}");
        }
    }
    let tag = std::fs::read_to_string(folder.join("kept/CACHEDIR.TAG")).unwrap();
    assert!(tag.starts_with("Signature: 8a477f597d28d172789f06886806bc55"));
    // requests that differ have files of their own; the format is not a part of a request
    let files = std::fs::read_dir(folder.join("kept")).unwrap();
    let files =
        files.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|it| it == "java"));
    assert_eq!(files.count(), 2);
}

#[test]
fn a_cache_that_cannot_be_written_is_a_warning() {
    let folder = scratch("java-no-cache");
    std::fs::write(folder.join("file"), "").unwrap();
    let (fresh, kept) = (loris(&folder, &[]), loris(&folder, &["--cache", "file/kept"]));
    assert_eq!((without_times(&kept), kept.status), (without_times(&fresh), fresh.status));
    assert!(text(&kept.stderr).contains("the cache cannot be written"), "{}", text(&kept.stderr));
}
