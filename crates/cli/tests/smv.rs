//! SMV models on the command line: the verdicts that `examples/smv` tells, by every engine that
//! takes them, within limits.

#![allow(clippy::unwrap_used)]

mod common;

use common::smv::{MODES, examples, json, run, word};
use serde_json::Value;
use std::path::Path;

/// What the comments of a model say of its properties: pairs of line and verdict.
fn expected(model: &str, mode: &str) -> Vec<(u64, String)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(model);
    let (mut found, mut said) = (Vec::new(), None);
    let of_mode = format!("-- expect({mode}): ");
    for (number, line) in std::fs::read_to_string(file).unwrap().lines().enumerate() {
        let verdict = line.strip_prefix("-- expect: ").or_else(|| line.strip_prefix(&of_mode));
        said = verdict.map(str::to_owned).or(said);
        if ["SPEC", "CTLSPEC", "LTLSPEC", "INVARSPEC"].iter().any(|word| line.starts_with(word)) {
            let verdict = said.take().unwrap_or_else(|| panic!("{model}: nothing is expected of {line}"));
            found.push((number as u64 + 1, verdict));
        }
    }
    found
}

#[test]
fn examples_have_their_verdicts() {
    for model in examples() {
        for mode in MODES {
            let report = json(&["check", &model, "--at-exit", mode, "--format", "json"]);
            assert_eq!(report["model"]["format"], "smv");
            let results = report["results"].as_array().unwrap();
            let found: Vec<(u64, String)> = results
                .iter()
                .map(|result| (result["line"].as_u64().unwrap(), word(result, "verdict").to_owned()))
                .collect();
            assert_eq!(found, expected(&model, mode), "{model} {mode}");
        }
    }
}

/// Whether an engine takes a logic of a model with its runs, and whether these are all finite or
/// fair.
fn takes(engine: &str, logic: &str, finite: bool, fair: bool) -> bool {
    match (engine, logic) {
        ("summary", _) | ("cont", "ctl") | ("buchi", "ltl") => true,
        ("lazy" | "rks-eager" | "rks-incremental" | "rks-summary", "ctl") => !fair,
        ("fixpoint", "ctl") => finite,
        _ => false,
    }
}

const ENGINES: [&str; 8] =
    ["summary", "lazy", "cont", "fixpoint", "buchi", "rks-eager", "rks-incremental", "rks-summary"];

#[test]
fn engines_agree_or_refuse() {
    for model in examples() {
        let info = json(&["info", &model, "--format", "json"]);
        let fair = info.get("fairness").is_some();
        let no_calls = info["model"]["boxes"] == 0;
        for mode in MODES {
            let finite = no_calls;
            let report = json(&["check", &model, "--at-exit", mode, "--format", "json"]);
            let results = report["results"].as_array().unwrap();
            let mut groups: Vec<(&str, &str)> =
                results.iter().map(|result| (word(result, "module"), word(result, "logic"))).collect();
            groups.sort_unstable();
            groups.dedup();
            for (module, logic) in groups {
                let of_group =
                    |result: &&Value| word(result, "module") == module && word(result, "logic") == logic;
                let asked: Vec<&Value> = results.iter().filter(of_group).collect();
                let texts = asked.iter().flat_map(|result| ["-p", word(result, "property")]);
                let check = ["check", &model, "--at-exit", mode, "--module", module, "--logic", logic, "-q"];
                let mut check: Vec<&str> = check.into_iter().chain(texts).collect();
                let verdict = |result: &&Value| {
                    format!("{:<7}  {}\n", word(result, "verdict"), word(result, "property"))
                };
                let expected: String = asked.iter().map(verdict).collect();
                for engine in ENGINES {
                    check.extend(["--engine", engine]);
                    let (found, errors, status) = run(&check);
                    if takes(engine, logic, finite, fair) {
                        assert_eq!(found, expected, "{check:?}: {errors}");
                    } else {
                        assert_eq!((status, errors.contains("-p:1:1: error: ")), (2, true), "{check:?}");
                    }
                    check.truncate(check.len() - 2);
                }
            }
        }
    }
}

#[test]
fn limits_leave_everything_unknown() {
    let model = "examples/smv/counter.smv";
    for (limit, amount, reason) in [
        ("--max-states", "7", "the model has too many states"),
        ("--timeout", "0", "the time limit was reached"),
    ] {
        let (out, errors, status) = run(&["check", model, limit, amount, "--format", "json"]);
        assert_eq!((status, &*errors), (3, ""));
        let report: Value = serde_json::from_str(&out).unwrap();
        for size in ["components", "nodes", "boxes", "edges", "theta"] {
            assert!(report["model"].get(size).unwrap().is_null(), "{size}");
        }
        let results = report["results"].as_array().unwrap();
        assert_eq!((results.len(), &report["summary"]["unknown"]), (6, &Value::from(6)));
        assert!(results.iter().all(|result| result["reason"] == reason && result["verdict"] == "unknown"));
        let (lines, _, status) = run(&["check", model, limit, amount, "--format", "jsonl", "--evidence"]);
        assert_eq!((lines.lines().count(), status), (6, 3));
        lines.lines().for_each(|line| assert!(serde_json::from_str::<Value>(line).is_ok()));
        let (out, _, status) = run(&["reach", model, "--to", "number = 3", limit, amount]);
        assert!(out.starts_with("unknown: number = 3"), "{out}");
        assert_eq!(status, 3);
    }
    assert_eq!(run(&["check", model, "--max-states", "8"]).2, 1);
    // without any memory the file is not even read
    let (out, errors, status) = run(&["check", model, "--memory", "0"]);
    let expected = format!("{model}: error: the memory limit was reached\n");
    assert_eq!((&*out, errors, status), ("", expected, 3));
    for command in [&["info", model][..], &["convert", model, "-", "--to", "rsm"]] {
        let (out, errors, status) = run(&[command, &["--max-states", "7"]].concat());
        assert_eq!((&*out, status), ("", 3));
        assert!(errors.contains("counter.smv: error: the model has too many states"), "{errors}");
    }
}
