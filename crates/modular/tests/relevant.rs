//! Decision diagrams of relevant states against nested fixpoints over the whole product and against
//! the explicit engines.
//!
//! `LORIS_CASES=20000 cargo test -p loris-modular --test relevant` tries more of them.

mod common;

use common::{Shape, cases, describe, formula, naive, system};
use loris_base::{Budget, Rng, Truth};
use loris_lts::{ProcessKind, System};
use loris_modular::{
    Composing, SystemQuestion, check_compositional, check_relevant, check_relevant_by_turns, play, whole_game,
};

fn random(rng: &mut Rng, states: usize) -> System {
    let kind = if rng.chance(0.5) { ProcessKind::Kripke } else { ProcessKind::Lts };
    let (partial, processes) = (rng.chance(0.7), 1 + rng.below(4));
    system(rng, Shape { kind, processes, states, partial })
}

#[test]
fn relevant_states_decide_as_the_definition_does() {
    let mut rng = Rng::new(1306);
    // verdicts by value, questions that one process decides, and those with few relevant pairs
    let (mut values, mut alone, mut few) = ([0; 3], 0, 0);
    let cases = cases(1500);
    for case in 0..cases {
        let system = random(&mut rng, 4);
        let size = 2 + rng.below(14);
        let formula = formula(&mut rng, &system, size);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        let found = check_relevant(&question, &mut Budget::unlimited()).expect("no limit");
        assert_eq!(found.value, expected, "case {case}: {formula}\n{}", describe(&system));
        // in turns that are much too short
        for turn in [1, 10 + rng.below(300) as u64] {
            let by_turns = check_relevant_by_turns(&question, turn, &mut Budget::unlimited());
            assert_eq!(by_turns.as_ref(), Ok(&found), "case {case}: {formula}\n{}", describe(&system));
        }
        let whole = whole_game(&question, &mut Budget::unlimited()).expect("no limit");
        assert!(found.relevant <= whole as f64, "case {case}: {found:?}, {whole}: {formula}");
        assert!(found.undecided <= found.relevant, "case {case}: {found:?}");
        values[expected as usize] += 1;
        alone += u64::from(found.decided_by.is_some());
        few += u64::from(found.decided_by.is_none() && found.relevant < 0.8 * whole as f64);
    }
    assert!(values.iter().all(|&count| count > cases / 20), "{values:?}");
    assert!(alone > cases / 20 && few > cases / 50, "{alone}, {few}");
}

#[test]
fn larger_systems_against_the_explicit_engines() {
    let mut rng = Rng::new(1307);
    let mut known = 0;
    let cases = cases(150);
    for case in 0..cases {
        let system = random(&mut rng, 9);
        let size = 4 + rng.below(20);
        let formula = formula(&mut rng, &system, size);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let found = check_relevant(&question, &mut Budget::unlimited()).expect("no limit").value;
        let played = play(&question, &mut Budget::unlimited()).expect("no limit").value;
        let composed = check_compositional(&question, &Composing::default(), &mut Budget::unlimited());
        let composed = composed.expect("no limit").value;
        assert_eq!((found, found), (played, composed), "case {case}: {formula}\n{}", describe(&system));
        known += u64::from(found != Truth::Unknown);
    }
    assert!(known > cases / 4, "{known}");
}
