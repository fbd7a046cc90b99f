//! Evidence of every kind replays, and engines that decide a property agree on it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use serde_json::{Value, json};
use std::path::Path;

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What the program prints and its exit status, which must not be that of an error.
fn run(arguments: &[&str]) -> (String, i32) {
    let output = loris(arguments).output().unwrap();
    let status = output.status.code().unwrap();
    let printed = text(&output.stdout).to_owned();
    let is_fine = matches!(status, 0 | 1) || arguments[0] == "replay" && status == 3;
    assert!(is_fine, "{arguments:?}: {printed}{}", text(&output.stderr));
    (printed, status)
}

/// Nothing is refused. A claim that is not decided is about later rounds of a growing loop, or
/// about an automaton that is not at hand; `--trust` counts it as ok.
fn replays(arguments: &[&str]) {
    let (printed, status) = run(&[&["replay"], arguments].concat());
    let is_open = printed.lines().any(|line| line.starts_with("not confirmed: "));
    assert_eq!(status, if is_open { 3 } else { 0 }, "{arguments:?}: {printed}");
    let trusting = run(&[&["replay", "--trust"], arguments].concat());
    let (is_ok, is_listed) = (!trusting.0.contains("not confirmed"), trusting.0.contains("on trust: "));
    assert!(trusting.1 == 0 && is_ok && is_listed == is_open, "{arguments:?}: {}", trusting.0);
}

const MODELS: [(&str, [&str; 2]); 3] = [
    ("examples/fig3.rsm", ["gray", "white"]),
    ("examples/dataflow.rsm", ["def_i", "use_i"]),
    ("crates/cli/tests/models/lock.pds", ["locked", "done"]),
];

/// A file of random formulas.
fn formulas(folder: &Path, kind: &str, labels: [&str; 2]) -> String {
    let file = folder.join(kind);
    let target = ["-o", path(&file), "--count", "60", "--seed", "5"];
    run(&[&["generate", kind, "--atom", labels[0], "--atom", labels[1]], &target[..]].concat());
    path(&file).to_owned()
}

#[test]
fn linear_time() {
    let folder = scratch("linear_evidence");
    let evidence = folder.join("evidence.json");
    for (model, labels) in MODELS {
        let properties = formulas(&folder, "ltl", labels);
        let check = ["check", model, "--logic", "ltl", "-f", &properties, "-q"];
        for at_exit in ["loop", "sink", "stop"] {
            for runs in ["all", "bounded", "unbounded"] {
                let how = ["--at-exit", at_exit, "--runs", runs, "--evidence-file", path(&evidence)];
                run(&[&check[..], &how].concat());
                replays(&[model, path(&evidence)]);
            }
            if at_exit != "stop" {
                let at_exit = ["--at-exit", at_exit, "--engine"];
                let by = |engine| run(&[&check[..], &at_exit, &[engine]].concat());
                assert_eq!(by("buchi"), by("summary"), "{model}");
            }
        }
        let all_hold = run(&[&check[..], &["--at-exit", "stop"]].concat()).0;
        let is_told =
            all_hold.lines().all(|line| line.starts_with("holds ") && line.contains("  (no infinite run: "));
        assert_eq!(is_told, model == "examples/dataflow.rsm");
    }
}

#[test]
fn branching_time() {
    let folder = scratch("branching_evidence");
    let evidence = folder.join("evidence.json");
    for (model, labels) in MODELS {
        for (kind, logic) in [("ctl", "ctl"), ("ctl", "ctl*"), ("ctlstar", "ctl*")] {
            let properties = formulas(&folder, kind, labels);
            for at_exit in ["loop", "sink"] {
                let check = ["check", model, "--logic", logic, "-f", &properties, "-q", "--at-exit", at_exit];
                run(&[&check[..], &["--evidence-file", path(&evidence)]].concat());
                replays(&[model, path(&evidence)]);
                if model != MODELS[0].0 {
                    // where every component has one exit
                    let by = |engine| run(&[&check[..], &["--engine", engine]].concat());
                    assert_eq!(by("cont"), by("summary"), "{model} {kind}");
                }
            }
        }
    }
}

