//! Evidence of SMV models replays, and other evidence does not.

#![allow(clippy::unwrap_used)]

mod common;

use common::scratch;
use common::smv::{MODES, examples, path, printed, run};

#[test]
fn evidence_replays() {
    let folder = scratch("smv_evidence");
    let file = folder.join("evidence.json");
    let mut replayed = 0;
    for model in examples() {
        for mode in MODES {
            printed(&["check", &model, "--at-exit", mode, "-q", "--evidence-file", path(&file)]);
            let (out, errors, status) = run(&["replay", &model, path(&file)]);
            assert_eq!(status, 0, "{model} {mode}: {out}{errors}");
            let claims = out.lines().filter(|line| line.starts_with("ok: ")).count();
            replayed += claims;
            // the same paths for the opposite
            let text = std::fs::read_to_string(&file).unwrap();
            let opposite = text.replace("\"verdict\": \"holds\"", "\"verdict\": \"?\"");
            let opposite = opposite.replace("\"verdict\": \"fails\"", "\"verdict\": \"holds\"");
            let opposite = opposite.replace("\"verdict\": \"?\"", "\"verdict\": \"fails\"");
            // which counts them as they were
            let opposite = opposite.replace("\"summary\"", "\"totals\"");
            std::fs::write(&file, opposite).unwrap();
            let (out, ..) = run(&["replay", &model, path(&file)]);
            assert_eq!(out.lines().filter(|line| line.starts_with("refused: ")).count(), claims, "{out}");
        }
    }
    assert!(replayed > 150, "only {replayed}");
}

#[test]
fn evidence_is_about_its_module_its_instance_and_its_states() {
    let folder = scratch("smv_tampered");
    let file = folder.join("evidence.jsonl");
    let check = |model: &str, changes: &[(&str, &str)], expected: (&str, i32)| {
        let mut text = printed(&["check", model, "--evidence", "--format", "jsonl"]);
        for (from, to) in changes {
            assert!(text.contains(from), "{from}: {text}");
            text = text.replace(from, to);
        }
        // results come in any order
        let lines: Vec<&str> = text.lines().rev().collect();
        std::fs::write(&file, lines.join("\n")).unwrap();
        let (out, errors, status) = run(&["replay", model, path(&file)]);
        assert_eq!(((out + &errors).contains(expected.0), status), (true, expected.1), "{changes:?}\n{text}");
    };
    let instances = "crates/cli/tests/models/cells.smv";
    check(instances, &[], ("ok: ", 0));
    check(
        instances,
        &[("\"instance\": \"a\"", "\"instance\": \"b\"")],
        ("does not imply that the property fails", 1),
    );
    check(instances, &[("a.v=0 b.v=1", "a.v=1 b.v=0")], ("has no node", 2));
    check(instances, &[("AG v < 2", "AG v < 3")], ("refused: ", 1));
    check(instances, &[("AG v < 2", "AG (v = first)")], ("does not imply that the property fails", 1));
    let modules = "crates/cli/tests/models/alike.smv";
    check(modules, &[], ("ok: ", 0));
    check(modules, &[("\"module\": \"f\"", "\"module\": \"g\"")], ("there is no component \"g\"", 2));
    check(modules, &[("\"module\": \"f\"", "\"module\": \"main\"")], ("refused: ", 1));
    check(modules, &[("\"state\":\"s1\"", "\"state\":\"s7\"")], ("these are not the values", 2));
}

/// States depend on what is asked: they have monitors for it, and those that it cannot tell apart
/// are kept once.
#[test]
fn evidence_does_not_depend_on_what_else_was_asked() {
    let folder = scratch("smv_asked");
    let file = folder.join("evidence.json");
    let check = |model: &str, logic: &str, formulas: &[&str]| {
        let mut arguments = vec!["check", model, "--logic", logic, "--evidence-file", path(&file)];
        arguments.extend(formulas.iter().flat_map(|formula| ["-p", formula]));
        run(&arguments);
        printed(&["replay", model, path(&file)]);
    };
    let all = |model: &str| {
        run(&["check", model, "--evidence-file", path(&file)]);
        printed(&["replay", model, path(&file)]);
        // a line of many
        let (lines, ..) = run(&["check", model, "--evidence", "--format", "jsonl"]);
        for line in lines.lines().filter(|line| line.contains("\"evidence\"")) {
            std::fs::write(&file, line).unwrap();
            printed(&["replay", model, path(&file)]);
        }
    };
    let buffer = "examples/smv/buffer.smv";
    all(buffer);
    // the first holds, and has no evidence
    check(buffer, "ltl", &["G (take.has_item -> O put.running)", "G (filled = 2 -> Y Y filled = 0)"]);
    check(buffer, "ltl", &["G (filled = 2 -> O [2, 3] filled = 0)", "F Y G filled = 0", "G F running"]);
    let dense = "crates/cli/tests/models/dense.smv";
    run(&["check", dense, "--evidence-file", path(&file)]);
    printed(&["replay", dense, path(&file)]);
    check(dense, "ctl", &["AG (a = 7 -> AX last = 7)", "AG (a + b + c + d + e < 35)"]);
    check(dense, "ltl", &["G (up -> O a = 7)", "G (a = 7 -> X last = 6)"]);
}

