//! Processes in JSON: any bytes are read without a panic, problems lie within the file, and what is
//! read is written as a file that is read as a process of the same size.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::{Budget, Stopped};
use loris_lts::{read_kmts, write_kmts};

fuzz_target!(|bytes: &[u8]| {
    let limited = || Budget::new(None, Some(1 << 28));
    match read_kmts(bytes, "fuzzed", &mut limited()) {
        Ok(process) => {
            let mut written = Vec::new();
            write_kmts(&process, &mut written).expect("into memory");
            let again = read_kmts(&written, "fuzzed", &mut limited()).expect("what is written can be read");
            assert_eq!(again.state_count(), process.state_count());
            assert_eq!(again.step_count(), process.step_count());
        }
        Err(Stopped::Wrong(problems)) => {
            assert!(problems.has_errors());
            assert!(
                problems.sorted().iter().all(|problem| problem.offset.unwrap_or(0) as usize <= bytes.len())
            );
        }
        Err(Stopped::Exhausted(_)) => {}
    }
});
