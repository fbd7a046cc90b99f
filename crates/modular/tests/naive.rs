//! The engines against nested fixpoints over the whole product.

mod common;

use common::{Shape, cases, describe, formula, insensitive, naive, naive_after_start, system};
use loris_base::{Budget, Exhausted, Idx, Rng, Truth};
use loris_evidence::from_start;
use loris_lts::{ProcessKind, Product, StateId, System, families};
use loris_modular::{Composing, Portfolio, SystemQuestion, check_compositional, play, whole_game};
use std::sync::Arc;

#[test]
fn the_game_on_the_fly() {
    let mut rng = Rng::new(13);
    for case in 0..cases(1000) {
        let kind = if rng.chance(0.5) { ProcessKind::Kripke } else { ProcessKind::Lts };
        let partial = rng.chance(0.5);
        let processes = 1 + rng.below(4);
        let system = system(&mut rng, Shape { kind, processes, states: 4, partial });
        let size = 2 + rng.below(14);
        let formula = formula(&mut rng, &system, size);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        let answer = play(&question, &mut Budget::unlimited()).expect("no limit");
        assert_eq!(answer.value, expected, "case {case}: {formula}\n{}", describe(&system));
        assert_eq!(answer.doubt.is_some(), !expected.is_known(), "case {case}: {formula}");
    }
}

#[test]
fn process_by_process() {
    let mut rng = Rng::new(31);
    for case in 0..cases(1000) {
        let kind = if rng.chance(0.4) { ProcessKind::Kripke } else { ProcessKind::Lts };
        let partial = rng.chance(0.3);
        let processes = 2 + rng.below(4);
        let system = system(&mut rng, Shape { kind, processes, states: 3, partial });
        let size = 2 + rng.below(14);
        let formula = formula(&mut rng, &system, size);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        for composing in [
            Composing::default(),
            Composing { reduce: false, ..Composing::default() },
            Composing { hide: false, ..Composing::default() },
            Composing { limit: rng.below(40), ..Composing::default() },
        ] {
            let composed =
                check_compositional(&question, &composing, &mut Budget::unlimited()).expect("no limit");
            assert_eq!(
                composed.value,
                expected,
                "case {case}: {formula}\n{composing:?} {composed:?}\n{}",
                describe(&system)
            );
        }
    }
}

#[test]
fn with_everything_hidden() {
    let mut rng = Rng::new(71);
    let mut hidden = 0;
    let cases = cases(1000);
    for case in 0..cases {
        let processes = 2 + rng.below(4);
        let mut system =
            system(&mut rng, Shape { kind: ProcessKind::Lts, processes, states: 4, partial: false });
        if rng.chance(0.3) {
            let hidden = ["a".to_owned(), "x1".to_owned()];
            system = System::new(system.processes().to_vec(), &hidden).expect("hiding changes no part");
        }
        let size = 2 + rng.below(7);
        let formula = insensitive(&mut rng, &system, size);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        let composing = Composing::default();
        let composed =
            check_compositional(&question, &composing, &mut Budget::unlimited()).expect("no limit");
        hidden += u64::from(composed.hidden);
        assert_eq!(composed.value, expected, "case {case}: {formula}\n{composed:?}\n{}", describe(&system));
    }
    assert!(hidden > cases / 10, "{hidden}");
}

