//! Evidence about Java programs is replayed on the machine that it was found in: it records how
//! that machine was made.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const PROGRAM: &str = "crates/java/tests/programs/classes/p";

const STEPS: &str = "crates/rules/tests/programs/classes/Dataflow.class";

const HOLDS: [&str; 3] = [
    "E F \"exit p.Exceptions.caught\"",
    "E F (\"exit p.Exceptions.*\" & exceptional)",
    "E F (\"enter p.Exceptions.run\" & E F \"throw p.Exceptions$Special\")",
];
const FAILS: [&str; 3] = [
    "A G !\"throw *Special\"",
    "A F \"call java.io.*\"",
    "A G (\"enter p.Exceptions.run\" -> A X A X !\"call *\")",
];

/// What the program prints, all of it, and its exit status.
fn run(arguments: &[&str]) -> (String, i32) {
    let output = loris(arguments).output().unwrap();
    (format!("{}{}", text(&output.stdout), text(&output.stderr)), output.status.code().unwrap())
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Checks properties with these options, in a format, and writes the evidence.
fn evidence(folder: &Path, options: &[&str], format: &str, properties: &[&str]) -> PathBuf {
    let asked: Vec<&str> = properties.iter().flat_map(|property| ["-p", property]).collect();
    let how = ["--evidence", "--format", format];
    let output = loris(&[&["check"], options, &how, &asked].concat()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{options:?}: {}", text(&output.stderr));
    let file = folder.join("evidence");
    std::fs::write(&file, output.stdout).unwrap();
    file
}

#[test]
fn evidence_is_replayed_whatever_the_options() {
    let folder = scratch("java_evidence");
    let main = ["--entry", "p.Exceptions.main"];
    for options in [
        vec![PROGRAM],
        vec![PROGRAM, "--all"],
        [&[PROGRAM], &main[..]].concat(),
        [&[PROGRAM, "--granularity", "instruction"], &main[..]].concat(),
        [&[PROGRAM, "--runtime-exceptions", "--calls", "cha"], &main[..]].concat(),
        vec![PROGRAM, "--entry", "p.Exc*.main", "--entry", "p.Shapes.m*"],
        vec![
            "crates/java/tests/programs/classes/p/Exceptions.class",
            "crates/java/tests/programs/classes/p/Exceptions$Own.class",
            "--library",
            "crates/java/tests/programs/classes/p/Exceptions$Special.class",
        ],
    ] {
        let inputs: Vec<&str> = options.iter().copied().take_while(|word| !word.starts_with("--")).collect();
        for format in ["json", "jsonl"] {
            for properties in [&HOLDS[..], &FAILS, &HOLDS[..1], &FAILS[1..]] {
                let file = evidence(&folder, &options, format, properties);
                let (printed, status) = run(&[&["replay"], &inputs[..], &[path(&file)]].concat());
                assert_eq!(status, 0, "{options:?}: {printed}");
                let confirmed = printed.lines().filter(|line| line.starts_with("ok: ")).count();
                assert_eq!(confirmed, properties.len(), "{options:?} {properties:?}: {printed}");
            }
        }
    }
}

/// Properties that count steps are about machines with their own labels: the verdict of each is the
/// one it has alone, and the evidence of all is replayed, each in its machine.
#[test]
fn properties_that_count_steps_do_not_depend_on_others() {
    let folder = scratch("java_steps");
    let ctl = [
        "E F (\"def Dataflow.i\" & E X E X \"call *.println\")",
        "E F \"def *\"",
        "E F (\"enter Dataflow.main\" & E X E X \"call *\")",
        "A G !\"use *\"",
        "E F (\"def Dataflow.j\" & E X E X \"call *\")",
        "A G (\"use Dataflow.i\" -> A X \"use Dataflow.i\")",
        "A G (\"line *\" -> E F \"exit *\")",
    ];
    let ltl = [
        "G (\"enter Dataflow.main\" -> X X \"call *\")",
        "G !\"use *\"",
        "G (\"enter Dataflow.main\" -> X X !\"call *\")",
        "G (\"use Dataflow.i\" -> X \"use Dataflow.i\")",
        "F \"line *\"",
    ];
    for (logic, properties) in [("ctl", &ctl[..]), ("ltl", &ltl), ("ctl*", &ctl)] {
        let options = [STEPS, "--logic", logic];
        let verdicts = |properties: &[&str], more: &[&str]| -> Vec<(String, String)> {
            let file = evidence(&folder, &[&options, more].concat(), "json", properties);
            let found: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            let (printed, status) = run(&["replay", STEPS, path(&file)]);
            assert!(status == 0 || printed.contains("nothing to replay"), "{properties:?}: {printed}");
            let word = |result: &Value, key: &str| result[key].as_str().unwrap().to_owned();
            let results = found["results"].as_array().unwrap();
            results.iter().map(|result| (word(result, "property"), word(result, "verdict"))).collect()
        };
        let alone: Vec<(String, String)> =
            properties.iter().flat_map(|property| verdicts(&[*property], &[])).collect();
        assert_eq!(verdicts(properties, &[]), alone, "{logic}");
        assert_eq!(verdicts(properties, &["--jobs", "1"]), alone, "{logic}");
        let shards = ["1/2", "2/2"].map(|shard| verdicts(properties, &["--shard", shard]));
        let mut expected = [Vec::new(), Vec::new()];
        alone.iter().enumerate().for_each(|(place, found)| expected[place % 2].push(found.clone()));
        assert_eq!(shards, expected, "{logic}");
        let mut reversed: Vec<&str> = properties.to_vec();
        reversed.reverse();
        assert_eq!(verdicts(&reversed, &[]), alone.iter().rev().cloned().collect::<Vec<_>>(), "{logic}");
        assert!(
            ["holds", "fails"].iter().all(|word| alone.iter().any(|(_, found)| found == word)),
            "{alone:?}"
        );
    }
}

/// A property may be about fewer labels than others that were asked in the same call.
#[test]
fn some_of_the_results_are_replayed_alone() {
    let folder = scratch("java_some_results");
    let file = evidence(&folder, &[PROGRAM], "jsonl", &[HOLDS, FAILS].concat());
    for line in std::fs::read_to_string(&file).unwrap().lines() {
        std::fs::write(&file, line).unwrap();
        let (printed, status) = run(&["replay", PROGRAM, path(&file)]);
        assert_eq!(status, 0, "{line}: {printed}");
    }
}

#[test]
fn forged_evidence_is_refused() {
    let folder = scratch("java_forged");
    let file = evidence(&folder, &[PROGRAM, "--entry", "p.Exceptions.main"], "json", &[FAILS[0], HOLDS[0]]);
    let honest: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let check = |pointer: &str, value: Value, status: i32, expected: &str| {
        let mut forged = honest.clone();
        let place = forged.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}"));
        assert_ne!(*place, value);
        *place = value;
        std::fs::write(&file, forged.to_string()).unwrap();
        let (printed, found) = run(&["replay", PROGRAM, path(&file)]);
        assert_eq!(found, status, "{pointer}: {printed}");
        assert!(printed.contains(expected), "{pointer}: {printed}");
    };
    check("/model/program", Value::Null, 2, "does not state how the model was made");
    check("/model/program", json!({}), 2, "\"label_set\" of \"program\" should be one of none, most, all");
    check("/model/program", json!("x"), 2, "\"program\" should be an object");
    check("/model/program/calls", json!("guess"), 2, "\"calls\" of \"program\" should be one of cha, rta");
    check("/model/program/entries/0", json!("p.Exceptions.mian"), 2, "did you mean \"p.Exceptions.main\"?");
    check("/model/program/library", json!(["missing.jar"]), 2, "missing.jar");
    // the nodes are others, or the steps are
    check("/model/program/granularity", json!("instruction"), 1, "refused: ");
    check("/model/program/entries/0", json!("p.Shapes.main"), 2, "error: ");
    // a label that no node has would be false everywhere
    let rest = json!(["exit p.Exceptions.caught"]);
    check("/model/program/labels", rest, 1, "was made without the label \"throw *Special\"");
    let all = json!(["exit p.Exceptions.caught", "*"]);
    check("/model/program/labels", all, 1, "was made without the label \"throw *Special\"");
    // nor is a property that counts steps about a machine with more nodes
    let steps = evidence(&folder, &[PROGRAM, "--entry", "p.Exceptions.main"], "json", &[FAILS[2]]);
    let text = std::fs::read_to_string(&steps).unwrap();
    let forged = text.replace("\"labels\": [", "\"labels\": [\"def *\", ");
    assert_ne!(text, forged);
    std::fs::write(&steps, forged).unwrap();
    let (printed, status) = run(&["replay", PROGRAM, path(&steps)]);
    assert!(status == 1 && printed.contains("has labels of other properties"), "{printed}");
    // the rest is as for all models
    let steps = honest.pointer("/results/0/evidence/states").unwrap().as_array().unwrap();
    let mut fewer = steps.clone();
    fewer.remove(2);
    check("/results/0/evidence/states", Value::Array(fewer), 1, "refused: ");
    check("/results/0/property", json!("A G !\"exit p.Exceptions.caught\""), 1, "refused: ");
}

#[test]
fn paths_are_found_and_replayed() {
    let folder = scratch("java_reach");
    let file = folder.join("evidence");
    let check = |options: &[&str], to: &str| {
        let how = ["--to", to, "--evidence-file", path(&file)];
        let (printed, status) = run(&[&["reach", PROGRAM], options, &how].concat());
        assert_eq!(status, 0, "{options:?} {to}: {printed}");
        let (printed, status) = run(&["replay", PROGRAM, path(&file)]);
        assert_eq!(status, 0, "{options:?} {to}: {printed}");
    };
    let main = ["--entry", "p.Exceptions.main"];
    check(&[], "throw *Special");
    check(&main, "throw *Special");
    check(&[&main[..], &["--granularity", "instruction", "--runtime-exceptions"]].concat(), "exceptional");
    check(&["--entry", "*", "--calls", "cha"], "call p.Exceptions.fresh");
    check(&main, "line Exceptions.java:21");
    check(&main, "p.Exceptions.fresh/4");
    check(&[&main[..], &["--from", "p.Exceptions.run/0"]].concat(), "throw *Special");
    let (printed, status) = run(&["reach", PROGRAM, "--to", "throw *Spezial"]);
    assert_eq!(status, 2, "{printed}");
    let (printed, status) = run(&["reach", PROGRAM, "--entry", "p.Exceptions.main", "--all"]);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("p.Exceptions.fresh/4\n"), "{printed}");
}
