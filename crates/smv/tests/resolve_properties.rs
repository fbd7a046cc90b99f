//! Properties: formulas, and what their atoms mean.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::show;
use loris_smv::ir::{Atom, SmvProperty};
use loris_smv::{Smv, read_smv};
use std::fmt::Write;

fn read(text: &str) -> Smv {
    match read_smv(text) {
        Ok((smv, _)) => smv,
        Err(problems) => panic!("{text}\n{:#?}", problems.sorted()),
    }
}

/// The formula, then each atom with what it means.
fn describe(smv: &Smv, property: &SmvProperty) -> String {
    let program = smv.program();
    let structure = &program.structures[property.structure];
    let mut out = format!("{}: {}", structure.name, property.formula);
    for (name, atom) in property.formula.atoms().iter().zip(&property.atoms) {
        write!(out, "; {name}").unwrap();
        if let Atom::Condition(id) = atom {
            write!(out, " := {}", show(program, structure, *id)).unwrap();
        }
    }
    out
}

fn check(text: &str, expected: &[&str]) {
    let smv = read(text);
    let found: Vec<_> = smv.program().properties.iter().map(|property| describe(&smv, property)).collect();
    assert_eq!(found, expected, "{text}");
}

const WORLD: &str = "MODULE main VAR p : boolean; q : boolean; x : 0..3; s : {a, b}; m : array 0..1 of boolean; DEFINE d := p & q;\n";

/// The one property of a small module.
fn one(text: &str, expected: &str) {
    check(&format!("{WORLD}{text}"), &[&format!("main: {expected}")]);
}

#[test]
fn temporal_operators() {
    one("SPEC AG (p -> AF q)", "A G (p -> A F q); p := p; q := q");
    one("SPEC E [p U q]", "E [ p U q ]; p := p; q := q");
    one("SPEC A [p U q] & EX p | EG !q", "A [ p U q ] & E X p | E G !q; p := p; q := q");
    one("SPEC EF p & AX q", "E F p & A X q; p := p; q := q");
    one("LTLSPEC G (p -> F q)", "G (p -> F q); p := p; q := q");
    one("LTLSPEC p U (X q) & (p V q)", "p U X q & p R q; p := p; q := q");
    one("INVARSPEC x < 3", "A G \"x < 3\"; x < 3 := (x < 3)");
    one("SPEC p xor q", "!(p <-> q); p := p; q := q");
    one("SPEC p xnor q", "p <-> q; p := p; q := q");
}

#[test]
fn bounded_operators() {
    one("SPEC EBF 0..0 p", "p; p := p");
    one("SPEC EBF 1..3 p", "E X (p | E X (p | E X p)); p := p");
    one("SPEC ABF 0..1 p", "p | A X p; p := p");
    one("SPEC EBG 2..2 p", "E X E X p; p := p");
    one("SPEC ABG 0..2 p", "p & A X (p & A X p); p := p");
    one("SPEC E [p BU 0..2 q]", "q | p & E X (q | p & E X q); p := p; q := q");
    one("SPEC A [p BU 1..2 q]", "p & A X (q | p & A X q); p := p; q := q");
    one("SPEC A [p BU 2..2 q]", "p & A X (p & A X q); p := p; q := q");
    one("LTLSPEC F [0, 2] p", "p | X (p | X p); p := p");
    one("LTLSPEC G [1,2] p & q", "X (p & X p) & q; p := p; q := q");
    one("LTLSPEC G [0,1] F [0,1] p", "(p | X p) & X (p | X p); p := p");
    one("SPEC EBF 0..1 x = 1 & p", "(\"x = 1\" | E X \"x = 1\") & p; x = 1 := (x = 1); p := p");
}

