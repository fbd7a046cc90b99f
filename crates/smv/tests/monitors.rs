//! Monitors: which are part of a state, and what they are called.

#![allow(clippy::unwrap_used)] // helpers of tests

use loris_base::{Budget, Idx};
use loris_rsm::{Rsm, Vertex};
use loris_smv::ir::SmvProperty;
use loris_smv::{Labels, Limits, Smv, build, read_smv};

const COUNTER: &str = "MODULE main VAR x : 0..3; IVAR i : boolean;
    ASSIGN init(x) := 0; next(x) := i ? (x + 1) mod 4 : x;
";

fn read(text: &str) -> Smv {
    read_smv(text).unwrap_or_else(|problems| panic!("{text}\n{:#?}", problems.sorted())).0
}

fn machine(smv: &Smv, properties: &[&SmvProperty]) -> Rsm {
    build(smv.program(), properties, Labels::All, &Limits::default(), &mut Budget::unlimited()).unwrap().rsm
}

/// The variables of a state, in order.
fn variables(rsm: &Rsm) -> Vec<String> {
    rsm.values(Vertex::new(0)).into_iter().map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn only_monitors_of_what_is_asked_are_part_of_states() {
    let smv = read(&format!(
        "{COUNTER} SPEC EF x = 3 LTLSPEC G (x = 3 -> O x = 2) LTLSPEC G (i -> X x > 0) \
         INVARSPEC next(x) >= x LTLSPEC G (x = 1 -> Y (x = 0 S x = 0)) LTLSPEC F O (x = 1 U x = 2)"
    ));
    let all: Vec<&SmvProperty> = smv.program().properties.iter().collect();
    let asked = |places: &[usize]| {
        let properties: Vec<&SmvProperty> = places.iter().map(|&place| all[place]).collect();
        let rsm = machine(&smv, &properties);
        (rsm.node_count(), variables(&rsm).join(" "))
    };
    assert_eq!(asked(&[]), (4, "x".to_owned()));
    assert_eq!(asked(&[0]), (4, "x".to_owned()));
    assert_eq!(asked(&[1]), (7, "x \"Y (O x = 2)\"".to_owned()));
    assert_eq!(asked(&[2]), (8, "x i_".to_owned()));
    assert_eq!(asked(&[3]), (5, "x \"Z (next(x) >= x)\"".to_owned()));
    assert_eq!(asked(&[4]), (6, "x \"Y (x = 0 S x = 0)\"".to_owned()));
    assert_eq!(asked(&[5]), (8, "x \"Y (O (x = 1 U x = 2))\"".to_owned()));
    // in whatever order
    assert_eq!(asked(&[3, 1, 0]).1, "x \"Y (O x = 2)\" \"Z (next(x) >= x)\"");
    assert_eq!(asked(&[1, 3]), asked(&[3, 1]));
}

#[test]
fn fairness_keeps_its_monitors() {
    let smv = read(&format!("{COUNTER} FAIRNESS i JUSTICE x = 1 & i SPEC EF x = 3"));
    assert_eq!(variables(&machine(&smv, &[])), ["x", "\"Y (x = 1 & i)\"", "i_"]);
}

#[test]
fn names_do_not_depend_on_which_property_was_read_first() {
    let texts = [
        "G (x = 1 -> Y x = 0)",
        "G (i -> O [1, 3] x = 0)",
        "H [1, 1] x = 0",
        "F (Y i & O (i & X x = 2))",
        "G (x = 2 S (F x = 1))",
        "AG (next(x) >= x)",
        "FALSE S x = 1",
        "G Y x = 1",
        "X i & i",
    ];
    let names = |texts: &[&str]| {
        let mut smv = read(COUNTER);
        let properties: Vec<SmvProperty> = texts.iter().map(|text| smv.property(text).unwrap()).collect();
        variables(&machine(&smv, &properties.iter().collect::<Vec<_>>()))
    };
    let mut reversed = texts;
    reversed.reverse();
    assert_eq!(names(&texts), names(&reversed));
    for text in texts {
        assert_eq!(names(&[text]), names(&[text, text]), "{text}");
    }
}

#[test]
fn long_names_are_cut_and_differ() {
    let long: Vec<String> = (0..40).map(|i| format!("x != {i}")).collect();
    let texts = [3, 2].map(|last| format!("O ({} & x = {last})", long.join(" & ")));
    let mut smv = read(COUNTER);
    let properties = texts.map(|text| smv.property(&text).unwrap());
    let names = variables(&machine(&smv, &properties.iter().collect::<Vec<_>>()));
    assert_eq!(names.len(), 3);
    assert!(names[1] != names[2] && names.iter().all(|name| name.chars().count() < 150), "{names:?}");
}

#[test]
fn what_no_state_can_hold_is_refused() {
    let mut smv = read(COUNTER);
    assert!(smv.property("O [0, 4000] x = 1").is_ok());
    let problems = smv.property("O [0, 4000] x = 1 & H [96, 97] x = 2").unwrap_err();
    let what = "properties that remember more than 4096 values of the past";
    assert_eq!(problems.unsupported(), Some(what));
}
