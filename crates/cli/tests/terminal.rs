//! Names that would control a terminal, and what is done about them: nothing that Loris says has
//! them raw, and what it converts keeps them.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use serde_json::{Value, json};

/// Colours, a title, C1 and DEL, a change of direction, something that takes no room, and a new
/// line.
const NASTY: &str = "\u{1b}[31mred\u{1b}]0;title\u{7} \u{9b}2J\u{7f} \u{202e}tfel \u{200b}\u{2066}\u{61c}\nx";

/// Whether text has something in it that a terminal obeys.
fn controls(text: &str) -> bool {
    text.chars().any(|c| {
        c != '\n' && c.is_control()
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}

/// A machine in which every name is nasty.
fn model() -> Value {
    let (node, end) = (format!("{NASTY}node"), format!("{NASTY}end"));
    let source = json!({"type": "node", "name": node});
    json!({"initial_component": NASTY, "components": [{"name": NASTY, "boxes": [],
        "nodes": [{"name": node, "is_entry": true, "labels": [NASTY]}, {"name": end, "is_exit": true}],
        "transitions": [{"source": source, "targets": [{"type": "node", "name": end}]}]}]})
}

#[test]
fn nothing_that_is_said_controls_a_terminal() {
    let directory = scratch(&format!("nasty{NASTY}folder"));
    let file = |name: &str, content: &str| {
        let path = directory.join(format!("{NASTY}{name}"));
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = file("model.rsm", &model().to_string());
    let quoted = format!("\"{NASTY}\"");
    let smv = file("model.smv", "MODULE main VAR x : boolean; ASSIGN next(x) := y; SPEC AG x");
    let pds = file("model.pds", &format!("(q <a{NASTY}>)\n"));
    let properties = file("properties.ctl", &format!("A G {}\nA G (\n", quoted.replace('\n', "")));
    let automaton = file("automaton.hoa", &format!("HOA: v1\nname: \"{NASTY}\"\nAP: 1 \"{NASTY}\"\n"));
    let missing = directory.join(format!("{NASTY}missing.rsm")).to_str().unwrap().to_owned();
    let calls: Vec<Vec<&str>> = vec![
        vec!["check", &good, "-p", &quoted, "--evidence", "-v"],
        vec!["check", &good, "-p", &quoted, "-p", "A F E G x", "--engine", "rks-eager", "--explain"],
        vec!["check", &good, "-p", NASTY],
        vec!["check", &good, "-p", "\"unknown\u{1b}[31m\""],
        vec!["check", &good, "-f", &properties],
        vec!["check", &good, "--automaton", &automaton],
        vec!["check", &good, "-p", &quoted, "--format", "json", "--evidence"],
        vec!["check", &good, "-p", &quoted, "--format", "jsonl"],
        vec!["check", &good, "--with", &automaton],
        vec!["check", &good, "--module", NASTY],
        vec!["check", &good, NASTY],
        vec!["check", &good, "--engine", NASTY],
        vec!["check", &good, "--timeout", NASTY],
        vec!["check", &good, &format!("--{NASTY}")[..]]
            .into_iter()
            .map(|word| &*word.to_owned().leak())
            .collect(),
        vec!["check", &missing],
        vec!["check", &smv],
        vec!["check", &pds],
        vec![NASTY],
        vec!["info", &good],
        vec!["info", &good, "--format", "json"],
        vec!["info", &missing],
        vec!["reach", &good, "--to", NASTY],
        vec!["reach", &good, "--to", "node\u{1b}"],
        vec!["reach", &good, "--all"],
        vec!["reach", &good, "--to", NASTY, "--from", NASTY, "--format", "json"],
        vec!["convert", &good, &missing, "--to", NASTY],
        vec!["convert", &good, &good],
        vec!["replay", &good, &properties],
        vec!["replay", &good, &missing],
        vec!["generate", "rsm", "--label", NASTY],
        vec!["man", NASTY],
    ];
    for call in calls {
        let output = loris(&call).output().unwrap();
        for said in [text(&output.stdout), text(&output.stderr)] {
            assert!(!controls(said), "{call:?}\n{said:?}");
        }
        assert!(matches!(output.status.code(), Some(0..=2)), "{call:?}");
    }
}

#[test]
fn what_is_converted_keeps_its_bytes() {
    let directory = scratch("nasty_converted");
    let file = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let source = file("model.rsm");
    std::fs::write(&source, model().to_string()).unwrap();
    for to in ["rsm", "pds", "smv", "dot"] {
        let target = file(&format!("made.{to}"));
        assert_eq!(loris(&["convert", &source, &target]).output().unwrap().status.code(), Some(0));
        let piped = loris(&["convert", &source, "-", "--to", to]).output().unwrap();
        assert_eq!(piped.stdout, std::fs::read(&target).unwrap(), "{to}");
        if to == "rsm" || to == "pds" {
            // the label is still there, and the properties that name it mean the same
            let property = format!("\"{NASTY}\"");
            let output = loris(&["check", &target, "-q", "-p", &property]).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{to}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn colours_where_they_are_asked_for() {
    let check = |arguments: &[&str]| {
        let output = loris(&[&["check", "examples/dataflow.rsm", "-p", "A F use_i"], arguments].concat());
        let mut output = output;
        let output = output.output().unwrap();
        (text(&output.stdout).contains('\u{1b}'), text(&output.stderr).contains('\u{1b}'))
    };
    assert_eq!(check(&[]), (false, false));
    assert_eq!(check(&["--color", "auto"]), (false, false));
    assert_eq!(check(&["--color", "never"]), (false, false));
    assert_eq!(check(&["--color", "always"]), (true, false));
    assert_eq!(check(&["--color=always", "-p", "A ("]), (false, true));
    assert_eq!(check(&["--color=always", "--bogus"]), (false, true));
    let output = loris(&["--color", "always", "info", "examples/dataflow.rsm"]).output().unwrap();
    assert!(text(&output.stdout).contains('\u{1b}'));
    let output = loris(&["info", "--color", "pink", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn long_names_are_cut() {
    let long = "x".repeat(100_000);
    let (property, target) = (format!("A F {long}"), format!("main/{long}"));
    let calls: [&[&str]; 5] = [
        &["check", "examples/dataflow.rsm", "-p", &property],
        &["check", "examples/dataflow.rsm", "-p", &long, "--engine", "summary"],
        &["reach", "examples/dataflow.rsm", "--to", &target],
        &["reach", "examples/dataflow.rsm", "--to", "x", "--from", &long],
        &["check", "examples/smv/counter.smv", "-p", &long],
    ];
    for call in calls {
        let output = loris(call).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stderr.len() < 2000, "{} bytes", output.stderr.len());
    }
}
