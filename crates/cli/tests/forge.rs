//! Forged evidence: every field of what `loris check` and `loris reach` write is changed, and no
//! change makes `loris replay` confirm a verdict that is false.
//!
//! A verdict counts as confirmed if replay prints it. Whether it is true, `loris check` decides,
//! asked the property, the logic and the readings that the changed file states.

#![allow(clippy::unwrap_used)]

mod common;

use common::smv::{path, run};
use common::{loris, scratch, text};
use loris_base::Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A question whose answers are forged: arguments of the command, and those that replay needs as
/// well.
type Asked = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const ASKED: [Asked; 18] = [
    ("check", "examples/fig3.rsm", &["-f", "examples/fig3.ctl"], &[]),
    (
        "check",
        "examples/fig3.rsm",
        &["-p", "E F (black & E X !black)", "-p", "A G (black -> A F !black)", "--at-exit", "sink"],
        &[],
    ),
    ("check", "examples/dataflow.rsm", &["-f", "examples/dataflow.ctl", "-p", "A X E F !use_i"], &[]),
    (
        "check",
        "examples/fig3.rsm",
        &["--logic", "ltl", "-p", "G F gray", "-p", "F G (white | black)", "-p", "gray"],
        &[],
    ),
    ("check", "examples/fig3.rsm", &["--logic", "ltl", "-p", "F black", "--runs", "unbounded"], &[]),
    (
        "check",
        "examples/fig3.rsm",
        &["--logic", "ctl*", "-p", "E F (white & E G F black)", "-p", "A (G F gray -> A F black)"],
        &[],
    ),
    (
        "check",
        "crates/cli/tests/models/lock.pds",
        &["-p", "A G E F done", "-p", "A F done", "-p", "E F (locked & A G locked)"],
        &[],
    ),
    ("check", "examples/fig3.rsm", &[], &["--automaton", "crates/cli/tests/models/often_gray.hoa"]),
    (
        "check",
        "examples/fig3.rsm",
        &["-p", "A G peer_0"],
        &["--with", "crates/cli/tests/models/seen_white.aut"],
    ),
    ("reach", "examples/fig3.rsm", &["--to", "black"], &[]),
    ("reach", "examples/fig3.rsm", &["--to", "A1/n4", "--from", "A1/n2"], &[]),
    ("check", "examples/smv/mutex.smv", &[], &[]),
    ("check", "examples/smv/fig4_1.smv", &[], &[]),
    ("check", "crates/cli/tests/models/cells.smv", &[], &[]),
    (
        "check",
        "crates/cli/tests/models/deadlock.smv",
        &[
            "--dead-ends",
            "stop",
            "-p",
            "AG EX TRUE",
            "-p",
            "EF AX FALSE",
            "-p",
            "AF FALSE",
            "-p",
            "EX p = one",
        ],
        &[],
    ),
    (
        "check",
        "examples/arbiter.aag",
        &[
            "--logic",
            "ltl",
            "-p",
            "G F ack0",
            "-p",
            "G !(ack0 & ack1)",
            "-p",
            "F G (ack0 | req1)",
            "-p",
            "G (req0 & req1 -> X (ack0 & X ack1))",
        ],
        &[],
    ),
    ("check", "crates/cli/tests/models/carried.aag", &[], &[]),
    (
        "check",
        "examples/arbiter.aag",
        &["-p", "A G E F ack0", "-p", "A G (req0 -> A X ack0)", "-p", "E F (ack0 & !E X ack1)"],
        &[],
    ),
];

/// The results of a question that have evidence, one by one, with all that they state.
fn results(asked: Asked) -> Vec<Value> {
    let (command, model, arguments, with) = asked;
    let jsonl: &[&str] =
        if command == "check" { &["--evidence", "--format", "jsonl"] } else { &["--format", "jsonl"] };
    let (out, errors, status) = run(&[&[command, model], arguments, with, jsonl].concat());
    assert!(matches!(status, 0 | 1), "{asked:?}: {errors}");
    let results = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    results.filter(|result| result.get("evidence").is_some_and(Value::is_object)).collect()
}

/// All places in a value, as paths of keys and indices.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                found.push(at.clone());
                places(value, &at, found);
            }
        }
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                let at = format!("{at}/{i}");
                found.push(at.clone());
                places(value, &at, found);
            }
        }
        _ => {}
    }
}

const DUPLICATE: &str = "@duplicate@";

/// Words that may stand under a key.
fn words(key: &str) -> &'static [&'static str] {
    match key {
        "verdict" => &["holds", "fails", "reachable", "unreachable", "unknown"],
        "logic" => &["ctl", "ltl", "ctl*", "automaton"],
        "at_exit" => &["loop", "sink", "stop"],
        "runs" => &["all", "bounded", "unbounded"],
        "counted_runs" => &["ending", "endless"],
        "dead_ends" => &["error", "loop", "stop"],
        "empty_calls" => &["pass", "stuck"],
        _ => &[],
    }
}

