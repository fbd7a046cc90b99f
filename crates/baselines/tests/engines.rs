//! Every engine of this crate against `summary` and against the unfolding where there is one, on
//! all machines that it happens to take; on the worked examples; and within budgets.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
mod common;

use common::{BASELINES, Baseline};
use loris_base::{Budget, Exhausted, Rng};
use loris_evidence::AtExit;
use loris_logic::{Core, parse};
use loris_recursive::{EngineSettings, Prepared, Property};
use loris_rsm::Rsm;
use loris_rsm::generate::RandomRsm;
use loris_testing::recursion::engines::Engine;
use loris_testing::recursion::examples::{LAZY_RSM, RECURSIVE_KRIPKE};
use loris_testing::recursion::model::{Model, anywhere, chains, formulas, models, nested_formulas, stubs};
use loris_testing::recursion::oracle::Unfolding;
use loris_testing::recursion::text::build;
use proptest::prelude::*;

fn star(text: &str) -> Core {
    Core::star(&parse(text).unwrap()).unwrap()
}

fn property<'a>(rsm: &Rsm, formula: &'a Core) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}

fn check(model: &Model, text: &str, sink: bool) -> Result<(), TestCaseError> {
    let at_exit = if sink { AtExit::Sink } else { AtExit::Loop };
    let rsm = model.build();
    let formula = star(text);
    let property = property(&rsm, &formula);
    let unfolding = if model.recursive { None } else { Unfolding::new(&rsm, at_exit, 2000) };
    let expected = match unfolding {
        Some(unfolding) => unfolding.check(&formula),
        None => Engine::Summary.holds(&Prepared::new(&rsm), &property, at_exit),
    };
    for engine in BASELINES.into_iter().filter(|engine| engine.takes(&rsm, &property)) {
        prop_assert_eq!(engine.holds(&rsm, &property, at_exit), expected, "{:?} on {}", engine, text);
    }
    Ok(())
}

#[test]
fn worked_examples() {
    let mut asked = Vec::new();
    for &(example, machine, at_exit, formula, holds) in LAZY_RSM.iter().chain(RECURSIVE_KRIPKE) {
        let rsm = build(machine);
        let ctl = star(formula);
        let property = property(&rsm, &ctl);
        for engine in BASELINES.into_iter().filter(|engine| engine.takes(&rsm, &property)) {
            let found = engine.holds(&rsm, &property, at_exit);
            assert_eq!(found, holds, "Example {example}: {formula} by {engine:?}");
            asked.push(engine);
        }
    }
    assert_eq!(BASELINES.into_iter().find(|engine| !asked.contains(engine)), None, "every engine is asked");
}

/// Whatever the limit, they end with what ran out, and with less of it than the whole takes.
fn check_limits(engine: Baseline, rsm: &Rsm, property: &Property<'_>) {
    let work = |budget: &mut Budget| engine.check(rsm, property, &EngineSettings::default(), budget);
    let mut budget = Budget::unlimited();
    assert!(work(&mut budget).is_ok());
    let (peak, spent) = (budget.peak(), budget.spent());
    assert!(peak > 0 && spent > 0, "{engine:?}: {peak} bytes, {spent} steps");
    for part in 0..8 {
        let bytes = peak / 8 * part;
        let found = work(&mut Budget::new(None, Some(bytes))).err();
        assert_eq!(found, Some(Exhausted::Memory), "{engine:?}: {bytes} of {peak} bytes");
        // time is looked at every few thousand steps
        let steps = (spent / 8 * part as u64).saturating_sub(5000);
        if steps > 0 {
            let found = work(&mut Budget::steps(steps)).err();
            assert_eq!(found, Some(Exhausted::Time), "{engine:?}: {steps} of {spent} steps");
        }
    }
}

#[test]
fn limits() {
    let labels = ["p", "q", "r"].map(|label| (label.to_owned(), 0.3)).to_vec();
    let mut asked = Vec::new();
    for boxes in [3, 0] {
        let labels = labels.clone();
        let random =
            RandomRsm { components: 9, boxes, nodes: 40, entries: 0.01, exits: 0.01, labels, density: 0.05 };
        let rsm = random.to_rsm(&mut Rng::new(2));
        for text in ["A G (p -> E F (q & E X r))", "E [ p U (q & E G !r) ]", "E F (p & X q) | A F G r"] {
            let formula = star(text);
            let property = property(&rsm, &formula);
            for engine in BASELINES.into_iter().filter(|engine| engine.takes(&rsm, &property)) {
                check_limits(engine, &rsm, &property);
                asked.push(engine);
            }
        }
    }
    assert_eq!(BASELINES.into_iter().find(|engine| !asked.contains(engine)), None, "every engine is asked");
}

/// `LORIS_CASES` asks for more.
fn config() -> ProptestConfig {
    let cases = loris_testing::cases(5_000);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn agree(model in anywhere(models(false)), text in formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_recursion(model in anywhere(models(true)), text in formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_chains(model in chains(false), text in nested_formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_recursive_chains(model in chains(true), text in nested_formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_stubs(
        model in anywhere(stubs(true)), text in prop_oneof![formulas(), nested_formulas()], sink: bool
    ) {
        check(&model, &text, sink)?;
    }
}