/// Formulas about dead ends and about actions that occur again and again are decided on products
/// with everything hidden; their twins, which see silent steps, are not, and yet decided rightly.
#[test]
fn dead_ends_and_their_twins() {
    let mut rng = Rng::new(72);
    let cases = cases(300);
    let fragment = [
        "[true*]<true>tt",
        "<true*.a><true*>[!a]ff",
        "[(!a)*]<!b>tt",
        "nu X. mu Y. [a]X & [!a]Y",
        "[true*](mu Y. <>tt & [!a]Y)",
        "nu X. mu Y. [a]X & [!a]Y & <true>tt",
        "mu X. nu Y. <a>X | <!a>Y",
        "nu Z. (<!a>Z | <b>tt & <a>tt | [true]ff)",
    ];
    let twins = [
        "<true*><true>tt",
        "[true*][true]ff",
        "[true*.a]<true>tt",
        "<true*.a><true.b>tt",
        "[true*]<true><true>tt",
    ];
    let mut found = [[0; 2]; 8];
    for case in 0..cases {
        let processes = 2 + rng.below(3);
        let mut system =
            system(&mut rng, Shape { kind: ProcessKind::Lts, processes, states: 4, partial: false });
        if rng.chance(0.3) {
            let hidden = ["x1".to_owned(), "x0".to_owned()];
            system = System::new(system.processes().to_vec(), &hidden).expect("hiding changes no part");
        }
        for (number, text) in fragment.iter().chain(&twins).enumerate() {
            let formula = loris_logic::mu::parse(text).expect("a formula");
            let question = SystemQuestion::new(&system, &formula, true).expect("names may be unknown");
            let expected = naive(&question);
            let composing = Composing::default();
            let composed =
                check_compositional(&question, &composing, &mut Budget::unlimited()).expect("no limit");
            assert_eq!(
                composed.value,
                expected,
                "case {case}: {formula}\n{composed:?}\n{}",
                describe(&system)
            );
            if number < fragment.len() {
                found[number][usize::from(expected == Truth::True)] += u64::from(composed.hidden);
            } else {
                assert!(!composed.hidden, "{text}");
            }
        }
    }
    // with both values, by products
    assert!(found.iter().flatten().all(|&count| count > 0), "{found:?}");
}

/// Deadlock freedom of many processes takes small products; the oracle is the whole game of a few.
#[test]
fn deadlock_freedom_of_families() {
    for family in [families::philosophers, families::token_ring, families::milner, families::star] {
        let value_of = |n: usize| {
            let processes = family(n).processes.into_iter().map(Arc::new).collect();
            let system = System::new(processes, &[]).expect("a system");
            let formula = loris_logic::mu::parse("[true*]<true>tt").expect("a formula");
            let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
            let budget = &mut Budget::unlimited();
            let composing = Composing { limit: 1 << 17, ..Composing::default() };
            let composed = check_compositional(&question, &composing, budget).expect("no limit");
            assert_eq!(composed.whole, None, "{n}");
            if n == 3 {
                assert_eq!(composed.value, play(&question, budget).expect("no limit").value);
            }
            composed.value
        };
        assert_eq!(value_of(3), value_of(32));
    }
}

#[test]
fn several_initial_states() {
    let mut rng = Rng::new(97);
    let budget = &mut Budget::unlimited();
    for case in 0..cases(500) {
        let partial = rng.chance(0.3);
        let processes = 1 + rng.below(3);
        let single = system(&mut rng, Shape { kind: ProcessKind::Kripke, processes, states: 4, partial });
        let mut processes = Vec::new();
        for process in single.processes() {
            // the first states agree, so that there is a start
            let initial: Vec<StateId> =
                process.states().filter(|state| state.index() == 0 || rng.chance(0.5)).collect();
            processes.push(Arc::new(process.with_start(&initial, budget).expect("no limit")));
        }
        let system =
            System::starting(processes, &[], budget).expect("no limit").expect("the first states agree");
        let size = 2 + rng.below(10);
        let formula = formula(&mut rng, &system, size);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive_after_start(&question);
        let started = from_start(&system, &formula);
        let question = SystemQuestion::new(&system, &started, false).expect("names are known");
        let composed = check_compositional(&question, &Composing::default(), budget).expect("no limit");
        let values = [play(&question, budget).expect("no limit").value, composed.value];
        assert_eq!(values, [expected; 2], "case {case}: {formula}\n{}", describe(&system));
    }
}

