//! Reachability in circuits agrees with `A G`, and replay accepts its runs and no others.

#![allow(clippy::unwrap_used)]

mod common;

use common::scratch;
use common::smv::{path, run};

#[test]
fn what_is_reached_is_what_is_not_always_avoided() {
    let folder = scratch("circuit_reach");
    let file = folder.join("evidence.json");
    let model = "examples/arbiter.aag";
    let names = ["ack0", "ack1", "turn", "req0", "grant1", "both", "i1", "l2", "o0"];
    let mut conditions: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    for (a, b) in names.iter().zip(names.iter().skip(1)) {
        conditions.extend([format!("{a} & !{b}"), format!("!({a} | {b})"), format!("({a} <-> {b}) & turn")]);
    }
    let mut reached = 0;
    for condition in conditions {
        let property = format!("A G !({condition})");
        let (_, _, avoided) = run(&["check", model, "-p", &property, "-q", "--engine", "bdd"]);
        let (out, errors, found) =
            run(&["reach", model, "--to", &condition, "-q", "--evidence-file", path(&file)]);
        assert_eq!((avoided, errors.as_str()), (1 - found, ""), "{condition}: {out}");
        let word = if found == 0 { "reachable" } else { "unreachable" };
        assert!(out.starts_with(&format!("{word}: {condition}")), "{out}");
        if found == 0 {
            reached += 1;
            let (out, errors, status) = run(&["replay", model, path(&file)]);
            assert_eq!(status, 0, "{condition}: {out}{errors}");
        }
    }
    assert!(reached > 15);
}

#[test]
fn replay_refuses_other_runs() {
    let folder = scratch("circuit_reach_forged");
    let (file, forged) = (folder.join("evidence.json"), folder.join("forged.json"));
    let model = "examples/arbiter.aag";
    run(&["reach", model, "--to", "ack1 & req0", "--evidence-file", path(&file)]);
    let text = std::fs::read_to_string(&file).unwrap();
    let check = |from: &str, to: &str, status: i32, expected: &str| {
        assert!(text.contains(from), "{from}: {text}");
        std::fs::write(&forged, text.replacen(from, to, 1)).unwrap();
        let (out, errors, found) = run(&["replay", model, path(&forged)]);
        assert_eq!(found, status, "{to}: {out}{errors}");
        assert!(format!("{out}{errors}").contains(expected), "{to}: {out}{errors}");
    };
    check("ack1", "ack1", 0, "ok: ack1 & req0 is reachable");
    check("\"target\": \"ack1 & req0\"", "\"target\": \"ack0 & req0\"", 1, "does not imply");
    check("\"target\": \"ack1 & req0\"", "\"target\": \"E X ack1\"", 1, "is not a condition on states");
    check("\"steps\": 1", "\"steps\": 2", 1, "\"steps\" is not the number of steps");
    check("\"from\": null", "\"from\": \"ack0\"", 1, "");
    // neither the first state nor the step to the second is one of the circuit
    check("{\"ack1\":\"0\"", "{\"ack1\":\"1\"", 1, "state 0");
    check("\"req1\":\"1\"", "\"req1\":\"0\"", 1, "state");
}
