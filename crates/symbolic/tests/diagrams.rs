//! `bdd` against the explicit-state oracle, on random systems and formulas.
//!
//! `LORIS_CASES=100000 cargo test --release -p loris-symbolic --test diagrams` tries more of them.

mod oracle;

use loris_base::{Budget, Idx, Rng};
use loris_circuit::{Lit, StateVar, TransitionSystem};
use loris_logic::{Core, parse};
use loris_solvers::bdd::Policy;
use loris_symbolic::{DiagramError, DiagramOptions, Diagrams, FirstOrder, FixpointDirection, Query};
use loris_testing::cases;
use oracle::{Oracle, Shape, random_query, random_system};

/// Small tables, so that garbage is collected and variables are sifted all the time.
fn options(rng: &mut Rng) -> DiagramOptions {
    DiagramOptions {
        order: [FirstOrder::Walk, FirstOrder::Declared][rng.below(2)],
        witnesses: rng.chance(0.8),
        total: false,
        direction: match rng.below(3) {
            0 => FixpointDirection::Forward,
            1 => FixpointDirection::Backward,
            _ => FixpointDirection::InTurns { first: rng.below(200) as u64 },
        },
        cluster: rng.below(60),
        cut: 1 + rng.below(12),
        policy: Policy { collect_at: 16 + rng.below(200), sift_at: rng.chance(0.5).then(|| rng.below(100)) },
    }
}

fn check(system: &TransitionSystem, options: DiagramOptions, rng: &mut Rng) {
    let oracle = Oracle::new(system);
    let budget = &mut Budget::unlimited();
    let mut diagrams = Diagrams::new(system, options, budget).expect("no limit");
    for _ in 0..3 {
        let (core, atoms) = random_query(rng, system);
        match diagrams.check(&Query { core: &core, atoms: &atoms }, budget) {
            Ok(outcome) => {
                assert!(oracle.is_total());
                oracle.check(system, &core, &atoms, &outcome);
                let shows = oracle.evaluate(system, &core, &atoms);
                let nodes = core.nodes();
                // what a single run can show is shown
                let root = core.root();
                let is_existential = match nodes[root.index()] {
                    loris_logic::CoreNode::Not(a) => !outcome.holds && nodes[a.index()].is_existential(),
                    node => outcome.holds && node.is_existential(),
                };
                let has_start =
                    oracle.initial & if outcome.holds { u64::MAX } else { !shows[root.index()] } != 0;
                if options.witnesses && is_existential && has_start {
                    assert!(outcome.witness.is_some(), "{}", core.print(root));
                }
            }
            Err(DiagramError::DeadEnd(trace)) => {
                assert!(!oracle.is_total() && system.is_run(&trace, true));
                let last = Oracle::number(&trace.steps[trace.steps.len() - 1].state);
                assert_eq!(oracle.dead_ends() >> last & 1, 1);
            }
            Err(DiagramError::Exhausted(why)) => panic!("{why} without a limit"),
        }
    }
    if let Some(states) = diagrams.log2_reachable() {
        assert!((states.exp2() - f64::from(oracle.reachable().count_ones())).abs() < 1e-6);
    }
}

fn check_all(shape: Shape, count: u64) {
    for seed in 0..cases(count) {
        let rng = &mut Rng::new(seed);
        let system = random_system(rng, shape);
        let options = options(rng);
        check(&system, options, rng);
    }
}

#[test]
fn plain_systems() {
    check_all(Shape { constraints: false, fairness: false, dead_ends: false }, 3000);
}

#[test]
fn constrained_systems() {
    check_all(Shape { constraints: true, fairness: false, dead_ends: true }, 3000);
}

#[test]
fn fair_systems() {
    check_all(Shape { constraints: true, fairness: true, dead_ends: false }, 4000);
}

