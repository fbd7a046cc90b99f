//! What is read, and how it is written: precedence, literals, sections, and inputs that are deep.

use loris_smv::syntax::ast::{Expr, File, Item, Span};
use loris_smv::syntax::{parse_file, parse_property, print_expr};
use std::str::FromStr;

fn print(input: &str) -> String {
    let mut file = File::default();
    match parse_property(input, &mut file.names, &mut file.exprs) {
        Ok(given) => print_expr(&file.exprs, &file.names, given.formula),
        Err(problems) => panic!("{input}: {problems:?}"),
    }
}

/// An expression is written as `printed`, which is read as the same.
fn check(input: &str, printed: &str) {
    assert_eq!(print(input), printed, "{input}");
    assert_eq!(print(printed), printed, "{input}, again");
}

/// A file is written as `printed`, which is read as the same.
fn check_file(input: &str, printed: &str) {
    let file = File::from_str(input).unwrap_or_else(|problems| panic!("{input}: {problems:?}"));
    assert_eq!(file.to_string(), printed, "{input}");
    let again = File::from_str(printed).unwrap_or_else(|problems| panic!("{printed}: {problems:?}"));
    assert_eq!(again.to_string(), printed, "{input}, again");
}

/// Infix operators, a line for each level, from loose to tight.
const INFIX: &[&[&str]] = &[
    &["->"],
    &["<->"],
    &["|", "xor", "xnor"],
    &["&"],
    &["U", "V"],
    &["=", "!=", "<", ">", "<=", ">="],
    &["in"],
    &["union"],
    &[".."],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "mod"],
    &["::"],
];

/// As the printer writes it.
fn spaced(operator: &str) -> String {
    if operator == ".." { operator.to_owned() } else { format!(" {operator} ") }
}

#[test]
fn every_pair_of_infix_operators() {
    let all =
        || INFIX.iter().enumerate().flat_map(|(level, operators)| operators.iter().map(move |o| (level, *o)));
    for (left_level, left) in all() {
        for (right_level, right) in all() {
            let (l, r) = (spaced(left), spaced(right));
            let bare = format!("a{l}b{r}c");
            let left_first = format!("(a{l}b){r}c");
            let right_first = format!("a{l}(b{r}c)");
            let groups_left = left_level > right_level || (left_level == right_level && left != "->");
            let (same, other) =
                if groups_left { (left_first, right_first) } else { (right_first, left_first) };
            check(&same, &bare);
            check(&bare, &bare);
            check(&other, &other);
        }
    }
}

#[test]
fn prefix_operators_beside_every_infix_operator() {
    let temporal = 4; // the level of `U`: what is tighter belongs to a temporal operator
    for (level, operators) in INFIX.iter().enumerate() {
        for operator in *operators {
            let o = spaced(operator);
            for tight in ["!", "-"] {
                check(&format!("({tight}a){o}b"), &format!("{tight}a{o}b"));
                check(&format!("{tight}(a{o}b)"), &format!("{tight}(a{o}b)"));
            }
            for loose in ["EX", "EF", "EG", "AX", "AF", "AG", "X", "F", "G"] {
                let (inside, outside) = (format!("{loose} (a{o}b)"), format!("({loose} a){o}b"));
                let bare = format!("{loose} a{o}b");
                let (same, other) = if level > temporal { (inside, outside) } else { (outside, inside) };
                check(&same, &bare);
                check(&other, &other);
            }
        }
    }
}

#[test]
fn negation_and_temporal_operators() {
    check("!(EX a)", "!EX a");
    check("!!(EX a)", "!!EX a");
    check("!EX a = 1", "!EX a = 1");
    check("(!EX a) = 1", "!(EX a) = 1");
    check("(!!EX a) & b", "!!EX a & b");
    check("EX !EX a", "EX !EX a");
    check("AG !x = 1", "AG !x = 1");
    check("AG !(x = 1)", "AG !(x = 1)");
    check("- - a", "- -a");
    check("a - -1", "a - -1");
    check("-(-(1))", "- -1");
}

#[test]
fn choices() {
    check("(a ? b : c) <-> d", "a ? b : c <-> d");
    check("a ? b : (c <-> d)", "a ? b : (c <-> d)");
    check("a ? (b -> c) : d", "a ? b -> c : d");
    check("(a | b) ? c : d", "a | b ? c : d");
    check("(a -> b) ? c : d", "(a -> b) ? c : d");
    check("a ? b : (c ? d : e)", "a ? b : c ? d : e");
    check("(a ? b : c) ? d : e", "(a ? b : c) ? d : e");
    check("a ? (b ? c : d) : e", "a ? b ? c : d : e");
    check("a -> (b ? c : d)", "a -> b ? c : d");
    check("a + (b ? c : d)", "a + (b ? c : d)");
    check("w[a ? 3 : 2 : 0]", "w[a ? 3 : 2 : 0]");
    check("case a ? b : c : d; esac", "case a ? b : c : d; esac");
}

