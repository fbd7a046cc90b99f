//! `.pdmu`: any text is read without a panic, problems lie within it, and a system that is read can
//! be written as `.pds` and becomes a machine.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_rsm::{DeadEnds, Recovery, Semantics, read_pdmu, read_pds, write_pds};

fuzz_target!(|text: &str| {
    match read_pdmu(text) {
        Ok(pds) => {
            let mut written = Vec::new();
            write_pds(&pds, &mut written).expect("memory takes everything");
            let written = String::from_utf8(written).expect("names are UTF-8");
            let again = read_pds(&written).expect("what is written can be read");
            assert_eq!(again.rules.len(), pds.rules.len());
            let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
            let _ = pds.to_rsm(&semantics, &Recovery::Procedures);
        }
        Err(problems) => {
            assert!(problems.has_errors());
            for problem in problems.sorted() {
                assert!(problem.offset.is_none_or(|offset| offset <= text.len() as u64), "{problem:?}");
            }
        }
    }
});
