//! Property files: any text is read without a panic, problems lie within the text, and what is
//! printed reads back as the same formula, in CTL* and in the core of CTL.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::Diagnostics;
use loris_logic::{Core, Formula, parse, parse_properties};

fuzz_target!(|text: &str| {
    let (lines, problems) = parse_properties(text);
    located(&problems, text);
    for line in &lines {
        reads_back(&line.formula);
        match line.ctl() {
            Ok(core) => normal(&core.into()),
            Err(problems) => located(&problems, text),
        }
    }
});

fn located(problems: &Diagnostics, text: &str) {
    for problem in problems.sorted() {
        let offset = problem.offset.expect("a problem of a formula has a place") as usize;
        assert!(text.is_char_boundary(offset), "{problem:?} is not at a character of the text");
    }
}

fn reads_back(formula: &Formula) {
    let printed = formula.to_string();
    let read = parse(&printed).unwrap_or_else(|problems| panic!("{printed}: {problems:?}"));
    assert_eq!(&read, formula, "{printed}");
    assert_eq!(read.to_string(), printed);
}

/// Negating twice changes nothing, and a core that is short and flat enough to be printed reads
/// back.
fn normal(core: &Core) {
    assert_eq!(core.negated().negated().nodes(), core.nodes());
    let printed = core.print(core.root());
    if printed.ends_with('…') {
        return;
    }
    if let Ok(read) = parse(&printed) {
        let again = Core::new(&read).expect("the core of CTL is CTL");
        assert_eq!(&Core::from(again), core, "{printed}");
    }
}
