//! Theorem 14 by brute force on random words, and the numbers of pairs of example Y7.

use super::super::closure::conjunction;
use super::super::finite::{OVER, automaton};
use super::paper::{self, Formula, next, not, until};
use super::*;
use loris_logic::LtlBuilder;
use proptest::prelude::*;

/// The negation normal form of a formula or its negation.
fn normal(build: &mut LtlBuilder, formula: &Formula, positive: bool) -> LtlId {
    match formula {
        Formula::True => build.constant(positive),
        Formula::Atom(atom) => build.literal(*atom, positive),
        Formula::Not(a) => normal(build, a, !positive),
        Formula::Or(parts) => {
            let parts: Vec<LtlId> = parts.iter().map(|part| normal(build, part, positive)).collect();
            let all = build.constant(!positive);
            parts
                .into_iter()
                .fold(all, |all, part| if positive { build.or(all, part) } else { build.and(all, part) })
        }
        Formula::X(a) => {
            let a = normal(build, a, positive);
            build.next(a)
        }
        Formula::U(a, b) => {
            let (a, b) = (normal(build, a, positive), normal(build, b, positive));
            if positive { build.until(a, b) } else { build.release(a, b) }
        }
        Formula::And(_) | Formula::G(_) | Formula::Exit => unreachable!("not generated"),
    }
}

fn ltl(formula: &Formula) -> Ltl {
    let mut build = LtlBuilder::default();
    let root = normal(&mut build, formula, true);
    build.finish(root)
}

fn formulas() -> impl Strategy<Value = Formula> {
    let leaf =
        prop_oneof![1 => Just(Formula::True), 4 => Just(Formula::Atom(0)), 4 => Just(Formula::Atom(1))];
    leaf.prop_recursive(4, 8, 2, |inner| {
        prop_oneof![
            3 => inner.clone().prop_map(not),
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Formula::Or(vec![a, b])),
            2 => inner.clone().prop_map(next),
            3 => (inner.clone(), inner).prop_map(|(a, b)| until(a, b)),
        ]
    })
}

fn words(least: usize) -> impl Strategy<Value = Vec<Vec<bool>>> {
    prop::collection::vec(prop::collection::vec(any::<bool>(), 2), least..5)
}

/// Theorem 14 on one word, for our pairs and for the paper's where they are few.
fn theorem(
    formula: &Formula,
    prefix: &[Vec<bool>],
    rest: &[Vec<bool>],
    cycle: &[Vec<bool>],
) -> Result<(), TestCaseError> {
    let ltl = ltl(formula);
    let expected = ltl.holds_on_lasso(&[prefix, rest].concat(), cycle);
    let mut budget = Budget::unlimited();
    let mut decomp = Decomp::new(&ltl, &mut budget).expect("few pairs");
    let pairs = decomp.of(&[ltl.root()], &mut budget).expect("few pairs");
    let mut found = false;
    for pair in &pairs {
        let before = decomp.prefixes.holds(pair.beta, prefix);
        found |= before && conjunction(&ltl, &pair.delta).holds_on_lasso(rest, cycle);
        let stages = automaton(&mut decomp.prefixes, pair.beta, &mut budget).expect("few edges");
        let accepted = stages.is_some_and(|stages| stages.ends(prefix, OVER));
        prop_assert_eq!(accepted, before, "the automaton of {:?}", pair);
    }
    prop_assert_eq!(found, expected, "{:?}", pairs);
    if let Some(pairs) = paper::decomp(formula, 300) {
        let tail = [rest, cycle].concat();
        let holds = |(beta, delta): &(Formula, Formula)| {
            paper::holds(beta, prefix, None) && paper::holds(delta, &tail, Some(rest.len()))
        };
        prop_assert_eq!(pairs.iter().any(holds), expected, "as printed: {:?}", pairs);
    }
    Ok(())
}

/// Pairs as the paper defines them, and ours.
fn counts(formula: &Formula) -> (usize, usize) {
    let printed = paper::decomp(formula, usize::MAX).expect("no limit").len();
    let ltl = ltl(formula);
    let mut budget = Budget::unlimited();
    let mut decomp = Decomp::new(&ltl, &mut budget).expect("few pairs");
    (printed, decomp.of(&[ltl.root()], &mut budget).expect("few pairs").len())
}

#[test]
fn numbers_of_pairs_of_example_y7() {
    let (a, b) = (|| Formula::Atom(0), || Formula::Atom(1));
    let eventually = |formula: Formula| until(Formula::True, formula);
    assert_eq!(counts(&next(a())), (2, 2));
    assert_eq!(counts(&not(next(a()))), (4, 2));
    assert_eq!(counts(&until(a(), b())), (2, 2));
    assert_eq!(counts(&not(eventually(not(b())))), (8, 1));
    assert_eq!(counts(&not(eventually(not(eventually(b()))))), (32, 1));
}

#[test]
fn next_is_split_as_in_the_paper() {
    let ltl = ltl(&next(Formula::Atom(0)));
    let mut budget = Budget::unlimited();
    let mut decomp = Decomp::new(&ltl, &mut budget).expect("few pairs");
    let pairs = decomp.of(&[ltl.root()], &mut budget).expect("few pairs");
    let p = decomp.prefixes.literal(0, true);
    let (next, exit) = (decomp.prefixes.next(p), decomp.prefixes.exit());
    let of = |beta: Beta, delta: &[LtlId]| Pair { beta, delta: delta.to_vec() };
    assert_eq!(pairs, [of(next, &[]), of(exit, &[LtlId::new(0)])]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn theorem_14(formula in formulas(), prefix in words(1), rest in words(0), cycle in words(1)) {
        theorem(&formula, &prefix, &rest, &cycle)?;
    }
}
