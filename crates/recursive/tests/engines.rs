//! Every engine against the unfolding where there is one, and against each other where there is none.

mod common;

use common::model::{Model, formulas, models};
use common::oracle::Unfolding;
use loris_base::{Budget, Idx};
use loris_evidence::{AtExit, PathId, covers_initial, read_json, relates, replay};
use loris_logic::{Ctl, CtlNode, parse};
use loris_recursive::{ENGINES, Prepared, Property, Settings};
use loris_rsm::Rsm;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn core(text: &str) -> Ctl {
    Ctl::new(&parse(text).expect("well-formed")).expect("CTL")
}

fn property<'a>(rsm: &Rsm, formula: &'a Ctl) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}

/// All engines agree with the oracle, or else with the first of them.
fn check(model: &Model, text: &str, at_exit: AtExit) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let formula = core(text);
    let property = property(&rsm, &formula);
    let settings = Settings { at_exit, seed: 7 };
    let prepared = Prepared::new(&rsm);
    let mut expected = None;
    if !model.recursive {
        expected = Unfolding::new(&rsm, at_exit, 3000).map(|unfolding| unfolding.check(&formula));
    }
    for (engine, name, _) in ENGINES.into_iter().rev() {
        let outcome = prepared.check(engine, &property, &settings, &mut Budget::unlimited()).expect("no limit");
        let expected = *expected.get_or_insert(outcome.holds);
        prop_assert_eq!(outcome.holds, expected, "{} on {}", name, text);
        prop_assert!(outcome.contexts >= 1);
    }
    let holds = expected.expect("an engine has answered");
    explained(&prepared, &property, holds, &settings)
}

/// Evidence, where there is some, replays and shows what it should.
fn explained(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    holds: bool,
    settings: &Settings,
) -> Result<(), TestCaseError> {
    let rsm = prepared.rsm();
    let evidence = prepared.explain(property, holds, settings, &mut Budget::unlimited()).expect("no limit");
    let claim = if holds { property.formula.clone() } else { property.formula.negated() };
    let Some(evidence) = evidence else {
        // only what rests on absence alone has none
        let root = claim.nodes()[claim.root() as usize];
        prop_assert!(!root.is_existential() && !matches!(root, CtlNode::True | CtlNode::Atom(_)), "no evidence");
        return Ok(());
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
    Ok(())
}

/// `LORIS_CASES` asks for more; a failing case is kept beside this file and tried first ever after.
fn config() -> ProptestConfig {
    let cases = std::env::var("LORIS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(10_000);
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
        check(&model, &text, if sink { AtExit::Sink } else { AtExit::Loop })?;
    }

    #[test]
    fn agree_with_each_other(model in models(true), text in formulas(), sink: bool) {
        check(&model, &text, if sink { AtExit::Sink } else { AtExit::Loop })?;
    }
}
