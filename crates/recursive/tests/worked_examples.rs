//! The worked examples of lazy-rsm (Examples 2 to 13) and of recursive-kripke (X2 to X15), with the
//! answers their authors give, or that follow from what they say: every engine finds them, and the
//! evidence replays.
//! The notation is that of `common::text`.

#[allow(dead_code)]
mod common;

use common::text::build;
use common::thesis::{X2, X3, X4A, X4B, X5, X6, X9, X10, X12, X13, X14, X15};
use loris_base::{Budget, Idx};
use loris_evidence::AtExit::{self, Loop, Sink};
use loris_evidence::{Evidence, PathId, State, covers_initial, relates, replay};
use loris_logic::{Core, parse};
use loris_recursive::{
    ENGINES, Engine, EngineName, Explanation, Logic, Outcome, Prepared, Property, Settings,
};
use loris_rsm::Rsm;

/// Fig. 1: the square of `i`, computed in `b`, is never used.
const FIG1: &str = "
    main: main_11_0{def} -> main_12_1 -> call_a[a] -> main_13_2 -> call_b[b] -> main_14_3!
    a: a_19_4!
    b: b_23_5{use} -> b_23_6{def} -> b_24_7!";

/// Fig. 3: where a run ends depends on the parity of the calls through `b1`.
const FIG3: &str = "
    A1: n1{gray} -> b1[A1], b2[A2]; b2 -> n2{white}, n4{black}!; n2 -> b2; b1.n4 -> n5{white}!; b1.n5 -> n4
    A2: n3{white} -> n6{white}!";

/// Examples 2 to 13. What an example says of inner nodes is asked of the states that reach them.
#[test]
fn lazy_rsm() {
    for (example, machine, formula, holds) in [
        ("2", FIG1, "A G (def -> E F use)", false),
        ("2: it is the last definition", FIG1, "A G (def & !b_23_6 -> E F use)", true),
        ("2: one run only", FIG1, "A F (b_23_6 & A X (b_24_7 & A X A G (main_14_3 & !use)))", true),
        ("3: for ever down", FIG3, "E G gray", true),
        ("3: for ever through b2", FIG3, "E F E G (white & E F n2)", true),
        ("3: odd parity", FIG3, "E F E G n5", true),
        ("3: even parity", FIG3, "E F E G n4", true),
        ("3: exits alternate", FIG3, "A G (n5 -> A X (n4 | n5 & E G n5))", true),
        ("4", FIG3, "E F E G black", true),
        ("4: only where the stack is empty", FIG3, "A G (E G black -> n4 & A G n4)", true),
        ("5: a tautology", FIG3, "A G (E F E G black | !E F E G black)", true),
        ("6", FIG3, "E F E G white", true),
        ("7: holds in n4 under the empty stack", FIG3, "E F (n4 & E F E G black)", true),
        ("7: and not under b1", FIG3, "E F (n4 & !E F E G black)", true),
        ("8", FIG3, "E F black", true),
        ("8: after both returns", FIG3, "A G (n4 | n5 | n6 -> E F black)", false),
        ("8: but for n5 under the empty stack", FIG3, "A G (n4 | n5 & !E G n5 | n6 -> E F black)", true),
        ("9", FIG3, "A G (n4 & A G n4 -> E G black)", true),
        ("10", FIG3, "E G white", false),
        ("10: the cycle through n6", FIG3, "A G (n2 | n3 | n6 -> E G white)", true),
        ("10: nowhere else", FIG3, "E F ((n1 | n4) & E G white)", false),
        ("11", FIG3, "E X gray | E X E [gray U black]", true),
        ("12, 13", FIG3, "A X E [white U gray]", false),
        ("12, 13: the cycle through n6", FIG3, "E F ((n2 | n3 | n6) & E [white U gray])", false),
        ("13: nor from the exits", FIG3, "E F ((n4 | n5) & E F gray)", false),
    ] {
        check(example, machine, Loop, formula, holds);
    }
}

/// Example 11 needs no context but the initial one, and Examples 12 and 13 need none for `b1`.
#[test]
fn lazy_rsm_contexts() {
    assert_eq!(lazily(FIG3, Loop, "E X gray | E X E [gray U black]").contexts, 1);
    assert!(lazily(FIG3, Loop, "A X E [white U gray]").contexts <= 2);
}

