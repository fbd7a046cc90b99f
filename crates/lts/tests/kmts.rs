//! Processes in JSON: what is read, what is refused and where, what is written, and limits.

#![allow(clippy::unwrap_used)]

mod common;

use common::{problems, random_process, same};
use loris_base::{Budget, Exhausted, Idx, Rng, Stopped, Truth};
use loris_lts::{Process, ProcessKind, read_kmts, write_kmts};
use std::fmt::Write;

/// A process as text: states with labels, the initial one, and steps, those that only may be there
/// with a question mark.
fn shown(process: &Process) -> String {
    let name = |state| process.state_name(state).unwrap().to_owned();
    let mut text = format!("from {}:", name(process.initial()));
    for state in process.states() {
        write!(text, " {}", name(state)).unwrap();
        for atom in process.atom_ids() {
            let sign = match process.label(state, atom) {
                Truth::True => "",
                Truth::False => "!",
                Truth::Unknown => "?",
            };
            write!(text, " {sign}{}", process.atom_name(atom)).unwrap();
        }
        for step in process.steps(state) {
            let action =
                if process.kind() == ProcessKind::Lts { process.action_name(step.action) } else { "" };
            let sign = if step.must { "" } else { "?" };
            write!(text, " -{action}{sign}->{}", name(step.target)).unwrap();
        }
        text.push(';');
    }
    text
}

fn outcome(text: &str) -> String {
    match read_kmts(text.as_bytes(), "test", &mut Budget::unlimited()) {
        Ok(process) => shown(&process),
        Err(stopped) => problems(text, stopped),
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(outcome(text), expected, "{text}");
}

#[test]
fn kinds() {
    check(
        r#"{"kind": "kmts", "initial": "s0", "states": [{"name": "s0", "labels": ["p"]},
            {"name": "s1", "labels": {"p": false, "q": false}}],
            "may": [["s0", "s1"]], "steps": [["s1", "s1"]]}"#,
        "from s0: s0 p ?q -?->s1; s1 !p !q -->s1;",
    );
    check(
        r#"{"kind": "kripke", "name": "x", "atoms": ["q", "p"], "initial": "b", "comment": "…",
            "states": ["a", {"name": "b", "labels": ["p"]}], "steps": [["b", "a"], ["a", "b"]]}"#,
        "from b: a !q !p -->b; b !q p -->a;",
    );
    check(
        r#"{"kind": "lts", "actions": ["c"], "initial": "s", "states": ["s", "t"],
            "steps": [["s", "a b", "t"], ["t", "tau", "s"]]}"#,
        "from s: s -a b->t; t -tau->s;",
    );
    check(
        r#"{"kind": "mts", "initial": "s", "states": ["s", {"name": "t", "labels": {"p": "unknown"}}],
            "may": [["s", "a", "t"], ["s", "b", "t"]], "must": [["s", "a", "t"]]}"#,
        "from s: s ?p -a->t -b?->t; t ?p;",
    );
}

