//! The answer to a property in company is its answer alone: for every kind of model and every
//! logic, random properties are asked alone, in calls with 2, 10 and 100 in any order, in shards,
//! and with one to six threads.
//!
//! Nothing else would notice that an answer depends on what else is asked: tests that compare
//! engines ask one property at a time. `LORIS_CASES` is the number of models of each kind.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use loris_base::Rng;
use loris_testing::formulas::{Atoms, formula};
use loris_testing::models;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What a property was answered: its verdict, with the reason if that is unknown, and what is said
/// about it besides. Engines may differ in which of them is first, and in their figures.
type Answer = (String, String, String);

/// A model, its properties, and how it is asked.
struct Case {
    model: Vec<String>,
    options: Vec<String>,
    properties: Vec<String>,
}

impl Case {
    /// Answers by property, of a call with these properties.
    fn ask(&self, properties: &[&String], more: &[&str]) -> BTreeMap<String, Answer> {
        let mut arguments = vec!["check", "--format", "jsonl"];
        arguments.extend(self.model.iter().chain(&self.options).map(String::as_str));
        arguments.extend(more);
        arguments.extend(properties.iter().flat_map(|property| ["-p", property.as_str()]));
        let done = loris(&arguments).output().unwrap();
        let errors = text(&done.stderr);
        assert!(matches!(done.status.code(), Some(0 | 1 | 3)), "{arguments:?} {properties:?}: {errors}");
        let mut answers = BTreeMap::new();
        for line in text(&done.stdout).lines() {
            let result: Value = serde_json::from_str(line).unwrap();
            let word = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
            let answer = (word("verdict"), word("reason"), word("note"));
            if answer.1.contains("time limit") {
                // what a limit on time cuts off depends on the machine
                continue;
            }
            let before = answers.insert(word("property"), answer.clone());
            assert!(before.is_none_or(|before| before == answer), "{arguments:?}: {line}");
        }
        answers
    }

    /// Asks all properties alone and in company.
    fn check(&self, rng: &mut Rng) {
        let alone: BTreeMap<String, Answer> =
            self.properties[..ALONE].iter().flat_map(|property| self.ask(&[property], &[])).collect();
        let compare = |found: &BTreeMap<String, Answer>, expected: &BTreeMap<String, Answer>, how: &str| {
            for (property, answer) in found {
                let expected = expected.get(property).unwrap_or(answer);
                let names = (self.model.join(" "), self.options.join(" "));
                assert_eq!(answer, expected, "{property} {how}, of {names:?} among {:?}", found.keys());
            }
        };
        for size in [2, 10, 100] {
            // small calls are drawn among the properties that were asked alone
            let among = if size < ALONE { &self.properties[..ALONE] } else { &self.properties[..] };
            let mut chosen: Vec<&String> = among.iter().collect();
            shuffle(&mut chosen, rng);
            chosen.truncate(size);
            let jobs = ["1", "2", "6"][rng.below(3)];
            let together = self.ask(&chosen, &["--jobs", jobs]);
            compare(&together, &alone, &format!("in a call with {size}"));
            let shards = 2 + rng.below(3);
            for shard in 1..=shards {
                let shard = format!("{shard}/{shards}");
                compare(&self.ask(&chosen, &["--shard", &shard]), &together, &format!("in shard {shard}"));
            }
            shuffle(&mut chosen, rng);
            compare(&self.ask(&chosen, &[]), &together, "in another order");
        }
    }
}

/// How many properties of each model are asked alone.
const ALONE: usize = 16;

fn shuffle<T>(list: &mut [T], rng: &mut Rng) {
    for i in (1..list.len()).rev() {
        list.swap(i, rng.below(i + 1));
    }
}