#[test]
fn automata_reachability_and_peers() {
    let folder = scratch("other_evidence");
    let file = folder.join("evidence.json");
    let (model, file) = (MODELS[0].0, path(&file));
    let automaton = ["--automaton", "crates/cli/tests/models/often_gray.hoa"];
    let peer = ["--with", "crates/cli/tests/models/seen_white.aut"];
    run(&[&["check", model, "--evidence-file", file], &automaton[..]].concat());
    replays(&[model, file]);
    replays(&[&[model, file], &automaton[..]].concat());
    let names = ["gray", "white", "black", "A1/n1", "A1/n5", "A2/n6"];
    for (i, name) in names.iter().enumerate() {
        for direction in ["fewer", "entries", "exits"] {
            let reach = ["reach", model, "--to", name, "--direction", direction, "--evidence-file", file];
            assert_eq!(run(&reach).1, 0, "{name}");
            replays(&[model, file]);
            let (_, alone) = name.rsplit_once('/').unwrap_or_default();
            if !alone.is_empty() {
                let reach = ["reach", model, "--to", alone, "--format", "jsonl"];
                std::fs::write(file, run(&reach).0).unwrap();
                replays(&[model, file]);
            }
            let from = [&reach[..], &["--from", "A1/n2"]].concat();
            assert_eq!(run(&from).1, i32::from(i == 0 || i == 3 || i == 4), "{name}");
            replays(&[model, file]);
        }
    }
    let questions = [
        &["check", "-p", "A G peer_0"][..],
        &["reach", "--to", "peer_1"],
        &["reach", "--to", "n6"],
        &["reach", "--to", "A1/n4", "--from", "n2"],
        &["reach", "--to", "n6@peer_1", "--from", "A2/n3"],
    ];
    for question in questions {
        run(&[question, &[model, "--evidence-file", file], &peer].concat());
        replays(&[&[model, file], &peer[..]].concat());
        let output = loris(&["replay", model, file]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stderr).matches("error: ").count(), 1, "{}", text(&output.stderr));
    }
    // a result without evidence needs no peer
    assert_eq!(
        run(&[&["check", model, "-p", "A G (peer_0 | peer_1)", "--evidence-file", file], &peer[..]].concat())
            .1,
        0
    );
    replays(&[model, file]);
}

/// Strategies on machines with calls replay, and are refused for another verdict, formula, reading
/// or claim.
#[test]
fn strategies_on_machines_replay() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = scratch("strategies_on_machines").join("evidence.json");
    for (model, [p, q]) in MODELS {
        let model = root.join(model);
        for formula in
            ["mu X. P | <>X", "nu X. mu Y. <>(P & X | Y)", "nu X. []X & mu Y. Q | <>Y", "[][](P | !Q)"]
        {
            let formula = formula.replace('P', p).replace('Q', q);
            for at_exit in ["loop", "sink", "stop"] {
                let ask = ["check", path(&model), "--logic", "mu", "-p", &formula, "--at-exit", at_exit];
                let (printed, _) = run(&[&ask[..], &["--evidence", "--evidence-file", path(&file)]].concat());
                assert!(printed.contains("by a strategy of "), "{printed}");
                let (printed, status) = run(&["replay", path(&model), path(&file)]);
                assert_eq!(status, 0, "{formula}: {printed}");
                let written = std::fs::read_to_string(&file).unwrap();
                let refused = |change: &dyn Fn(&mut Value)| {
                    let mut document: Value = serde_json::from_str(&written).unwrap();
                    document["summary"].take();
                    change(&mut document["results"][0]);
                    std::fs::write(&file, document.to_string()).unwrap();
                    let (printed, status) = run(&["replay", path(&model), path(&file)]);
                    assert_eq!((status, printed.starts_with("refused: ")), (1, true), "{formula}: {printed}");
                };
                refused(&|result| {
                    let other = if result["verdict"] == "holds" { "fails" } else { "holds" };
                    result["verdict"] = json!(other);
                });
                refused(&|result| result["property"] = json!("nu X. <>X"));
                refused(&|result| result["evidence"]["start"] = json!([]));
            }
        }
    }
    // a call that is claimed never to come back
    let model = root.join(MODELS[2].0);
    let ask = ["check", path(&model), "--logic", "mu", "-p", "nu X. []X", "--evidence-file", path(&file)];
    run(&ask);
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    document["summary"].take();
    let claims = document["results"][0]["evidence"]["claims"].as_array_mut().unwrap();
    assert!(claims.iter().any(|claim| claim != &json!([])));
    for claim in claims {
        *claim = json!([]);
    }
    std::fs::write(&file, document.to_string()).unwrap();
    let (printed, status) = run(&["replay", path(&model), path(&file)]);
    assert_eq!((status, printed.contains("claim")), (1, true), "{printed}");
}
