//! `.pds`: any text is read without a panic, problems lie within it, and a system that is read is
//! written as a text that is read as the same system, becomes a machine of either kind, and comes
//! back from it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_rsm::{DeadEnds, Pds, Recovery, Semantics, read_pds, write_pds};

fuzz_target!(|text: &str| {
    match read_pds(text) {
        Ok(pds) => check(&pds),
        Err(problems) => {
            assert!(problems.has_errors());
            for problem in problems.sorted() {
                assert!(problem.offset.is_none_or(|offset| offset <= text.len() as u64), "{problem:?}");
            }
        }
    }
});

fn check(pds: &Pds) {
    let text = written(pds);
    let again = read_pds(&text).expect("what is written can be read");
    assert_eq!(again.rules.len(), pds.rules.len());
    assert_eq!(written(&again), text);
    for recovery in [Recovery::Procedures, Recovery::Single] {
        for dead_ends in [DeadEnds::Error, DeadEnds::Loop] {
            let semantics = Semantics { dead_ends, ..Semantics::default() };
            if let Ok((rsm, _)) = pds.to_rsm(&semantics, &recovery) {
                let back = Pds::from_rsm(&rsm);
                back.to_rsm(&semantics, &recovery).expect("a machine survives the way there and back");
            }
        }
    }
}

fn written(pds: &Pds) -> String {
    let mut text = Vec::new();
    write_pds(pds, &mut text).expect("memory takes everything");
    String::from_utf8(text).expect("names are UTF-8")
}
