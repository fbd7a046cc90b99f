//! Public circuits with their expected verdicts.

#![allow(clippy::unwrap_used)]

mod common;

use common::smv::{path, run};

/// Needs: ../shared/benchmarks/iimc-ctl
#[test]
fn expected_verdicts_are_found() {
    let Some(folder) = loris_testing::benchmarks("iimc-ctl") else { return };
    let check = |name: &str, options: &[&str], expected: usize| {
        let file = |extension: &str| folder.join(name).with_extension(extension);
        let (circuit, properties) = (file("aig"), file("ctl"));
        let call = ["check", path(&circuit), "-f", path(&properties), "--expect", "-q"];
        let (_, errors, status) = run(&[&call, options].concat());
        let line = format!("{expected} of {expected} expected verdicts found, 0 differ, 0 unknown\n");
        assert_eq!((&*errors, status), (&*line, 0), "{name} {options:?}");
    };
    check("FIFOli", &[], 6);
    check("af_ag", &[], 1);
    check("amba4", &[], 18);
    check("bufferAlloc", &[], 11);
    check("cgw", &[], 2);
    check("debug", &[], 2);
    check("gatedClock", &[], 10);
    check("pf", &[], 3);
    check("priority", &[], 82);
    check("rrff", &[], 11);
    check("rrobin", &[], 8);
    check("spinner4", &[], 5);
    check("tstrst", &[], 5);
    check("twophase", &[], 1);
    for engine in ["omg", "bdd"] {
        for (name, count) in [("cgw", 2), ("debug", 2), ("gatedClock", 10), ("rrobin", 8), ("tstrst", 5)] {
            check(name, &["--engine", engine], count);
        }
    }
}
