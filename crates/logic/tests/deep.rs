//! Size must not matter: nothing recurses over the input, nothing is quadratic.

use loris_logic::{Core, CtlCore, parse, parse_printed, parse_properties};

const DEEP: usize = 4096;

fn nested(open: &str, close: &str, levels: usize) -> String {
    format!("{}p{}", open.repeat(levels), close.repeat(levels))
}

/// Runs on a small stack: whatever recurses shows here and not at the user's.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(test).expect("threads are there");
    thread.join().expect("the test passes");
}

#[test]
fn as_deep_as_allowed() {
    on_a_small_stack(|| {
        for (open, close) in
            [("(", ")"), ("[", "]"), ("!", ""), ("X ", ""), ("E [ q U ", " ]"), ("A q U ", "")]
        {
            let formula = parse(&nested(open, close, DEEP)).expect(open);
            let printed = formula.to_string();
            assert_eq!(parse(&printed).as_ref(), Ok(&formula), "{open}");
            assert_eq!(Core::new(&formula).is_ok(), open != "X ", "{open}");
        }
        for open in ["EX ", "A G ", "!(", "E F("] {
            let close = if open.ends_with('(') { ")" } else { "" };
            let each = if open == "E F(" { 3 } else { 2 };
            let formula = parse(&nested(open, close, DEEP / each)).expect(open);
            let ctl = Core::new(&formula).expect(open);
            assert_eq!(ctl.negated().negated(), ctl);
            assert_eq!(Core::new(&ctl.to_formula(ctl.root())).as_ref(), Ok(&ctl));
        }
    });
}

#[test]
fn deeper_is_a_located_error() {
    for (open, close, offset) in [("(", ")", DEEP), ("!", "", DEEP), ("AG(", ")", DEEP / 3 * 3 + 2)] {
        for levels in [DEEP + 1, 10_000] {
            let problems = parse(&nested(open, close, levels)).expect_err(open);
            let problem = problems.sorted()[0];
            assert_eq!(problem.message, "formula is nested more than 4096 levels deep");
            assert!(problem.offset.is_some_and(|at| at.abs_diff(offset as u64) < 4), "{open} {problem:?}");
        }
    }
    // what is closed again does not count
    assert!(parse(&vec!["!(p)"; 10_000].join("&")).is_ok());
}

/// What is not linear in the length does not come to an end here.
#[test]
fn chains_of_a_million() {
    on_a_small_stack(|| {
        for operator in [" & ", " | ", " -> ", " <-> "] {
            let text = (0..1_000_000).map(|i| format!("p{}", i % 1000)).collect::<Vec<_>>().join(operator);
            let formula = parse(&text).expect("well-formed");
            assert_eq!(formula.to_string(), text);
            let ctl = Core::new(&formula).expect("propositional");
            assert_eq!(ctl.negated().negated(), ctl);
        }
        // in LTL a problem that could be reported a million times
        let text = vec!["p"; 1_000_000].join(" U ");
        let formula = parse(&text).expect("well-formed");
        assert_eq!(parse(&formula.to_string()).as_ref(), Ok(&formula));
        assert!(Core::new(&formula).is_err());
    });
}

#[test]
fn sharing_does_not_explode() {
    let mut text = "p0".to_owned();
    for i in 1..200 {
        text = format!("(E X {text} <-> p{i})");
    }
    let ctl = Core::new(&parse(&text).expect("well-formed")).expect("CTL");
    assert!(ctl.nodes().len() < 200 * 8, "{}", ctl.nodes().len());
    assert!(ctl.print(ctl.root()).ends_with('…'));
    assert_eq!(Core::new(&ctl.to_formula(ctl.root())).as_ref(), Ok(&ctl));
}

#[test]
fn a_text_that_is_cut_is_told_from_one_that_is_not() {
    let text = (0..17).map(|i| format!("p{i}")).collect::<Vec<_>>().join(" <-> ");
    let ctl = Core::new(&parse(&text).expect("well-formed")).expect("CTL");
    assert!(ctl.print(ctl.root()).ends_with('…'));
    assert_eq!(ctl.print_within(ctl.root(), 1 << 20), None);
    let whole = ctl.print_within(ctl.root(), 1 << 22).expect("two megabytes");
    assert!(whole.len() > 1 << 20);
    assert_eq!(ctl.print_within(ctl.root(), whole.len()).as_deref(), Some(&*whole));
    assert_eq!(ctl.print_within(ctl.root(), whole.len() - 1), None);
    assert_eq!(Core::new(&parse(&whole).expect("well-formed")).as_ref(), Ok(&ctl));
}

#[test]
fn the_core_of_what_is_read_can_be_read() {
    on_a_small_stack(|| {
        for (open, close) in [("p -> ", ""), ("A F E X ", ""), ("A [ q U ", " ]"), ("A q W ", "")] {
            let levels = if open == "p -> " { 20_000 } else { 1000 };
            let ctl = Core::new(&parse(&nested(open, close, levels)).expect(open)).expect(open);
            for ctl in [ctl.negated(), ctl] {
                let Some(printed) = ctl.print_within(ctl.root(), 1 << 22) else { continue };
                let read = parse_printed(&printed).and_then(|formula| Core::new(&formula));
                assert_eq!(read.as_ref(), Ok(&ctl), "{open}");
            }
        }
    });
}

/// The largest property file of the Java benchmarks has 1548 formulas in 570 KB.
#[test]
fn large_property_files() {
    let name = "x".repeat(80);
    let line = format!("A G ( ( def_{name} | usedef_{name} ) --> E F ( use_{name} | usedef_{name} ) )\n");
    let text = line.repeat(1548);
    let (lines, problems) = parse_properties(&text);
    assert!(problems.is_empty());
    let ctls: Vec<CtlCore> = lines.iter().map(|line| line.ctl().expect("CTL")).collect();
    assert_eq!(ctls.len(), 1548);
    assert!(ctls.iter().all(|ctl| ctl.nodes().len() < 20 && *ctl == ctls[0]));
}
