//! AIGER files: any bytes are read without a panic, problems lie within the file, and what is read
//! is written in both formats as files that are read as a circuit of the same size.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::{Budget, Stopped};
use loris_circuit::{read_aiger, write_aiger_ascii, write_aiger_binary};

fuzz_target!(|bytes: &[u8]| {
    let limited = || Budget::new(None, Some(1 << 28));
    match read_aiger(bytes, &mut limited()) {
        Ok((circuit, _)) => {
            let (mut ascii, mut binary) = (Vec::new(), Vec::new());
            write_aiger_ascii(&circuit, &mut ascii).expect("into memory");
            write_aiger_binary(&circuit, &mut binary).expect("into memory");
            for written in [ascii, binary] {
                let (again, _) = read_aiger(&written, &mut limited()).expect("what is written can be read");
                assert_eq!(again.latches.len(), circuit.latches.len());
                assert_eq!(again.inputs.len(), circuit.inputs.len());
            }
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
