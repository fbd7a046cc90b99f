//! Endless runs that were not accepted by replay once, whatever engine finds them: every lasso
//! closes.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{answers, ask};
use loris_check::{Logic, Options, Prepared, Runs};
use loris_evidence::{AtExit, Verdict, replay};
use loris_logic::parse;
use loris_rsm::{Rsm, Semantics, read_rsm_json};

/// A component that calls an empty procedure, then itself, for ever. Runs start at a node from
/// which the calls follow as they do from the entry, but under no box.
const CALLS_AFTER_CALLS: &str = r#"{"initial_component": "r", "initial_node": "m", "components": [
    {"name": "r",
     "nodes": [{"name": "i", "is_entry": true}, {"name": "m"}],
     "boxes": [{"name": "k", "component": "stub"}, {"name": "again", "component": "r"}],
     "transitions": [
        {"source": {"name": "i"}, "targets": [{"box_name": "k", "node_name": "j"}]},
        {"source": {"name": "m"}, "targets": [{"box_name": "k", "node_name": "j"}]},
        {"source": {"box_name": "k", "node_name": "j"}, "targets": [{"box_name": "again", "node_name": "i"}]}]},
    {"name": "stub", "nodes": [{"name": "j", "is_entry": true, "is_exit": true, "labels": ["b"]}]}]}"#;

fn machine(json: &str) -> Rsm {
    read_rsm_json(json.as_bytes(), &Semantics::default()).unwrap().0
}

/// The run that refutes a formula, by each engine that can, as `stack node` with a bar where the
/// loop starts.
fn check(json: &str, text: &str, expected: &str) {
    let rsm = machine(json);
    let formula = parse(text).unwrap();
    for (engine, runs) in [("auto", Runs::All), ("auto", Runs::Unbounded), ("summary", Runs::All)] {
        let question = ask(Logic::Ltl, text, &formula);
        let options = Options { engine: engine.parse().unwrap(), runs, evidence: true, ..Options::default() };
        let mut answers = answers(&Prepared::new(&rsm), &[question], &options);
        let answer = answers.remove(0);
        assert_eq!(answer.verdict, Verdict::Fails, "{engine}");
        let evidence = answer.machine_paths().unwrap().clone();
        replay(&rsm, &evidence, AtExit::Loop).unwrap();
        let path = evidence.paths.iter().next().unwrap();
        let mut shown = Vec::new();
        for (number, state) in path.states.iter().enumerate() {
            if path.repeats.is_some_and(|repeats| repeats.from == number) {
                shown.push("|".to_owned());
            }
            let mut words: Vec<&str> = state.stack.iter().map(|&site| rsm.box_name(site)).collect();
            let node = state.node.map(|node| rsm.vertex_name(node).to_string()).unwrap_or_default();
            words.push(&node);
            shown.push(words.join("."));
        }
        assert_eq!(shown.join(" "), expected, "{engine}");
    }
}

#[test]
fn a_loop_that_grows_starts_where_it_closes() {
    check(CALLS_AFTER_CALLS, "F G !b", "m k.j | again.i again.k.j again.again.i");
}
