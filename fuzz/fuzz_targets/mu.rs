//! Formulas of the mu-calculus in all syntaxes: any text is read without a panic, problems lie
//! within the text, and what is printed is read again as the same formula.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_logic::mu::{DeadEnds, MuFormula, Reading, Syntax, parse, parse_with};

fuzz_target!(|text: &str| {
    for syntax in [Syntax::Native, Syntax::Mcf, Syntax::Pdmu] {
        for dead_ends in [DeadEnds::Maximal, DeadEnds::Loop, DeadEnds::Stop] {
            match parse_with(text, &Reading { syntax, dead_ends, ..Reading::default() }) {
                Ok(formula) => reads_back(&formula),
                Err(problems) => {
                    assert!(problems.has_errors());
                    for problem in problems.sorted() {
                        let offset = problem.offset.expect("a problem of a formula has a place") as usize;
                        assert!(text.is_char_boundary(offset), "{problem:?} is not at a character");
                    }
                }
            }
        }
    }
});

/// Subformulas that are shared are printed each time: what grows too long is left alone.
fn reads_back(formula: &MuFormula) {
    let printed = formula.to_string();
    if printed.len() > 1 << 16 {
        return;
    }
    match parse(&printed) {
        // a fixpoint that is shared is printed twice with one variable, and read with two
        Ok(read) => assert_eq!(unnumbered(&read.to_string()), unnumbered(&printed)),
        // brackets of the printed text may be too many
        Err(problems) => {
            let first = problems.sorted()[0];
            assert!(first.message.contains("are open here"), "{printed}: {first:?}");
        }
    }
}

fn unnumbered(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}