#[test]
fn operators_of_the_past() {
    // `"Y (O p)"` is the variable that remembers
    one("LTLSPEC G (p -> O q)", "G (p -> \"O q\"); p := p; O q := (q | \"Y (O q)\")");
    one("LTLSPEC Y p", "\"Y p\"; Y p := \"Y p\"");
    one("LTLSPEC Z p & H p", "\"Z p\" & \"H p\"; Z p := \"Z p\"; H p := (p & \"Z (H p)\")");
    one("LTLSPEC p S q", "\"p S q\"; p S q := (q | (p & \"Y (p S q)\"))");
    one("LTLSPEC p T q", "\"p T q\"; p T q := (q & (p | \"Z (p T q)\"))");
    one("LTLSPEC Y O p", "\"Y O p\"; Y O p := \"Y (O p)\"");
    one("LTLSPEC O [2, 2] p", "\"O [2, 2] p\"; O [2, 2] p := \"O [2, 2] (p)\"");
    one("LTLSPEC O TRUE", "true");
    one("LTLSPEC O (p & X q)", "X \"O (p & X q)\"; O (p & X q) := \"Y (O (p & X q))\"");
    one("LTLSPEC Y F p", "!\"Y F p\" & G (X \"Y F p\" <-> F p) -> \"Y F p\"; p := p; Y F p := \"Y F p\"");
    one(
        "LTLSPEC O [0, 1] G q",
        "!\"Y (G q)\" & G (X \"Y (G q)\" <-> G q) -> G q | \"O [0, 0] (Y (G q))\"; \
         q := q; Y (G q) := \"Y (G q)\"; O [0, 0] (Y (G q)) := \"Y (G q)\"",
    );
    one(
        "LTLSPEC p U O G q",
        "!\"Y (O G q)\" & G (X \"Y (O G q)\" <-> G q | \"Y (O G q)\") -> p U (G q | \"Y (O G q)\"); \
         p := p; q := q; Y (O G q) := \"Y (O G q)\"",
    );
}

#[test]
fn bounds_are_written_out_once_for_each_step() {
    let smv = read(&format!("{WORLD}SPEC E [p BU 100..1000 q] LTLSPEC F [0,1000] G [0,1000] p"));
    let sizes: Vec<usize> = smv.program().properties.iter().map(|property| property.formula.len()).collect();
    assert_eq!(sizes, [4 * 1000 - 100 + 2, 4 * 1000 + 1]);
}

#[test]
fn atoms() {
    one("SPEC AG (x = 1 & p -> AF q)", "A G (\"x = 1\" & p -> A F q); x = 1 := (x = 1); p := p; q := q");
    one("SPEC EF d", "E F d; d := (p & q)");
    one("SPEC EF (x=1 | (x  =  1))", "E F (\"x = 1\" | \"x = 1\"); x = 1 := (x = 1)");
    one("SPEC EF self.d", "E F d; d := (p & q)");
    one("SPEC x in {1,2}", "\"x in {1, 2}\"; x in {1, 2} := (x in {1, 2})");
    one("SPEC (p ? q : d)", "\"p ? q : d\"; p ? q : d := case(p: q; 1: (p & q))");
    one("SPEC m[x] = m[1]", "\"m[x] = m[1]\"; m[x] = m[1] := ([m[0], m[1]](x-0) = m[1])");
    one("SPEC EF m[0]", "E F \"m[0]\"; m[0] := m[0]");
    one("SPEC AG (TRUE -> 1 = 2)", "A G (true -> false)");
    one("SPEC AG 1", "A G true");
}

#[test]
fn instances_have_their_own() {
    check(
        "MODULE main VAR x : 0..3; y : boolean; p : cell(x, y & x = 1, r); r : cell(2, FALSE, p);
         MODULE cell(n, c, other) VAR s : {idle, busy};
         SPEC AG (s = idle -> c) INVARSPEC n = 1 SPEC EF other.s = s",
        &[
            "main: A G (\"p.s = idle\" -> p.c); p.s = idle := (p.s = idle); p.c := (y & (x = 1))",
            "main: A G (\"r.s = idle\" -> false); r.s = idle := (r.s = idle)",
            "main: A G \"x = 1\"; x = 1 := (x = 1)",
            "main: A G false",
            "main: E F \"r.s = p.s\"; r.s = p.s := (r.s = p.s)",
            "main: E F \"p.s = r.s\"; p.s = r.s := (p.s = r.s)",
        ],
    );
}

#[test]
fn labels_are_of_all_structures() {
    check(
        "MODULE foo VAR s : {s1, s2}; v : boolean; k : part; DEFINE p := s = EXIT; CALL bar := s = s2;
         ASSIGN init(s) := s1; next(s) := {s2, EXIT}; init(v) := TRUE; next(v) := EXIT;
         SPEC EF (p & q) SPEC AG (v -> s = s1 | k.far)
         MODULE bar VAR t : {t1}; DEFINE q := t = t1; ASSIGN init(t) := t1; next(t) := EXIT; SPEC AF p LTLSPEC F q
         MODULE part VAR n : 0..1; DEFINE far := n = 1; ASSIGN init(n) := 0; next(n) := EXIT; SPEC EF (far & q)",
        &[
            "foo: E F (p & q); p; q",
            "foo: A G (v -> \"s = s1\" | k.far); v := v; s = s1 := (s = s1); k.far",
            "bar: A F p; p",
            "bar: F q; q",
            "foo: E F (k.far & q); k.far; q",
        ],
    );
}