#[test]
fn postfix() {
    check("-a[1].b.c[i+1]", "-a[1].b.c[i + 1]");
    check("w[3:0]", "w[3 : 0]");
    check("!w[3:0][1:1]", "!w[3 : 0][1 : 1]");
    check("(a + b)[1]", "(a + b)[1]");
    check("(a)[1].x", "a[1].x");
    check("self", "self");
    check("self.x", "self.x");
    check("a.1", "a.1");
    check("(-a)[0]", "(-a)[0]");
}

#[test]
fn path_formulas() {
    check("E[a U b]", "E [ a U b ]");
    check("A [ a & b U c -> d ]", "A [ (a & b) U (c -> d) ]");
    check("!E [a U b] & c", "!E [ a U b ] & c");
    check("E [ EF a U AG b = 1 ]", "E [ EF a U AG b = 1 ]");
    check("E [ (a U b) U c ]", "E [ (a U b) U c ]");
    check("E [ a | b V c ]", "E ((a | b) V c)");
    check("E [ F a ]", "E F a");
    check("E F a & b", "E F a & b");
    check("A (F a & G b)", "A (F a & G b)");
    check("E (a U b)", "E (a U b)");
    check("A (p)", "A (p)");
    check("E G E F a", "E G E F a");
    check("a U b U c", "a U b U c");
    check("a U (b U c)", "a U (b U c)");
    check("X a U G b", "X a U G b");
    check("X (a U b)", "X (a U b)");
    check("a & b U c & d", "a & b U c & d");
    check("G (a -> F b)", "G (a -> F b)");
    check("x = 1 U y = 2", "x = 1 U y = 2");
}

#[test]
fn literals() {
    check("TRUE & FALSE", "TRUE & FALSE");
    check("+5 + +6", "5 + 6");
    check("4611686018427387903", "4611686018427387903");
    check("x = EXIT", "x = EXIT");
    check("0b8_1010", "0ud8_10");
    check("0ub_1_0_1", "0ud3_5");
    check("0uh16_FF", "0ud16_255");
}

#[test]
fn words() {
    check("0o_17", "0ud6_15");
    check("0h_f", "0ud4_15");
    check("0d8_12", "0ud8_12");
    check("0sd8_-3", "0sd8_-3");
    check("0sb4_1111", "0sd4_-1");
    check("0sd8_128", "0sd8_-128");
    check("-0sd8_5", "-0sd8_5");
    check("0ud64_18446744073709551615", "0ud64_18446744073709551615");
    check("0sh64_8000000000000000", "0sd64_-9223372036854775808");
}

#[test]
fn names_are_those_of_nusmv() {
    check("a-b", "a-b");
    check("a - b", "a - b");
    check("x$1#2-z", "x$1#2-z");
    check("a->b", "a -> b");
    check("a<->b", "a <-> b");
    check("R & W", "R & W");
    check("running", "running");
    check("1..4", "1..4");
    check("x in -3..3", "x in -3..3");
}

#[test]
fn functions_and_sets() {
    check("count(a,b&c,d)", "count(a, b & c, d)");
    check("bool(x)&word1(y)", "bool(x) & word1(y)");
    check("next(x+1)", "next(x + 1)");
    check("extend(w, 2) :: resize(v, 3)", "extend(w, 2) :: resize(v, 3)");
    check("uwconst(1, 2) + swconst(3, 4)", "uwconst(1, 2) + swconst(3, 4)");
    check("signed(w) + unsigned(v)", "signed(w) + unsigned(v)");
    check("abs(min(a, max(b, c)))", "abs(min(a, max(b, c)))");
    check("toint(floor(x))", "toint(floor(x))");
    check("{a,b,-1}union{c}", "{a, b, -1} union {c}");
    check("x in {1,2}&y", "x in {1, 2} & y");
    check("case a : b; TRUE : case c : d; esac; esac + 1", "case a : b; TRUE : case c : d; esac; esac + 1");
}

