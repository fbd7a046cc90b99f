//! Pipes, devices and files that other programs close, fill or forbid.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Output;

/// Runs with `input` on standard input; a program that does not read it all is none the worse.
fn fed(arguments: &[&str], input: impl IntoIterator<Item = Vec<u8>>) -> (Output, usize) {
    let mut child = loris(arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut written = 0;
    for chunk in input {
        if stdin.write_all(&chunk).is_err() {
            break;
        }
        written += chunk.len();
    }
    drop(stdin);
    (child.wait_with_output().unwrap(), written)
}

#[test]
fn a_gigabyte_of_brackets_is_refused_at_once() {
    let chunk = vec![b'['; 1 << 20];
    let (output, written) = fed(&["check", "-", "-p", "p"], std::iter::repeat_n(chunk, 1024));
    assert_eq!(output.status.code(), Some(2));
    assert!(written < 16 << 20, "{written} bytes were read");
    let complaint = text(&output.stderr);
    assert!(complaint.starts_with("-:1:") && complaint.len() < 2000, "{complaint}");
}

#[test]
fn megabytes_of_brackets_are_no_evidence_and_no_property() {
    let model = "examples/dataflow.rsm";
    for arguments in [&["check", model, "-f", "-"][..], &["replay", model, "-"]] {
        let (output, _) = fed(arguments, [vec![b'['; 16 << 20]]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(output.stderr.len() < 2000, "{}", text(&output.stderr));
    }
}

#[test]
fn model_and_properties_from_pipes() {
    let model = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/dataflow.rsm"));
    let (output, _) = fed(&["check", "-", "-p", "A F use_i", "-q"], [model.unwrap()]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "holds    A F use_i\n"));
    let (output, _) = fed(&["check", "examples/dataflow.rsm", "-f", "-", "-q"], [b"# one\nA F use_i".into()]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "holds    A F use_i\n"));
    let (output, _) =
        fed(&["check", "-", "-p", "p"], [b"{\"initial_component\": \"m\", \"components\": [7]}".into()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("-:1:43: error: "), "{}", text(&output.stderr));
}

#[test]
fn pushdown_systems_and_automata_from_pipes() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let model = std::fs::read(here.join("lock.pds")).unwrap();
    let (output, _) = fed(&["check", "-", "--from", "pds", "-q"], [model.clone()]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), "fails    G (locked -> F done)\n"));
    let (output, _) = fed(&["reach", "-", "--model-format", "pds", "--to", "done", "-q"], [model]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "reachable: done in 2 steps\n"));
    let (output, _) = fed(&["check", "-", "--from", "pds", "-p", "p"], [b"(q <a>)\nq <a> -> q <>\n".into()]);
    assert!(text(&output.stderr).starts_with("-:2:7: error: "), "{}", text(&output.stderr));
    let automaton = std::fs::read(here.join("often_gray.hoa")).unwrap();
    let (output, _) = fed(&["check", "examples/fig3.rsm", "--automaton", "-", "-q"], [automaton]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "holds    infinitely often gray\n"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let arguments = ["generate", "ctl", "--count", "20000", "--depth", "3"];
    let mut child = loris(&arguments).spawn().unwrap();
    let mut line = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    // the reader is gone now
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_one() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = loris(&["check", "--engine", "help"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: "), "{}", text(&output.stderr));
}

#[test]
fn a_failed_conversion_leaves_no_file() {
    let directory = scratch("no_file");
    let target = directory.join("out.rsm");
    let bad = "crates/cli/tests/bad/dead_ends.rsm";
    let output = loris(&["convert", bad, target.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);

    let missing = directory.join("missing/out.rsm");
    let output = loris(&["convert", "examples/fig3.rsm", missing.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot be written"), "{}", text(&output.stderr));
}

#[test]
fn what_is_converted_reads_the_same() {
    let directory = scratch("converted");
    let (once, twice) = (directory.join("once.rsm"), directory.join("twice.json"));
    for (from, to) in [(Path::new("examples/fig3.rsm"), &once), (&once, &twice)] {
        let output = loris(&["convert", from.to_str().unwrap(), to.to_str().unwrap()]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert_eq!(std::fs::read(&once).unwrap(), std::fs::read(&twice).unwrap());
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 2);
}

#[test]
fn evidence_replays() {
    let directory = scratch("evidence");
    let file = directory.join("evidence.json");
    let file = file.to_str().unwrap();
    for (model, properties) in
        [("examples/dataflow.rsm", "examples/dataflow.ctl"), ("examples/fig3.rsm", "examples/fig3.ctl")]
    {
        for at_exit in ["loop", "sink"] {
            let check = ["check", model, "-f", properties, "--at-exit", at_exit, "--evidence-file", file];
            assert_eq!(loris(&check).output().unwrap().status.code(), Some(1));
            let output = loris(&["replay", model, file]).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
        }
    }
}

#[test]
fn evidence_is_not_written_over_inputs() {
    let directory = scratch("inputs");
    let copy = |name: &str| {
        let file = directory.join(name);
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name), &file)
            .unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (model, properties) = (copy("dataflow.rsm"), copy("dataflow.ctl"));
    let roundabout = directory.join("../inputs/dataflow.rsm");
    for target in [&*model, &*properties, roundabout.to_str().unwrap()] {
        let before = std::fs::read(target).unwrap();
        let check = ["check", &model, "-f", &properties, "--evidence-file", target];
        let output = loris(&check).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("is an input of this call"), "{}", text(&output.stderr));
        assert_eq!(std::fs::read(target).unwrap(), before);
    }
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 2);
    // an older file of evidence is replaced
    let other = directory.join("evidence.json");
    for _ in 0..2 {
        let check = ["check", &model, "-p", "A F use_i", "--evidence-file", other.to_str().unwrap()];
        assert_eq!(loris(&check).output().unwrap().status.code(), Some(0));
    }
}

#[test]
fn evidence_for_long_and_deep_formulas_replays() {
    let directory = scratch("long");
    let file = directory.join("evidence.json");
    let file = file.to_str().unwrap();
    // `<->` is written out: half a megabyte, a megabyte and a half, more than anybody has
    let iff =
        |count: usize| (0..count).map(|i| format!("p{i}")).collect::<Vec<_>>().join(" <-> ") + " | E F use_i";
    let chain = "A G (def_i -> ".to_owned() + &"E F use_i -> ".repeat(5000) + "false)";
    for property in [iff(16), iff(17), iff(60), chain] {
        let check = ["check", "examples/dataflow.rsm", "-p", &property, "--evidence-file", file];
        let status = loris(&check).args(["-q", "--unknown-atoms", "false"]).output().unwrap().status.code();
        assert!(matches!(status, Some(0 | 1)), "{status:?}");
        let output = loris(&["replay", "examples/dataflow.rsm", file]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    }
}

#[test]
fn a_node_called_like_the_sink_is_none() {
    let file = scratch("sink").join("evidence.json");
    let (model, file) = ("crates/cli/tests/bad/sink_node.rsm", file.to_str().unwrap());
    let check = ["check", model, "-p", "E F !a", "--at-exit", "sink", "--evidence-file", file];
    assert_eq!(loris(&check).output().unwrap().status.code(), Some(0));
    let output = loris(&["replay", model, file]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn threads_change_nothing() {
    let run = |jobs: &str| {
        let arguments =
            ["check", "examples/fig3.rsm", "-f", "examples/fig3.ctl", "--evidence", "--jobs", jobs];
        let output = loris(&arguments).output().unwrap();
        let lines = text(&output.stdout).lines().map(|line| line.split("  [").next().unwrap().to_owned());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(run("1"), run("7"));
}

#[test]
fn shards_together_are_the_whole() {
    let run = |shard: &str| {
        let arguments =
            ["check", "examples/fig3.rsm", "-f", "examples/fig3.ctl", "-q", "-j", "1", "--shard", shard];
        let output = loris(&arguments).output().unwrap();
        text(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut parts: Vec<_> = ["1/4", "2/4", "3/4", "4/4"].iter().flat_map(|shard| run(shard)).collect();
    let mut whole = run("1/1");
    parts.sort();
    whole.sort();
    assert_eq!(parts, whole);
}