/// Random properties of random models of one kind: `model` writes one into a folder, and returns
/// its files and atoms; each of `settings` is a logic with options.
fn check(kind: &str, settings: &[(&str, &str)], model: impl Fn(&Path, &mut Rng) -> (Vec<String>, Atoms)) {
    let cases = loris_testing::cases(2);
    for (number, &(logic, options)) in settings.iter().enumerate() {
        for case in 0..cases {
            let mut rng = Rng::new(1000 * case + number as u64);
            let folder = scratch(&format!("company_{kind}_{number}"));
            let (model, atoms) = model(&folder, &mut rng);
            let mut properties: Vec<String> = (0..100).map(|_| formula(logic, &atoms, &mut rng)).collect();
            // the same property twice is the same property
            let mut seen = std::collections::BTreeSet::new();
            properties.retain(|property| seen.insert(property.clone()));
            let word = if logic == "invariants" { "ctl" } else { logic };
            let options = format!("--logic {word} {options}");
            let all = options.split_whitespace().map(str::to_owned).collect();
            Case { model, options: all, properties }.check(&mut rng);
        }
    }
}

#[test]
fn machines() {
    let settings = [
        ("ctl", ""),
        ("ctl", "--engine lazy"),
        ("ctl", "--engine summary --at-exit sink"),
        ("ltl", ""),
        ("ltl", "--runs bounded"),
        ("ltl", "--at-exit stop"),
        ("ctl*", ""),
        ("mu", ""),
    ];
    check("machines", &settings, models::machine);
}

#[test]
fn pushdown_systems() {
    check("pushdown", &[("ctl", ""), ("ltl", ""), ("ctl*", ""), ("mu", "")], models::pushdown);
}

#[test]
fn smv_models() {
    let settings = [
        ("ctl", "--dead-ends loop"),
        ("ctl", "--dead-ends stop"),
        ("ltl", "--dead-ends stop"),
        ("ltl", "--dead-ends loop"),
        ("ctl*", "--dead-ends loop"),
    ];
    check("smv", &settings, |folder, rng| models::smv(folder, rng, true));
}

#[test]
fn symbolic_smv_models() {
    let settings = [
        ("ctl", "--engine bdd"),
        ("ctl", "--engine omg"),
        ("ltl", "--engine bdd"),
        ("invariants", "--engine pdr"),
        ("invariants", "--engine bmc --timeout 0.3"),
    ];
    check("symbolic", &settings, |folder, rng| models::smv(folder, rng, false));
}

#[test]
fn circuits() {
    let settings = [("ctl", ""), ("ctl", "--engine bdd"), ("ltl", ""), ("invariants", "")];
    check("fair_circuits", &settings, |folder, rng| models::circuit(folder, rng, true));
    let settings = [
        ("ctl", "--engine omg"),
        ("mu", ""),
        ("invariants", "--engine pdr"),
        ("invariants", "--engine bmc --timeout 0.3"),
    ];
    check("circuits", &settings, |folder, rng| models::circuit(folder, rng, false));
}

/// Properties that a search decides alone are decided in company, in any order, given time: a
/// search sees what its own property depends on and nothing else.
fn check_searches(kind: &str, model: impl Fn(&Path, &mut Rng) -> (Vec<String>, Atoms)) {
    let mut compared = 0;
    for case in 0..loris_testing::cases(3) {
        let mut rng = Rng::new(case);
        let folder = scratch(&format!("company_searches_{kind}"));
        let (model, atoms) = model(&folder, &mut rng);
        let drawn: std::collections::BTreeSet<String> =
            (0..ALONE).map(|_| formula("invariants", &atoms, &mut rng)).collect();
        for engine in ["pdr", "bmc"] {
            let options = ["--logic", "ctl", "--engine", engine].map(str::to_owned).to_vec();
            let mut case = Case { model: model.clone(), options, properties: Vec::new() };
            let decided = |answers: BTreeMap<String, Answer>| -> BTreeMap<String, Answer> {
                answers.into_iter().filter(|(_, answer)| answer.0 != "unknown").collect()
            };
            let alone: BTreeMap<String, Answer> = drawn
                .iter()
                .flat_map(|property| decided(case.ask(&[property], &["--timeout", "0.3"])))
                .collect();
            case.properties = alone.keys().cloned().collect();
            for _ in 0..2 {
                let mut chosen: Vec<&String> = case.properties.iter().collect();
                shuffle(&mut chosen, &mut rng);
                if !chosen.is_empty() {
                    let found = decided(case.ask(&chosen, &["--timeout", "60"]));
                    assert_eq!(found, alone, "{engine} of {model:?}");
                }
            }
            compared += alone.len();
        }
    }
    assert!(compared > 20, "{kind}: {compared}");
}