/// A system without variables has one state with a step to itself.
#[test]
fn no_variables() {
    // `p` is true; the constant itself would be folded, as on total relations without fairness
    for (justice, text, expected) in [
        (None, "E G p", true),
        (None, "E X A G !p", false),
        (Some(Lit::TRUE), "E G p", true),
        (Some(Lit::FALSE), "E G p", false),
        (Some(Lit::FALSE), "A G !p", true),
    ] {
        let system =
            TransitionSystem { justice: justice.into_iter().collect(), ..TransitionSystem::default() };
        let budget = &mut Budget::unlimited();
        let mut diagrams = Diagrams::new(&system, DiagramOptions::default(), budget).expect("no limit");
        let core = Core::new(&parse(text).expect("well-formed")).expect("CTL");
        let atoms = &[Lit::TRUE];
        let outcome = diagrams.check(&Query { core: &core, atoms }, budget).expect("no limit");
        assert_eq!(outcome.holds, expected, "{text}");
        Oracle::new(&system).check(&system, &core, atoms, &outcome);
    }
}

/// A shift register: as many steps as bits, in orders that are deep.
#[test]
fn many_variables() {
    let mut system = TransitionSystem::default();
    let bits: Vec<Lit> = (0..300).map(|_| system.aig.variable()).collect();
    let input = system.aig.variable();
    for (at, &now) in bits.iter().enumerate() {
        let next = if at == 0 { input } else { bits[at - 1] };
        system.states.push(StateVar { now, next });
        system.init.push(!now);
    }
    system.choices.push(input);
    system.observed.push(bits[bits.len() - 1]);
    let budget = &mut Budget::unlimited();
    let mut diagrams = Diagrams::new(&system, DiagramOptions::default(), budget).expect("no limit");
    for (text, expected, length) in [("A G !p", false, 301), ("A G E F p", true, 0), ("A F p", false, 1)] {
        let core = Core::new(&parse(text).expect("well-formed")).expect("CTL");
        let outcome =
            diagrams.check(&Query { core: &core, atoms: &system.observed }, budget).expect("no limit");
        assert_eq!(outcome.holds, expected, "{text}");
        let run = outcome.witness.map_or(0, |witness| {
            assert!(system.is_run(&witness.trace, true));
            witness.trace.steps.len()
        });
        assert_eq!(run, length, "{text}");
    }
}

/// Whatever the limit, there is an answer or a reason, and more time leads to the answer.
#[test]
fn limits_never_change_a_verdict() {
    for seed in 0..cases(300) {
        let rng = &mut Rng::new(seed);
        let system = random_system(rng, Shape { constraints: true, fairness: true, dead_ends: false });
        let options = options(rng);
        let (core, atoms) = random_query(rng, &system);
        let query = Query { core: &core, atoms: &atoms };
        let oracle = Oracle::new(&system);
        let mut last = None;
        let mut diagrams = None;
        let steps = [0, 100, 5000, 20_000].map(Budget::steps);
        let bytes = [0, 1000, 3000, 10_000].map(|bytes| Budget::new(None, Some(bytes)));
        let limits = if rng.chance(0.5) { steps } else { bytes };
        for (at, mut budget) in limits.into_iter().chain([Budget::unlimited()]).enumerate() {
            let budget = &mut budget;
            if diagrams.is_none() {
                diagrams = Diagrams::new(&system, options, budget).ok();
            }
            let Some(diagrams) = &mut diagrams else { continue };
            match diagrams.check(&query, budget) {
                Ok(outcome) => {
                    oracle.check(&system, &core, &atoms, &outcome);
                    last = Some(outcome.witness.is_some());
                }
                Err(DiagramError::Exhausted(_)) => assert!(at < 4, "no limit"),
                Err(DiagramError::DeadEnd(_)) => panic!("runs never end"),
            }
        }
        // with all the time in the world, the answer is that of a fresh start
        let budget = &mut Budget::unlimited();
        let mut fresh = Diagrams::new(&system, options, budget).expect("no limit");
        let outcome = fresh.check(&query, budget).expect("no limit");
        assert_eq!(last, Some(outcome.witness.is_some()));
    }
}
