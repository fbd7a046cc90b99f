//! CTL* and LTL in the normal form: tables, the CTL fragment, and round trips.

use loris_base::Rng;
use loris_logic::{
    Core, CoreNode, Node, RandomCtl, RandomLtl, RandomStar, negated_ltl, parse, parse_printed,
};

fn star(text: &str) -> Core {
    Core::star(&parse(text).expect(text)).expect(text)
}

fn check(input: &str, expected: &str) {
    let core = star(input);
    assert_eq!(core.print(core.root()), expected, "{input}");
}

#[test]
fn path_formulas() {
    check("E F G p", "E F G p");
    check("A G F p", "!E F G !p");
    check("E (G F p & G F q)", "E (G F p & G F q)");
    check("E (p W F q)", "E [ F q R (p | F q) ]");
    check("A (F p -> F q)", "!E (F p & G !q)");
    check("E F (p & !q)", "E F (p & !q)");
    check("E X (p | E F G q)", "E X (p | E F G q)");
    check("E X X (E G p & !q)", "E X X (E G p & !q)");
    // simplified to an operator of CTL, or to a state formula
    check("E (F p & (q | !q))", "E F p");
    check("E F F p", "E F p");
    check("E ((F p & false) | q)", "q");
    check("A (X p & X true)", "!E X !p");
    check("E !(p U q)", "E [ !q U (!p & !q) ] | E G !q");
}

#[test]
fn operands_are_maximal_state_formulas() {
    let operands = |text: &str| {
        let core = star(text);
        assert_eq!(core.paths().len(), 1, "{text}");
        core.paths()[0].operands.iter().map(|&node| core.print(node)).collect::<Vec<_>>()
    };
    assert_eq!(operands("E G (p -> F q)"), ["p", "q"]);
    assert_eq!(operands("E X X (p & !q)"), ["p & !q"]);
    assert_eq!(operands("E (F (p | q) & X !(p | q))"), ["p | q"]);
    assert_eq!(operands("E (F (!p & !q) & X (p | q))"), ["!p & !q"]);
    assert_eq!(operands("E (F !E X p & G F E X p)"), ["E X p"]);
    assert_eq!(operands("E F (p & (q & X r))"), ["p", "q", "r"]);
    assert_eq!(operands("E F (p & q & X r)"), ["p & q", "r"]);
}

#[test]
fn equal_path_formulas_are_one_node() {
    let core = star("E G F p & E X E G F p | E G F q");
    assert_eq!(core.paths().len(), 2);
    assert_eq!(core.paths()[0].formula, core.paths()[1].formula);
    assert_eq!(core.existentials().count(), 3);
    assert_eq!(star("E G F p").shape(), star("E G F q").shape());
    assert_ne!(star("E G F p").shape(), star("E F G p").shape());
    let e = core.ids().find(|&id| matches!(core.node(id), CoreNode::E(_))).expect("there is one");
    assert!(core.children(e).eq(core.ids().take(1)));
}

#[test]
fn problems_are_located() {
    let problem = |result: Result<Core, loris_base::Diagnostics>| {
        let problems = result.expect_err("refused");
        let problem = problems.sorted()[0].clone();
        let advice = problem.advice(|remedy| remedy.to_string()).expect("there is help");
        (problem.offset.expect("located"), problem.message, advice)
    };
    let (at, message, help) = problem(Core::star(&parse("p & F q").expect("well-formed")));
    assert_eq!((at, &*message), (4, "`F q` is under no quantifier: it is about a path, and there are many"));
    assert!(help.contains("`A (p & F q)`") && help.contains("ltl"), "{help}");
    let (at, _, help) = problem(Core::star(&parse("E X p & G q").expect("well-formed")));
    assert!(at == 8 && !help.contains("ltl"), "{help}");
    let (at, message, help) = problem(Core::linear(&parse("G (p -> E F q)").expect("well-formed")));
    assert_eq!((at, &*message), (8, "`E F q` has a quantifier, which LTL has not"));
    assert!(help.contains("ctl*"), "{help}");
    assert!(negated_ltl(&parse("A p").expect("well-formed")).is_err());
}

#[test]
fn ctl_is_the_same_from_both_entrances() {
    let mut rng = Rng::new(21);
    for i in 0..2000 {
        let formula = RandomCtl::new(i % 6).generate(&mut rng);
        assert_eq!(
            Core::star(&formula).as_ref(),
            Ok(&Core::from(Core::new(&formula).expect("CTL"))),
            "{formula}"
        );
    }
    for quantifier in ["E", "A"] {
        for path in [
            "X p",
            "F p",
            "G p",
            "p U q",
            "p W q",
            "p R q",
            "p R p",
            "p W p",
            "p U p",
            "true R q",
            "q W false",
        ] {
            let formula = parse(&format!("{quantifier} [ {path} ]")).expect(path);
            assert_eq!(
                Core::star(&formula).as_ref(),
                Ok(&Core::from(Core::new(&formula).expect("CTL"))),
                "{formula}"
            );
        }
    }
}

fn reads_back(core: &Core) {
    let printed = core.print(core.root());
    if printed.len() < 1 << 20 {
        let read = parse_printed(&printed).expect("well-formed");
        assert_eq!(Core::star(&read).as_ref(), Ok(core), "{printed}");
    }
    let formula = core.to_formula(core.root());
    assert_eq!(Core::star(&formula).as_ref(), Ok(core), "{printed}");
    assert_eq!(&core.negated().negated(), core, "{printed}");
}

#[test]
fn what_is_printed_reads_back() {
    let mut rng = Rng::new(22);
    for i in 0..3000 {
        reads_back(&Core::star(&RandomStar::new(i % 25).generate(&mut rng)).expect("CTL*"));
        reads_back(&Core::linear(&RandomLtl::new(i % 15).generate(&mut rng)).expect("LTL"));
    }
}

#[test]
fn size_does_not_matter() {
    let test = || {
        let deep = format!("{}p", "F G (q | X ".repeat(1000)) + &")".repeat(1000);
        reads_back(&Core::linear(&parse(&deep).expect("well-formed")).expect("LTL"));
        let mut build = loris_logic::FormulaBuilder::default();
        let mut path = build.atom("p");
        for _ in 0..200 {
            let next = build.add(Node::X(path));
            path = build.add(Node::Iff(next, path));
        }
        let root = build.add(Node::E(path));
        let core = Core::star(&build.finish(root)).expect("CTL*");
        assert!(core.paths()[0].formula.nodes().len() < 2000);
        assert_eq!(core.negated().negated(), core);
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(test).expect("threads are there");
    thread.join().expect("the test passes");
}
