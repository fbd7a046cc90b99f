//! Property files of circuits: any text is read without a panic, problems lie within the text, and
//! each property is read again as the same formula.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_logic::parse_iimc;

fuzz_target!(|text: &str| {
    let (properties, problems) = parse_iimc(text);
    for property in &properties {
        let (again, wrong) = parse_iimc(property.text);
        assert!(wrong.is_empty());
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].formula.to_string(), property.formula.to_string());
    }
    for problem in problems.sorted() {
        assert!(text.is_char_boundary(problem.offset.unwrap_or(0) as usize));
    }
});
