//! Compositions: any bytes are read without a panic, problems lie within the file, what is read is
//! written as a file that is read again, and assembling it of any parts does not panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::{Budget, Stopped};
use loris_lts::{read_aut, read_composition, write_composition};

fuzz_target!(|bytes: &[u8]| {
    let limited = || Budget::new(None, Some(1 << 28));
    match read_composition(bytes, &mut limited()) {
        Ok(description) => {
            let mut written = Vec::new();
            write_composition(&description, &mut written).expect("into memory");
            let again = read_composition(&written, &mut limited()).expect("what is written can be read");
            assert_eq!(again.parts.len(), description.parts.len());
            let text = b"des (0, 3, 2)\n(0, a, 1)\n(1, b, 0)\n(1, tau, 1)\n";
            let (part, _) = read_aut(text, "part", &mut limited()).expect("well-formed");
            let _ = description.assemble(vec![part; description.parts.len()], &mut limited());
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
