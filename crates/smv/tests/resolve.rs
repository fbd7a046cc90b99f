//! What files mean: expressions, instances, assignments and sections.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{show, value};
use loris_smv::ir::{Domain, Structure, VariableKind};
use loris_smv::{Smv, read_smv};
use std::fmt::Write;

fn read(text: &str) -> Smv {
    match read_smv(text) {
        Ok((smv, _)) => smv,
        Err(problems) => panic!("{text}\n{:#?}", problems.sorted()),
    }
}

/// The whole meaning, a line for each thing.
fn dump(smv: &Smv) -> String {
    let program = smv.program();
    let mut out = String::new();
    for structure in &program.structures {
        writeln!(out, "{}:", structure.name).unwrap();
        variables(smv, structure, &mut out);
        let show = |id| show(program, structure, id);
        for (word, list) in [
            ("INIT", &structure.init),
            ("INVAR", &structure.invar),
            ("TRANS", &structure.trans),
            ("JUSTICE", &structure.justice),
        ] {
            for &id in list {
                writeln!(out, "{word} {}", show(id)).unwrap();
            }
        }
        for &(p, q) in &structure.compassion {
            writeln!(out, "COMPASSION {} {}", show(p), show(q)).unwrap();
        }
        for label in &structure.labels {
            writeln!(out, "label {} := {}", label.name, show(label.condition)).unwrap();
        }
        for call in &structure.calls {
            let target = &program.structures[call.target].name;
            writeln!(out, "CALL {target} := {}", show(call.condition)).unwrap();
        }
    }
    out
}

fn variables(smv: &Smv, structure: &Structure, out: &mut String) {
    let program = smv.program();
    for variable in &structure.variables {
        let kind = match variable.kind {
            VariableKind::State => "",
            VariableKind::Frozen => "frozen ",
            VariableKind::Input => "input ",
        };
        let domain = match &variable.domain {
            Domain::Boolean => "boolean".to_owned(),
            Domain::Range(low, high) => format!("{low}..{high}"),
            Domain::Enumeration(values) => {
                let values: Vec<_> = values.iter().map(|&v| value(program, v)).collect();
                format!("{{{}}}", values.join(", "))
            }
            Domain::Word { signed, width } => format!("{}{width}", if *signed { "s" } else { "u" }),
        };
        write!(out, "{kind}{} : {domain}", variable.name).unwrap();
        for (sign, value) in [("init", variable.init), ("next", variable.next), ("now", variable.current)] {
            if let Some(value) = value {
                write!(out, ", {sign} {}", show(program, structure, value)).unwrap();
            }
        }
        out.push('\n');
    }
}

fn check(text: &str, expected: &[&str]) {
    let found = dump(&read(text));
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{text}\n{found}");
}

const WORLD: &str = "MODULE main VAR b : boolean; c : boolean; n : 0..6; m : -2..2; s : {red, green}; \
    w : word[4]; v : signed word[4]; a : array 1..3 of 0..3; g : array 0..1 of array 0..1 of boolean; \
    x : {red, 1}; ASSIGN init(n) := 0; DEFINE e := ";

