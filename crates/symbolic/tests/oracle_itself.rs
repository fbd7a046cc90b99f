//! The oracle of the other tests, on systems small enough to know the answers.

mod oracle;

use loris_base::Rng;
use loris_circuit::{StateVar, TransitionSystem};
use loris_logic::{Core, parse};
use oracle::{Oracle, Shape, random_query, random_system};

/// A bit that starts with 0 and may become 1 for good: `a` is the bit, `b` its negation.
fn latch(constrained: bool) -> TransitionSystem {
    let mut system = TransitionSystem::default();
    let (bit, set) = (system.aig.variable(), system.aig.variable());
    let next = system.aig.or(bit, set);
    system.states.push(StateVar { now: bit, next });
    system.choices.push(set);
    system.init.push(!bit);
    system.observed = vec![bit, !bit];
    if constrained {
        system.constraints.push(!bit);
    }
    system
}

fn check(system: &TransitionSystem, formula: &str, expected: bool) {
    let core = Core::new(&parse(formula).expect("well-formed")).expect("CTL");
    let atoms: Vec<_> = core.atoms().iter().map(|name| system.observed[usize::from(name == "b")]).collect();
    assert_eq!(Oracle::new(system).holds(system, &core, &atoms), expected, "{formula}");
}

#[test]
fn formulas_mean_what_they_should() {
    let system = latch(false);
    for (formula, expected) in [
        ("b", true),
        ("E X a", true),
        ("A X a", false),
        ("A F a", false),
        ("E G b", true),
        ("A G (a -> A G a)", true),
        ("E [b U a]", true),
        ("A G E F b", false),
    ] {
        check(&system, formula, expected);
    }
    let mut fair = system.clone();
    fair.justice.push(system.observed[0]);
    check(&fair, "A F a", true);
    check(&fair, "E G b", false);
    let mut strong = system.clone();
    strong.compassion.push((system.observed[1], system.observed[0]));
    check(&strong, "A F a", true);
    // what calls for the second condition may also stop
    strong.compassion = vec![(system.observed[0], system.observed[1])];
    check(&strong, "A G !a", true);
    check(&strong, "E X a", false);
}

#[test]
fn dead_ends_are_seen() {
    assert!(Oracle::new(&latch(false)).is_total());
    let ends = Oracle::new(&latch(true));
    assert_eq!((ends.reachable(), ends.dead_ends()), (0b11, 0b10));
}

/// What other tests need to be worth anything: all kinds of systems, and both verdicts.
#[test]
fn random_systems_are_varied() {
    let rng = &mut Rng::new(1);
    let (mut verdicts, mut constrained, mut fair) = ([0; 2], 0, 0);
    for _ in 0..1000 {
        let system = random_system(rng, Shape { constraints: true, fairness: true, dead_ends: false });
        let oracle = Oracle::new(&system);
        assert!(oracle.is_total());
        let (core, atoms) = random_query(rng, &system);
        verdicts[usize::from(oracle.holds(&system, &core, &atoms))] += 1;
        constrained += usize::from(!system.constraints.is_empty());
        fair += usize::from(oracle.has_fairness());
    }
    assert!(verdicts[0] > 300 && verdicts[1] > 300 && constrained > 100 && fair > 200, "{verdicts:?}");
}