#[test]
fn sections() {
    check_file("MODULE main", "MODULE main\n");
    check_file("\u{feff}MODULE main\r\nVAR\r\n x : boolean;\r\n", "MODULE main\nVAR\n  x : boolean;\n");
    check_file("MODULE m(a , b) VAR INIT a", "MODULE m(a, b)\nVAR\nINIT a;\n");
    check_file("MODULE m() -- nothing\n/-- at\n all --/", "MODULE m\n");
    check_file("# 1 \"a.smv\"\nMODULE m", "MODULE m\n");
    check_file(
        "MODULE main IVAR i : 0..N-1; FROZENVAR f : {a, 1, -2, TRUE}; VAR w : word[8]; v : unsigned word[n+1];
         s:signed word[2]; a : array 0..3 of array -1 .. x+1 of boolean; m : M; p : process P(a, i = 1);q:Q();",
        "MODULE main\nIVAR\n  i : 0..N-1;\nFROZENVAR\n  f : {a, 1, -2, TRUE};\nVAR\n  w : unsigned word[8];\n  \
         v : unsigned word[n + 1];\n  s : signed word[2];\n  a : array 0..3 of array -1..x + 1 of boolean;\n  \
         m : M;\n  p : process P(a, i = 1);\n  q : Q;\n",
    );
    check_file(
        "MODULE main DEFINE d := a & b; CALL foo := x = 1; CONSTANTS k, l; CONSTANTS; CONSTANTS
         ASSIGN init(x) := 0; next(a[1].y) := {0, 1}; self.z := x; ASSIGN",
        "MODULE main\nDEFINE\n  d := a & b;\nCALL\n  foo := x = 1;\nCONSTANTS k, l;\nCONSTANTS;\nCONSTANTS;\n\
         ASSIGN\n  init(x) := 0;\n  next(a[1].y) := {0, 1};\n  self.z := x;\nASSIGN\n",
    );
    check_file(
        "MODULE main INIT a INIT b; TRANS next(x) = y INVAR z FAIRNESS p JUSTICE q; COMPASSION (p, q & r)
         SPEC AG a CTLSPEC NAME n := EF b; LTLSPEC G a INVARSPEC c MODULE other",
        "MODULE main\nINIT a;\nINIT b;\nTRANS next(x) = y;\nINVAR z;\nJUSTICE p;\nJUSTICE q;\n\
         COMPASSION (p, q & r);\nSPEC AG a;\nSPEC NAME n := EF b;\nLTLSPEC G a;\nINVARSPEC c;\n\nMODULE other\n",
    );
    check_file(
        "MODULE main VAR x : ({1} union 2)..3; y : (N) + 1 .. 4; z : (a < b)..3;",
        "MODULE main\nVAR\n  x : ({1} union 2)..3;\n  y : N + 1..4;\n  z : (a < b)..3;\n",
    );
    check_file(
        "MODULE clock VAR t : 0..1; MODULE main VAR c : clock; URGENT : boolean;",
        "MODULE clock\nVAR\n  t : 0..1;\n\nMODULE main\nVAR\n  c : clock;\n  URGENT : boolean;\n",
    );
}

#[test]
fn spans_hold_what_was_written() {
    let text = "MODULE main INIT (a | b) & !c[ 1 ]";
    let file = File::from_str(text).expect("well-formed");
    let Item::Constraint(_, id) = file.modules[0].items[0] else { panic!("an INIT") };
    let written = |id| {
        let (start, end) = file.exprs.spans[id];
        &text[start as usize..end as usize]
    };
    assert_eq!(written(id), "(a | b) & !c[ 1 ]");
    let Expr::Binary(_, left, right) = file.exprs.nodes[id] else { panic!("a conjunction") };
    assert_eq!((written(left), written(right)), ("a | b", "!c[ 1 ]"));
}

#[test]
fn deep_and_long_inputs() {
    const DEEP: usize = 100_000;
    let check = |input: String, printed: &str| assert_eq!(print(&input), printed);
    let same = |input: String| check(input.clone(), &input);
    same(vec!["a"; DEEP].join(" | "));
    same(vec!["a"; DEEP].join(" -> "));
    same(vec!["a"; DEEP].join(" U "));
    same(vec!["a -> b U c"; DEEP].join(" -> "));
    check(format!("{}a{}", "(".repeat(DEEP), ")".repeat(DEEP)), "a");
    same(format!("{}a{}", "(b -> ".repeat(DEEP), ") | c".repeat(DEEP)));
    same(format!("{}a", "!".repeat(DEEP)));
    same(format!("{}a", "AG !".repeat(DEEP)));
    same(format!("{}a = 1", "EX ".repeat(DEEP)));
    same(format!("{}b{}", "case a : ".repeat(DEEP), "; esac".repeat(DEEP)));
    same(format!("case {}esac", "a : b; ".repeat(DEEP)));
    same(format!("{}c", "a ? b : ".repeat(DEEP)));
    same(format!("{}b{}", "a[".repeat(DEEP), "]".repeat(DEEP)));
    same(format!("a{}", "[1]".repeat(DEEP)));
    same(format!("a{}", ".b".repeat(DEEP)));
    same(format!("{}a{}", "E [ ".repeat(DEEP), " U b ]".repeat(DEEP)));
    same(format!("{}a{}", "next(".repeat(DEEP), ")".repeat(DEEP)));
    same(format!("{{{}}}", vec!["a"; DEEP].join(", ")));
}

