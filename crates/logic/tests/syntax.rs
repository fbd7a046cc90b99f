//! The syntax as tables: what is written and what it means, as the canonical printer shows it.

use loris_logic::{FormulaBuilder, Node, parse};

/// The input means what `expected` says, and `expected` is canonical.
fn check(input: &str, expected: &str) {
    let formula = parse(input).unwrap_or_else(|problems| panic!("{input}: {problems:?}"));
    assert_eq!(formula.to_string(), expected, "{input}");
    assert_eq!(parse(expected).as_ref(), Ok(&formula), "{expected}");
}

#[test]
fn spellings() {
    check("true & TRUE & True", "true & true & true");
    check("false | FALSE", "false | false");
    check("!a & ~a & not a & NOT a & ¬a", "!a & !a & !a & !a & !a");
    check("a & b && c and d AND e /\\ f ∧ g", "a & b & c & d & e & f & g");
    check("a | b || c or d OR e \\/ f ∨ g", "a | b | c | d | e | f | g");
    check("a -> b --> c => d", "a -> b -> c -> d");
    check("a xor b ^ c XOR d", "a <-> !b <-> !c <-> !d");
    check("a xnor b XNOR c", "a <-> b <-> c");
    check("a <-> b <--> c <=> d", "a <-> b <-> c <-> d");
    check("∃ F p ∧ ∀ G q", "E F p & A G q");
    check("AX a & AF a & AG a & EX a & EF a & EG a", "A X a & A F a & A G a & E X a & E F a & E G a");
    check("[(a)]", "a");
}

#[test]
fn spellings_of_other_tools() {
    check("[]p", "G p");
    check("[] (p -> <> q)", "G (p -> F q)");
    check("[]<>p && <>[]!q", "G F p & F G !q");
    check("A[] !deadlock and E<> done", "A G !deadlock & E F done");
    check("A [] p", "A G p");
    check("p U []q", "p U G q");
    check("ag p", "A G p");
    check("ag (p -> ef q)", "A G (p -> E F q)");
    check("!ex af[p]", "!E X A F p");
    check("Ag eG ax true", "A G E G A X true");
    check("p until q and r", "p U q & r");
    check("A (p u q)", "A [ p U q ]");
    check("p release q & p V q & p w q & p unless q", "p R q & p R q & p W q & p W q");
    check("p implies q IFF r", "p -> q <-> r");
}

#[test]
fn words_are_atoms_where_no_operator_can_stand() {
    check("ag", "ag");
    check("ag & !ef | ex", "ag & !ef | ex");
    check("E F ag", "E F ag");
    check("E [ ag U ef ]", "E [ ag U ef ]");
    check("E [ ag until p ]", "E [ ag U p ]");
    check("(ag)", "ag");
    check("ag ag", "A G ag");
    check("ag ag ag", "A G A G ag");
    check("ag u", "A G u");
    check("u & until -> r & v", "u & until -> r & v");
    check("u until u", "u U u");
    check("g U f", "g U f");
    check("\"ag\" & \"[]\"", "ag & \"[]\"");
    check("xor xor xnor", "xor <-> !xnor");
    check("ag xor p | ag \"xor\"", "(ag <-> !p) | A G xor");
    check("E [ xor U xor ]", "E [ xor U xor ]");
}

/// As in SMV: one level with `|`, to the left.
#[test]
fn exclusive_or_stands_with_or() {
    check("a | b xor c", "a | b <-> !c");
    check("a xor b | c", "(a <-> !b) | c");
    check("a xor b & c", "a <-> !(b & c)");
    check("a xor b -> c xnor d", "(a <-> !b) -> (c <-> d)");
    check("a <-> b xor c", "a <-> (b <-> !c)");
    check("a xor (b xor c)", "a <-> !(b <-> !c)");
    check("A G a xor E F b", "A G a <-> !E F b");
    check("E a U b ^ c", "E [ a U b ] <-> !c");
    check("!a ^ !b", "!a <-> !!b");
    let chain = vec!["p"; 10_000];
    check(&chain.join(" xor "), &chain.join(" <-> !"));
}

#[test]
fn length_is_bounded() {
    let long = "x".repeat((1 << 20) + 1);
    for text in [long.clone(), format!("p & \"{long}\"")] {
        let problems = parse(&text).expect_err("too long");
        assert_eq!(problems.sorted()[0].message, "this atom is longer than 1 MiB");
    }
    assert!(parse(&long[1..]).is_ok());
    let problems = parse(&"p & ".repeat(5 << 20)).expect_err("too long");
    assert_eq!(problems.sorted()[0].message, "the formula is longer than 16 MiB");
}

