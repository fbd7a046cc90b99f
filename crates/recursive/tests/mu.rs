//! The mu-calculus: against nested fixpoints on unfoldings, and against the engines for CTL and
//! CTL* on what those can express, with and without recursion.

use loris_base::Budget;
use loris_evidence::{AtExit, CallStrategy, replay_call_strategy};
use loris_logic::mu::{self, DeadEnds, MuFormula, Reading};
use loris_logic::{Core, parse};
use loris_recursive::{EngineSettings, MuProperty, Prepared, Property};
use loris_rsm::Rsm;
use loris_testing::recursion::model::{Model, anywhere, chains, formulas, models, nested_formulas, stubs};
use loris_testing::recursion::oracle::Unfolding;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn read(text: &str) -> MuFormula {
    let reading = Reading { dead_ends: DeadEnds::Stop, ..Reading::default() };
    mu::parse_with(text, &reading).expect("well-formed")
}

fn holds(rsm: &Rsm, formula: &MuFormula, at_exit: AtExit) -> bool {
    let property = MuProperty::new(formula, formula.atoms().iter().map(|atom| rsm.label(atom)).collect())
        .expect("no actions");
    let settings = EngineSettings { at_exit, seed: 0 };
    let outcome = Prepared::new(rsm).mu(&property, &settings, &mut Budget::unlimited());
    outcome.expect("no limit").holds
}

fn summary(rsm: &Rsm, text: &str, at_exit: AtExit) -> bool {
    let formula = Core::star(&parse(text).expect("well-formed")).expect("CTL*");
    let atoms = formula.atoms().iter().map(|atom| rsm.label(atom)).collect();
    let property = Property { formula: &formula, atoms };
    let settings = EngineSettings { at_exit, seed: 0 };
    Prepared::new(rsm).summary(&property, &settings, &mut Budget::unlimited()).expect("no limit").holds
}

fn at_exit(choice: u8) -> AtExit {
    [AtExit::Loop, AtExit::Sink, AtExit::Stop][usize::from(choice % 3)]
}

/// The strategy for a verdict is replayed, and refused for the other verdict.
fn is_shown(rsm: &Rsm, formula: &MuFormula, at_exit: AtExit) -> Result<(), TestCaseError> {
    let atoms = formula.atoms().iter().map(|atom| rsm.label(atom)).collect();
    let property = MuProperty::new(formula, atoms).expect("no actions");
    let settings = EngineSettings { at_exit, seed: 0 };
    let budget = &mut Budget::unlimited();
    let holds = holds(rsm, formula, at_exit);
    let strategy = Prepared::new(rsm).mu_strategy(&property, holds, &settings, budget).expect("no limit");
    let Some(strategy) = strategy else {
        return Err(TestCaseError::fail(format!("no strategy for {formula}: {holds}")));
    };
    let replayed = replay_call_strategy(rsm, formula, holds, at_exit, &strategy, budget);
    prop_assert!(replayed.is_ok(), "{}: {:?}\n{:?}", formula, replayed, strategy);
    let shows = if holds { formula.negated().to_string() } else { formula.to_string() };
    let other = CallStrategy { shows, ..strategy };
    let replayed = replay_call_strategy(rsm, formula, !holds, at_exit, &other, budget);
    prop_assert!(replayed.is_err(), "{}: {:?}", formula, other);
    Ok(())
}

/// A formula of the mu-calculus holds exactly where nested fixpoints say so.
fn unfolds(model: &Model, text: &str, at_exit: AtExit) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let formula = read(text);
    let Some(unfolding) = Unfolding::new(&rsm, at_exit, 600) else { return Ok(()) };
    prop_assert_eq!(holds(&rsm, &formula, at_exit), unfolding.check_mu(&formula), "{}", text);
    Ok(())
}