#[test]
fn deep_mistakes() {
    const DEEP: usize = 100_000;
    for input in
        ["(", "bool(a, ", "case ", "case a : ", "{", "a ? ", "E [ ", "a[", "count(", "!", "case a : b; "]
    {
        let text = format!("MODULE main INIT {}", input.repeat(DEEP));
        assert!(File::from_str(&text).is_err(), "{input}");
        let text = format!("MODULE main DEFINE {}", format!("d := {input}; ").repeat(1000));
        assert!(File::from_str(&text).is_err(), "{input}");
    }
    let arrays = format!("MODULE main VAR a : {} boolean;", "array 0..1 of ".repeat(DEEP));
    assert!(File::from_str(&arrays).is_err());
}

#[test]
fn what_is_cut_short_or_garbled_is_refused_in_time() {
    let text = "MODULE m(a) VAR x : array 0..2 of {a, b-1, 0ud3_2}; DEFINE d := case a ? b : c[2:1] : {1} union 2..3; esac;\
        ASSIGN next(x) := count(a, b) mod 2; COMPASSION (a, b) SPEC NAME n := !E [ a U b ] & AG x.y = 1 LTLSPEC a U G b";
    for end in 0..text.len() {
        lies_within(&text[..end]);
        lies_within(&text[end..]);
        for sign in [";", "(", ")", "[", "case", "esac", ":", "MODULE", "\u{e9}", "/--", "%", "U"] {
            lies_within(&format!("{}{sign}{}", &text[..end], &text[end..]));
            lies_within(&format!("{} {sign} {}", &text[..end], &text[end + 1..]));
        }
    }
}

/// Whatever is kept of a text is a part of it, and a fragment has a problem.
fn lies_within(text: &str) {
    let (file, problems) = parse_file(text);
    for module in &file.modules {
        let at = |(start, end): Span| &text[start as usize..end as usize];
        at(module.span);
        assert!(module.fragments.is_empty() || !problems.is_empty(), "{text}");
        for fragment in &module.fragments {
            let name = fragment.name.map_or("", |name| at(name.span));
            assert!(at(fragment.span).contains(name), "{text}: {fragment:?}");
        }
    }
}

#[test]
fn what_is_understood_is_kept() {
    let check = |text: &str, printed: &str, fragments: &[&str]| {
        let (file, problems) = parse_file(text);
        assert!(!problems.is_empty(), "{text}");
        assert_eq!(file.to_string(), printed, "{text}");
        let all = file.modules.iter().flat_map(|module| &module.fragments);
        let written: Vec<String> = all
            .map(|one| {
                let name = one.name.map_or("", |name| &file.names[name.name]);
                format!("{:?} {name}: {}", one.kind, &text[one.span.0 as usize..one.span.1 as usize])
            })
            .collect();
        assert_eq!(written, fragments, "{text}");
    };
    check(
        "MODULE main VAR x : boolean; a.y : 0.. ; z : boolean\nASSIGN x := ; SPEC NAME n := AG (x -> \nSPEC x;",
        "MODULE main\nVAR\n  x : boolean;\n  z : boolean;\nASSIGN\nSPEC x;\n",
        &["Variable(State) y: a.y : 0..", "Property n: SPEC NAME n := AG (x ->"],
    );
    check(
        "MODULE m(a, b DEFINE d := case a : b; c; esac; e := a; CALL f := ) ; MODULE ( VAR x : boolean;",
        "MODULE m(a, b)\nDEFINE\n  e := a;\nCALL\n\nMODULE \nVAR\n  x : boolean;\n",
        &["Define d: d := case a : b; c; esac", "Call f: f := )"],
    );
    check("VAR x : boolean;", "", &[]);
}
