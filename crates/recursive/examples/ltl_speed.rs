//! What LTL costs against reachability:
//! `cargo run --release -p loris-recursive --example ltl_speed --
//! MODEL.rsm`, response and persistence for some pairs of its labels, each as a ratio to
//! reachability times the states of the automaton.

use loris_base::{Budget, Idx};
use loris_evidence::AtExit;
use loris_logic::automaton::translate;
use loris_logic::{negated_ltl, parse};
use loris_recursive::{Acceptance, ExploreDirection, PATIENCE, Prepared, Reachability, Runs};
use loris_rsm::{DeadEnds, LabelId, Semantics, read_rsm_json};
use std::time::Instant;

fn best<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut least = f64::INFINITY;
    let mut last = None;
    for _ in 0..5 {
        let start = Instant::now();
        last = Some(work());
        least = least.min(start.elapsed().as_secs_f64());
    }
    (least, last.expect("it ran"))
}

fn main() {
    let path = std::env::args().nth(1).expect("a model");
    let text = std::fs::read(&path).expect("readable");
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let (rsm, _) = read_rsm_json(&text[..], &semantics).expect("a machine");
    let prepared = Prepared::new(&rsm);
    let search = Reachability {
        from: rsm.initial(),
        targets: None,
        direction: ExploreDirection::Fewer,
        patience: PATIENCE,
    };
    let (reach, found) = best(|| prepared.reach(&search, &mut Budget::unlimited()).expect("no limit"));
    eprintln!(
        "reachability: {} facts, {:.2} ms, {:.1} million a second",
        found.tuples,
        reach * 1e3,
        found.tuples as f64 / reach / 1e6
    );
    let labels: Vec<String> = rsm.labels().map(str::to_owned).collect();
    let variables = labels.iter().filter_map(|label| label.strip_prefix("def_")).take(3);
    for variable in variables {
        let (d, u) = (format!("\"def_{variable}\""), format!("\"use_{variable}\""));
        for text in [
            format!("G ({d} -> F {u})"),
            format!("F G !{u}"),
            format!("G F {u}"),
            format!("G !{d}"),
            format!("G ({d} -> X (!{d} U {u}))"),
        ] {
            let (ltl, atoms) = negated_ltl(&parse(&text).expect("well-formed")).expect("LTL");
            let buchi = translate(&ltl, &mut Budget::unlimited()).expect("no limit");
            let labels: Vec<Option<LabelId>> = atoms.iter().map(|atom| rsm.label(atom)).collect();
            for evidence in [false, true] {
                let question = Acceptance {
                    predicates: None,
                    recurrences: &[],
                    buchi: &buchi,
                    labels: &labels,
                    runs: Runs::All,
                    at_exit: AtExit::Loop,
                    evidence,
                    direction: ExploreDirection::Fewer,
                };
                let (time, found) =
                    best(|| prepared.accepted(&question, &mut Budget::unlimited()).expect("no limit"));
                eprintln!(
                    "{:.2} x, {} states, {} facts, {:.2} ms, accepted {}, {} evidence, {}",
                    time / reach / buchi.states() as f64,
                    buchi.states(),
                    found.tuples,
                    time * 1e3,
                    found.is_accepted,
                    if evidence { "with" } else { "no" },
                    text.chars().take(30).collect::<String>()
                );
            }
        }
    }
    let _ = found.target.map(Idx::index);
}
