//! What files look like: machines in `write/*.rsm`, files in `write/*.smv`, made anew with
//! `LORIS_BLESS=1`.

use loris_rsm::{Rsm, Semantics, read_rsm_json};
use loris_smv::write::{LabelNames, Unprintable, WriteError, smv_property, write_smv};
use loris_testing::golden;
use std::fs::File;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/write").join(name)
}

fn machine(path: PathBuf) -> Rsm {
    read_rsm_json(File::open(path).expect("a model"), &Semantics::default()).expect("a valid model").0
}

fn check(name: &str, formulas: &[&str]) {
    let rsm = machine(path(&format!("{name}.rsm")));
    let labels = LabelNames::of(&rsm);
    let properties: Vec<_> = formulas
        .iter()
        .map(|formula| loris_logic::parse(formula).expect("a formula"))
        .map(|formula| smv_property(&formula, &labels).expect("CTL or LTL"))
        .collect();
    let mut text = Vec::new();
    write_smv(&rsm, &properties, &mut text).expect("one exit");
    golden([(path(&format!("{name}.smv")), String::from_utf8(text).expect("text"))]);
}

#[test]
fn a_finite_machine() {
    check("finite", &["A G E F p", "G F p -> G F q"]);
}

#[test]
fn a_finite_machine_that_ends() {
    check("ends", &["A F done"]);
}

#[test]
fn calls_after_calls_and_empty_procedures() {
    check("calls", &["A [ p W \"use x\" ]", "E [ p R unknown ]"]);
}

#[test]
fn several_exits_are_written_out() {
    check("exits", &["E F p"]);
}

#[test]
fn names_of_programs() {
    check("names", &["A G (\"java.lang.Object: void <init>()\" -> E X \"E\")"]);
}

#[test]
fn what_cannot_be_written() {
    let example = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/fig3.rsm");
    let rsm = machine(example);
    let refused = write_smv(&rsm, &[("SPEC", "TRUE".to_owned())], &mut Vec::new()).expect_err("two exits");
    let WriteError::Exits { component, exits } = &refused else { panic!("{refused}") };
    assert_eq!((&**component, *exits), ("A1", 2));
    assert!(refused.to_string().starts_with("component \"A1\" can be left through 2 exits"), "{refused}");

    let refused = |formula: &str| {
        let formula = loris_logic::parse(formula).expect("a formula");
        smv_property(&formula, &LabelNames::of(&rsm)).expect_err("not in SMV")
    };
    assert_eq!(refused("E (G F gray)"), Unprintable::Star);
    assert_eq!(refused("A F (gray & G E F gray)"), Unprintable::Star);
    assert_eq!(refused(&format!("{}gray{}", "A [ gray W ".repeat(40), " ]".repeat(40))), Unprintable::Long);
}
