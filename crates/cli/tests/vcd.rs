//! Waveforms are read back and compared with the JSON evidence of the same call.

#![allow(clippy::unwrap_used)]

mod common;

use common::scratch;
use common::smv::{path, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The values of variables in one state, as text that both formats can be brought to.
type Values = BTreeMap<String, String>;

/// A property by its number, the time of the first state, the states.
type Wave = (usize, usize, Vec<Values>);

/// The runs of a dump; comments are counted.
fn read_vcd(text: &str) -> (BTreeSet<Wave>, usize) {
    assert!(text.is_ascii());
    let mut words = text.split_ascii_whitespace();
    let mut block = |end: &str| words.by_ref().take_while(|word| *word != end).collect::<Vec<_>>();
    let mut scopes: Vec<String> = Vec::new();
    // id -> scope, type, name
    let mut signals: BTreeMap<String, (Vec<String>, String, String)> = BTreeMap::new();
    let (mut comments, mut scale) = (0, false);
    loop {
        let words = block("$end");
        match &words[..] {
            ["$comment", rest @ ..] => {
                assert!(rest.iter().all(|word| !word.contains('$')), "{rest:?}");
                comments += 1;
            }
            ["$version", ..] => {}
            ["$timescale", "1", "ns"] => scale = true,
            ["$scope", "module", name] => scopes.push((*name).to_owned()),
            ["$upscope"] => drop(scopes.pop().unwrap()),
            ["$var", kind, width, id, name] => {
                assert!(!name.contains([':', '$', '\\']), "{name}");
                let signal = (scopes.clone(), format!("{kind} {width}"), unescaped(name));
                assert!(signals.insert((*id).to_owned(), signal).is_none(), "{id} is declared twice");
            }
            ["$enddefinitions"] => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(scale && scopes.is_empty());
    let mut now: BTreeMap<Vec<String>, Values> = BTreeMap::new();
    let mut runs: BTreeMap<Vec<String>, (usize, Vec<Values>)> = BTreeMap::new();
    let mut time = 0;
    let mut pass = |until: usize, now: &BTreeMap<Vec<String>, Values>| {
        for at in time..until {
            for (scope, values) in now.iter().filter(|(_, values)| !values.is_empty()) {
                let (start, states) = runs.entry(scope.clone()).or_insert_with(|| (at, Vec::new()));
                assert_eq!(*start + states.len(), at, "a run is interrupted");
                states.push(values.clone());
            }
        }
        time = until;
    };
    while let Some(word) = words.next() {
        if let Some(later) = word.strip_prefix('#') {
            pass(later.parse().unwrap(), &now);
            continue;
        }
        if word == "$dumpvars" || word == "$end" {
            continue;
        }
        let (value, id) = match word.as_bytes()[0] {
            b'b' | b's' => (word, words.next().unwrap()),
            _ => word.split_at(1),
        };
        let (scope, kind, name) = &signals[id];
        let values = now.entry(scope.clone()).or_default();
        let found = match &**kind {
            "wire 1" => Some(value.to_owned()).filter(|value| value != "x"),
            "string 1" => Some(text_of(value.strip_prefix('s').unwrap())).filter(|text| !text.is_empty()),
            other => {
                let (kind, width) = other.split_once(' ').unwrap();
                let digits = value.strip_prefix('b').unwrap();
                let bits = (digits != "x").then(|| u128::from_str_radix(digits, 2).unwrap());
                bits.map(|bits| match (kind, width.parse::<u32>().unwrap()) {
                    ("integer", 32) => (bits as u32).cast_signed().to_string(),
                    ("integer", 64) => (bits as u64).cast_signed().to_string(),
                    ("reg", width) if bits >> width == 0 => bits.to_string(),
                    other => panic!("{other:?}"),
                })
            }
        };
        match found {
            Some(found) => values.insert(name.clone(), found),
            None => values.remove(name),
        };
    }
    let number = |scope: &Vec<String>| scope[0].strip_prefix("property_").unwrap().parse().unwrap();
    let runs = runs.into_iter().map(|(scope, (start, states))| (number(&scope), start, states)).collect();
    (runs, comments)
}

fn unescaped(name: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                bytes.extend(u8::from_str_radix(&digits, 16));
            }
            b'(' => bytes.push(b'['),
            b')' => bytes.push(b']'),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn text_of(token: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = token.bytes();
    while let Some(byte) = rest.next() {
        match (byte, byte == b'\\') {
            (_, true) => match rest.next().unwrap() {
                b'x' => {
                    let digits: String = rest.by_ref().take(2).map(char::from).collect();
                    bytes.push(u8::from_str_radix(&digits, 16).unwrap());
                }
                other => bytes.push(other),
            },
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// The runs of a document.
fn read_json(document: &Value) -> BTreeSet<Wave> {
    let mut runs = BTreeSet::new();
    for (at, result) in document["results"].as_array().unwrap().iter().enumerate() {
        let mut open = vec![(&result["evidence"], 0)];
        while let Some((path, start)) = open.pop() {
            let Some(states) = path["states"].as_array() else { continue };
            let values = |state: &Value| -> Values {
                let values = state["values"].as_object().unwrap().iter();
                values.map(|(name, value)| (name.clone(), plain(value.as_str().unwrap()))).collect()
            };
            runs.insert((at + 1, start, states.iter().map(values).collect()));
            open.extend(path["also"].as_array().into_iter().flatten().map(|path| (path, 0)));
            for claim in path["because"].as_array().unwrap() {
                open.push((&claim["evidence"], start + claim["state"].as_u64().unwrap() as usize));
            }
        }
    }
    runs
}

/// A value of JSON as the reader of dumps prints it.
fn plain(value: &str) -> String {
    let word = value.trim_start_matches('-').strip_prefix("0ud");
    let word = word.or_else(|| value.trim_start_matches('-').strip_prefix("0sd"));
    match (value, word.and_then(|word| word.split_once('_'))) {
        ("TRUE", _) => "1".to_owned(),
        ("FALSE", _) => "0".to_owned(),
        (_, Some((width, digits))) => {
            let number: u128 = digits.parse().unwrap();
            let all = 1u128 << width.parse::<u32>().unwrap();
            (if value.starts_with('-') { all - number } else { number }).to_string()
        }
        _ => value.to_owned(),
    }
}

/// Checks that both files of a call show the same runs, and returns their number and the dump.
fn compared(arguments: &[&str], folder: &str) -> (usize, String) {
    let folder = scratch(folder);
    let (dump, json) = (folder.join("runs.vcd"), folder.join("evidence.json"));
    let files = ["--vcd", path(&dump), "--evidence-file", path(&json), "-q"];
    let (out, errors, status) = run(&[&["check"], arguments, &files].concat());
    assert!(matches!(status, 0 | 1), "{arguments:?}: {out}{errors}");
    let text = std::fs::read_to_string(&dump).unwrap();
    let (found, comments) = read_vcd(&text);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let expected = read_json(&document);
    assert!(comments > found.len());
    assert_eq!(found, expected, "{arguments:?}");
    (found.len(), text)
}

#[test]
fn dumps_show_the_runs_of_the_evidence() {
    let check = |arguments: &[&str], least: usize| {
        let (found, _) = compared(arguments, "vcd_runs");
        assert!(found >= least, "{arguments:?}: {found}");
    };
    check(&["examples/arbiter.aag", "-f", "examples/arbiter.ctl"], 2);
    check(&["examples/arbiter.aag", "-p", "A G !ack0", "-p", "E F (ack1 & E X ack0)"], 3);
    for engine in ["auto", "bdd"] {
        check(
            &["examples/smv/retries.smv", "--engine", engine, "-p", "AG tries < 3", "-p", "AG at != done"],
            2,
        );
        check(&["examples/smv/words.smv", "--engine", engine], 3);
        check(&["examples/smv/philosophers.smv", "--engine", engine], 1);
    }
    check(&["examples/smv/retries.smv"], 7);
    check(&["examples/smv/counter.smv", "-p", "AG FALSE"], 1);
    check(&["examples/smv/sorting.smv", "-p", "AF FALSE"], 1);
    // modules that call each other have different variables
    check(&["examples/smv/fig4_1.smv", "-p", "AG !q"], 1);
}

#[test]
fn words_numbers_and_arrays() {
    let folder = scratch("vcd_kinds");
    let model = folder.join("kinds.smv");
    let text = "MODULE main VAR s : signed word[8]; u : unsigned word[40]; n : -3..3; b : boolean;\n\
        e : {idle, 7, busy}; a : array 0..1 of 0..9;\n\
        ASSIGN init(s) := -0sd8_3; next(s) := s - 0sd8_100; init(u) := 0ud40_1; next(u) := u << 9;\n\
        init(n) := 3; next(n) := -n; init(b) := FALSE; next(b) := !b; init(e) := idle;\n\
        next(e) := case e = idle : 7; TRUE : busy; esac; init(a[0]) := 4; init(a[1]) := 9;\n\
        next(a[0]) := a[1]; next(a[1]) := a[0];\n\
        SPEC AG (s > 0sd8_0 | u < 0ud40_100000 | n < -3 | !b | e = idle | a[0] = a[0] & a[1] < 0)";
    std::fs::write(&model, text).unwrap();
    for engine in ["auto", "bdd"] {
        let (found, dump) = compared(&[path(&model), "--engine", engine], "vcd_kinds_runs");
        assert_eq!(found, 1);
        for line in ["$var reg 8 ! s $end", "$var integer 32 # n $end", "$var wire 1 $ b $end"] {
            assert!(dump.contains(line), "{engine}: {line}: {dump}");
        }
        assert!(dump.contains(" a(0) $end") && dump.contains("$var string 1 % e $end"), "{dump}");
    }
}

#[test]
fn hostile_names_do_not_break_the_file() {
    let folder = scratch("vcd_hostile");
    let model = folder.join("hostile.aag");
    // two latches that take the values of two inputs
    let symbols =
        "i0 $end\ni1 a b\tc:d $end #0\nl0 d\u{e9}j\u{e0} %41 \\n\nl1 data[3]\no0 out(1)\nb0 never $end\n";
    std::fs::write(&model, format!("aag 4 2 2 1 0 1\n2\n4\n6 2\n8 4\n6\n8\n{symbols}")).unwrap();
    let properties = ["-p", "A G !\"data[3]\"", "-p", "A G\n !\"$end\"", "-p", "A G !\"never $end\""];
    let (found, dump) = compared(&[&[path(&model)], &properties[..]].concat(), "vcd_hostile_runs");
    assert_eq!(found, 3);
    assert!(dump.contains(" data[3] $end"), "{dump}");
}

#[test]
fn files_are_spared() {
    let folder = scratch("vcd_spared");
    let model = folder.join("model.aag");
    std::fs::copy("../../examples/arbiter.aag", &model).unwrap();
    let before = std::fs::read(&model).unwrap();
    let check = |model: &str, options: &[&str], expected: &str| {
        let (_, errors, status) = run(&[&["check", model, "-p", "true"], options].concat());
        assert_eq!(status, 2, "{options:?}: {errors}");
        assert!(errors.contains(expected), "{options:?}: {errors}");
    };
    check(path(&model), &["--vcd", path(&model)], "this is an input of this call");
    check(path(&model), &["--vcd", "nowhere/runs.vcd"], "cannot be written");
    let both = folder.join("both");
    check(path(&model), &["--vcd", path(&both), "--evidence-file", path(&both)], "the same file");
    check("examples/dataflow.rsm", &["--vcd", path(&both)], "--vcd is for circuits and SMV models");
    assert_eq!(std::fs::read(&model).unwrap(), before);
    assert!(!both.exists());
}
