//! Every engine against the unfolding where there is one, and against each other where there is
//! none.

use loris_base::{Budget, Idx};
use loris_evidence::{AtExit, Evidence, PathId, covers_initial, read_json, relates, replay};
use loris_logic::{Core, CoreNode, parse};
use loris_recursive::{EngineSettings, Explanation, Prepared, Property};
use loris_rsm::Rsm;
use loris_testing::recursion::engines::{ENGINES, LAZY};
use loris_testing::recursion::model::{
    Model, anywhere, chains, formulas, models, nested_formulas, relabelled, stubs,
};
use loris_testing::recursion::oracle::Unfolding;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn core(text: &str) -> Core {
    Core::star(&parse(text).expect("well-formed")).expect("CTL")
}

fn property<'a>(rsm: &Rsm, formula: &'a Core) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}

/// All engines agree with the oracle, or else with the first of them; evidence replays.
fn check(model: &Model, text: &str, sink: bool) -> Result<(), TestCaseError> {
    let at_exit = if sink { AtExit::Sink } else { AtExit::Loop };
    let rsm = model.build();
    let formula = core(text);
    let property = property(&rsm, &formula);
    let settings = EngineSettings { at_exit, seed: 7 };
    let prepared = Prepared::new(&rsm);
    let unfolding = if model.recursive { None } else { Unfolding::new(&rsm, at_exit, 2000) };
    let mut expected = unfolding.as_ref().map(|unfolding| unfolding.check(&formula));
    for engine in ENGINES.into_iter().filter(|engine| engine.takes(&prepared, &property)) {
        let outcome = engine.check(&prepared, &property, &settings, &mut Budget::unlimited());
        let outcome = outcome.expect("no limit");
        let expected = *expected.get_or_insert(outcome.holds);
        prop_assert_eq!(outcome.holds, expected, "{:?} on {}", engine, text);
        prop_assert!(outcome.contexts >= 1);
    }
    let holds = expected.expect("an engine has answered");
    // with second thoughts as soon as there is a context, and never
    for growth in [0, usize::MAX] {
        let prepared = Prepared::new(&rsm).with_growth(growth);
        for engine in ENGINES.into_iter().filter(|engine| engine.takes(&prepared, &property)) {
            let found = engine.holds(&prepared, &property, at_exit);
            prop_assert_eq!(found, holds, "{:?}, growth {} on {}", engine, growth, text);
        }
        let (engine, outcome) =
            prepared.decide(&property, &settings, &mut Budget::unlimited()).expect("no limit");
        prop_assert_eq!(outcome.holds, holds, "{:?} in turns, growth {} on {}", engine, growth, text);
    }
    let evidence = explained(&prepared, &property, holds, &settings)?;
    if let (Some(evidence), Some(unfolding)) = (evidence, unfolding) {
        let first = &evidence.paths[PathId::new(0)];
        let claim = if holds { formula } else { formula.negated() };
        let initial = rsm.initial().iter().position(|&node| Some(node) == first.states[0].node);
        if let Some(steps) = unfolding.shortest(&claim, initial.expect("starts in an initial node")) {
            prop_assert_eq!(first.states.len() - 1, steps, "not the shortest run");
        }
    }
    Ok(())
}

/// Properties of one shape, checked together, get the verdicts they get alone.
fn together(model: &Model, text: &str) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let settings = EngineSettings::default();
    let formulas: Vec<Core> = (0..3).map(|shift| core(&relabelled(text, shift))).collect();
    let properties: Vec<Property<'_>> = formulas.iter().map(|formula| property(&rsm, formula)).collect();
    let mut budget = Budget::unlimited();
    let plain = Prepared::new(&rsm);
    let alone: Result<Vec<_>, _> =
        properties.iter().map(|property| LAZY.check(&plain, property, &settings, &mut budget)).collect();
    let alone = alone.expect("no limit");
    for (growth, is_summary) in [(0, false), (1, true), (4, false), (usize::MAX, false)] {
        let prepared = Prepared::new(&rsm).with_growth(growth);
        let batch = prepared.check_batch(&properties, is_summary, &settings, &mut Budget::unlimited());
        for ((alone, (_, together)), formula) in alone.iter().zip(batch.expect("no limit")).zip(&formulas) {
            prop_assert_eq!(alone.holds, together.holds, "{}", formula.print(formula.root()));
        }
    }
    Ok(())
}

/// Evidence, where there is some, replays and shows what it should.
fn explained(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    holds: bool,
    settings: &EngineSettings,
) -> Result<Option<Evidence>, TestCaseError> {
    let rsm = prepared.rsm();
    let evidence = prepared.explain(property, holds, settings, &mut Budget::unlimited()).expect("no limit");
    let claim = if holds { property.formula.clone() } else { property.formula.negated() };
    let Explanation::Evidence(evidence) = evidence else {
        // only what rests on absence alone has none
        let root = claim.nodes()[claim.root().index()];
        prop_assert!(
            !root.is_existential() && !matches!(root, CoreNode::True | CoreNode::Atom(_)),
            "no evidence"
        );
        return Ok(None);
    };
    let replayed = replay(rsm, &evidence, settings.at_exit);
    if let Err(error) = replayed {
        let mut json = String::new();
        evidence.write_json(rsm, &mut json).expect("writes to a string");
        return Err(TestCaseError::fail(format!("{error}: {json}")));
    }
    let first = &evidence.paths[PathId::new(0)];
    prop_assert!(relates(property.formula, holds, &first.shows), "shows {}", first.shows);
    prop_assert!(covers_initial(rsm, &evidence, holds).is_ok());
    let mut json = String::new();
    evidence.write_json(rsm, &mut json).expect("writes to a string");
    let read = read_json(&json, rsm).expect("what was written can be read");
    prop_assert_eq!(read.len(), 1);
    prop_assert!(replay(rsm, &read[0].evidence, settings.at_exit).is_ok());
    Ok(Some(evidence))
}

/// `LORIS_CASES` asks for more; a failing case is kept beside this file and tried first ever after.
fn config() -> ProptestConfig {
    let cases = loris_testing::cases(10_000);
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn agree_with_the_unfolding(model in models(false), text in formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_recursion(model in models(true), text in formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_with_the_unfolding_on_chains(model in chains(false), text in nested_formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_recursive_chains(model in chains(true), text in nested_formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_from_any_node(
        model in anywhere(models(true)), text in prop_oneof![formulas(), nested_formulas()], sink: bool
    ) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_stubs(
        model in anywhere(stubs(true)), text in prop_oneof![formulas(), nested_formulas()], sink: bool
    ) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_in_batches(model in chains(true), text in prop_oneof![formulas(), nested_formulas()]) {
        together(&model, &text)?;
    }
}