/// The turns of all engines, however short, find what the semantics say, on systems of every kind.
#[test]
fn all_engines_in_turns() {
    let mut rng = Rng::new(3);
    let mut deciding = [0; 4];
    for case in 0..cases(900) {
        let kind = if rng.chance(0.4) { ProcessKind::Kripke } else { ProcessKind::Lts };
        let (processes, partial) = (1 + rng.below(5), rng.chance(0.3));
        let system = system(&mut rng, Shape { kind, processes, states: 6, partial });
        let size = 2 + rng.below(14);
        let formula = if kind == ProcessKind::Lts && rng.chance(0.3) {
            insensitive(&mut rng, &system, size)
        } else {
            formula(&mut rng, &system, size)
        };
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        // turns of a few thousand steps: less is not noticed
        for first_steps in [1, 1 << 18] {
            let mut portfolio = Portfolio::new(&system).with_first_steps(first_steps);
            let budget = &mut Budget::unlimited();
            let decision = portfolio.decide(&question, budget).expect("no limit");
            assert_eq!(decision.value, expected, "case {case}: {formula}\n{}", describe(&system));
            let has_doubt = decision.doubt.is_some();
            assert_eq!(has_doubt, !expected.is_known(), "case {case}: {formula}\n{}", describe(&system));
            deciding[decision.engine as usize] += 1;
            let drawn = portfolio.by_diagrams(&question, budget).expect("no limit");
            let drawn = drawn.map(|decision| decision.value);
            let is_drawn = system.is_concrete().then_some(expected);
            assert_eq!(drawn, is_drawn, "case {case}: {formula}\n{}", describe(&system));
            let (composed, _) = portfolio.process_by_process(&question, budget).expect("no limit");
            assert_eq!(composed.value, expected, "case {case}: {formula}\n{}", describe(&system));
            let whole = whole_game(&question, budget).expect("no limit");
            let made = composed.product_nodes();
            assert!(2 * made <= 3 * whole, "case {case}: {made} of {whole} nodes for {formula}");
        }
    }
    assert!(deciding.iter().all(|&count| count > 10), "every engine decides something: {deciding:?}");
}

/// What limits cut off, at any place, is found when the turns go on: no verdict is lost or wrong.
#[test]
fn turns_end_at_any_limit() {
    let mut rng = Rng::new(4);
    for case in 0..cases(60) {
        let kind = if rng.chance(0.4) { ProcessKind::Kripke } else { ProcessKind::Lts };
        let partial = rng.chance(0.3);
        let system = system(&mut rng, Shape { kind, processes: 4, states: 8, partial });
        let formula = formula(&mut rng, &system, 12);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        for steps in [0, 5_000, 20_000, 80_000] {
            let mut portfolio = Portfolio::new(&system).with_first_steps(1);
            match portfolio.decide(&question, &mut Budget::steps(steps)) {
                Ok(decision) => {
                    assert_eq!(decision.value, expected, "case {case}: {formula}\n{}", describe(&system));
                }
                Err(why) => assert_eq!(why, Exhausted::Time),
            }
        }
        for bytes in [2_000, 20_000, 60_000, 200_000] {
            let mut portfolio = Portfolio::new(&system).with_first_steps(1);
            match portfolio.decide(&question, &mut Budget::new(None, Some(bytes))) {
                Ok(decision) => {
                    assert_eq!(decision.value, expected, "case {case}: {formula}\n{}", describe(&system));
                }
                Err(why) => assert_eq!(why, Exhausted::Memory),
            }
        }
    }
}

/// Whether one of many actions can be taken is found from the processes, and from the actions one
/// by one.
#[test]
fn enabled_actions_of_a_set() {
    let mut rng = Rng::new(7);
    let mut values = [0; 3];
    let cases = cases(300);
    for case in 0..cases {
        let shape = Shape { kind: ProcessKind::Lts, processes: 1 + rng.below(4), states: 4, partial: true };
        let system = system(&mut rng, shape);
        let budget = &mut Budget::unlimited();
        let mut product = Product::new(&system, budget).expect("no limit");
        product.steps(0, &mut Vec::new(), budget).expect("no limit");
        let among: Vec<bool> = (0..system.actions().len()).map(|_| rng.chance(0.4)).collect();
        for state in 0..product.len() as u32 {
            let mut local = Vec::new();
            product.decode(state, &mut local);
            let some = (0..).zip(&among).filter(|(_, is_in)| **is_in).map(|(action, _)| match action {
                0 => product.silent(&local),
                _ => product.enabled(&local, action),
            });
            let expected = some.max().unwrap_or(Truth::False);
            let found = product.enabled_among(&local, |action| among[action as usize]);
            assert_eq!(found, expected, "case {case}: {local:?} {among:?}\n{}", describe(&system));
            values[expected as usize] += 1;
        }
    }
    assert!(values.iter().all(|&count| count > cases / 20), "{values:?}");
}
