//! The worked examples of recursive-kripke (X1 to X15) as its tables show them: contexts, values,
//! the rounds that found them, and how much the engines looked at. What is true and what is not is
//! tested in `engines.rs`; what is there is not repeated here.

use loris_base::Budget;
use loris_baselines::rks::{self, Annotations, Knowledge, Rks};
use loris_evidence::AtExit::{self, Loop, Sink};
use loris_logic::{Core, parse};
use loris_recursive::{CtlProperty, EngineSettings, MachineOutcome, Property};
use loris_rsm::Rsm;
use loris_testing::recursion::text::build;
use loris_testing::recursion::thesis::{X1, X1_USE, X3, X4A, X4B, X5, X6, X9, X10, X12, X13, X14, X15};

/// Listing 5.2, with `foo` as the start, and with `bar`.
const X8: [&str; 2] = [
    "foo: f1{q} -> f2[bar] -> f3{p}!",
    "bar: b1{y q} -> b2[foo], b4[foo]; b2 -> b3{q} -> b6{x q}!; b4 -> b5 -> b6",
];

const NESTED: &str = "E F (p & E F (q & E F (p & E F (q & E F p))))";

/// What all three engines answer, or one of them took.
fn with_property<T>(
    machine: &str,
    formula: &str,
    at_exit: AtExit,
    ask: impl Fn(&Rsm, &CtlProperty<'_>, &EngineSettings) -> T,
) -> T {
    let rsm = build(machine);
    let formula = Core::new(&parse(formula).expect("well-formed")).expect("CTL");
    let atoms = formula.atoms().iter().map(|atom| rsm.label(atom)).collect();
    ask(&rsm, &Property { formula: &formula, atoms }, &EngineSettings { at_exit, seed: 0 })
}

fn run(machine: &str, formula: &str, at_exit: AtExit, engine: Rks) -> MachineOutcome {
    with_property(machine, formula, at_exit, |rsm, property, settings| {
        rks::check(engine, rsm, property, settings, &mut Budget::unlimited()).expect("no limit")
    })
}

fn check(example: &str, machine: &str, at_exit: AtExit, formula: &str, holds: bool) {
    for engine in Rks::ALL {
        assert_eq!(run(machine, formula, at_exit, engine).holds, holds, "{example}: {formula} by {engine:?}");
    }
}

/// All tables, the pairs in them, and the rounds of the last.
fn tables(machine: &str, formula: &str, annotations: Annotations) -> (String, usize, Vec<usize>) {
    with_property(machine, formula, Sink, |rsm, property, settings| {
        let budget = &mut Budget::unlimited();
        let known = Knowledge::new(rsm, property, settings, annotations, budget).expect("no limit");
        let rounds = known.rounds().last().map(<[usize]>::to_vec);
        (known.to_string(), known.pairs(), rounds.expect("there is a table"))
    })
}

/// The last table is this one, up to spaces at the start of lines.
fn check_last(machine: &str, formula: &str, annotations: Annotations, expected: &str) {
    let (text, ..) = tables(machine, formula, annotations);
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let (text, expected) = (lines(&text), lines(expected));
    assert_eq!(text[text.len() - expected.len()..].join("\n"), expected.join("\n"), "{formula}");
}

/// What `worked_examples.rs` does not have.
#[test]
fn verdicts() {
    for (formula, holds) in [
        ("A X p", true),
        ("E X p", true),
        ("A [p U q]", true),
        ("E G r", true),
        ("A F q", true),
        ("A X A X E G q", true),
        ("A [p U E [q U s]]", true),
        ("E G p", false),
        ("A F s", false),
    ] {
        check("X1", X1, Sink, formula, holds);
    }
    check("X1, Fig. 2.1", X1_USE, Sink, "!E [!defX U useX]", false);
    let [foo, bar] = [X8.join("\n"), [X8[1], X8[0]].join("\n")];
    for (machine, formula, holds) in [
        (&foo, "E [q U p]", false),
        (&foo, "E F q", true),
        (&foo, "E F p", false),
        (&foo, "A G q", true),
        (&foo, "E G q", true),
        (&bar, "E F x", false),
        (&bar, "y", true),
    ] {
        check("X8", machine, Sink, formula, holds);
    }
    for (formula, sink) in [("A G p", false), ("E G p", false), ("A X A X p", false), ("A F !p", true)] {
        check("X9", X9, Sink, formula, sink);
        check("X9", X9, Loop, formula, !sink);
    }
    for (formula, holds) in
        [("E X p", false), ("E X E X p", false), ("E X E X E X p", true), ("E F (r & E X p)", true)]
    {
        check("X10, X11", X10, Sink, formula, holds);
    }
    check("X13", X13, Sink, "E F (q & E X E G !p)", false);
    check("X14", X14, Sink, "E X true", true);
    check("X14: not folded", X14, Sink, "E X (x0 | y0)", true);
    check("X14: and one step later", X14, Sink, "E X E X (x0 & !y0)", true);
    check("X15", X15, Sink, "E F q", true);
}

/// Fig. 3.5: values and rounds; here the label of `a4` comes before that of `a5`.
#[test]
fn x3() {
    check_last(
        X3,
        "E G p",
        Annotations::Needed,
        "E G p
         contexts tell, in this order, of
           E G p
         visits: (A,f) (B,m)
         Context  f     t
         A
           a1     t(2)  t(2)
           a4     t(1)  t(1)
           a5     f(1)  t(1)
         B
           b1     t(3)  t(1)
           b3     f(1)  t(1)
         local checks: 7 (rounds 4, 2, 1)",
    );
    // Fig. 3.3: contexts of EGp and p
    let (text, pairs, rounds) = tables(X3, "!E G p", Annotations::All);
    assert!(text.contains("visits: (A,ff) (B,mt) (A,mt)\n"), "{text}");
    assert!(text.contains("visits: (A,tff) (B,mft) (A,mft) (B,mtt) (A,mtt)\n"), "{text}");
    assert_eq!((pairs, rounds), (6 + 10, vec![10]));
}

/// Tables 3.1 and 3.2, the latter with E10.
#[test]
fn x4a() {
    for (formula, table) in [
        (
            "E F p",
            "Context  f     t
             A
               a1     t(2)  t(1)
               a3     f(1)  t(1)
             B
               b1     t(1)  t(1)
               b3     f(1)  t(1)
             local checks: 5 (rounds 4, 1)",
        ),
        (
            "E F (q & E F p)",
            "visits: (A,ff) (B,mf)
             Context  ff    tf
             A
               a1     t(1)  t(1)
               a3     f(1)  t(1)
             B
               b1     t(2)  t(1)
               b3     f(1)  t(1)
             local checks: 5 (rounds 4, 1)",
        ),
    ] {
        check_last(X4A, formula, Annotations::Needed, table);
    }
    let (_, pairs, _) = tables(X4A, NESTED, Annotations::Needed);
    assert_eq!(pairs, 5 * 4, "four at each level");
}

/// Tables 3.3 to 3.5, and how it goes on.
#[test]
fn x4b() {
    for (formula, table) in [
        (
            "E F p",
            "Context  f     t
             C
               c1     t(2)  t(1)
               c3     f(1)  t(1)
             D
               d1     t(1)  t(1)
               d3     t(1)  t(1)
             local checks: 5 (rounds 4, 1)",
        ),
        (
            "E F (q & E F p)",
            "Context  ff    ft    tf    tt
             C
               c1     t(3)  t(1)  t(1)  t(1)
               c3     f(1)  t(1)  t(1)  t(1)
             D
               d1     t(2)  t(2)  t(1)  t(1)
               d3     f(1)  f(1)  t(1)  t(1)
             local checks: 11 (rounds 8, 2, 1)",
        ),
        (
            "E F (p & E F (q & E F p))",
            "visits: (C,fff) (D,mff) (C,mft) (D,mtt) (C,mtt)
             Context  fff   fft   ftt   tff   tft   ttt
             C
               c1     t(4)  t(2)  t(2)  t(1)  t(1)  t(1)
               c3     f(1)  f(1)  f(1)  t(1)  t(1)  t(1)
             D
               d1     t(3)  -     t(1)  t(1)  -     t(1)
               d3     f(1)  -     t(1)  t(1)  -     t(1)
             local checks: 14 (rounds 10, 2, 1, 1)",
        ),
    ] {
        check_last(X4B, formula, Annotations::Needed, table);
    }
    let (text, pairs, rounds) = tables(X4B, NESTED, Annotations::Needed);
    assert_eq!(pairs, 4 + 8 + 10 + 12 + 14);
    assert_eq!(rounds[0], 14);
    assert!(text.contains("    c1     t(5)") && text.contains("    c1     t(6)"), "{text}");
}

/// Fig. 3.6: `a1` is what is left.
#[test]
fn x5() {
    for (formula, table) in [
        (
            "E G p",
            "A
               a1     t*    t*
               a3     f(1)  f(1)
             * decided by no round: on an infinite path of such locations
             local checks: 2 (rounds 2)",
        ),
        (
            "E [p U q]",
            "A
               a1     f*    f*
               a3     t(1)  t(1)
             * decided by no round: on an infinite path of such locations
             local checks: 2 (rounds 2)",
        ),
    ] {
        check_last(X5, formula, Annotations::Needed, table);
    }
}

/// The incremental engine looks at `A`, `B` and `C` only; and at less where less will do.
#[test]
fn x6() {
    let touched = |formula, engine| run(X6, formula, Sink, engine).components;
    assert_eq!(touched("E [(E G p) U q]", Rks::Incremental), 3);
    assert_eq!(touched("E [(E G p) U q]", Rks::Eager), 4);
    assert_eq!(touched("E G p", Rks::Incremental), 1);
    assert_eq!(touched("A G !q", Rks::Incremental), 2);
    assert_eq!(touched("p & !q", Rks::Incremental), 1);
}

/// The reachable classes of Fig. 3.1, with E10.
#[test]
fn x12() {
    let (text, ..) = tables(X12, "E [(E G p) U q]", Annotations::All);
    assert!(text.contains("visits: (A,ff) (B,mt)\n"), "{text}");
    assert!(text.contains("visits: (A,ffff) (B,mttf) (B,mftf) (B,mttt)\n"), "{text}");
}

/// X15: `m1` is decided only because the context of `c1` gets known late.
#[test]
fn x15() {
    let (text, _, rounds) = tables(X15, "E F q", Annotations::Needed);
    assert!(text.contains("    m1     t(4)  t(4)\n    m2     t(3)  t(3)\n"), "{text}");
    assert_eq!(rounds, [8, 2, 2, 2]);
}

/// A cycle that waits for a call is decided with the call, not left over.
#[test]
fn cycles() {
    check_last(
        "M: m1 -> m2 -> m1, c[B]; c -> m3!\nB: b1 -> b2!",
        "E F q",
        Annotations::Needed,
        "Context  f     t
         M
           m1     f(2)  t(2)
           m2     f(2)  t(2)
           m3     f(1)  t(1)
         B
           b1     f(1)  t(1)
           b2     f(1)  t(1)
         local checks: 6 (rounds 4, 2)",
    );
}

/// Contexts without what is not needed: the same verdicts, fewer pairs (optimization 2).
#[test]
fn fewer_annotations() {
    for (machine, formula) in
        [(X3, "E G p"), (X12, "E [(E G p) U q]"), (X4B, NESTED), (X10, "E F (r & E X p)")]
    {
        let [(_, needed, _), (_, all, _)] =
            [Annotations::Needed, Annotations::All].map(|annotations| tables(machine, formula, annotations));
        assert!(needed < all, "{formula}: {needed} of {all}");
    }
}

/// Tables with many contexts are cut into blocks; what is not reached is a dash.
#[test]
fn wide_tables() {
    let formula = "E F (p & E F (q & E X E F (p & E F (q & E X E F (p & E G (q | E X p))))))";
    let (text, ..) = tables(X4B, formula, Annotations::All);
    assert!(text.contains("-  "), "{text}");
    let is_table = |line: &&str| line.starts_with("  Context") || line.starts_with("    c1 ");
    for line in text.lines().filter(is_table) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(
        text.lines().filter(|line| line.starts_with("  Context")).count() > text.matches("visits:").count()
    );
}
