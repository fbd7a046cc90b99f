//! LTL and CTL*: against the tableau on unfoldings, against each other, from either direction;
//! every run that is told is one, and is accepted.

use loris_base::{Budget, Idx};
use loris_evidence::{AtExit, Evidence, Loop, Path, State, relates, replay, replay_run};
use loris_logic::automaton::{Buchi, Edge, translate};
use loris_logic::{Core, CoreNode, Ltl, LtlNode, negated_ltl, parse};
use loris_recursive::{
    Acceptance, Accepted, EngineSettings, Explanation, ExploreDirection, Prepared, Property, Runs,
};
use loris_rsm::{LabelId, Rsm};
use loris_testing::recursion::model::{
    Model, anywhere, chains, crowds, linear_formulas, models, star_formulas, stubs,
};
use loris_testing::recursion::oracle::Unfolding;
use proptest::prelude::*;

const MODES: [AtExit; 3] = [AtExit::Loop, AtExit::Sink, AtExit::Stop];
/// A tableau has this many temporal formulas at most.
const TABLEAU: usize = 6;
/// With this many states, an automaton is a large one.
const LARGE: u32 = 64;

fn is_small(formula: &Ltl) -> bool {
    let temporal = |node: &&LtlNode| matches!(node, LtlNode::X(_) | LtlNode::U(..) | LtlNode::R(..));
    formula.nodes().iter().filter(temporal).count() <= TABLEAU
}

/// The automaton of what refutes a formula, with the labels of its atoms.
fn refuting(rsm: &Rsm, text: &str) -> (Buchi, Vec<Option<LabelId>>) {
    let (ltl, atoms) = negated_ltl(&parse(text).expect("well-formed")).expect("LTL");
    let buchi = translate(&ltl, &mut Budget::unlimited()).expect("no limit");
    (buchi, atoms.iter().map(|atom| rsm.label(atom)).collect())
}

fn accepted(
    rsm: &Rsm,
    (buchi, labels): &(Buchi, Vec<Option<LabelId>>),
    at_exit: AtExit,
    runs: Runs,
    direction: ExploreDirection,
    evidence: bool,
) -> Accepted {
    let question =
        Acceptance { buchi, predicates: None, labels, recurrences: &[], runs, at_exit, evidence, direction };
    Prepared::new(rsm).accepted(&question, &mut Budget::unlimited()).expect("no limit")
}

/// All ways to ask agree; runs that are told are runs and accepted; returns whether one is
/// accepted.
fn linear_time(
    rsm: &Rsm,
    automaton: &(Buchi, Vec<Option<LabelId>>),
    at_exit: AtExit,
    runs: Runs,
) -> Result<bool, TestCaseError> {
    let expected = accepted(rsm, automaton, at_exit, runs, ExploreDirection::Fewer, false).is_accepted;
    for direction in [ExploreDirection::Fewer, ExploreDirection::Entries, ExploreDirection::Exits] {
        let found = accepted(rsm, automaton, at_exit, runs, direction, true);
        prop_assert_eq!(found.is_accepted, expected, "{:?}", direction);
        prop_assert_eq!(found.run.is_some(), expected);
        let Some((states, repeats)) = found.run else { continue };
        starts_lowest(&states, repeats)?;
        let mut evidence = Evidence::default();
        evidence.paths.push(Path {
            shows: "automaton".into(),
            states,
            repeats: Some(repeats),
            because: Vec::new(),
        });
        let run = replay_run(rsm, &evidence, at_exit);
        let run = run.map_err(|error| TestCaseError::fail(format!("{error}: {evidence:?}")))?;
        let letter = |labels: &Vec<LabelId>| -> Vec<bool> {
            automaton.1.iter().map(|label| label.is_some_and(|label| labels.contains(&label))).collect()
        };
        let prefix: Vec<Vec<bool>> = run.prefix.iter().map(letter).collect();
        let cycle: Vec<Vec<bool>> = run.cycle.iter().map(letter).collect();
        prop_assert!(automaton.0.accepts_lasso(&prefix, &cycle), "{:?}: not accepted", direction);
        match runs {
            Runs::All => {}
            Runs::Bounded => prop_assert_eq!(run.deeper, 0),
            Runs::Unbounded => prop_assert!(run.deeper > 0),
        }
    }
    Ok(expected)
}

