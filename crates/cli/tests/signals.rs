//! Ctrl-C and its kin, sent to the running program. Nothing here depends on how fast anything is: a
//! test waits for what it can observe, and then sends a signal.

#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod common;

use common::{loris, scratch, text};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};

/// Sends a signal.
fn kill(child: &Child, signal: &str) {
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// A mask of signals, one bit each, from the status of a process.
fn mask(process: &str, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap()
}

/// The signals that can be tried: whoever runs the tests may have them ignored.
fn signals() -> Vec<&'static str> {
    let ignored = mask("self", "SigIgn:");
    let all = [("HUP", 1), ("INT", 2), ("TERM", 15)];
    all.into_iter().filter(|(_, number)| ignored >> (number - 1) & 1 == 0).map(|(name, _)| name).collect()
}

/// Waits until the program catches signals.
fn until_caught(child: &Child) {
    while mask(&child.id().to_string(), "SigCgt:") >> 14 & 1 == 0 {
        std::thread::yield_now();
    }
}

/// A model on which engine `eager` makes more contexts than any machine has room for.
fn endless(directory: &std::path::Path) -> String {
    let model = directory.join("chain.rsm").to_str().unwrap().to_owned();
    let made =
        loris(&["generate", "chain", "--depth", "60", "--exits", "40", "-o", &model]).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    model
}

const QUICK: &str = "deep -> deep";
const SLOW: &str = "E G (work -> E F (x0 & E F x1))";

#[test]
fn decided_properties_stay_decided() {
    let directory = scratch("signal_decided");
    let model = endless(&directory);
    for signal in signals() {
        for format in ["jsonl", "text"] {
            let file = directory.join(format!("{signal}.json"));
            let check = ["check", &model, "-p", QUICK, "-p", SLOW, "-p", SLOW, "-j", "1"];
            let mut command = loris(&check);
            command.args(["--engine", "eager", "--format", format, "--evidence-file"]).arg(&file);
            let mut child = command.spawn().unwrap();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            let mut first = String::new();
            out.read_line(&mut first).unwrap();
            kill(&child, signal);
            let mut rest = String::new();
            out.read_to_string(&mut rest).unwrap();
            let ended = child.wait_with_output().unwrap();
            assert_eq!((ended.status.code(), text(&ended.stderr)), (Some(3), ""), "{first}{rest}");
            assert!(first.contains("holds"), "{first}");
            assert_eq!(rest.matches("interrupted").count(), 2, "{rest}");
            let document: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            let verdict = |i: usize| document["results"][i]["verdict"].as_str().unwrap();
            assert_eq!([0, 1, 2].map(verdict), ["holds", "unknown", "unknown"]);
            assert_eq!(document["results"][1]["reason"], "interrupted");
            assert_eq!(document["summary"]["unknown"], 2);
        }
    }
}

#[test]
fn the_whole_document_comes_out() {
    let directory = scratch("signal_document");
    let model = endless(&directory);
    let check = ["check", &model, "-p", SLOW, "-p", SLOW, "--engine", "eager", "--format", "json"];
    let file = directory.join("evidence.json");
    let child = loris(&check).arg("--evidence-file").arg(&file).spawn().unwrap();
    // the draft of the evidence is made when the model is read
    while std::fs::read_dir(&directory).unwrap().count() < 2 {
        std::thread::yield_now();
    }
    kill(&child, "TERM");
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{}", text(&ended.stderr));
    let document: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(document["summary"]["unknown"], 2);
    assert!(file.exists());
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 2);
}

#[test]
fn a_second_signal_ends_at_once() {
    let directory = scratch("signal_second");
    let properties = directory.join("many.ctl");
    std::fs::write(&properties, "A F use_i\n".repeat(20_000)).unwrap();
    let mut command = loris(&["check", "examples/dataflow.rsm", "-f", properties.to_str().unwrap()]);
    let mut child = command.arg("--evidence-file").arg(directory.join("evidence.json")).spawn().unwrap();
    let mut out = BufReader::with_capacity(16, child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    // nobody reads on: the pipe gets full, and the program has to wait
    kill(&child, "TERM");
    let mut complaint = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut complaint).unwrap();
    assert!(complaint.starts_with("interrupted: "), "{complaint}");
    kill(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1, "a draft is left");
}

#[test]
fn reading_is_ended() {
    let target = scratch("signal_reading").join("out.rsm");
    let target = target.to_str().unwrap();
    let calls: [&[&str]; 7] = [
        &["check", "-", "-p", "p", "-q"],
        &["check", "-", "--from", "smv"],
        &["check", "examples/dataflow.rsm", "-f", "-"],
        &["info", "-"],
        &["reach", "-", "--to", "p"],
        &["convert", "-", target, "--from", "pds"],
        &["replay", "examples/dataflow.rsm", "-"],
    ];
    for call in calls {
        let mut child = loris(call).spawn().unwrap();
        // open, and never written to
        let _stdin = child.stdin.take();
        until_caught(&child);
        kill(&child, "TERM");
        let ended = child.wait_with_output().unwrap();
        let told = text(&ended.stdout).to_owned() + text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{call:?}: {told}");
        assert!(told.contains("interrupted"), "{call:?}: {told}");
    }
    assert!(!std::path::Path::new(target).exists());
}

#[test]
fn writing_is_ended() {
    let directory = scratch("signal_writing");
    let target = directory.join("large.rsm");
    let target = target.to_str().unwrap();
    let calls: [&[&str]; 3] = [
        &["generate", "ctl", "--count", "4000000000", "-o", target],
        &["generate", "ctl", "--count", "4000000000"],
        &["generate", "large", "--edges", "4000000000"],
    ];
    for call in calls {
        let child = loris(call).spawn().unwrap();
        until_caught(&child);
        kill(&child, "TERM");
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(3), "{call:?}: {}", text(&ended.stderr));
        assert_eq!(text(&ended.stderr), "error: interrupted\n");
    }
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0, "a draft is left");
}

#[test]
fn reading_ends_with_the_time_limit() {
    for call in [&["info", "-"][..], &["check", "-", "-p", "p"], &["convert", "-", "-", "--to", "pds"]] {
        let mut child = loris(call).args(["--timeout", "10ms"]).spawn().unwrap();
        let _stdin = child.stdin.take();
        let ended = child.wait_with_output().unwrap();
        let told = text(&ended.stdout).to_owned() + text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{call:?}: {told}");
        assert!(told.contains("the time limit was reached"), "{call:?}: {told}");
    }
}