/// One change at a place: a text of JSON. Nothing, if this kind of change cannot be made there.
fn changed(result: &Value, place: &str, kind: usize, texts: &[String]) -> Option<(Value, Option<String>)> {
    let mut value = result.clone();
    let (parent, last) = place.rsplit_once('/').unwrap();
    let key = last.replace("~1", "/").replace("~0", "~");
    let index: Option<usize> = last.parse().ok();
    let old = result.pointer(place)?.clone();
    let holder = value.pointer_mut(parent)?;
    let set = |holder: &mut Value, new: Value| match holder {
        Value::Object(keys) => _ = keys.insert(key.clone(), new),
        Value::Array(list) => list[index.unwrap()] = new,
        _ => unreachable!("only these hold something"),
    };
    match (kind, holder) {
        (0, Value::Object(keys)) => _ = keys.remove(&key),
        (0, Value::Array(list)) => _ = list.remove(index.unwrap()),
        (1, holder) => set(holder, Value::Null),
        (2, holder) => set(holder, json!(7)),
        (3, holder) => set(holder, json!("x")),
        (4, holder) => set(holder, json!([])),
        (5, holder) => set(holder, json!({})),
        (6, Value::Object(keys)) => {
            keys.insert(DUPLICATE.to_owned(), old);
            return Some((value, Some(key)));
        }
        (6, Value::Array(list)) => list.insert(index.unwrap(), old),
        (7, Value::Array(list)) if index.unwrap() + 1 < list.len() => {
            list.swap(index.unwrap(), index.unwrap() + 1);
        }
        (8 | 9, holder) => {
            let number = old.as_u64()?;
            set(holder, json!(if kind == 8 { number + 1 } else { number.checked_sub(1)? }));
        }
        (10.., holder) => {
            let old = old.as_str()?;
            let others: Vec<&str> = match &*key {
                "property" | "shows" => texts.iter().map(String::as_str).collect(),
                "node" => texts.iter().filter_map(|text| text.strip_prefix("node ")).collect(),
                _ if parent.ends_with("/values") => vec!["0", "1"],
                _ => words(&key).to_vec(),
            };
            let mut others = others.into_iter().filter(|&other| other != old);
            set(holder, json!(others.nth(kind - 10)?));
        }
        _ => return None,
    }
    Some((value, None))
}

/// The text of a changed result.
fn printed(value: &Value, twice: Option<&str>) -> String {
    let text = value.to_string();
    match twice {
        Some(key) => text.replace(&json!(DUPLICATE).to_string(), &json!(key).to_string()),
        None => text,
    }
}

/// What is forged, and what was found out about it.
struct Forge {
    asked: Asked,
    file: PathBuf,
    verdicts: BTreeMap<Vec<String>, Option<String>>,
    refused: usize,
    confirmed: usize,
}

impl Forge {
    /// Replays a changed result; if its verdict is confirmed, it is true.
    fn try_out(&mut self, value: &Value, twice: Option<&str>) {
        let (_, model, _, with) = self.asked;
        let text = printed(value, twice);
        std::fs::write(&self.file, &text).unwrap();
        let (out, errors, status) = run(&[&["replay", model, path(&self.file)], with].concat());
        assert!(matches!(status, 0..=3), "{text}\n{out}{errors}");
        assert!(twice.is_none() || status == 2, "{text}\n{out}{errors}");
        let Some(subject) = out.lines().find_map(|line| line.strip_prefix("ok: ")) else {
            self.refused += 1;
            return;
        };
        let word = |key: &str| value.get(key).and_then(Value::as_str);
        let (subject, _) = subject.split_once("; shows ").unwrap_or_default();
        if subject.is_empty() {
            // only the path is confirmed
            assert!(
                word("property").is_none() && word("target").is_none() || word("logic") == Some("automaton"),
                "{text}\n{out}"
            );
            self.refused += 1;
            return;
        }
        self.confirmed += 1;
        let stated = word("verdict").unwrap_or_default();
        let expected = match word("property") {
            Some(property) => format!("{property} {stated}"),
            None => format!("{} is {stated}", word("target").unwrap_or_default()),
        };
        assert!(subject.starts_with(&expected), "{subject}\n{text}");
        let truth = self.verdict(value);
        assert_eq!(truth.as_deref(), Some(stated), "{subject}\n{text}\n{out}");
    }

