//! The language of SMV as people write it: small models with the verdicts of their properties,
//! which are those of NuSMV 2.6 wherever it reads the model.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// The verdicts of all properties of a model, in their order: `+` holds, `-` fails, `?` unknown; of
/// `COMPUTE`, its value.
fn check(text: &str, expected: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loris"))
        .args(["check", "-", "--model-format", "smv", "--format", "json", "--jobs", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    let results = report["results"].as_array().unwrap();
    let verdicts = results.iter().map(|result| match (result["verdict"].as_str(), &result["value"]) {
        (Some("holds"), Value::Null) => "+".to_owned(),
        (Some("holds"), value) => value.as_str().map_or(value.to_string(), str::to_owned),
        (Some("fails"), _) => "-".to_owned(),
        _ => "?".to_owned(),
    });
    assert_eq!(verdicts.collect::<Vec<_>>().join(" "), expected, "{text}");
}

#[test]
fn names_with_dots() {
    // a name may be continued, whatever it is
    check("MODULE main VAR a : boolean; a.b : boolean; SPEC a & a.b SPEC a.b | !a.b", "- +");
    check("MODULE main VAR a : m; a.b : boolean; SPEC a.b | !a.b SPEC a.x MODULE m VAR x : boolean;", "+ -");
    check(
        "MODULE main VAR x.y : m(TRUE); SPEC x.y.z | !x.y.z SPEC x.y.w.v
         MODULE m(p) VAR z : boolean; w.v : boolean; SPEC w.v | p",
        "+ - +",
    );
    check("MODULE main VAR a.1 : boolean; a.2 : boolean; SPEC a.1 -> a.1 SPEC a.1 & a.2", "+ -");
    check("MODULE main CONSTANTS a.b, c; VAR v : {c, d}; SPEC v = a.b SPEC v != a.b", "- +");
    // names that continue a parameter belong to what it stands for
    check(
        "MODULE main VAR v : boolean; i : m(v); SPEC v.d SPEC i.p.d MODULE m(p) DEFINE p.d := TRUE;",
        "+ +",
    );
    check(
        "MODULE main VAR a : cell(b); b : cell(a); SPEC AG (a.ack = b.out & b.ack = a.out) SPEC AG a.ack
         MODULE cell(left) VAR out : boolean; DEFINE left.ack := out; ASSIGN next(out) := ack;",
        "+ -",
    );
    // a module may use what is given to its instance from outside
    check("MODULE main VAR i : m; DEFINE i.ack := TRUE; SPEC i.y MODULE m DEFINE y := ack;", "+");
    check(
        "MODULE main VAR i : m; i.x : boolean; SPEC i.y & i.x
         MODULE m VAR y : boolean; ASSIGN init(x) := TRUE; init(y) := x;",
        "+",
    );
    // the start of other names can be given to a module
    check(
        "MODULE main VAR l.req : boolean; i : m(l); SPEC i.y -> l.req SPEC i.y & l.req MODULE m(p) DEFINE y := p.req;",
        "+ -",
    );
}

#[test]
fn names_with_indices() {
    check(
        "MODULE main VAR a[0] : boolean; a[1] : 0..3; a[-2] : boolean; ASSIGN init(a[-2]) := TRUE; next(a[1]) := 3;
         SPEC a[0] SPEC a[1] < 4 SPEC a[-2] SPEC AX a[1] = 3",
        "- + + +",
    );
    check(
        "MODULE main VAR a : array 0..1 of boolean; a[2] : boolean; INIT a[2] & !a[1] SPEC a[2] SPEC a[1]",
        "+ -",
    );
    check(
        "MODULE main VAR a[0].b : boolean; a[0].c[1] : boolean; SPEC a[0].b SPEC a[0].c[1] | !a[0].c[1]",
        "- +",
    );
    check(
        "MODULE main VAR i : m; j : m; INIT i.a[1] & !j.a[1] SPEC i.a[1] SPEC j.a[1] MODULE m VAR a[1] : boolean;
         SPEC a[1]",
        "+ - + -",
    );
}

#[test]
fn names_in_quotes() {
    check(
        "MODULE main VAR \"a b\" : boolean; \"a b\".c : boolean; SPEC \"a b\" SPEC \"a b\".c -> \"a b\".c",
        "- +",
    );
    check("MODULE main VAR \"x\" : boolean; x : 0..3; SPEC \"x\" | !\"x\" SPEC x < 4", "+ +");
    check(
        "MODULE main VAR x : {\"p; -- q\", r}; SPEC x = \"p; -- q\" | x = r SPEC NAME \"my name\" := x = r",
        "+ -",
    );
    check(
        "MODULE main VAR \"i\" : \"m m\"(TRUE); SPEC \"i\".\"v\" SPEC \"i\".\"p\" MODULE \"m m\"(\"p\") VAR \"v\" : boolean;",
        "- +",
    );
}

#[test]
fn names_that_are_words_elsewhere() {
    check("MODULE main VAR floor : 0..3; SPEC floor < 4 SPEC floor + 0 = floor SPEC floor(2) = 2", "+ + +");
    check(
        "MODULE main VAR CALL : boolean; x : {CALLS, EXIT}; SPEC CALL SPEC x = EXIT SPEC x in {EXIT, CALLS}",
        "- - +",
    );
    check(
        "MODULE main VAR x : {CALL, wait}; DEFINE EXIT := x = CALL; SPEC EXIT SPEC EXIT <-> x != wait",
        "- +",
    );
    check(
        "MODULE main VAR i : EXIT(TRUE); SPEC i.CALL MODULE EXIT(CALL) VAR MIRROR : boolean; SPEC MIRROR | CALL",
        "+ +",
    );
    check(
        "MODULE main VAR integer : boolean; real : boolean; clock : boolean; PRED : {Real, Integer};
         MIRROR real; PRED NAME := real & integer; SPEC PRED = Real | real SPEC PRED in {Real, Integer}",
        "- +",
    );
    // with a module of this name it is one
    check("MODULE main VAR x : integer; SPEC x.y MODULE integer VAR y : boolean;", "-");
    // a section is what a name follows
    check("MODULE main VAR s : {a, b}; CALL m := s = b; ASSIGN init(s) := a; next(s) := case s = b : EXIT; TRUE : b; esac;
           SPEC EF q MODULE m VAR t : {c}; DEFINE q := t = c; ASSIGN init(t) := c; next(t) := EXIT;", "+");
}

#[test]
fn bounded_operators() {
    let counter = "MODULE main VAR x : 0..9; ASSIGN init(x) := 0; next(x) := x = 9 ? {0, 9} : {x, x + 1};";
    check(&format!("{counter} SPEC EBF 0..3 x = 3 SPEC EBF 0..2 x = 3 SPEC EBF 5..5 x = 3"), "+ - +");
    check(
        &format!(
            "{counter} SPEC ABG 2..3 x < 3 SPEC ABG 0..3 x < 4 SPEC ABF 0..9 x = 0 SPEC AG ABF 1..4 x > 1"
        ),
        "- + + -",
    );
    check(
        &format!("{counter} SPEC EBG 3..5 x < 2 SPEC EF x = 9 & EBG 0..0 x = 0 SPEC EBG 0..5 x = 2"),
        "+ + -",
    );
    check(
        &format!(
            "{counter} SPEC E [ x < 5 BU 2..6 x = 4 ] SPEC A [ x < 5 BU 2..6 x = 4 ] SPEC E [ x < 5 BU 0..3 x = 4 ]"
        ),
        "+ - -",
    );
    check(
        &format!(
            "{counter} LTLSPEC F [0,4] x = 3 LTLSPEC G [2,4] x < 4 LTLSPEC G [0,3] x < 4 LTLSPEC F [0, 0] x = 0"
        ),
        "- - + +",
    );
    // as many steps as there are digits
    check(
        "MODULE main VAR x : 0..999; ASSIGN init(x) := 0; next(x) := x = 999 ? 0 : x + 1;
         SPEC EBF 0..300 x = 300 SPEC EBF 0..299 x = 300 SPEC A [ x < 400 BU 200..800 x = 400 ] LTLSPEC G [10, 100] x <= 100
         SPEC ABF 0..70000 x = 5",
        "+ - + + ?",
    );
}

/// The verdicts of properties of PSL about a counter from 0 to 5 that stays there.
fn check_psl(properties: &[(&str, char)]) {
    let counter = "MODULE main VAR x : 0..5; ASSIGN init(x) := 0; next(x) := x < 5 ? x + 1 : 5;";
    let text: String = properties.iter().flat_map(|(property, _)| ["\nPSLSPEC ", property, ";"]).collect();
    let expected: Vec<String> = properties.iter().map(|(_, verdict)| verdict.to_string()).collect();
    check(&format!("{counter}{text}"), &expected.join(" "));
}

#[test]
fn operators_of_psl() {
    check_psl(&[
        ("always x < 6", '+'),
        ("never x = 5", '-'),
        ("eventually! x = 5", '+'),
        ("next x = 1", '+'),
        ("next! x = 2", '-'),
        ("next[2](x = 2)", '+'),
        ("X[2](x = 2)", '+'),
        ("next_a[2:3](x > 1)", '+'),
        ("next_e[0:2](x = 2)", '+'),
        ("next_event(x = 2)(x = 2)", '+'),
        ("next_event(x = 6)(FALSE)", '+'),
        ("next_event!(x = 6)(TRUE)", '-'),
        ("next_event(x > 1)[2](x = 3)", '+'),
        ("next_event(x > 1)[2](x = 2)", '-'),
        ("next_event_a(x > 1)[2:3](x = 3 | x = 4)", '+'),
        ("next_event_a(x > 1)[1:3](x = 3 | x = 4)", '-'),
        ("next_event_a(x = 4)[1:3](x = 4)", '+'),
        ("next_event_a!(x = 4)[1:3](x = 4)", '-'),
        ("next_event_e(x > 1)[1:3](x = 4)", '+'),
        ("next_event_e(x = 4)[2:3](x = 3)", '+'),
        ("next_event_e!(x = 4)[2:3](x = 4)", '-'),
        ("x < 2 until x = 2", '+'),
        ("x < 6 until x = 7", '+'),
        ("x < 6 until! x = 7", '-'),
        ("x < 2 until_ x = 2", '-'),
        ("x < 6 until_ x = 7", '+'),
        ("x < 3 until!_ x = 2", '+'),
        ("x < 6 until!_ x = 7", '-'),
        ("x = 1 before x = 2", '+'),
        ("x = 2 before x = 2", '-'),
        ("x = 2 before_ x = 2", '+'),
        ("x = 7 before x = 8", '+'),
        ("x = 7 before! x = 8", '-'),
        ("x = 7 before!_ x = 8", '-'),
        ("[x < 2 U x = 2]", '+'),
        ("[x < 6 W x = 7]", '+'),
        ("X [x < 2 U x = 2]", '+'),
        ("always {x = 0; x = 1}", '-'),
        ("never {x = 2; x = 4}", '+'),
        ("eventually! {x = 4; x = 5; x = 5}", '+'),
        ("{x = 0} |-> {x = 0}", '?'),
        ("always {x < 6 [*3]}", '?'),
        ("x = 0 abort x = 1", '?'),
        ("always (x < 6) @x", '?'),
    ]);
}

#[test]
fn precedence_of_psl() {
    check_psl(&[
        ("always x < 6 && x >= 0", '+'),
        ("X x = 1 & x = 1", '+'),
        ("X x = 1 | x = 1 until x = 2", '-'),
        ("F x = 5 & x = 5", '+'),
        ("x = 0 -> x = 1 -> x = 7", '+'),
        ("x = 0 <-> x = 1 -> x = 7", '+'),
        ("never x = 6 -> x = 7", '-'),
        ("x = 0 before x = 2 until x = 3", '+'),
        ("x = 0 || x = 1 && x = 2", '+'),
        ("TRUE = x < 3", '+'),
        ("next[2](x = 2) & x = 7", '-'),
        ("always x = 0 -> next! x = 1 until x = 2", '+'),
        ("G x < 6 -> x = 9", '-'),
        ("x == 0 ^ x == 1", '+'),
        ("x = 0 ? x < 6 : x > 6", '+'),
    ]);
}

#[test]
fn branching_time_and_forall_in_psl() {
    check_psl(&[
        ("AG x < 6 & EF x = 5", '+'),
        ("EX AX x = 2 -> x = 1", '-'),
        ("E [x < 5 U x = 5]", '+'),
        ("forall i in {1:3}: eventually! x = i", '+'),
        ("forall i in {1, 7}: eventually! x = i", '-'),
        ("forall i in {1, 7}: x = 0 -> FALSE", '-'),
        ("forall b in boolean: b = b", '+'),
        ("forall i in {0:4}: always (x = i -> next x = i + 1)", '+'),
        ("forall i in {0:9}: forall j in {0:9}: forall k in {0:99999}: x != i + j + k", '?'),
    ]);
    check(
        "MODULE main VAR e[1] : m; e[2] : m; PSLSPEC forall i in {1:2}: (e[i].x -> !e[i].x); PSLSPEC always forall i in {1, 2}: e[i].x
         MODULE m VAR x : boolean; ASSIGN init(x) := FALSE; PSLSPEC NAME n := !x; PSLSPEC NAME o.p := x IN self;",
        "+ - + + - -",
    );
}

#[test]
fn properties_of_instances() {
    let model = "MODULE main VAR i : m; j.k : m; INIT i.x & !j.k.x MODULE m VAR x : boolean;";
    check(
        &model.replace(
            " MODULE m",
            " SPEC x IN i SPEC x IN j.k; INVARSPEC x | !x IN i LTLSPEC X x IN i; MODULE m",
        ),
        "+ - + -",
    );
}

#[test]
fn modules_that_are_others() {
    check(
        "MODULE main VAR x : boolean; ISA m ISA m2 SPEC y | x SPEC z = 1 & v
         MODULE m VAR y : boolean; INIT y MODULE m2 ISA m3 VAR z : 0..2; ASSIGN init(z) := 1; SPEC z = 2
         MODULE m3 VAR v : boolean; ASSIGN init(v) := TRUE;",
        "+ + -",
    );
    // without `main`, what is only part of others is not a model
    check("MODULE a ISA b SPEC x MODULE b VAR x : boolean; INIT x", "+");
}

#[test]
fn parameters_and_branches_that_nobody_uses() {
    check("MODULE main VAR i : m(nobody); x : boolean; SPEC x MODULE m(p) VAR y : boolean;", "-");
    check(
        "MODULE main VAR i : m(nobody.x); SPEC TRUE MODULE m(p) VAR j : n(p); MODULE n(q) VAR y : boolean;",
        "+",
    );
    check("MODULE main VAR i : m(1 + TRUE); SPEC i.y MODULE m(p) VAR y : boolean;", "-");
    check(
        "MODULE main VAR x : 0..3; y : {a, b}; CONSTANTS c; ASSIGN init(x) := 0; next(x) := case x > 5 : 7; x = 9 : -1; TRUE : x; esac;
         next(y) := x = 2 ? c : b; SPEC AG x = 0 SPEC AX y = b",
        "+ +",
    );
}

#[test]
fn arrays_as_values() {
    check(
        "MODULE main DEFINE d := [1, 2, 3]; e := [[TRUE, FALSE], [FALSE, TRUE]]; f := d; VAR i : 0..2; b : boolean;
         SPEC d[i] = i + 1 SPEC d[1] = 2 SPEC e[b ? 0 : 1][1] <-> !b SPEC f[2] = 3 SPEC e[0] = [b, FALSE]",
        "+ + + + -",
    );
    check(
        "MODULE main MDEFINE d := [1, 2]; VAR a : array 0..1 of 1..2; INIT a = d SPEC a[0] = 1 & a[1] = 2 SPEC a != d",
        "+ -",
    );
    check(
        "MODULE main VAR a : array 0..1 of boolean; b : array 0..1 of boolean; c : boolean;
         ASSIGN init(a) := b; next(a) := c ? a : case b[0] : b; TRUE : [FALSE, TRUE]; esac;
         SPEC a = b SPEC AG (c & a = [TRUE, TRUE] -> AX a = [TRUE, TRUE]) SPEC AG (!c & !b[0] -> AX !a[0])",
        "+ + +",
    );
    check(
        "MODULE main VAR a : array word[2] of 0..3; i : word[2];
         ASSIGN init(i) := 0ud2_0; init(a) := CONSTARRAY(typeof(a), 2); next(a) := WRITE(a, i, 1);
         SPEC READ(a, 0ud2_1) = 2 SPEC AG (i = 0ud2_3 -> AX READ(a, 0ud2_3) = 1) SPEC AG a[i] in {1, 2}
         SPEC AG READ(WRITE(a, i, 0), i) = 0 SPEC AX a[0ud2_0] = 2 SPEC EX EX a = [1, 1, 2, 2] SPEC EX a = [1, 1, 2, 2]",
        "+ + + + - + -",
    );
    check(
        "MODULE main VAR m : array 0..1 of array 0..1 of boolean; i : 0..1; j : 0..1;
         ASSIGN init(m) := [[TRUE, FALSE], [FALSE, TRUE]]; next(m) := [m[1], m[0]];
         SPEC m[i][j] <-> i = j SPEC AX (m[i][j] <-> i != j) SPEC AG next_row = [m[1][0], m[1][1]] DEFINE next_row := m[1];",
        "+ + +",
    );
    check("MODULE main VAR w : word[5]; SPEC sizeof(w) = 5 SPEC sizeof(w :: w) = 10", "+ +");
}

#[test]
fn numbers_of_steps() {
    let model = |rest: &str| {
        format!(
            "MODULE main VAR x : 0..9; r : boolean; ASSIGN init(x) := 0; next(x) := case x = 9 : 0; r & x > 4 : x; TRUE : x + 1; esac;
             {rest}"
        )
    };
    check(
        &model("COMPUTE MIN [ x = 0, x = 7 ] COMPUTE MAX [x = 0, x = 4]; COMPUTE MAX [ x = 0, x = 7 ]"),
        "7 4 infinite",
    );
    check(
        &model("COMPUTE MIN [ x = 3, x = 1 ] COMPUTE MIN [x > 1, x = 7]; COMPUTE MIN [ x = 3, x = 10 ]"),
        "8 0 infinite",
    );
    check(
        &model("COMPUTE MAX [ x = 3, x = 10 ] COMPUTE MAX [ x = 11, x = 1 ] COMPUTE MIN [ x = 11, x = 1]"),
        "undefined undefined infinite",
    );
    check(&model("COMPUTE NAME n := MIN [ EX x = 3, AX x = 7 & x != 7 ] SPEC x = 0"), "4 +");
    // only states where fair runs start, but on the way there need not be one
    check(
        &model(
            "INVAR x = 4 -> !r FAIRNESS x = 3 COMPUTE MAX [x = 0, x = 4] COMPUTE MAX [x = 0, x = 5] COMPUTE MAX [x = 0, x = 6]",
        ),
        "4 5 infinite",
    );
    check(
        "MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := x = 0 ? {1, 2} : (x = 2 ? 3 : x); FAIRNESS x != 1
         COMPUTE MIN [x = 0, x = 1] COMPUTE MAX [x = 0, x = 3] COMPUTE MAX [x = 1, x = 3]",
        "infinite 2 undefined",
    );
    check(
        "MODULE main VAR i : m; COMPUTE MIN [ !x, x ] IN i MODULE m VAR x : boolean; COMPUTE MAX [ x, x ]",
        "1 0",
    );
    check(
        "MODULE main VAR s : {a, b}; CALL m := s = b; ASSIGN init(s) := a; next(s) := case s = b : EXIT; TRUE : b; esac;
         COMPUTE MIN [ s = a, q ] SPEC EF q MODULE m VAR t : {c}; DEFINE q := t = c; ASSIGN init(t) := c; next(t) := EXIT;",
        "? +",
    );
}
