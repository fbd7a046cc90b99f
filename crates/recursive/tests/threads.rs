//! One property on several threads: the same verdict, counts, steps, memory and evidence as on one.
#![allow(clippy::unwrap_used)]

use loris_base::{Budget, Exhausted, Rng};
use loris_evidence::AtExit;
use loris_logic::{Core, parse};
use loris_recursive::{Decider, EngineSettings, Explanation, MachineOutcome, Prepared, Property};
use loris_rsm::Rsm;
use loris_rsm::generate::{LargeRsm, RandomRsm, StaggeredExits};
use loris_testing::recursion::model::{anywhere, chains, formulas, models, nested_formulas, relabelled};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// All that can be seen of a check: verdicts and counts, evidence as text, steps and bytes.
type Seen = (Vec<(Decider, MachineOutcome)>, Vec<Option<String>>, u64, usize);

/// Asks for properties together and for their evidence, with this many threads; work of `grain`
/// steps is shared.
fn ask(
    rsm: &Rsm,
    texts: &[String],
    settings: &EngineSettings,
    threads: usize,
    grain: usize,
    growth: usize,
) -> Seen {
    let core = |text: &String| Core::star(&parse(text).unwrap()).unwrap();
    let formulas: Vec<Core> = texts.iter().map(core).collect();
    let label = |formula: &Core| formula.atoms().iter().map(|atom| rsm.label(atom)).collect();
    let properties: Vec<Property<'_>> =
        formulas.iter().map(|formula| Property { formula, atoms: label(formula) }).collect();
    let prepared = Prepared::new(rsm).with_growth(growth);
    let mut budget = Budget::new(None, Some(usize::MAX)).with_threads(threads).with_grain(grain);
    let outcomes = match &properties[..] {
        [property] => vec![prepared.decide(property, settings, &mut budget).unwrap()],
        _ => prepared.check_batch(&properties, true, settings, &mut budget).unwrap(),
    };
    let mut evidence = Vec::new();
    for (property, (_, outcome)) in properties.iter().zip(&outcomes) {
        let explained = prepared.explain(property, outcome.holds, settings, &mut budget).unwrap();
        evidence.push(match explained {
            Explanation::Evidence(evidence) => {
                let mut json = String::new();
                evidence.write_json(rsm, &mut json).unwrap();
                Some(json)
            }
            _ => None,
        });
    }
    (outcomes, evidence, budget.spent(), budget.peak())
}

/// The same with any number of threads; and with none to share with, but for the steps.
fn check(rsm: &Rsm, texts: &[String], at_exit: AtExit, growth: usize) {
    let settings = EngineSettings { at_exit, seed: 7 };
    let alone = ask(rsm, texts, &settings, 1, 1, growth);
    for threads in [2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let together = pool.install(|| ask(rsm, texts, &settings, threads, 1, growth));
        assert_eq!(together, alone, "{threads} threads, growth {growth}, {texts:?}");
    }
    let (outcomes, evidence, _, _) = ask(rsm, texts, &settings, 1, usize::MAX, growth);
    let holds = |outcomes: &[(Decider, MachineOutcome)]| -> Vec<bool> {
        outcomes.iter().map(|(_, outcome)| outcome.holds).collect()
    };
    assert_eq!((holds(&outcomes), evidence), (holds(&alone.0), alone.1), "{texts:?}");
}

const FORMULAS: [&str; 9] = [
    "E F (p & q)",
    "A G (p -> E F q)",
    "A F q",
    "A G (p -> A F q)",
    "E [ !p U (q & E G !r) ]",
    "A G (p -> E [ !q U (r & E X q) ])",
    "E X A X (p | E F (q & r))",
    "E (F (p & X q) & G F r)",
    "E G (F p & F !p)",
];

/// Every formula alone and with two others of its shape, on a machine.
fn check_all(rsm: &Rsm) {
    for text in FORMULAS {
        let one = [text.to_owned()];
        let turned = |by: usize| -> String {
            let turn = |letter: char| "pqr".find(letter).map(|at| ['p', 'q', 'r'][(at + by) % 3]);
            text.chars().map(|letter| turn(letter).unwrap_or(letter)).collect()
        };
        check(rsm, &one, AtExit::Loop, 4);
        check(rsm, &one, AtExit::Sink, 0);
        check(rsm, &[0, 1, 2].map(turned), AtExit::Loop, 4);
    }
}

fn labels() -> Vec<(String, f64)> {
    [("p", 0.3), ("q", 0.05), ("r", 0.5)].map(|(label, rate)| (label.to_owned(), rate)).to_vec()
}

#[test]
fn large_machines() {
    let large = LargeRsm { edges: 60_000, labels: labels(), ..LargeRsm::default() };
    check_all(&large.to_rsm(&mut Rng::new(5)));
}

#[test]
fn many_entries_and_exits() {
    for (entries, exits) in [(0.3, 0.3), (0.2, 0.05), (0.02, 0.4)] {
        let labels = labels();
        let random = RandomRsm { components: 4, boxes: 2, nodes: 40, entries, exits, labels, density: 0.05 };
        check_all(&random.to_rsm(&mut Rng::new(11)));
    }
}

#[test]
fn long_rows() {
    for entries in [false, true] {
        let rsm = StaggeredExits { exits: 300, entries }.to_rsm();
        for text in ["E F q", "A G (p -> E F q)", "E G !q"] {
            check(&rsm, &[text.to_owned()], AtExit::Loop, 4);
        }
    }
}

/// Threads end when there is no time left, and say so.
#[test]
fn limits_hold() {
    let large = LargeRsm { edges: 60_000, labels: labels(), ..LargeRsm::default() };
    let rsm = large.to_rsm(&mut Rng::new(5));
    let formula = Core::star(&parse("A G (p -> E F q)").unwrap()).unwrap();
    let atoms = formula.atoms().iter().map(|atom| rsm.label(atom)).collect();
    let property = Property { formula: &formula, atoms };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let ask = |budget: &mut Budget| {
        pool.install(|| Prepared::new(&rsm).decide(&property, &EngineSettings::default(), budget).map(|_| ()))
    };
    let mut whole = Budget::unlimited().with_threads(3).with_grain(1);
    assert_eq!(ask(&mut whole), Ok(()));
    for part in 1..8 {
        let mut steps = Budget::steps(whole.spent() / 8 * part).with_threads(3).with_grain(1);
        assert_eq!(ask(&mut steps), Err(Exhausted::Time), "{part} of 8 parts of the steps");
    }
}

fn config() -> ProptestConfig {
    let cases = loris_testing::cases(500);
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn small_machines(
        model in prop_oneof![anywhere(models(true)), chains(true)],
        text in prop_oneof![formulas(), nested_formulas()],
        sink: bool,
        growth in prop_oneof![Just(0), Just(1), Just(4)],
        batch: bool,
    ) {
        let texts: Vec<String> = (0..if batch { 3 } else { 1 }).map(|by| relabelled(&text, by)).collect();
        check(&model.build(), &texts, if sink { AtExit::Sink } else { AtExit::Loop }, growth);
    }
}
