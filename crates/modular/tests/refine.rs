//! Abstraction and refinement against nested fixpoints over the whole product.

mod common;

use common::{Shape, cases, describe, formula, naive, system};
use loris_base::{Budget, Rng};
use loris_lts::ProcessKind;
use loris_modular::{Abstract, SystemQuestion, check_refining};

#[test]
fn one_and_both_with_and_without_pruning() {
    let mut rng = Rng::new(12);
    let mut rounds = 0;
    for case in 0..cases(1000) {
        let system =
            system(&mut rng, Shape { kind: ProcessKind::Kripke, processes: 2, states: 5, partial: false });
        let size = 2 + rng.below(12);
        let formula = formula(&mut rng, &system, size);
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        for which in [Abstract::One, Abstract::Both] {
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
    assert!(rounds > 0, "some case needs refinement");
}
