//! Petri nets in PNML: any bytes are read without a panic, problems lie within the file, and nets
//! are cut without a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::{Budget, Stopped};
use loris_lts::read_pnml;

fuzz_target!(|bytes: &[u8]| {
    let limited = || Budget::new(None, Some(1 << 28));
    match read_pnml(bytes, &mut limited()) {
        Ok(net) => {
            if let Ok(cut) = net.cut(true, &mut limited()) {
                assert!(cut.processes.iter().all(|process| process.state_count() > 0));
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