#[test]
fn problems_of_the_whole() {
    check("", "1:1 the file is empty");
    check("[]", "1:1 expected an object with the keys `kind`, `initial` and `states`");
    check("{}", "1:1 the key `kind` is missing");
    check(r#"{"kind": "x"}"#, "1:10 `kind` is one of \"kripke\", \"kmts\", \"lts\", \"mts\"");
    check(
        r#"{"kind": "kmts"}"#,
        "1:1 the key `states` is missing; 1:1 there is no initial state: the key `initial` is missing",
    );
    check(
        r#"{"kind": "kmts", "initial": "s", "states": ["s"], "step": [], "name": 3}"#,
        "1:51 there is no key step; 1:71 the name of a process is a text",
    );
    check(
        "{\"kind\": \"kmts\", \"initial\": \"s\", \"states\": [\"s\"]}\n{}",
        "2:1 a file has one process, and here a second value starts",
    );
    check(r#"{"kind": "kmts", "kind": "lts"}"#, "1:18 this object has the key \"kind\" twice");
    assert_eq!(
        problems("", read_kmts(b"{\"kind\": \"\xff\"}", "test", &mut Budget::unlimited()).unwrap_err()),
        "1:1 this is not UTF-8"
    );
}

#[test]
fn ill_formed_processes() {
    // must without may, p and not p, an unknown state, two states of one name: all at once
    check(
        "{\"kind\": \"kmts\", \"initial\": \"u\",\n\
         \"states\": [{\"name\": \"s\", \"labels\": [\"p\", \"!p\"]}, \"s\"],\n\
         \"must\": [[\"s\", \"s\"], [\"s\", \"t\"]]}",
        "1:29 there is no state u; \
         2:42 state s is labelled both p and not p; \
         2:50 there are two states with the name s; \
         3:10 there must be a step from s to s, but no such step may be there; \
         3:28 there is no state t",
    );
    check(
        r#"{"kind": "kripke", "initial": "s", "states": [{"name": "s", "labels": {"p": "unknown"}}], "may": []}"#,
        "1:77 labels of a process of kind \"kripke\" are known; \
         1:98 a process of kind \"kripke\" has `steps`, not `may`",
    );
    check(
        r#"{"kind": "lts", "initial": "s", "states": ["s", 3, {"labels": 1}, {"name": "t", "labels": 1, "x": 0}],
            "steps": [["s", "s"], 4, ["s", "", "s"], ["s", "a", "s", "b"]]}"#,
        "1:49 the name of a state is a text; 1:52 this state has no name; \
         1:91 labels are a list or an object; 1:94 a state has no key x; \
         2:23 a step of kind \"lts\" is [\"source\", \"action\", \"target\"]; \
         2:35 a step of kind \"lts\" is [\"source\", \"action\", \"target\"]; \
         2:44 the name of an action is empty; \
         2:54 a step of kind \"lts\" is [\"source\", \"action\", \"target\"]",
    );
    check(
        r#"{"kind": "kmts", "atoms": ["open", "open"], "actions": ["a"], "initial": "s",
            "states": [{"name": "s", "labels": ["opne", "!", {}]}]}"#,
        "1:36 the atom open is declared twice; 1:56 a process of kind \"kmts\" has no actions; \
         2:49 the atom opne is not declared in `atoms`; 2:57 the name of an atom is empty; \
         2:62 the name of an atom is a text",
    );
}

#[test]
fn what_is_written_is_read_again() {
    for seed in 0..300 {
        let process = random_process(&mut Rng::new(seed));
        let mut text = Vec::new();
        write_kmts(&process, &mut text).unwrap();
        let again = read_kmts(&text, "test", &mut Budget::unlimited());
        let again = again.unwrap_or_else(|stopped| panic!("{seed}: {stopped:?}"));
        same(&process, &again);
        let mut twice = Vec::new();
        write_kmts(&again, &mut twice).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), String::from_utf8(twice).unwrap());
    }
}

/// Every field is replaced, removed and doubled; nothing panics, every problem has a place in the
/// text, and whatever is read can be written and read again.
#[test]
fn every_field_is_changed() {
    let (mut read, mut refused) = (0, 0);
    for seed in 0..12 {
        let process = random_process(&mut Rng::new(seed));
        let mut text = Vec::new();
        write_kmts(&process, &mut text).unwrap();
        for changed in common::changes(std::str::from_utf8(&text).unwrap()) {
            match read_kmts(changed.as_bytes(), "test", &mut Budget::unlimited()) {
                Ok(process) => {
                    read += 1;
                    let mut text = Vec::new();
                    write_kmts(&process, &mut text).unwrap();
                    same(&process, &read_kmts(&text, "test", &mut Budget::unlimited()).unwrap());
                }
                Err(Stopped::Wrong(problems)) => {
                    refused += 1;
                    let within = |offset: u64| offset <= changed.len() as u64;
                    assert!(
                        problems.sorted().iter().all(|problem| problem.offset.is_some_and(within)),
                        "{changed}"
                    );
                }
                Err(Stopped::Exhausted(why)) => panic!("{why}"),
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} {refused}");
}

#[test]
fn limits_hold() {
    let states: Vec<String> = (0..50_000).map(|i| format!("\"state {i}\"")).collect();
    let steps: Vec<String> =
        (0..50_000).map(|i| format!("[\"state {i}\", \"state {}\"]", i * 7 % 50_000)).collect();
    let text = format!(
        "{{\"kind\": \"kripke\", \"initial\": \"state 0\", \"states\": [{}], \"steps\": [{}]}}",
        states.join(","),
        steps.join(",")
    );
    let read = |mut budget: Budget| read_kmts(text.as_bytes(), "ring", &mut budget).map(|_| ());
    assert!(matches!(read(Budget::steps(50_000)), Err(Stopped::Exhausted(Exhausted::Time))));
    assert!(matches!(read(Budget::new(None, Some(1 << 20))), Err(Stopped::Exhausted(Exhausted::Memory))));
    let mut budget = Budget::unlimited();
    let process = read_kmts(text.as_bytes(), "ring", &mut budget).unwrap();
    let (used, held) = (budget.used(), process.bytes());
    assert!(used + used / 4 >= held && used <= 2 * held, "{used} {held}");
    assert_eq!(process.initial().index(), 0);
}