/// A loop starts at the lowest stack it has, which the one it ends with extends.
fn starts_lowest(states: &[State], repeats: Loop) -> Result<(), TestCaseError> {
    let first = &states[repeats.from].stack;
    prop_assert!(states[repeats.to].stack.starts_with(first), "{states:?}");
    prop_assert!(states[repeats.from..].iter().all(|state| state.stack.len() >= first.len()), "{states:?}");
    Ok(())
}

fn ltl(model: &Model, text: &str, mode: usize) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let at_exit = MODES[mode];
    let formula = Core::linear(&parse(text).expect("well-formed")).expect("LTL");
    let automaton = refuting(&rsm, text);
    let fails = linear_time(&rsm, &automaton, at_exit, Runs::All)?;
    let bounded = linear_time(&rsm, &automaton, at_exit, Runs::Bounded)?;
    let unbounded = linear_time(&rsm, &automaton, at_exit, Runs::Unbounded)?;
    prop_assert_eq!(fails, bounded || unbounded, "all runs are bounded or unbounded");
    if at_exit != AtExit::Stop {
        let property = property(&rsm, &formula);
        let settings = EngineSettings { at_exit, seed: 0 };
        let star =
            Prepared::new(&rsm).summary(&property, &settings, &mut Budget::unlimited()).expect("no limit");
        prop_assert_eq!(star.holds, !fails, "CTL* on A ({})", text);
    }
    let (negated, atoms) = negated_ltl(&parse(text).expect("well-formed")).expect("LTL");
    if !is_small(&negated) {
        return Ok(());
    }
    let unfolding = if model.recursive {
        Unfolding::bounded(&rsm, at_exit, 3, 150)
    } else {
        Unfolding::new(&rsm, at_exit, 150)
    };
    if let Some(unfolding) = unfolding {
        let expected = unfolding.some_run(&negated, &atoms);
        if model.recursive {
            prop_assert!(bounded || !expected, "a bounded run was overlooked");
        } else {
            prop_assert!(!unbounded);
            prop_assert_eq!(bounded, expected, "{}", text);
        }
    }
    Ok(())
}

/// An automaton of the same language with `copies` times the states: from each copy of a state,
/// edges lead to two copies of their targets.
fn inflated(buchi: &Buchi, copies: u32) -> Buchi {
    let at = |state: u32, copy: u32| state * copies + copy % copies;
    let states = 0..buchi.states() as u32;
    let edges = states.clone().flat_map(|state| (0..copies).map(move |copy| (state, copy)));
    let edges = edges.map(|(state, copy)| {
        let to = |edge: &Edge| {
            let once = Edge { guard: edge.guard.clone(), to: at(edge.to, copy + 1) };
            [once, Edge { guard: edge.guard.clone(), to: at(edge.to, 2 * copy) }]
        };
        buchi.edges(state).iter().flat_map(to).collect()
    });
    let initial = buchi.initial().iter().map(|&state| at(state, 0)).collect();
    let accepting = states.flat_map(|state| (0..copies).map(move |_| buchi.is_accepting(state)));
    Buchi::new(buchi.atoms(), initial, accepting.collect(), edges.collect()).expect("consistent")
}

/// An automaton with many states, of which frames hold what is met only, against a small one.
fn large_automata(model: &Model, text: &str, mode: usize) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let (buchi, labels) = refuting(&rsm, text);
    let copies = 1 + LARGE / buchi.states().max(1) as u32;
    let large = (inflated(&buchi, copies), labels.clone());
    let small = (buchi, labels);
    for runs in [Runs::All, Runs::Bounded, Runs::Unbounded] {
        let expected = accepted(&rsm, &small, MODES[mode], runs, ExploreDirection::Fewer, false).is_accepted;
        prop_assert_eq!(linear_time(&rsm, &large, MODES[mode], runs)?, expected, "{:?}", runs);
    }
    Ok(())
}

fn property<'a>(rsm: &Rsm, formula: &'a Core) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}

