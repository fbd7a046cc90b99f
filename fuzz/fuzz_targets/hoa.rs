//! HOA files: any text is read without a panic, problems lie within the text, and
//! what is read is written as a text that is read as the same automaton.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::Diagnostics;
use loris_logic::automaton::parse_hoa;

fuzz_target!(|text: &str| {
    match parse_hoa(text) {
        Ok(hoa) => {
            assert_eq!(hoa.origin.len(), hoa.buchi.states());
            assert!(hoa.origin.iter().all(|&state| (state as usize) < hoa.graph.edges.len()));
            let written = hoa.to_string();
            let again = parse_hoa(&written).expect("what is written can be read");
            assert_eq!(again.buchi, hoa.buchi);
            assert_eq!((again.name, again.propositions), (hoa.name, hoa.propositions));
        }
        Err(problems) => located(&problems, text),
    }
});

fn located(problems: &Diagnostics, text: &str) {
    assert!(problems.has_errors());
    for problem in problems.sorted() {
        let offset = problem.offset.unwrap_or(0) as usize;
        assert!(text.is_char_boundary(offset), "{problem:?} is not at a character of the text");
    }
}