    /// What `loris check` or `loris reach` says of what a result states; nothing, if it refuses.
    fn verdict(&mut self, value: &Value) -> Option<String> {
        let word = |key: &str| value.get(key).and_then(Value::as_str);
        let flags = |flags: &[(&str, &str)]| -> Vec<String> {
            let flags = flags.iter().filter_map(|(flag, key)| Some(format!("--{flag}={}", word(key)?)));
            flags.collect()
        };
        let model =
            flags(&[("dead-ends", "dead_ends"), ("empty-calls", "empty_calls"), ("module", "module")]);
        if word("target").is_some() {
            return self.ask("reach", &[model, flags(&[("to", "target"), ("from", "from")])].concat(), value);
        }
        let readings = [model, flags(&[("at-exit", "at_exit"), ("runs", "runs")])].concat();
        // one that the model carries, perhaps for an instance, or one that is given
        let ending = word("counted_runs") == Some("ending");
        let is_carried = word("logic") == Some("automaton")
            || self.asked.1.contains(".smv")
            || word("counted_runs").is_some();
        let carried = is_carried.then(|| self.ask("check", &readings, value)).flatten();
        let must = ending || word("logic") == Some("automaton") || word("instance").is_some();
        if carried.is_some() || must {
            return carried;
        }
        let given = flags(&[("logic", "logic"), ("property", "property")]);
        self.ask("check", &[readings, given, vec!["--unknown-atoms=false".to_owned()]].concat(), value)
    }

    /// The verdict on what a result states among the answers of a call.
    fn ask(&mut self, command: &str, arguments: &[String], value: &Value) -> Option<String> {
        let (_, model, _, with) = self.asked;
        let found = self.verdicts.entry(arguments.to_vec()).or_insert_with(|| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let call = [&[command, model], &arguments[..], with, &["--format", "jsonl"]].concat();
            let output = loris(&call).output().unwrap();
            matches!(output.status.code(), Some(0 | 1)).then(|| text(&output.stdout).to_owned())
        });
        let results = found.as_deref()?.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        // a formula of CTL is one of CTL*, and means the same
        let branching =
            |value: &Value| matches!(value.get("logic").and_then(Value::as_str), Some("ctl" | "ctl*"));
        let same_logic = |result: &Value| {
            result.get("logic") == value.get("logic") || branching(result) && branching(value)
        };
        let keys = ["property", "target", "instance"];
        let same = |result: &Value| keys.iter().all(|key| result.get(key) == value.get(key));
        let mut same = results.filter(|result| same(result) && same_logic(result));
        same.next().and_then(|result| Some(result.get("verdict")?.as_str()?.to_owned()))
    }
}

/// Texts that another text may be replaced with: properties, their negations, and nodes.
fn texts(results: &[Value]) -> Vec<String> {
    let mut texts = Vec::new();
    for result in results {
        for key in ["/property", "/evidence/shows"] {
            if let Some(text) = result.pointer(key).and_then(Value::as_str) {
                texts.extend([
                    text.to_owned(),
                    format!("!({text})"),
                    format!("A ({text})"),
                    format!("E ({text})"),
                ]);
            }
        }
        let mut found = Vec::new();
        places(result, "", &mut found);
        let nodes = found.iter().filter(|place| place.ends_with("/node") || place.ends_with("/shows"));
        for place in nodes {
            let text = result.pointer(place).and_then(Value::as_str).unwrap();
            texts.push(if place.ends_with("node") { format!("node {text}") } else { text.to_owned() });
        }
    }
    texts.sort();
    texts.dedup();
    texts
}

/// How many changes of each result are tried; `LORIS_CASES` asks for more.
fn cases() -> usize {
    loris_testing::cases(30)
}

#[test]
fn no_change_makes_a_false_verdict_true() {
    let folder = scratch("forge");
    let (mut refused, mut confirmed) = (0, 0);
    for (number, asked) in ASKED.into_iter().enumerate() {
        let results = results(asked);
        assert!(!results.is_empty(), "{asked:?}");
        let texts = texts(&results);
        let file = folder.join("evidence.json");
        let mut forge = Forge { asked, file, verdicts: BTreeMap::new(), refused: 0, confirmed: 0 };
        for (i, result) in results.iter().enumerate() {
            forge.try_out(result, None);
            assert_eq!((forge.confirmed, forge.refused), (i + 1, 0), "{result}");
        }
        forge.confirmed = 0;
        for (i, result) in results.iter().enumerate() {
            let rng = &mut Rng::new((100 * number + i) as u64);
            for verdict in ["holds", "fails"] {
                let mut flipped = result.clone();
                flipped["verdict"] = json!(verdict);
                forge.try_out(&flipped, None);
                for logic in words("logic") {
                    flipped["logic"] = json!(logic);
                    forge.try_out(&flipped, None);
                }
            }
            for _ in 0..cases() {
                let (mut value, mut twice) = (result.clone(), None);
                for _ in 0..=rng.below(3) {
                    let mut found = Vec::new();
                    places(&value, "", &mut found);
                    let place = &found[rng.below(found.len())];
                    let kind = rng.below(16);
                    if twice.is_none()
                        && let Some(change) = changed(&value, place, kind, &texts)
                    {
                        (value, twice) = change;
                    }
                }
                forge.try_out(&value, twice.as_deref());
            }
        }
        refused += forge.refused;
        confirmed += forge.confirmed;
    }
    assert!(refused > confirmed && confirmed > 50, "{refused} refused, {confirmed} confirmed");
}