#[test]
fn names_and_texts() {
    let smv = read(&format!("{WORLD}SPEC NAME first :=   AG ( p  -- a remark\n  ->\tq );\nLTLSPEC G p"));
    let found: Vec<_> =
        smv.program().properties.iter().map(|p| (p.name.as_deref(), p.text.as_str())).collect();
    assert_eq!(found, [(Some("first"), "AG ( p -> q )"), (None, "G p")]);
}

#[test]
fn given_from_outside() {
    let mut smv = read(&format!("{WORLD}VAR c : cell(p); MODULE cell(z) VAR y : 0..1;"));
    let check = |smv: &mut Smv, text: &str, expected: &str| {
        let found = match smv.property(text) {
            Ok(property) => describe(smv, &property),
            Err(problems) => problems
                .sorted()
                .iter()
                .map(|p| {
                    format!(
                        "{}+{} {} {}",
                        p.offset.unwrap(),
                        p.length,
                        p.message,
                        p.help.clone().unwrap_or_default()
                    )
                })
                .collect::<Vec<_>>()
                .join("; "),
        };
        assert_eq!(found, expected, "{text}");
    };
    let smv = &mut smv;
    check(smv, "AG (p -> AF d)", "main: A G (p -> A F d); p := p; d := (p & q)");
    check(smv, "E (F p & G q)", "main: E (F p & G q); p := p; q := q");
    check(smv, "c.y = 1 & c.z", "main: \"c.y = 1\" & p; c.y = 1 := (c.y = 1); p := p");
    check(
        smv,
        "AG (pp -> c.yy = 1)",
        "4+2 unknown name `pp` did you mean `p`?; 10+4 module `cell` has no `yy` did you mean `y`?",
    );
    check(smv, "EF x = EXIT", "7+4 this file has no `CALL` and no `EXIT`: nothing ever exits ");
    check(
        smv,
        "AG x",
        "3+1 a truth value is needed, but this is a number compare it with a number, as in `x != 0`",
    );
    check(smv, "G F (x = 2)", "main: G F \"x = 2\"; x = 2 := (x = 2)");
}

#[test]
fn operators_in_other_spellings() {
    let respelled = |declared: &str, text: &str, expected: &str| {
        let mut smv = read(&format!("{WORLD}{declared}"));
        let found = match smv.property(text) {
            Ok(property) => {
                assert_eq!(property.text, text);
                property.formula.to_string()
            }
            Err(problems) => problems.sorted()[0].message.clone(),
        };
        assert_eq!(found, expected, "{text}");
    };
    respelled("", "ag (p -> Ef q)", "A G (p -> E F q)");
    respelled("", "[](p -> <>q)", "G (p -> F q)");
    respelled("", "ag ag p", "A G A G p");
    respelled("", "[] p & m[0]", "G p & \"m[0]\"");
    // where it means something already, or nothing either way
    respelled("VAR ag : boolean;", "ag & p", "ag & p");
    respelled("VAR ag : boolean;", "ag (p)", "expected an operator or the end of the property, found `(`");
    respelled("VAR ag : boolean;", "ef ag", "E F ag");
    respelled("VAR v : {ag, af};", "v = ag", "\"v = ag\"");
    respelled("", "ag & p", "unknown name `ag`");
    respelled("", "ag (pp)", "unknown name `pp`");
    respelled("", "ag (p", "expected an operator or the end of the property, found `(`");
}

/// The properties of a file that are not supported, each with the reason.
fn unsupported(text: &str, expected: &[(&str, &str)]) {
    let smv = read(&format!("{WORLD}{text}"));
    let found = smv.program().unsupported.iter().map(|property| (&*property.text, &*property.what));
    assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn unsupported_properties_leave_the_others() {
    unsupported("SPEC AG p", &[]);
    unsupported(
        "SPEC AG p SPEC AG x < 1.5; SPEC AF q",
        &[("AG x < 1.5", "numbers with a fraction or an exponent")],
    );
    // a `;` within brackets does not end it, what follows is read again
    unsupported(
        "PSLSPEC {p; q} |-> x % 2; SPEC NAME n := typeof(x) = 2",
        &[("{p; q} |-> x % 2", "sequences of PSL"), ("typeof(x) = 2", "`typeof`")],
    );
    let wide = "0ud40_1 :: 0ud40_1 = 0ud40_1 :: 0ud40_2";
    unsupported(&format!("SPEC AG {wide}"), &[(&format!("AG {wide}"), "words beyond 62 bits")]);
}

#[test]
fn errors_beside_unsupported_parts_are_errors() {
    let problems = read_smv(&format!("{WORLD}SPEC AG (nobody & 0ud40_1 :: 0ud40_1 = 0ud40_1 :: 0ud40_1)"));
    let problems = problems.unwrap_err();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert_eq!(problems.unsupported(), None);
}