#[test]
fn states_are_reached() {
    let folder = scratch("smv_reach");
    let file = folder.join("evidence.json");
    let check = |model: &str, arguments: &[&str], status: i32| {
        let reach = [&["reach", model, "--evidence-file", path(&file)], arguments].concat();
        let (out, errors, found) = run(&reach);
        assert_eq!(found, status, "{arguments:?}: {out}{errors}");
        if status == 0 {
            printed(&["replay", model, path(&file)]);
        }
    };
    let finite = "examples/smv/retries.smv";
    check(finite, &["--to", "tries = limit & at = gave_up"], 0);
    check(finite, &["--to", "tries>2"], 0);
    check(finite, &["--to", "tries > limit"], 1);
    check(finite, &["--to", "main/limit=1 tries=1 at=done"], 0);
    check(finite, &["--to", "at = done", "--from", "limit=1 tries=1 at=asking"], 1);
    check(finite, &["--to", "AF at = done"], 2);
    check(finite, &["--to", "at = down"], 2);
    let calls = "examples/smv/fig4_1.smv";
    check(calls, &["--to", "q"], 0);
    check(calls, &["--to", "q & !p"], 0);
    check(calls, &["--to", "q & p"], 1);
    check(calls, &["--to", "d/d1"], 0);
    check(calls, &["--to", "state = a3"], 0);
    check(calls, &["--to", "q", "--module", "c"], 1);
    check(calls, &["--to", "state = c2", "--module", "c"], 0);
    check(calls, &["--to", "q", "--module", "nothing"], 2);
}

#[test]
fn automata_and_peers() {
    let folder = scratch("smv_automata");
    let file = folder.join("evidence.json");
    let automaton = ["--automaton", "crates/cli/tests/models/often_reset.hoa"];
    let peer = ["--with", "crates/cli/tests/models/after_reset.aut"];
    let model = "examples/smv/listing5_1.smv";
    let check = ["check", model, "--evidence-file", path(&file)];
    assert_eq!(run(&[&check[..], &automaton].concat()).2, 0);
    assert_eq!(printed(&["replay", model, path(&file), automaton[0], automaton[1]]).lines().count(), 1);
    let properties = ["-p", "AG peer_0", "-p", "EF (counter = 1 & peer_1)"];
    assert_eq!(run(&[&check[..], &peer, &properties].concat()).2, 1);
    assert_eq!(printed(&["replay", model, path(&file), peer[0], peer[1]]).matches("ok: ").count(), 2);
    assert_eq!(run(&["replay", model, path(&file)]).2, 2);
    for target in ["peer_1", "counter = 2 & ready", "counter=1 state=s2 ready=FALSE"] {
        let reach = ["reach", model, "--to", target, "--evidence-file", path(&file)];
        assert_eq!(run(&[&reach[..], &peer].concat()).2, 0, "{target}");
        printed(&["replay", model, path(&file), peer[0], peer[1]]);
    }
    // a peer that reads a condition
    let (model, peer) = ("examples/smv/retries.smv", ["--with", "crates/cli/tests/models/after_done.hoa"]);
    let properties = ["-p", "AG waiting", "-p", "AG (finished -> at = done)", "--evidence-file", path(&file)];
    assert_eq!(run(&[&["check", model], &peer[..], &properties].concat()).2, 1);
    assert_eq!(printed(&["replay", model, path(&file), peer[0], peer[1]]).matches("ok: ").count(), 1);
    printed(&["info", model, peer[0], peer[1]]);
    // not of fair runs, and not of several modules at once
    let (_, errors, status) = run(&[&["check", "examples/smv/mutex.smv"], &automaton[..]].concat());
    assert_eq!((status, errors.matches("error: unknown name `cr_reset`").count()), (2, 1), "{errors}");
    let (_, errors, status) = run(&["check", "examples/smv/listing5_2.smv", peer[0], peer[1]]);
    assert_eq!((status, errors.contains("choose one with --module")), (2, true), "{errors}");
}
