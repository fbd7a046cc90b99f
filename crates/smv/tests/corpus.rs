//! The examples, and the files with errors, as any text: what the fuzzer starts from, under a
//! stable compiler.

#![allow(clippy::unwrap_used)]

#[path = "common/anything.rs"]
mod anything;

use anything::anything;
use loris_base::{Budget, Exhausted};
use loris_smv::{Labels, Limits, Stopped, build, read_smv};
use std::path::Path;

#[test]
fn all_files() {
    let mut files = 0;
    for folder in ["../../examples/smv", "tests/errors", "tests/write"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "smv") {
                anything(&std::fs::read_to_string(&path).unwrap());
                files += 1;
            }
        }
    }
    assert!(files > 100, "{files}");
}

/// What bounds states, time and memory does so within a step, too, however many ways there are to
/// go.
#[test]
fn limits_within_a_step() {
    let check = |text: &str, states: usize, steps: Option<u64>, bytes: Option<usize>, expected| {
        let (smv, _) = read_smv(text).unwrap();
        let limits = Limits { states, ..Limits::default() };
        let mut budget = steps.map_or_else(|| Budget::new(None, bytes), Budget::steps);
        let made = build(smv.program(), &[], Labels::All, &limits, &mut budget);
        assert!(steps.is_none_or(|steps| budget.spent() < 2 * steps), "{text}: {} steps", budget.spent());
        assert!(matches!(made, Err(Stopped::Exhausted(why)) if why == expected), "{text}: {made:?}");
    };
    let free = "MODULE main VAR x : 0..1099511627775;";
    check(free, 1000, None, None, Exhausted::States);
    check(free, usize::MAX, None, None, Exhausted::States);
    check("MODULE main VAR x : 0..99999999;", usize::MAX, None, Some(1 << 24), Exhausted::Memory);
    let later = "MODULE main VAR x : 0..99999999; ASSIGN init(x) := 0;";
    check(later, 1000, None, None, Exhausted::States);
    let listed = "MODULE main VAR x : 0..99999999; INIT x mod 2 = 0";
    check(listed, 1000, None, None, Exhausted::States);
    check(listed, usize::MAX, None, Some(1 << 24), Exhausted::Memory);
    let searched = "MODULE main VAR x : 0..99999999; y : 0..99999999; INIT x + y < 0";
    check(searched, usize::MAX, Some(100_000), None, Exhausted::Time);
    let inputs = "MODULE main VAR x : 0..1; IVAR i : 0..99999999; TRANS next(x) = (i < 0 ? 0 : 1)";
    check(inputs, 1000, Some(100_000), None, Exhausted::Time);
}

/// Whether a value is in a large range is not found out by listing the range.
#[test]
fn large_ranges() {
    let text = "MODULE main VAR x : 0..3; y : 0..3; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4; init(y) := 0; next(y) := y;
                DEFINE all := x in y .. 1000000000000; none := (x + y) in 4 .. 1000000000000; SPEC AG all SPEC EF none";
    let (smv, _) = read_smv(text).unwrap();
    let properties: Vec<_> = smv.program().properties.iter().collect();
    let made =
        build(smv.program(), &properties, Labels::All, &Limits::default(), &mut Budget::unlimited()).unwrap();
    let of = |name: &str| made.rsm.labelled(made.rsm.label(name).unwrap()).len();
    assert_eq!((of("all"), of("none")), (4, 0));
}