/// A formula that nested fixpoints decide whatever is true under high stacks has that verdict.
/// Returns whether it is decided.
fn is_bounded(model: &Model, text: &str, at_exit: AtExit) -> Result<bool, TestCaseError> {
    const HEIGHT: usize = 4;
    let rsm = model.build();
    let formula = read(text);
    let Some(unfolding) = Unfolding::bounded(&rsm, at_exit, HEIGHT, 1500) else { return Ok(false) };
    let least = unfolding.check_mu_below(&formula, HEIGHT, false);
    let most = unfolding.check_mu_below(&formula, HEIGHT, true);
    if least == most {
        prop_assert_eq!(holds(&rsm, &formula, at_exit), most, "{}", text);
    }
    Ok(least == most)
}

/// With one initial state, a formula or its negation holds.
fn negates(model: &Model, text: &str, at_exit: AtExit) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let formula = read(text);
    if rsm.initial().len() == 1 {
        let negated = holds(&rsm, &formula.negated(), at_exit);
        prop_assert_eq!(holds(&rsm, &formula, at_exit), !negated, "{}", text);
    }
    Ok(())
}

/// Formulas over labels, as text: with fixpoints anywhere, some of whose variables come back
/// without a step between, and with fixpoints that alternate.
fn mu_formulas() -> impl Strategy<Value = String> {
    prop_oneof![formula(0, 4), alternating()]
}

/// Two to four fixpoints of different kind, each in the other, over a step. What a successor has to
/// fulfil depends on its labels, and lets the play go on with any of the variables.
fn alternating() -> impl Strategy<Value = String> {
    let case = (0usize..3, any::<bool>(), 0usize..4, 0usize..4);
    (2usize..5, any::<bool>(), prop::collection::vec((case, any::<bool>()), 1..4)).prop_map(
        |(count, least, cases)| {
            let mut text = String::new();
            for (i, variable) in VARIABLES.iter().take(count).enumerate() {
                let kind = if (i % 2 == 0) == least { "mu" } else { "nu" };
                text.extend([kind, " ", variable, ". "]);
            }
            let cases = cases.into_iter().map(|((label, negated, then, other), some)| {
                let (label, modality) = (["a", "b", "c"][label], if some { "<>" } else { "[]" });
                let not = if negated { "!" } else { "" };
                let (then, other) = (VARIABLES[then % count], VARIABLES[other % count]);
                format!("{modality}(({not}{label} & {then}) | {other})")
            });
            text + &cases.collect::<Vec<_>>().join(if count % 2 == 0 { " & " } else { " | " })
        },
    )
}

const VARIABLES: [&str; 4] = ["W", "Z", "Y", "X"];

fn formula(bound: usize, depth: u32) -> BoxedStrategy<String> {
    let literal = (0usize..3, any::<bool>())
        .prop_map(|(i, negated)| format!("{}{}", if negated { "!" } else { "" }, ["a", "b", "c"][i]));
    let variable = (0..bound.max(1)).prop_map(move |i| {
        // a step before most of them
        if bound == 0 { "tt".to_owned() } else { VARIABLES[i].to_owned() }
    });
    let stepped = (variable.clone(), any::<bool>())
        .prop_map(|(variable, some)| if some { format!("<>{variable}") } else { format!("[]{variable}") });
    let leaf = prop_oneof![3 => literal, 6 => stepped, 1 => variable];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || formula(bound, depth - 1);
    let joined = prop_oneof![
        2 => leaf.clone(),
        3 => (inner(), inner()).prop_map(|(f, g)| format!("({f} & {g})")),
        3 => (inner(), inner()).prop_map(|(f, g)| format!("({f} | {g})")),
        2 => inner().prop_map(|f| format!("<>{f}")),
        2 => inner().prop_map(|f| format!("[]{f}")),
    ];
    if bound >= VARIABLES.len() {
        return joined.boxed();
    }
    let fixpoint = (formula(bound + 1, depth - 1), any::<bool>()).prop_map(move |(f, least)| {
        format!("({} {}. {f})", if least { "mu" } else { "nu" }, VARIABLES[bound])
    });
    prop_oneof![1 => joined, 2 => fixpoint].boxed()
}

