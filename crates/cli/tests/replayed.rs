//! Random circuits and SMV models: evidence that `loris check` writes is confirmed by
//! `loris replay`, completely, and no forged evidence makes replay confirm a verdict that is false.
//!
//! Models are so small that replay decides every claim by a search, whatever is forged. Each call
//! asks one property.

#![allow(clippy::unwrap_used)]

mod common;

use common::scratch;
use common::smv::{path, run};
use loris_base::Rng;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// How many models are tried; `LORIS_CASES` asks for more.
fn cases() -> usize {
    loris_testing::cases(60)
}

/// A circuit in ASCII, with the names of its atoms.
fn circuit(rng: &mut Rng) -> (String, Vec<String>) {
    let (inputs, latches, ands) = (rng.below(3), 1 + rng.below(3), rng.below(5));
    let (outputs, constraints) = (1, [0, 0, 1, 1, 2][rng.below(5)]);
    let fairness = [0, 0, 1, 2][rng.below(4)];
    let variables = inputs + latches + ands;
    let literal = |rng: &mut Rng, below: usize| rng.below(2 * (below + 1));
    let mut text =
        format!("aag {variables} {inputs} {latches} {outputs} {ands} 0 {constraints} 0 {fairness}\n");
    for input in 0..inputs {
        writeln!(text, "{}", 2 * (input + 1)).unwrap();
    }
    for latch in 0..latches {
        let own = 2 * (inputs + latch + 1);
        let reset = [0, 0, 1, own][rng.below(4)];
        writeln!(text, "{own} {} {reset}", literal(rng, variables)).unwrap();
    }
    for _ in 0..outputs + constraints + fairness {
        writeln!(text, "{}", literal(rng, variables)).unwrap();
    }
    for and in 0..ands {
        let own = inputs + latches + and;
        writeln!(text, "{} {} {}", 2 * (own + 1), literal(rng, own), literal(rng, own)).unwrap();
    }
    let atoms = (0..latches).map(|at| format!("l{at}")).chain((0..inputs).map(|at| format!("i{at}")));
    (text, atoms.chain(["o0".to_owned()]).collect())
}

/// An SMV model, with conditions on its states.
fn smv(rng: &mut Rng) -> (String, Vec<String>) {
    let conditions = ["a", "b", "n = 0", "n = 2", "a & n = 1", "!b", "a <-> b"];
    let condition = |rng: &mut Rng| conditions[rng.below(conditions.len())];
    let mut text = "MODULE main\nVAR a : boolean; b : boolean; n : 0..2;\nASSIGN\n".to_owned();
    for name in ["a", "b"] {
        let start = ["TRUE", "FALSE", "{TRUE, FALSE}"][rng.below(3)];
        writeln!(text, "init({name}) := {start};").unwrap();
        let next = match rng.below(4) {
            0 => "{TRUE, FALSE}".to_owned(),
            1 => format!("!{name}"),
            2 => condition(rng).to_owned(),
            _ => format!("case {} : {{TRUE, FALSE}}; TRUE : {name}; esac", condition(rng)),
        };
        writeln!(text, "next({name}) := {next};").unwrap();
    }
    writeln!(text, "init(n) := {};", ["0", "{0, 2}", "1"][rng.below(3)]).unwrap();
    let next = ["(n + 1) mod 3", "{0, n}", "0..2", "case a : (n + 1) mod 3; TRUE : n; esac"][rng.below(4)];
    writeln!(text, "next(n) := {next};").unwrap();
    for _ in 0..[0, 0, 1, 2][rng.below(4)] {
        writeln!(text, "FAIRNESS {}", condition(rng)).unwrap();
    }
    if rng.chance(0.2) {
        writeln!(text, "COMPASSION ({}, {})", condition(rng), condition(rng)).unwrap();
    }
    (text, conditions.map(str::to_owned).to_vec())
}

/// A formula of CTL, or of LTL.
fn formula(rng: &mut Rng, atoms: &[String], size: usize, linear: bool) -> String {
    if size == 0 {
        let atom = &atoms[rng.below(atoms.len())];
        return if rng.chance(0.3) { format!("!({atom})") } else { format!("({atom})") };
    }
    let left = rng.below(size);
    let quantifier = if linear { "" } else { ["E ", "A "][rng.below(2)] };
    match rng.below(7) {
        0 => format!("!({})", formula(rng, atoms, size - 1, linear)),
        1 | 2 => {
            let operator = ["&", "|", "->"][rng.below(3)];
            let (a, b) = (formula(rng, atoms, left, linear), formula(rng, atoms, size - 1 - left, linear));
            format!("({a} {operator} {b})")
        }
        3..=5 => {
            let operator = ["X", "F", "G"][rng.below(3)];
            format!("({quantifier}{operator} {})", formula(rng, atoms, size - 1, linear))
        }
        _ => {
            let (a, b) = (formula(rng, atoms, left, linear), formula(rng, atoms, size - 1 - left, linear));
            let open = if linear { ["(", ")"] } else { ["[", "]"] };
            format!("({quantifier}{} {a} U {b} {})", open[0], open[1])
        }
    }
}

