//! What replay decides by exploring states, against the engine `summary`: claims that no path can
//! show.

use loris_base::{Budget, Idx, IndexVec};
use loris_evidence::{AtExit, Evidence, Path, State, replay};
use loris_logic::{Core, parse};
use loris_recursive::{EngineSettings, Prepared, Property};
use loris_testing::recursion::model::{Model, chains, formulas, models, nested_formulas, star_formulas};
use proptest::prelude::*;

/// Evidence that is a state and a formula only: what is accepted without trust holds, and what is
/// refuted does not.
fn check(model: &Model, text: &str, sink: bool) -> Result<(), TestCaseError> {
    let at_exit = if sink { AtExit::Sink } else { AtExit::Loop };
    let rsm = model.build();
    let [start] = *rsm.initial() else { return Ok(()) };
    let formula = Core::star(&parse(text).expect("well-formed")).expect("CTL*");
    let property =
        Property { formula: &formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() };
    let prepared = Prepared::new(&rsm);
    let settings = EngineSettings { at_exit, seed: 7 };
    let budget = &mut Budget::unlimited();
    let holds = prepared.summary(&property, &settings, budget).expect("no limit").holds;
    for (shows, holds) in [(text.to_owned(), holds), (format!("!({text})"), !holds)] {
        let states = vec![State { stack: Vec::new(), node: Some(start) }];
        let mut paths = IndexVec::new();
        paths.push(Path { shows: shows.clone(), states, repeats: None, because: Vec::new() });
        match replay(&rsm, &Evidence { paths, also: Vec::new() }, at_exit) {
            Ok(report) => prop_assert!(holds || report.trusted > 0, "accepted: {shows}"),
            // an existential formula needs a path of its own
            Err(error) if error.message.contains("there is `") && !is_existential(&shows) => {
                prop_assert!(!holds, "refuted: {shows}: {error}");
            }
            Err(_) => {}
        }
    }
    Ok(())
}

fn is_existential(text: &str) -> bool {
    let core = Core::star(&parse(text).expect("well-formed")).expect("CTL*");
    core.nodes()[core.root().index()].is_existential()
}

/// `LORIS_CASES` asks for more.
fn config() -> ProptestConfig {
    let cases = loris_testing::cases(1000);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn without_recursion(model in models(false), text in formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn with_recursion(model in chains(true), text in prop_oneof![formulas(), nested_formulas()], sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn path_formulas(model in models(true), text in star_formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }
}