/// Formulas of CTL* over labels, and the same in the mu-calculus.
const STAR: [(&str, &str); 9] = [
    ("E (G F a)", "nu X. mu Y. <>((a & X) | Y)"),
    ("A (G F a)", "nu X. mu Y. []((a & X) | Y)"),
    ("E (F G a)", "mu X. <>X | nu Y. a & <>Y"),
    ("A (F G a)", "mu X. nu Y. []((a & Y) | X)"),
    ("E (G F a & G F b)", "nu X. mu Y. <>(Y | (a & mu Z. <>(Z | (b & X))))"),
    ("E (G F a & F G b)", "mu W. <>W | nu X. mu Y. b & ((a & <>X) | <>Y)"),
    ("A (F G a | G F b)", "nu W. []W & mu X. nu Y. b | ((a | []X) & []Y)"),
    ("E (G (F a & F b & (c | X F a)))", "nu X. mu Y. <>(Y | (a & mu Z. <>(Z | (b & X))))"),
    ("A G E (G F (a & E F G b))", "nu W. []W & nu X. mu Y. <>((a & (mu V. <>V | nu Z. b & <>Z) & X) | Y)"),
];

fn star(model: &Model, number: usize, at_exit: AtExit) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let (star, mu) = STAR[number % STAR.len()];
    prop_assert_eq!(holds(&rsm, &read(mu), at_exit), summary(&rsm, star, at_exit), "{}", star);
    Ok(())
}

fn ctl(model: &Model, text: &str, at_exit: AtExit) -> Result<(), TestCaseError> {
    let rsm = model.build();
    let expected = summary(&rsm, text, at_exit);
    prop_assert_eq!(holds(&rsm, &read(text), at_exit), expected, "{}", text);
    Ok(())
}

/// `LORIS_CASES` asks for more; a failing case is kept beside this file and tried first ever after.
fn config() -> ProptestConfig {
    let cases = loris_testing::cases(1000);
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
    fn agrees_with_the_unfolding(model in anywhere(models(false)), text in mu_formulas(), exit: u8) {
        unfolds(&model, &text, at_exit(exit))?;
    }

    #[test]
    fn agrees_with_the_unfolding_on_chains(model in chains(false), text in mu_formulas(), exit: u8) {
        unfolds(&model, &text, at_exit(exit))?;
    }

    #[test]
    fn agrees_with_the_unfolding_of_recursion(model in chains(true), text in mu_formulas(), exit: u8) {
        unfolds(&model, &text, at_exit(exit))?;
    }

    #[test]
    fn agrees_with_bounds(
        model in prop_oneof![chains(true), models(true)], text in mu_formulas(), exit: u8
    ) {
        is_bounded(&model, &text, at_exit(exit))?;
    }

    #[test]
    fn verdicts_are_shown(
        model in prop_oneof![chains(true), models(true), anywhere(models(false))],
        text in mu_formulas(),
        exit: u8
    ) {
        is_shown(&model.build(), &read(&text), at_exit(exit))?;
    }

    #[test]
    fn negation_swaps(model in prop_oneof![chains(true), models(true)], text in mu_formulas(), exit: u8) {
        negates(&model, &text, at_exit(exit))?;
    }

    #[test]
    fn agrees_with_ctl(
        model in anywhere(models(true)), text in prop_oneof![formulas(), nested_formulas()], sink: bool
    ) {
        ctl(&model, &text, at_exit(u8::from(sink)))?;
    }

    #[test]
    fn agrees_with_ctl_on_chains(
        model in prop_oneof![chains(true), stubs(true)],
        text in prop_oneof![formulas(), nested_formulas()],
        sink: bool
    ) {
        ctl(&model, &text, at_exit(u8::from(sink)))?;
    }

    #[test]
    fn agrees_with_ctl_star(model in prop_oneof![chains(true), models(true)], which: usize, sink: bool) {
        star(&model, which, at_exit(u8::from(sink)))?;
    }
}
