//! The existential normal form as a table.

use loris_logic::{Core, CtlCore, parse};

fn ctl(text: &str) -> CtlCore {
    Core::new(&parse(text).expect(text)).expect(text)
}

fn check(input: &str, expected: &str) {
    let ctl = ctl(input);
    assert_eq!(ctl.print(ctl.root()), expected, "{input}");
}

#[test]
fn operators() {
    check("EX p", "E X p");
    check("EF p", "E F p");
    check("EG p", "E G p");
    check("E [ p U q ]", "E [ p U q ]");
    check("E [ p W q ]", "E [ p U q ] | E G p");
    check("E [ p R q ]", "E [ q U (p & q) ] | E G q");
    check("AX p", "!E X !p");
    check("AF p", "!E G !p");
    check("AG p", "!E F !p");
    check("A [ p U q ]", "!E [ !q U (!p & !q) ] & !E G !q");
    check("A [ p W q ]", "!E [ !q U (!p & !q) ]");
    check("A [ p R q ]", "!E [ !p U !q ]");
    check("E p & A (p | q)", "p & (p | q)");
}

#[test]
fn negations_go_inward_and_order_is_kept() {
    check("!(p & (q | !r))", "!p | !q & r");
    check("!(p -> q)", "p & !q");
    check("q & p | p & q", "q & p | p & q");
    check("p <-> q", "p & q | !p & !q");
    check("!!EX !!p", "E X p");
    let negated = ctl("A G (def_i -> E F use_i)").negated();
    assert_eq!(negated.print(negated.root()), "E F (def_i & !E F use_i)");
}

#[test]
fn constants_and_repetitions_fold() {
    for text in [
        "true",
        "!false",
        "EX true",
        "AG true",
        "E [ p U true ]",
        "EF true",
        "p | !p",
        "p -> p",
        "AF true",
        "A [ p W true ]",
        "p <-> p",
        "A [ true R true ]",
        "!(AX p & !AX p)",
        "EX p | AX !p",
    ] {
        check(text, "true");
    }
    for text in
        ["false", "!true", "EX false", "EG false", "AX false", "E [ p U false ]", "p & !p", "A [ p U false ]"]
    {
        check(text, "false");
    }
    for text in [
        "p & p",
        "p | p",
        "p & true",
        "false | p",
        "E [ false U p ]",
        "true -> p",
        "p <-> true",
        "E [ p U p ]",
    ] {
        check(text, "p");
    }
    check("A [ true U p ]", "!E G !p");
    check("E [ p R false ]", "false");
}

#[test]
fn shapes_and_sharing() {
    let (first, second) = (ctl("A G (p -> E F q)"), ctl("A G (x -> E F y)"));
    assert_eq!((first.nodes(), first.root()), (second.nodes(), second.root()));
    assert_eq!(
        (first.atoms(), second.atoms()),
        (&["p", "q"].map(String::from)[..], &["x", "y"].map(String::from)[..])
    );
    assert_ne!(first.nodes(), ctl("A G (p -> E F p)").nodes());
    // p is folded away, so that q is the first atom
    assert_eq!(ctl("(p & false) | q | r").atoms(), ["q", "r"]);

    let shared = ctl("EX (EF p & EG q) | EG (EF p & EG q)");
    let existentials: Vec<String> = shared.existentials().map(|node| shared.print(node)).collect();
    let inner = "E F p & E G q";
    assert_eq!(existentials, ["E F p", "E G q", &format!("E X ({inner})"), &format!("E G ({inner})")]);
}