#[test]
fn atoms() {
    check("_a.b$c@d:e'", "_a.b$c@d:e'");
    check("1 & 0x", "1 & 0x");
    check("größe & 状态_2", "größe & 状态_2");
    check("AU & EU & Gp & AGp & nota", "AU & EU & Gp & AGp & nota");
    check("\"p\"", "p");
    check("\"F\" & \"AG\" & \"true\" & \"or\"", "\"F\" & \"AG\" & \"true\" & \"or\"");
    check("\"x = 1\" & \"a\\\"b\\\\\" & \"\"", "\"x = 1\" & \"a\\\"b\\\\\" & \"\"");
    check("\"'a\" & \"a-b\" & \"two\nlines\"", "\"'a\" & \"a-b\" & \"two\nlines\"");
}

#[test]
fn precedence() {
    check("a <-> b -> c | d & e U f", "a <-> b -> c | d & e U f");
    check("((((a <-> b) -> c) | d) & e) U f", "((((a <-> b) -> c) | d) & e) U f");
    check("(a -> b) -> c", "(a -> b) -> c");
    check("a -> (b -> c)", "a -> b -> c");
    check("a & (b & c)", "a & (b & c)");
    check("(a & b) & c", "a & b & c");
    check("a <-> (b <-> c)", "a <-> (b <-> c)");
    check("a U b W c R d", "a U b W c R d");
    check("((a U b) W c) R d", "((a U b) W c) R d");
    check("!a U X b", "!a U X b");
    check("!(a U b)", "!(a U b)");
    check("G F p -> F G q", "G F p -> F G q");
}

#[test]
fn quantifiers_take_the_first_path_formula() {
    check("E F p & q", "E F p & q");
    check("A p U q", "A [ p U q ]");
    check("A [ p U q ]", "A [ p U q ]");
    check("A(p U q)", "A [ p U q ]");
    check("A p U q U r & s", "A [ p U q U r ] & s");
    check("E (a | b) U c", "E [ (a | b) U c ]");
    check("E !a U c", "E [ !a U c ]");
    check("!E a U c", "!E [ a U c ]");
    check("E X E blue U black", "E X E [ blue U black ]");
    check("E X p U q", "E X p U q");
    check("EX p U q", "E X p U q");
    check("(EX p) U q", "E X p U q");
    check("E (X p U q)", "E [ X p U q ]");
    check("E [p U q] U r", "E [ p U q ] U r");
    check("E[ E[p U q] U A[q R r] ]", "E [ E [ p U q ] U A [ q R r ] ]");
    check("E(~E X c U ~c)", "E [ !E X c U !c ]");
    check("E E p U q", "E E [ p U q ]");
    check("(E p) U q", "(E p) U q");
    check("(! X A (p & q)) W r", "(!X A (p & q)) W r");
    check("(E !X p) U q", "E !X p U q");
    check("A (F p & G q)", "A (F p & G q)");
    check("(A (F p & G q)) R r", "A (F p & G q) R r");
}

#[test]
fn formulas_as_people_write_them() {
    check("E X red or E X E ( blue U black )", "E X red | E X E [ blue U black ]");
    check("AG(p -> EF q)", "A G (p -> E F q)");
    check("A G ( ( d | u ) --> E F ( s | u ) )", "A G (d | u -> E F (s | u))");
    check("~E(((~c|~b)&a) U ~c)", "!E [ ((!c | !b) & a) U !c ]");
    check("E G ~a_2", "E G !a_2");
    check("E X ( a_6 | a_7 | (~a_10 & a_9)) | a_1", "E X (a_6 | a_7 | !a_10 & a_9) | a_1");
    check("\u{feff}  p\n  &\tq\r\n", "p & q");
}

#[test]
fn spans_leave_out_own_brackets_and_keep_inner_ones() {
    let text = " (AG ( p | [q] )) ";
    let formula = parse(text).expect("well-formed");
    let written: Vec<&str> = formula
        .nodes()
        .map(|(id, _)| formula.span(id))
        .map(|(start, end)| &text[start as usize..end as usize])
        .collect();
    assert_eq!(written, ["p", "q", "p | [q]", "AG ( p | [q] )", "AG ( p | [q] )"]);
}

#[test]
fn equality_ignores_where_and_not_what() {
    let parse = |text| parse(text).expect("well-formed");
    assert_eq!(parse("q & p & q"), parse("((q)&p) and q"));
    assert_ne!(parse("q & p"), parse("p & q"));
    assert_ne!(parse("E F p"), parse("A F p"));

    let mut build = FormulaBuilder::default();
    let p = build.atom("p");
    let shared = build.add(Node::And(p, p));
    assert_eq!(build.finish(shared), parse("p & p"));
}