fn star(model: &Model, text: &str, sink: bool) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let at_exit = if sink { AtExit::Sink } else { AtExit::Loop };
    let formula = Core::star(&parse(text).expect("well-formed")).expect("CTL*");
    let property = property(&rsm, &formula);
    let settings = EngineSettings { at_exit, seed: 0 };
    let prepared = Prepared::new(&rsm);
    let holds = prepared.summary(&property, &settings, &mut Budget::unlimited()).expect("no limit").holds;
    if !model.recursive
        && formula.paths().iter().all(|path| is_small(&path.formula))
        && let Some(unfolding) = Unfolding::new(&rsm, at_exit, 150)
    {
        prop_assert_eq!(holds, unfolding.check(&formula), "{}", text);
    }
    let found = prepared.explain(&property, holds, &settings, &mut Budget::unlimited()).expect("no limit");
    if let Explanation::Evidence(evidence) = found {
        if let Err(error) = replay(&rsm, &evidence, at_exit) {
            let mut json = String::new();
            evidence.write_json(&rsm, &mut json).expect("writes to a string");
            return Err(TestCaseError::fail(format!("{error}: {json}")));
        }
        for path in &evidence.paths {
            path.repeats.map_or(Ok(()), |repeats| starts_lowest(&path.states, repeats))?;
        }
        let shows = &evidence.paths[loris_base::Idx::new(0)].shows;
        prop_assert!(relates(&formula, holds, shows), "{} does not relate", shows);
    } else {
        let claim = if holds { formula } else { formula.negated() };
        let root = claim.nodes()[claim.root().index()];
        prop_assert!(!root.is_existential() && !matches!(root, CoreNode::True | CoreNode::Atom(_)));
    }
    Ok(())
}

fn config() -> ProptestConfig {
    let cases = loris_testing::cases(3_000);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn ltl_agrees_with_the_tableau(model in models(false), text in linear_formulas(), mode in 0usize..3) {
        ltl(&model, &text, mode)?;
    }

    #[test]
    fn ltl_on_recursion(model in models(true), text in linear_formulas(), mode in 0usize..3) {
        ltl(&model, &text, mode)?;
    }

    #[test]
    fn ltl_on_chains(model in chains(true), text in linear_formulas(), mode in 0usize..3) {
        ltl(&model, &text, mode)?;
    }

    #[test]
    fn ltl_on_crowds(model in crowds(false), text in linear_formulas(), mode in 0usize..3) {
        ltl(&model, &text, mode)?;
    }

    #[test]
    fn ltl_on_recursive_crowds(model in crowds(true), text in linear_formulas(), mode in 0usize..3) {
        ltl(&model, &text, mode)?;
    }

    #[test]
    fn ltl_from_any_node(model in anywhere(models(true)), text in linear_formulas(), mode in 0usize..3) {
        ltl(&model, &text, mode)?;
    }

    #[test]
    fn ltl_on_chains_from_any_node(
        model in anywhere(chains(true)), text in linear_formulas(), mode in 0usize..3
    ) {
        ltl(&model, &text, mode)?;
    }

    #[test]
    fn ltl_on_stubs(model in anywhere(stubs(true)), text in linear_formulas(), mode in 0usize..3) {
        ltl(&model, &text, mode)?;
    }

    #[test]
    fn star_agrees_with_the_tableau(model in models(false), text in star_formulas(), sink: bool) {
        star(&model, &text, sink)?;
    }

    #[test]
    fn star_agrees_with_the_tableau_on_chains(model in chains(false), text in star_formulas(), sink: bool) {
        star(&model, &text, sink)?;
    }

    #[test]
    fn star_on_recursion(model in chains(true), text in star_formulas(), sink: bool) {
        star(&model, &text, sink)?;
    }

    #[test]
    fn star_on_stubs(model in anywhere(stubs(true)), text in star_formulas(), sink: bool) {
        star(&model, &text, sink)?;
    }

    #[test]
    fn star_from_any_node(model in anywhere(models(true)), text in star_formulas(), sink: bool) {
        star(&model, &text, sink)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: config().cases / 5, ..config() })]

    #[test]
    fn large_automata_on_recursion(
        model in anywhere(models(true)), text in linear_formulas(), mode in 0usize..3
    ) {
        large_automata(&model, &text, mode)?;
    }

    #[test]
    fn large_automata_on_chains(
        model in chains(true), text in linear_formulas(), mode in 0usize..3
    ) {
        large_automata(&model, &text, mode)?;
    }

    #[test]
    fn large_automata_on_crowds(
        model in crowds(true), text in linear_formulas(), mode in 0usize..3
    ) {
        large_automata(&model, &text, mode)?;
    }
}
