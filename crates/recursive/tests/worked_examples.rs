//! The worked examples of lazy-rsm (Examples 2 to 13) and of recursive-kripke (X2 to X15), with the
//! answers their authors give, or that follow from what they say: every engine finds them, and the
//! evidence replays.
//! The notation is that of `loris_testing::recursion::text`.

use loris_base::{Budget, Idx};
use loris_evidence::AtExit::{self, Loop, Sink};
use loris_evidence::{Evidence, PathId, State, covers_initial, relates, replay};
use loris_logic::{Core, parse};
use loris_recursive::{EngineSettings, Explanation, MachineOutcome, Prepared, Property};
use loris_rsm::Rsm;
use loris_testing::recursion::engines::{ENGINES, LAZY};
use loris_testing::recursion::examples::{FIG3, LAZY_RSM, RECURSIVE_KRIPKE};
use loris_testing::recursion::text::build;
use loris_testing::recursion::thesis::{X2, X6};

/// Examples 2 to 13. What an example says of inner nodes is asked of the states that reach them.
#[test]
fn lazy_rsm() {
    for &(example, machine, at_exit, formula, holds) in LAZY_RSM {
        check(example, machine, at_exit, formula, holds);
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
    for &(example, machine, at_exit, formula, holds) in RECURSIVE_KRIPKE {
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
    let settings = EngineSettings { at_exit, seed: 7 };
    for engine in ENGINES.into_iter().filter(|engine| engine.takes(&prepared, &property)) {
        let found = engine.holds(&prepared, &property, at_exit);
        assert_eq!(found, holds, "Example {example}: {formula} by {engine:?}");
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
fn lazily(machine: &str, at_exit: AtExit, formula: &str) -> MachineOutcome {
    let rsm = build(machine);
    let formula = core(formula);
    let settings = EngineSettings { at_exit, seed: 7 };
    let property = property(&rsm, &formula);
    let budget = &mut Budget::unlimited();
    LAZY.check(&Prepared::new(&rsm), &property, &settings, budget).expect("no limit")
}

fn core(text: &str) -> Core {
    Core::star(&parse(text).expect("well-formed")).expect("CTL")
}

fn property<'a>(rsm: &Rsm, formula: &'a Core) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}