#[test]
fn searches_decide_in_company_what_they_decide_alone() {
    check_searches("smv", |folder, rng| models::smv(folder, rng, false));
    check_searches("circuits", |folder, rng| models::circuit(folder, rng, false));
}

#[test]
fn parallel_components() {
    let settings = [("mu", ""), ("mu", "--engine game"), ("mu", "--engine compositional"), ("ctl", "")];
    check("kripke", &settings, models::kripke_structures);
    check("lts", &[("mu", ""), ("mu", "--engine mdd"), ("mu", "--engine game")], models::transition_systems);
}

/// A model with properties that once got other answers in company, and the answers.
fn check_known(name: &str, model: &str, options: &str, asked: &[(&str, &str)]) {
    let file = scratch(&format!("company_known_{}", name.replace('.', "_"))).join(name);
    std::fs::write(&file, model).unwrap();
    let case = Case {
        model: vec![file.to_str().unwrap().to_owned()],
        options: options.split_whitespace().map(str::to_owned).collect(),
        properties: asked.iter().map(|(property, _)| (*property).to_owned()).collect(),
    };
    let together: Vec<&String> = case.properties.iter().collect();
    let backwards: Vec<&String> = case.properties.iter().rev().collect();
    let alone = case.properties.iter().flat_map(|property| case.ask(&[property], &[])).collect();
    for (how, answers) in
        [("alone", alone), ("together", case.ask(&together, &[])), ("backwards", case.ask(&backwards, &[]))]
    {
        for (property, expected) in asked {
            assert_eq!(answers[*property].0, *expected, "{name} {options}: {property} {how}");
        }
    }
}

#[test]
fn answers_that_once_depended_on_company() {
    // inputs that one property moves into the state, and the other does not
    let inputs = "aag 4 2 1 0 1\n2\n4\n6 8\n8 4 2\n";
    for options in ["", "--engine bdd", "--engine omg"] {
        let asked = [("A G (i0 -> E X l0)", "holds"), ("A G (i1 -> E X l0)", "holds")];
        check_known("inputs.aag", inputs, options, &asked);
    }
    let constraint = "aag 4 2 1 0 1 0 1 0 0\n2\n4\n6 4 0\n8\n8 7 2\n";
    let asked = [("A G (!c0 | l0)", "fails"), ("A G !i0", "fails"), ("A G l0", "unknown")];
    check_known("constraint.aag", constraint, "", &asked);
    // an input that a property mentions without saying anything about it
    let vacuous = "aag 2 1 1 0 0\n2\n4 2\n";
    for options in ["", "--logic mu", "--logic ctl*"] {
        let asked = [("(A G (E X l0)) & (i0 | !i0)", "fails"), ("A G (E X l0)", "holds")];
        check_known("vacuous.aag", vacuous, options, &asked);
    }
    // a variable without an initial value, which only one property depends on
    let free = "MODULE main\nVAR a : boolean; b : boolean; c : boolean; d : boolean;\n\
                ASSIGN init(a) := FALSE; next(a) := !b; init(b) := FALSE; next(b) := a;\n\
                next(c) := c xor b;\n";
    for options in ["--engine pdr", "--engine bmc", ""] {
        check_known("free.smv", free, options, &[("EF a", "holds"), ("AG (c -> a | b)", "fails")]);
    }
}
