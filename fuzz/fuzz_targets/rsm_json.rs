//! RSM JSON: any bytes are read without a panic, problems lie within the input, and a machine that
//! is read is written as a text that is read as the same machine.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_rsm::{DeadEnds, EmptyCalls, ReadError, Rsm, Semantics, read_rsm_json, write_dot, write_rsm_json};

fuzz_target!(|bytes: &[u8]| {
    for dead_ends in [DeadEnds::Error, DeadEnds::Loop] {
        for empty_calls in [EmptyCalls::Pass, EmptyCalls::Stuck] {
            check(bytes, &Semantics { dead_ends, empty_calls });
        }
    }
});

fn check(bytes: &[u8], semantics: &Semantics) {
    match read_rsm_json(bytes, semantics) {
        Ok((rsm, _)) => {
            let text = written(&rsm);
            let (again, _) = read_rsm_json(&*text, semantics).expect("what is written can be read");
            assert_eq!(written(&again), text);
            write_dot(&rsm, &mut std::io::sink()).expect("a sink takes everything");
        }
        Err(ReadError::Io(error)) => panic!("bytes in memory can be read: {error}"),
        Err(ReadError::Exhausted(why)) => panic!("there is no limit: {why}"),
        Err(ReadError::Invalid(problems)) => {
            assert!(problems.has_errors());
            for problem in problems.sorted() {
                assert!(problem.offset.is_none_or(|offset| offset <= bytes.len() as u64), "{problem:?}");
            }
        }
    }
}

fn written(rsm: &Rsm) -> Vec<u8> {
    let mut text = Vec::new();
    write_rsm_json(rsm, &mut text).expect("memory takes everything");
    text
}