/// The first result of a call of `check`, with its evidence; nothing if it has no verdict.
fn asked(arguments: &[&str], file: &Path) -> Option<Value> {
    let call = [&["check"], arguments, &["-q", "--evidence-file", path(file)]].concat();
    let (out, errors, status) = run(&call);
    assert!(status != 101, "{arguments:?}: {out}{errors}");
    if !matches!(status, 0 | 1) {
        return None;
    }
    let document: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    Some(document["results"][0].clone())
}

/// All states of evidence, as places.
fn states(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                let place = format!("{at}/{key}");
                if key == "states" {
                    found.push(place.clone());
                }
                states(value, &place, found);
            }
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| states(value, &format!("{at}/{i}"), found));
        }
        _ => {}
    }
}

/// Changes one thing in a result: never the property, nor its logic.
fn forged(rng: &mut Rng, result: &Value, texts: &[String]) -> Value {
    let mut value = result.clone();
    let mut found = Vec::new();
    states(&value, "", &mut found);
    let place = if found.is_empty() { "" } else { &found[rng.below(found.len())] };
    let path = place.rsplit_once('/').map_or("/evidence", |(path, _)| path);
    // an invariant has clauses
    let place = if found.is_empty() { "/evidence/clauses" } else { place };
    match rng.below(8) {
        0 => value["verdict"] = json!(if value["verdict"] == "holds" { "fails" } else { "holds" }),
        1 | 2 => {
            let text = &texts[rng.below(texts.len())];
            if let Some(path) = value.pointer_mut(path).filter(|path| path.is_object()) {
                path["shows"] = json!(text);
            }
        }
        3 => {
            let list = value.pointer_mut(place).and_then(Value::as_array_mut);
            if let Some(list) = list.filter(|list| list.len() > 1) {
                list.remove(rng.below(list.len()));
            }
        }
        4 => {
            if let Some(path) = value.pointer_mut(path).filter(|path| path.get("states").is_some()) {
                path["because"] = json!([]);
            }
        }
        5 => {
            if let Some(path) = value.pointer_mut(path).filter(|path| path.get("states").is_some()) {
                let count = path["states"].as_array().unwrap().len();
                path["loop"] = if rng.chance(0.5) {
                    Value::Null
                } else {
                    json!({"from": rng.below(count), "to": count - 1})
                };
            }
        }
        _ => {
            let list = value.pointer_mut(place).and_then(Value::as_array_mut);
            if let Some(list) = list {
                let at = rng.below(list.len().max(1));
                if list.is_empty() || list[at].is_string() {
                    let atom = texts.last().unwrap().clone();
                    list.push(json!(atom));
                } else if let Some(values) = list[at]
                    .get_mut("values")
                    .and_then(Value::as_object_mut)
                    .filter(|values| !values.is_empty())
                {
                    let name = values.keys().nth(rng.below(values.len())).unwrap().clone();
                    let other = match values[&name].as_str().unwrap() {
                        "0" => "1",
                        "1" => ["0", "2"][usize::from(name == "n") * rng.below(2)],
                        "TRUE" => "FALSE",
                        "FALSE" => "TRUE",
                        _ => "0",
                    };
                    values.insert(name, json!(other));
                }
            }
        }
    }
    value
}

/// Evidence that was written by hand: one state, and claims about it.
fn invented(result: &Value, state: &Value, shows: &str, verdict: &str) -> Value {
    let mut value = result.clone();
    value["verdict"] = json!(verdict);
    value["evidence"] = json!({"shows": shows, "states": [state], "loop": null, "because": []});
    value
}

/// What was found out about evidence.
#[derive(Default)]
struct Tried {
    confirmed: usize,
    forged: usize,
    refused: usize,
}

