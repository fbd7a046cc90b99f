//! Conditions of properties that have no value in some state: each is reported where the property
//! was written, whatever else is asked, by engines that list states and by those that do not.

#![allow(clippy::unwrap_used)] // helpers of tests

use loris_base::{Budget, Diagnostic};
use loris_check::{Logic, Options};
use loris_load::{Format, Origin, Reading, Words};
use loris_session::{Request, inquire, seek};
use std::path::{Path, PathBuf};

/// `d` has no value where `x` is 0, and neither has the property that nobody asks for.
const MODEL: &str = "MODULE main
VAR x : 0..3; a : array 0..2 of boolean;
ASSIGN init(x) := 3; next(x) := x > 0 ? x - 1 : 3;
DEFINE d := 6 / x > 1;
SPEC AG (5 / x > 1)
";

/// Formulas, and the part of each that is at fault.
const GIVEN: [(&str, Option<&str>); 8] = [
    ("EF x = 1", None),
    ("AG (6 / x > 1)", Some("6 / x > 1")),
    ("  AG (x = 2 | 5 / x > 1)", Some("5 / x > 1")),
    ("AG d", Some("d")),
    ("AG (x != 0 -> x in {1, 2, 3})", None),
    ("EF (x = 1 & AX AG (5 / x > 1))", Some("5 / x > 1")),
    ("AG a[x]", Some("a[x]")),
    ("AG (x = 1 ? 6 / x > 1 : TRUE)", None),
];

fn model(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blame");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// The problems: their inputs, and the parts that carets are under.
fn shown(reading: &Reading) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for (input, problems) in reading.found() {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut input.open().unwrap(), &mut text).unwrap();
        for problem in problems.sorted() {
            let Diagnostic { offset, length, message, .. } = problem;
            let start = usize::try_from(offset.unwrap_or_else(|| panic!("{message}"))).unwrap();
            let name = Path::new(input.name()).file_name().unwrap().display().to_string();
            shown.push((name, text[start..start + *length as usize].to_owned()));
        }
    }
    shown
}

fn asked(path: &Path, engine: &str, formulas: &[String], files: &[PathBuf], logic: Option<Logic>) -> Reading {
    let options = Options { engine: engine.parse().unwrap(), ..Options::default() };
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    let request = Request { formulas, files, logic, ..Request::new(&options) };
    let found = inquire(&[path.to_owned()], Format::Smv, &Origin::default(), &request, &mut reading);
    assert_eq!(found.is_none(), reading.has_errors(), "{formulas:?}");
    reading
}

#[test]
fn every_company() {
    let path = model("every.smv", MODEL);
    for engine in ["auto", "fixpoint", "bdd"] {
        for company in 1_u32..1 << GIVEN.len() {
            let is_asked = |number: &usize| company >> number & 1 == 1;
            let chosen: Vec<_> = (0..GIVEN.len()).filter(is_asked).map(|number| GIVEN[number]).collect();
            let formulas: Vec<String> = chosen.iter().map(|(text, _)| (*text).to_owned()).collect();
            let faults =
                chosen.iter().filter_map(|(_, part)| Some(("formula".to_owned(), (*part)?.to_owned())));
            let expected: Vec<(String, String)> = faults.collect();
            let reading = asked(&path, engine, &formulas, &[], None);
            assert_eq!(shown(&reading), expected, "{engine}: {formulas:?}");
        }
    }
}

#[test]
fn files_and_the_model_itself() {
    let path = model("model.smv", MODEL);
    let file = model("some.ctl", "# a comment\n\n  EF x = 1\n  AG (x = 2 | 5 / x > 1)  # why\nAG d\n");
    let part = |name: &str, part: &str| (name.to_owned(), part.to_owned());
    for engine in ["fixpoint", "bdd"] {
        let reading = asked(&path, engine, &[], std::slice::from_ref(&file), None);
        assert_eq!(shown(&reading), [part("some.ctl", "5 / x > 1"), part("some.ctl", "d")], "{engine}");
        // without others, that of the model is asked
        let reading = asked(&path, engine, &[], &[], None);
        assert_eq!(shown(&reading), [part("model.smv", "5 / x > 1")], "{engine}");
    }
    // numbers of steps, and conditions that monitors remember
    let found = |text: &str, logic| shown(&asked(&path, "fixpoint", &[text.to_owned()], &[], logic));
    let parts = |text: &str, logic| found(text, logic).into_iter().map(|(_, part)| part).collect::<Vec<_>>();
    assert_eq!(parts("COMPUTE MIN [x = 1, 7 / x > 1]", None), ["7 / x > 1"]);
    assert_eq!(parts("G (Y (7 / x > 1) -> x < 4)", Some(Logic::Ltl)), ["7 / x > 1"]);
}

#[test]
fn targets() {
    let path = model("target.smv", MODEL);
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    let sought =
        seek((&path, Format::Smv), &Origin::default(), (Some("x = 1 | 6 / x > 7"), None), &mut reading);
    assert!(sought.is_none());
    let parts: Vec<String> = shown(&reading).into_iter().map(|(_, part)| part).collect();
    assert_eq!(parts, ["6 / x > 7"]);
}