/// What an expression means, in a world of variables.
fn meaning(text: &str, expected: &str) {
    let file = format!("{WORLD}{text};\nTRANS case e = e : TRUE; TRUE : FALSE; esac");
    let (smv, _) = match read_smv(&file) {
        Ok(read) => read,
        Err(problems) => panic!("{text}\n{:#?}", problems.sorted()),
    };
    let program = smv.program();
    let structure = &program.structures.iter().next().unwrap();
    // the constraint compares the definition with itself, unless it is constant
    let found = match structure.trans.first() {
        Some(&id) => show(program, structure, id),
        None => "constant".to_owned(),
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn expressions() {
    let check = |text: &str, expected: &str| {
        meaning(text, &format!("case(({expected} = {expected}): 1; 1: 0)"));
    };
    check("b & c & !b", "(b & c & !b)");
    check("(b | c) | b", "(b | c | b)");
    check("b & TRUE", "b");
    check("b -> c", "(!b | c)");
    check("b xor c", "(b != c)");
    check("b <-> c", "(b = c)");
    check("b xnor c", "(b = c)");
    check("!!b", "b");
    check("!(n = 1)", "(n != 1)");
    check("n > 1", "(1 < n)");
    check("n >= m", "(m <= n)");
    check("n + 2 * 3", "(n + 6)");
    check("-n", "(0 - n)");
    check("n mod 3 / 2", "((n mod 3) / 2)");
    check("n in {1, 2} union {3}", "(n in {1, 2, 3})");
    check("n in 1 .. 3", "(n in 1..3)");
    check("s in {red}", "(s = red)");
    check("b ? n : 3", "case(b: n; 1: 3)");
    check("case b : n; c : m; TRUE : 0; b : 7; esac", "case(b: n; c: m; 1: 0)");
    check("case FALSE : n; c : m; esac", "case(c: m)");
    check("case TRUE : n; c : m; esac", "n");
    check("case b : red; TRUE : x; esac", "case(b: red; 1: x)");
    check("count(b, c, n = 1)", "count(b, c, (n = 1))");
    check("max(n, 3) + min(m, 1)", "((n max 3) + (m min 1))");
    check("abs(m)", "(m max (0 - m))");
    check("toint(b) + toint(w) + toint(n)", "((b + w) + n)");
    check("bool(n)", "(n != 0)");
    check("a[2]", "a[2]");
    check("a[n]", "[a[1], a[2], a[3]](n-1)");
    check("g[1][n]", "[g[1][0], g[1][1]](n-0)");
    check("g[n][0]", "[g[0][0], g[1][0]](n-0)");
    check("g[n][m]", "[[g[0][0], g[0][1]](m-0), [g[1][0], g[1][1]](m-0)](n-0)");
}

#[test]
fn words() {
    let check = |text: &str, expected: &str| {
        meaning(text, &format!("case(({expected} = {expected}): 1; 1: 0)"));
    };
    check("w + 0ub4_1000", "u4((w + 8))");
    check("-v", "s4((0 - v))");
    check("!w", "(w xor 15)");
    check("!v", "(v xor -1)");
    check("w & 0ub4_1010 & w", "((w and 10) and w)");
    check("w -> w", "((w xor 15) or w)");
    check("w <-> w", "((w xor w) xor 15)");
    check("w << 1", "u4((w << 1))");
    check("w >> n", "(w >> (n min 4))");
    check("v :: w", "((u4(v) << 4) or w)");
    check("w[2:1]", "u2((w >> 1))");
    check("v[3:3]", "u1((v >> 3))");
    check("extend(v, 2)", "v");
    check("signed(w)", "s4(w)");
    check("unsigned(v)", "u4(v)");
    check("resize(w, 2)", "u2(w)");
    check("resize(v, 2)", "(((v >> 62) and -2) or (v and 1))");
    check("bool(w[0:0])", "(u1(w) != 0)");
    check("word1(b) :: w", "((b << 4) or w)");
    check("w < uwconst(3, 4)", "(w < 3)");
    check("v = swconst(-3, 4)", "(v = -3)");
    check("w in {0ud4_3, 0ud4_5}", "(w in {3, 5})");
}

#[test]
fn constants_are_folded() {
    for text in [
        "1 + 2 = 3",
        "TRUE & !FALSE",
        "red = red & 1 < 2",
        "0ub4_1111 + 0ub4_0010 = 0ub4_0001",
        "3 in {1, 2, 3}",
        "resize(0sb4_1001, 2) = 0sb2_11",
        "0sb4_1000 >> 1 = 0sb4_1100",
        "count(TRUE, FALSE) = 1",
        "-7 / 2 = -3",
        "-7 mod 2 = -1",
        "abs(-3) = 3",
        "0sb2_10 :: 0ub1_1 = 0ub3_101",
    ] {
        let smv = read(&format!("{WORLD}{text};\nINVAR e"));
        let structure = smv.program().structures.iter().next().unwrap();
        let label = show(smv.program(), structure, structure.labels[0].condition);
        assert_eq!((label.as_str(), structure.invar.len()), ("1", 0), "{text}");
    }
}

#[test]
fn sets() {
    let next = |text: &str, expected: &str| {
        let smv = read(&format!("{WORLD}b; ASSIGN next(n) := {text};"));
        let structure = smv.program().structures.iter().next().unwrap();
        let n = structure.variables.iter().find(|variable| variable.name == "n").unwrap();
        assert_eq!(show(smv.program(), structure, n.next.unwrap()), expected, "{text}");
    };
    next("{1, 2}", "{1, 2}");
    next("{1, {2, 3}} union 2", "{1, 2, 3}");
    next("0 .. 3", "0..3");
    next("{1, 2} + 1", "{2, 3}");
    next("{n, 2} + {0, 1}", "{(n + 0), (n + 1), 2, 3}");
    next("(0 .. 2) * 2", "{0, 2, 4}");
    next("(b ? {1, 2} : 3) - 1", "case(b: {0, 1}; 1: 2)");
    next("case b : {1, 2}; TRUE : n; esac", "case(b: {1, 2}; 1: n)");
    next("e ? {3} : 4", "case(b: 3; 1: 4)");
}

#[test]
fn instances() {
    check(
        "MODULE main VAR p : cell(q.out, 3); q : cell(x > 1, 2); x : 0..3; y : array 0..1 of boolean;
         ASSIGN next(y[1]) := p.inner.flag; next(p.inner.flag) := y[0];
         MODULE cell(in_, k) VAR s : 0..k; inner : sub(self, s, in_); DEFINE out := in_ | s = 0;
         ASSIGN init(s) := 0;
         MODULE sub(owner, t, u) VAR flag : boolean; DEFINE d := owner.s = t; same := self.d & owner.inner.flag;
         ASSIGN next(t) := owner.k - 1; TRANS next(d)",
        &[
            "main:",
            "x : 0..3",
            "y[0] : boolean",
            "y[1] : boolean, next p.inner.flag",
            "p.s : 0..3, init 0, next 2",
            "p.inner.flag : boolean, next y[0]",
            "q.s : 0..2, init 0, next 1",
            "q.inner.flag : boolean",
            "TRANS (p.s' = p.s')",
            "TRANS (q.s' = q.s')",
            "label p.out := (((1 < x) | (q.s = 0)) | (p.s = 0))",
            "label p.inner.d := (p.s = p.s)",
            "label p.inner.same := ((p.s = p.s) & p.inner.flag)",
            "label q.out := ((1 < x) | (q.s = 0))",
            "label q.inner.d := (q.s = q.s)",
            "label q.inner.same := ((q.s = q.s) & q.inner.flag)",
        ],
    );
}

#[test]
fn arrays_as_parameters() {
    check(
        "MODULE main VAR a : array 0..1 of 0..3; c : cell(a); d : cell2(a[1]); n : 0..1;
         MODULE cell(b) ASSIGN next(b[0]) := b[1];
         MODULE cell2(e) ASSIGN next(e) := 2;",
        &["main:", "a[0] : 0..3, next a[1]", "a[1] : 0..3, next 2", "n : 0..1"],
    );
}

#[test]
fn sections() {
    check(
        "MODULE main VAR x : {TRUE, FALSE}; y : {3, a, -1}; IVAR i : boolean; FROZENVAR f : signed word[3];
         ASSIGN x := {TRUE, FALSE}; init(f) := 0sb3_111;
         INIT y = a & (x & TRUE) INIT x | x INVAR TRUE INVAR f = f TRANS i & next(y) = 3 & next(f) = f
         FAIRNESS x JUSTICE TRUE COMPASSION (x, y = 3) DEFINE d := i; e := next(x); g := y; h := {TRUE, FALSE};",
        &[
            "main:",
            "x : boolean, now {1, 0}",
            "y : {3, a, -1}",
            "input i : boolean",
            "frozen f : s3, init -1",
            "INIT (y = a)",
            "INIT x",
            "INIT (x | x)",
            "INVAR (f = f)",
            "TRANS i",
            "TRANS (y' = 3)",
            "TRANS (f = f)",
            "JUSTICE x",
            "JUSTICE 1",
            "COMPASSION x (y = 3)",
        ],
    );
}

#[test]
fn numbers_as_truth_values() {
    let text = "MODULE main VAR b : boolean; n : 0..3; ASSIGN init(b) := 0;
        next(b) := case n = 1 : {0, 1}; b = 0 : 1; 1 : !b; esac; next(n) := case 1 : n; esac;";
    check(
        text,
        &["main:", "b : boolean, init 0, next case((n = 1): {0, 1}; (b = 0): 1; 1: !b)", "n : 0..3, next n"],
    );
    let (_, warnings) = read_smv(text).unwrap();
    assert_eq!(warnings.len(), 1);
}

#[test]
fn roots() {
    check(
        "MODULE a VAR x : boolean; MODULE b VAR y : c; MODULE c VAR z : boolean; MODULE d(p) DEFINE e := p;",
        &["a:", "x : boolean", "b:", "y.z : boolean"],
    );
    check("MODULE a VAR x : boolean; MODULE main VAR y : boolean;", &["main:", "y : boolean"]);
}

#[test]
fn recursive_structures() {
    let text = "MODULE foo VAR state : {s1, s2}; p : part; b : boolean;
        DEFINE p1 := state in {EXIT}; q := state = s1 & b != EXIT;
        CALL bar := state = s2; foo := FALSE;
        ASSIGN init(state) := s1; next(state) := case state = s1 : {s2, EXIT}; TRUE : EXIT; esac;
        init(b) := EXIT; next(b) := b;
        SPEC E [ q U p1 ] SPEC x & b
        MODULE bar VAR state : {b1, s1}; DEFINE x := state = b1;
        ASSIGN init(state) := b1; next(state) := EXIT;
        MODULE part VAR n : 0..3; DEFINE far := n = 3; ASSIGN init(n) := 0; next(n) := n < 3 ? n + 1 : EXIT;
        SPEC AF far SPEC AF n = 2";
    check(
        text,
        &[
            "foo:",
            "state : {s1, s2}, init s1, next case((state = s1): {s2, EXIT}; 1: EXIT)",
            "b : boolean, init EXIT, next b",
            "p.n : 0..3, init 0, next case((n < 3): (n + 1); 1: EXIT)".replace("(n", "(p.n").as_str(),
            "label p1 := (state = EXIT)",
            "label q := ((state = s1) & (b != EXIT))",
            "label p.far := (p.n = 3)",
            "CALL bar := (state = s2)",
            "CALL foo := 0",
            "bar:",
            "state : {b1, s1}, init b1, next EXIT",
            "label x := (state = b1)",
        ],
    );
}

/// Listings 5.1 and 5.2 of recursive-kripke.
#[test]
fn listings_of_the_thesis() {
    check(
        "MODULE main VAR counter : 0..6; state : {s1,s2,s3}; ready : boolean;
         DEFINE in_state2 := state in {s2}; cr_reset := counter = 0;
         ASSIGN init(state) := s1;
         next(state) := case counter = 2 : {s1}; TRUE : case state = s1 : {s2,s3}; state = s2 : {s2};
           state = s3 : {s3,s1}; esac; esac;
         init(counter) := 0; next(counter) := (counter + 1) mod 3;
         init(ready) := FALSE; next(ready) := case counter = 2 : !ready; TRUE : ready; esac;
         SPEC AG (in_state2 -> cr_reset) SPEC E [ in_state2 U cr_reset ]",
        &[
            "main:",
            "counter : 0..6, init 0, next ((counter + 1) mod 3)",
            "state : {s1, s2, s3}, init s1, next case((counter = 2): s1; 1: case((state = s1): {s2, s3}; (state = s2): s2; (state = s3): {s3, s1}))",
            "ready : boolean, init 0, next case((counter = 2): !ready; 1: ready)",
            "label in_state2 := (state = s2)",
            "label cr_reset := (counter = 0)",
        ],
    );
    check(
        "MODULE foo VAR state : {f1,f2}; DEFINE p := state in {EXIT}; q := state in {f1};
         CALL bar := state in {f2};
         ASSIGN init(state) := f1; next(state) := case state = f1 : {f2}; state = f2 : {EXIT}; esac;
         SPEC E [q U p] SPEC EF q SPEC EF p
         MODULE bar VAR state : {b1,b2,b3,b4,b5};
         DEFINE q := state in {b1,b3,EXIT}; x := state in {EXIT}; y := state in {b1};
         CALL foo := state in {b2,b4};
         ASSIGN init(state) := b1; next(state) := case state = b1 : {b2,b4}; state = b2 : {b3};
           state = b3 : {EXIT}; state = b4 : {b5}; state = b5 : {EXIT}; esac;
         SPEC EF x SPEC y",
        &[
            "foo:",
            "state : {f1, f2}, init f1, next case((state = f1): f2; (state = f2): EXIT)",
            "label p := (state = EXIT)",
            "label q := (state = f1)",
            "CALL bar := (state = f2)",
            "bar:",
            "state : {b1, b2, b3, b4, b5}, init b1, next case((state = b1): {b2, b4}; (state = b2): b3; (state = b3): EXIT; (state = b4): b5; (state = b5): EXIT)",
            "label q := (state in {b1, b3, EXIT})",
            "label x := (state = EXIT)",
            "label y := (state = b1)",
            "CALL foo := (state in {b2, b4})",
        ],
    );
}

/// Models in the style of the NuSMV tutorial are read without a word.
#[test]
fn models_of_the_tutorial() {
    let models = [
        "MODULE main VAR request : boolean; state : {ready, busy};
         ASSIGN init(state) := ready; next(state) := case state = ready & (request = TRUE) : busy; TRUE : {ready, busy}; esac;
         SPEC AG((request = TRUE) -> AF state = busy)",
        "MODULE main VAR bit0 : counter_cell(TRUE); bit1 : counter_cell(bit0.carry_out); bit2 : counter_cell(bit1.carry_out);
         SPEC AG AF bit2.carry_out
         MODULE counter_cell(carry_in) VAR value : boolean;
         ASSIGN init(value) := FALSE; next(value) := value xor carry_in; DEFINE carry_out := value & carry_in;",
        "MODULE main VAR gate1 : inverter(gate3.output); gate2 : inverter(gate1.output); gate3 : inverter(gate2.output);
         SPEC (AG AF gate1.output) & (AG AF !gate1.output)
         MODULE inverter(input) VAR output : boolean;
         ASSIGN init(output) := FALSE; next(output) := (!input) union output; FAIRNESS output != input",
        "MODULE main VAR semaphore : boolean; proc1 : user(semaphore, turn = 1); proc2 : user(semaphore, turn = 2); turn : 1..2;
         ASSIGN init(semaphore) := FALSE; next(turn) := {1, 2};
         next(semaphore) := case proc1.takes | proc2.takes : TRUE; proc1.gives | proc2.gives : FALSE; TRUE : semaphore; esac;
         SPEC AG ! (proc1.state = critical & proc2.state = critical)
         SPEC AG (proc1.state = entering -> AF proc1.state = critical)
         MODULE user(semaphore, mine) VAR state : {idle, entering, critical, exiting};
         DEFINE takes := mine & state = entering & !semaphore; gives := mine & state = exiting;
         ASSIGN init(state) := idle;
         next(state) := case !mine : state; state = idle : {idle, entering}; state = entering & !semaphore : critical;
           state = critical : {critical, exiting}; state = exiting : idle; TRUE : state; esac;
         FAIRNESS mine LTLSPEC G (takes -> X state = critical)",
        "MODULE main VAR b : array 0..2 of 0..7; i : 0..2; w : unsigned word[8];
         IVAR up : boolean; FROZENVAR top : 3..5;
         INIT w = 0ud8_0 & b[0] = 0 INVAR b[i] <= top
         TRANS next(w) = w + uwconst(1, 8) & (up -> next(b[0]) = (b[0] + 1) mod 8)
         ASSIGN next(b[1]) := b[0]; next(b[2]) := b[1]; next(i) := (i + 1) mod 3;
         INVARSPEC w[7:7] = 0ub1_0 | toint(w) > 127 LTLSPEC (F b[2] = 3) -> (i = 0 V b[0] < 7)
         COMPASSION (i = 0, w = 0ud8_0)",
    ];
    for model in models {
        let (_, warnings) =
            read_smv(model).unwrap_or_else(|problems| panic!("{model}\n{:#?}", problems.sorted()));
        assert!(warnings.is_empty(), "{model}\n{warnings:#?}");
    }
}