/// X3 to X15, where the last exit leads to `l_term`; X9 also where it loops.
#[test]
fn recursive_kripke() {
    let nested = "E F (p & E F (q & E F (p & E F (q & E F p))))";
    for (example, machine, at_exit, formula, holds) in [
        ("X2", X2, Sink, "A F (m5 & A X A G !m5)", true),
        ("X3", X3, Sink, "E G p", true),
        ("X3", X3, Sink, "!E G p", false),
        ("X3: only a3 saves it", X3, Sink, "E F (a5 & E G p)", true),
        ("X3: and not at the bottom", X3, Sink, "A G (a5 -> E G p)", false),
        ("X4, Ra", X4A, Sink, nested, true),
        ("X4, Rb", X4B, Sink, nested, true),
        ("X5", X5, Sink, "E G p", true),
        ("X5", X5, Sink, "E [p U q]", false),
        ("X6", X6, Sink, "E [(E G p) U q]", true),
        ("X9", X9, Sink, "A G p", false),
        ("X9", X9, Sink, "E G p", false),
        ("X9", X9, Sink, "A X A X p", false),
        ("X9", X9, Sink, "A F !p", true),
        ("X9", X9, Loop, "A G p", true),
        ("X9", X9, Loop, "E G p", true),
        ("X9", X9, Loop, "A X A X p", true),
        ("X9", X9, Loop, "A F !p", false),
        ("X10", X10, Sink, "E X p", false),
        ("X10", X10, Sink, "E X E X p", false),
        ("X10", X10, Sink, "E X E X E X p", true),
        ("X11", X10, Sink, "E F (r & E X p)", true),
        ("X12", X12, Sink, "E G p", true),
        ("X12", X12, Sink, "E [(E G p) U q]", true),
        ("X12: b1 calls itself for ever", X12, Sink, "A X E G p", true),
        ("X12: after a3 it ends", X12, Sink, "E F (b3 & !E G p)", true),
        ("X13", X13, Sink, "E F (q & E X E G !p)", false),
        ("X14", X14, Sink, "E X true", true),
        ("X15", X15, Sink, "E F q", true),
    ] {
        check(example, machine, at_exit, formula, holds);
    }
}

/// X2's run, put together from the evidence for its three parts and `l_term` for ever.
#[test]
fn recursive_kripke_path() {
    let formula = "E [!b3 U (m4 & E F (b3 & E F (m5 & E X E G !m5)))]";
    let (rsm, evidence) = check("X2", X2, Sink, formula, true);
    let evidence = evidence.expect("an existential property that holds has a witness");
    let mut run: Vec<&State> = Vec::new();
    let mut next = Some(PathId::new(0));
    while let Some(path) = next.map(|id| &evidence.paths[id]) {
        // a part begins where the one before ends
        run.extend(&path.states[usize::from(!run.is_empty())..]);
        let last = path.repeats.map_or(path.states.len() - 1, |repeats| repeats.from);
        next = path.because.iter().find(|claim| claim.state == last).map(|claim| claim.evidence);
    }
    let name = |state: &&State| state.node.map_or("l_term".into(), |node| rsm.vertex_name(node));
    let names: Vec<_> = run.iter().map(name).collect();
    let depths: Vec<usize> = run.iter().map(|state| state.stack.len()).collect();
    assert_eq!(names.join(" "), "m2 a2 a3 b2 b5 a4 m3 m4 a2 a3 b2 b3 b5 a4 m5 l_term l_term");
    assert_eq!(depths, [0, 1, 1, 2, 2, 1, 0, 0, 1, 1, 2, 2, 2, 1, 0, 0, 0]);
}

/// X6 is settled by `A`, `B` and `C`; the lazy engine makes no context for `D`.
#[test]
fn recursive_kripke_laziness() {
    assert!(lazily(X6, Sink, "E [(E G p) U q]").contexts <= 3);
}

/// All engines give the expected answer; the evidence for it, if there is any, replays.
fn check(
    example: &str,
    machine: &str,
    at_exit: AtExit,
    formula: &str,
    holds: bool,
) -> (Rsm, Option<Evidence>) {
    let rsm = build(machine);
    let ctl = core(formula);
    let property = property(&rsm, &ctl);
    let prepared = Prepared::new(&rsm);
    let settings = Settings { at_exit, seed: 7 };
    for Engine { engine, name, .. } in ENGINES
        .into_iter()
        .filter(|row| row.logics.contains(&Logic::Ctl) && prepared.unfit(row.engine, &ctl).is_none())
    {
        let outcome =
            prepared.check(engine, &property, &settings, &mut Budget::unlimited()).expect("no limit");
        assert_eq!(outcome.holds, holds, "Example {example}: {formula} by {name}");
    }
    let explained =
        prepared.explain(&property, holds, &settings, &mut Budget::unlimited()).expect("no limit");
    let evidence = if let Explanation::Evidence(evidence) = explained { Some(evidence) } else { None };
    if let Some(evidence) = &evidence {
        let shown = &evidence.paths[PathId::new(0)].shows;
        assert!(relates(&ctl, holds, shown), "Example {example}: {formula} is not about {shown}");
        covers_initial(&rsm, evidence, holds).unwrap_or_else(|error| panic!("Example {example}: {error}"));
        replay(&rsm, evidence, at_exit)
            .unwrap_or_else(|error| panic!("Example {example}: {formula}: {error}"));
    }
    (rsm, evidence)
}

/// What the lazy engine needs.
fn lazily(machine: &str, at_exit: AtExit, formula: &str) -> Outcome {
    let rsm = build(machine);
    let formula = core(formula);
    let settings = Settings { at_exit, seed: 7 };
    let property = property(&rsm, &formula);
    let budget = &mut Budget::unlimited();
    Prepared::new(&rsm).check(EngineName::Lazy, &property, &settings, budget).expect("no limit")
}

fn core(text: &str) -> Core {
    Core::new(&parse(text).expect("well-formed")).expect("CTL")
}

fn property<'a>(rsm: &Rsm, formula: &'a Core) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}
