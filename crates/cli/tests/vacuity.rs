//! Verdicts that say less than they seem to come with a note: no initial state, no fair run, or an
//! implication whose left side never holds.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use serde_json::Value;

/// The verdict and the note of each property, which text, JSON, the page and SARIF agree on.
fn check(name: &str, model: &str, options: &str, asked: &[(&str, &str, Option<&str>)]) {
    let folder = scratch(&format!("vacuity_{}", name.replace('.', "_")));
    let path = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    std::fs::write(path(name), model).unwrap();
    let (model, page, sarif) = (path(name), path("page.html"), path("results.sarif"));
    let mut arguments = vec!["check", &model];
    arguments.extend(options.split_whitespace());
    for (property, ..) in asked {
        arguments.extend(["-p", property]);
    }
    let run = |more: &[&str]| {
        let done = loris(&[&arguments[..], more].concat()).output().unwrap();
        assert!(matches!(done.status.code(), Some(0 | 1)), "{}", text(&done.stderr));
        text(&done.stdout).to_owned()
    };
    let lines = run(&["-q", "--report", &page, "--sarif", &sarif]);
    let document: Value = serde_json::from_str(&run(&["--format", "json"])).unwrap();
    let (page, sarif) = (std::fs::read_to_string(page).unwrap(), std::fs::read_to_string(sarif).unwrap());
    for ((line, result), (property, verdict, note)) in
        lines.lines().zip(document["results"].as_array().unwrap()).zip(asked)
    {
        assert_eq!(
            (result["verdict"].as_str(), result["note"].as_str()),
            (Some(*verdict), *note),
            "{property}"
        );
        assert!(line.starts_with(verdict), "{line}");
        match note {
            Some(note) => {
                // quotes of names are escaped in JSON
                let escaped = note.replace('"', "\\\"").replace('&', "\\u0026");
                assert!(line.contains(note) && page.contains(&escaped), "{line}");
                assert!(*verdict == "holds" || sarif.contains(&escaped), "{note}");
            }
            None => assert!(line.ends_with(property), "{line}"),
        }
    }
    // a model without runs is worth a word in SARIF, whatever holds
    if let [(.., Some(note @ "no initial state")), ..] = asked {
        assert!(sarif.contains(note), "{sarif}");
    }
}

#[test]
fn no_initial_state() {
    // the constraint is that the first latch is 1, which is reset to 0 and keeps its value
    let never = "aag 2 0 2 0 0 0 1\n2 2\n4 5\n2\n";
    let none = Some("no initial state");
    let asked = [("A G l1", "holds", none), ("A G !l1", "holds", none), ("E F l1", "holds", none)];
    for options in ["", "--engine bdd", "--engine omg"] {
        check("never.aag", never, options, &asked);
    }
    check("never.aag", never, "--logic ltl", &[("G l1", "holds", none), ("F X !l1", "holds", none)]);
    check("never.aag", never, "--logic mu", &[("[true]l1", "holds", none)]);
}

#[test]
fn premises_that_never_hold() {
    // a latch that holds the last input, and one that stays 0
    let idle = "aag 3 1 2 0 0\n2\n4 2\n6 6\n";
    let asked = [
        ("A G (l1 -> E F l0)", "holds", Some("l1 never holds")),
        ("A G (l0 -> E F !l0)", "holds", None),
        ("A G (l0 & l1 -> l1)", "holds", Some("l0 & l1 never holds")),
    ];
    for options in ["", "--engine bdd", "--engine omg"] {
        check("idle.aag", idle, options, &asked);
    }
    check("idle.aag", idle, "--logic ltl", &[("G (l1 -> F l0)", "holds", Some("l1 never holds"))]);
    let stays = "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := {x, 1};\n";
    for options in ["", "--engine bdd"] {
        let note = Some("\"x = 2\" never holds");
        let asked = [("AG (x = 2 -> AF x = 3)", "holds", note), ("AG (x = 1 -> AG x = 1)", "holds", None)];
        check("stays.smv", stays, options, &asked);
    }
    let machine = r#"{"initial_component": "main", "components": [{"name": "main", "boxes": [],
        "nodes": [{"name": "start", "is_entry": true, "labels": ["p"]},
                  {"name": "end", "is_exit": true, "labels": ["q"]}],
        "transitions": [{"source": {"type": "node", "name": "start"},
                         "targets": [{"type": "node", "name": "end"}]}]}]}"#;
    let asked = [
        ("A G (p & q -> A X p)", "holds", Some("p & q never holds")),
        ("A G (!p & !q -> A X q)", "holds", Some("!p & !q never holds")),
        ("A G (q -> !p)", "holds", None),
    ];
    check("machine.rsm", machine, "", &asked);
    // ports, which have no labels of their own, are not states
    let calls = r#"{"initial_component": "main", "components": [
        {"name": "main", "boxes": [{"name": "b", "component": "f"}],
         "nodes": [{"name": "start", "is_entry": true, "labels": ["p"]},
                   {"name": "end", "is_exit": true, "labels": ["q"]}],
         "transitions": [{"source": {"type": "node", "name": "start"},
                          "targets": [{"type": "box_node", "box_name": "b", "node_name": "in"}]},
                         {"source": {"type": "box_node", "box_name": "b", "node_name": "out"},
                          "targets": [{"type": "node", "name": "end"}]}]},
        {"name": "f", "boxes": [],
         "nodes": [{"name": "in", "is_entry": true, "labels": ["q"]},
                   {"name": "out", "is_exit": true, "labels": ["p", "q", "r"]}],
         "transitions": [{"source": {"type": "node", "name": "in"},
                          "targets": [{"type": "node", "name": "out"}]}]}]}"#;
    let asked = [
        ("A G (!p & !q -> r)", "holds", Some("!p & !q never holds")),
        ("A G (p & !q -> A X q)", "holds", None),
        ("A G (r -> p)", "holds", None),
        ("A G (r & !p -> q)", "holds", Some("r & !p never holds")),
    ];
    for options in ["", "--engine lazy"] {
        check("calls.rsm", calls, options, &asked);
    }
    // beyond its exit, no label holds
    check("machine.rsm", machine, "--at-exit sink", &[("A G (!p & !q -> A X !q)", "holds", None)]);
}

#[test]
fn no_fair_run() {
    let unfair = "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := x;\nFAIRNESS x = 1;\n";
    let none = Some("no fair run");
    let asked = [("AG x = 3", "holds", none), ("EG x = 0", "fails", none)];
    for options in ["", "--engine bdd"] {
        check("unfair.smv", unfair, options, &asked);
        let linear = format!("{options} --logic ltl");
        check("unfair.smv", unfair, &linear, &[("F x = 3", "holds", none)]);
    }
}
