//! Abstraction and refinement against nested fixpoints over the whole product.

mod common;

use common::{Shape, cases, describe, formula, naive, system};
use loris_base::{Budget, Rng};
use loris_lts::ProcessKind;
use loris_modular::{Abstract, SystemQuestion, check_refining};

/// Compares verdicts on random systems of a kind; how many rounds but the last there were.
fn compare(seed: u64, kind: ProcessKind, processes: usize, states: usize, count: usize) -> usize {
    let mut rng = Rng::new(seed);
    let mut rounds = 0;
    for case in 0..count {
        let system = system(&mut rng, Shape { kind, processes, states, partial: false });
        let size = 2 + rng.below(12);
        let formula = formula(&mut rng, &system, size);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        for which in [Abstract::One, Abstract::All] {
            for prune in [false, true] {
                let found = check_refining(&system, &formula, which, prune, &mut Budget::unlimited());
                let found = found.expect("no limit");
                rounds += found.rounds.len() - 1;
                assert_eq!(
                    found.value,
                    expected,
                    "case {case}: {which:?} {prune} {formula}\n{found:#?}\n{}",
                    describe(&system)
                );
            }
        }
    }
    rounds
}

#[test]
fn two_kripke_structures_with_and_without_pruning() {
    assert!(compare(12, ProcessKind::Kripke, 2, 5, cases(1000)) > 1000);
}

#[test]
fn any_number_of_kripke_structures() {
    assert!(compare(13, ProcessKind::Kripke, 1, 6, cases(300)) > 300);
    assert!(compare(14, ProcessKind::Kripke, 3, 4, cases(300)) > 300);
}

#[test]
fn any_number_of_labelled_transition_systems() {
    assert!(compare(15, ProcessKind::Lts, 1, 6, cases(300)) > 300);
    assert!(compare(16, ProcessKind::Lts, 2, 4, cases(600)) > 300);
    assert!(compare(17, ProcessKind::Lts, 3, 3, cases(300)) > 300);
}