/// Asks one property of a model, replays its evidence, then forgeries of it.
fn check(model: &Path, arguments: &[&str], property: &str, rng: &mut Rng, tried: &mut Tried) {
    let file = model.with_extension("json");
    let call = [&[path(model), "-p", property], arguments].concat();
    let Some(result) = asked(&call, &file) else { return };
    let shown = || format!("{property} {arguments:?}\n{}", std::fs::read_to_string(model).unwrap());
    let evidence = result.get("evidence").filter(|evidence| evidence.is_object());
    if evidence.is_some() {
        let (out, errors, status) = run(&["replay", path(model), path(&file)]);
        let is_ok = status == 0 && out.starts_with("ok: ") && !out.contains("on trust");
        assert!(is_ok, "{}\n{out}{errors}\n{result}", shown());
        tried.confirmed += 1;
    }
    let verdict = result["verdict"].as_str().unwrap();
    let other = if verdict == "holds" { "fails" } else { "holds" };
    let shows = result.pointer("/evidence/shows").and_then(Value::as_str).unwrap_or(property);
    let mut texts: Vec<String> = [property, shows]
        .into_iter()
        .flat_map(|text| {
            [text.to_owned(), format!("!({text})"), format!("E ({text})"), format!("!A ({text})")]
        })
        .collect();
    texts.extend(["true".to_owned(), "E G true".to_owned(), "!E X true".to_owned()]);
    let mut forgeries = Vec::new();
    if let Some(state) = result.pointer("/evidence/states/0") {
        forgeries.extend(texts.iter().map(|text| invented(&result, state, text, other)));
    }
    for _ in 0..if evidence.is_some() { 16 } else { 0 } {
        let mut value = result.clone();
        for _ in 0..=rng.below(4) {
            value = forged(rng, &value, &texts);
        }
        forgeries.push(value);
    }
    if forgeries.is_empty() {
        return;
    }
    std::fs::write(&file, json!({ "results": forgeries }).to_string()).unwrap();
    let (out, errors, status) = run(&["replay", path(model), path(&file)]);
    assert!(matches!(status, 0 | 1 | 3), "{}\n{out}{errors}", shown());
    let lines: Vec<&str> = out.lines().filter(|line| !line.starts_with("    ")).collect();
    assert_eq!(lines.len(), forgeries.len(), "{out}{errors}");
    for (line, forgery) in lines.into_iter().zip(&forgeries) {
        let is_true = forgery["verdict"] == verdict;
        assert!(is_true || !line.starts_with("ok"), "{}\n{line}\n{forgery}\n{errors}", shown());
        assert!(is_true || line.starts_with("refused"), "{}\n{line}\n{forgery}", shown());
        tried.forged += 1;
        tried.refused += usize::from(line.starts_with("refused"));
    }
}

#[test]
fn circuits() {
    let folder = scratch("replayed_circuits");
    let mut tried = Tried::default();
    for case in 0..cases() {
        let rng = &mut Rng::new(case as u64);
        let (text, atoms) = circuit(rng);
        let model = folder.join("model.aag");
        std::fs::write(&model, text).unwrap();
        for question in 0..6 {
            let linear = question % 3 == 2;
            let size = 1 + rng.below(4);
            let property = formula(rng, &atoms, size, linear);
            let logic = if linear { "ltl" } else { "ctl" };
            check(&model, &["--logic", logic], &property, rng, &mut tried);
        }
    }
    let Tried { confirmed, forged, refused } = tried;
    assert!(confirmed > cases() && 3 * refused > forged, "{confirmed} confirmed, {refused} of {forged}");
}

#[test]
fn smv_models() {
    let folder = scratch("replayed_smv");
    let mut tried = Tried::default();
    for case in 0..cases() / 2 {
        let rng = &mut Rng::new(1000 + case as u64);
        let (text, conditions) = smv(rng);
        let model = folder.join("model.smv");
        std::fs::write(&model, text).unwrap();
        for question in 0..6 {
            let linear = question == 5;
            let size = 1 + rng.below(4);
            let property = formula(rng, &conditions, size, linear);
            let logic = if linear { "ltl" } else { "ctl" };
            let engine = ["bdd", "bdd", "omg", "pdr", "bmc"][rng.below(5)];
            check(&model, &["--logic", logic, "--engine", engine], &property, rng, &mut tried);
        }
    }
    let Tried { confirmed, forged, refused } = tried;
    assert!(2 * confirmed > cases() && 3 * refused > forged, "{confirmed} confirmed, {refused} of {forged}");
}

/// Evidence that was refused although it was right, and a forgery that was confirmed.
#[test]
fn known_circuits() {
    let model = scratch("replayed_known").join("model.aag");
    for (circuit, property) in [
        // a constraint on a latch that the property does not depend on
        ("aag 3 1 2 0 0 0 1\n2\n4 2 1\n6 2\n4\n", "A G !l1"),
        // constraints that exclude all initial states: an invariant with an empty clause
        ("aag 2 0 2 0 0 0 1\n2 2\n4 5\n2\n", "A G l1"),
        // two initial states, from one of which a run is shown
        ("aag 2 1 1 0 0\n2\n4 2 4\n", "E F l0"),
        // a fair loop
        ("aag 2 1 1 0 0 0 0 0 1\n2\n4 2\n4\n", "E G E F !l0"),
    ] {
        std::fs::write(&model, circuit).unwrap();
        let mut tried = Tried::default();
        check(&model, &[], property, &mut Rng::new(1), &mut tried);
        assert_eq!(tried.confirmed, 1, "{property}");
    }
}
