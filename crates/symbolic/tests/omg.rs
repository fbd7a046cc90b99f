//! `omg` against explicit CTL on small random systems, with every switch: verdicts, witnesses, and
//! every label on every abstract state.

mod oracle;

use loris_base::{Budget, Idx, Rng};
use loris_circuit::{Lit, StateVar, TransitionSystem};
use loris_logic::{Core, CtlCore, parse};
use loris_symbolic::Query;
use loris_symbolic::omg::{Omg, OmgOptions, Splitting, Unwinding};
use loris_testing::cases;
use oracle::{Oracle, Shape, random_query, random_system};

fn options(mut bits: usize) -> OmgOptions {
    let mut bit = || {
        let bit = bits % 2 == 1;
        bits /= 2;
        bit
    };
    let splitting = if bit() { Splitting::Exact } else { Splitting::Cubes };
    let unwinding = if bit() { Unwinding::Sets } else { Unwinding::States };
    OmgOptions {
        splitting,
        unwinding,
        trivial: bit(),
        lazy: bit(),
        trimming: bit(),
        predicates: bit(),
        unification: bit(),
        facts: bit(),
        reachability: bit(),
        patience: if bit() { 24 } else { 1 },
        shared: bit(),
        witness: true,
    }
}

/// A property `A G p` or `A [p R q]`, without further temporal operators.
fn always(rng: &mut Rng, system: &TransitionSystem) -> (CtlCore, Vec<Lit>) {
    let texts = ["A G p", "A G (p | q)", "A G (p | q | r)", "A [p R q]", "A [p R (q | r)]"];
    let core = Core::new(&parse(texts[rng.below(texts.len())]).expect("well-formed")).expect("CTL");
    let mut atom = |_| system.observed[rng.below(system.observed.len())].negated_if(rng.chance(0.3));
    let atoms = core.atoms().iter().map(&mut atom).collect();
    (core, atoms)
}

#[test]
fn verdicts_witnesses_and_labels_are_right_with_every_switch() {
    let (mut reused, mut invariants) = (0, 0);
    for case in 0..cases(10_000) {
        let mut rng = Rng::new(case);
        let system = random_system(&mut rng, Shape { constraints: true, fairness: false, dead_ends: false });
        let oracle = Oracle::new(&system);
        let mut omg = Omg::new(&system, options(case as usize));
        for _ in 0..=rng.below(3) {
            let (core, atoms) =
                if rng.chance(0.2) { always(&mut rng, &system) } else { random_query(&mut rng, &system) };
            let query = Query { core: &core, atoms: &atoms };
            let outcome = omg.check(&query, &mut Budget::unlimited()).expect("no limit").expect("not deep");
            oracle.check(&system, &core, &atoms, &outcome);
            invariants += u64::from(outcome.invariant.is_some());
            reused +=
                outcome.counters.iter().find(|(name, _)| *name == "reused").map_or(0, |(_, count)| *count);
            let sets = oracle.evaluate(&system, &core, &atoms);
            let reachable = oracle.reachable();
            for state in 0..1usize << system.states.len() {
                // labels presume that runs go on: what is not reachable may have no successor
                if reachable >> state & 1 == 0 && oracle.dead_ends() != 0 {
                    continue;
                }
                for (node, value) in omg.labels_of(&oracle.valuation(state), &query) {
                    assert_eq!(
                        value,
                        sets[node.index()] >> state & 1 == 1,
                        "case {case}: {}",
                        core.print(node)
                    );
                }
            }
        }
    }
    assert!(reused > 0 && invariants > 100, "{reused} {invariants}");
}

#[test]
fn budgets_end_the_search_and_what_was_found_stays_right() {
    for case in 0..cases(1000) {
        let mut rng = Rng::new(case);
        let system = random_system(&mut rng, Shape { constraints: false, fairness: false, dead_ends: false });
        let oracle = Oracle::new(&system);
        let mut omg = Omg::new(&system, OmgOptions::default());
        for _ in 0..3 {
            let (core, atoms) = random_query(&mut rng, &system);
            let query = Query { core: &core, atoms: &atoms };
            let few = rng.below(20_000) as u64;
            let mut budget =
                if rng.chance(0.3) { Budget::new(None, Some(few as usize)) } else { Budget::steps(few) };
            if let Ok(Some(outcome)) = omg.check(&query, &mut budget) {
                oracle.check(&system, &core, &atoms, &outcome);
            }
        }
    }
}

/// A system whose states are numbers: `successors[s]` lists the successors of `s`, `labels` the
/// states of each atom.
fn explicit(successors: &[&[usize]], initial: &[usize], labels: &[&[usize]]) -> TransitionSystem {
    let count = successors.len();
    let bits = usize::BITS - (count - 1).leading_zeros();
    let choices = usize::BITS - (successors.iter().map(|to| to.len()).max().unwrap_or(1) - 1).leading_zeros();
    let mut system = TransitionSystem::default();
    let now: Vec<Lit> = (0..bits).map(|_| system.aig.variable()).collect();
    system.choices = (0..choices).map(|_| system.aig.variable()).collect();
    let is = |system: &mut TransitionSystem, lits: &[Lit], number: usize| {
        let lits: Vec<Lit> =
            lits.iter().enumerate().map(|(at, lit)| lit.negated_if(number >> at & 1 == 0)).collect();
        system.aig.all(lits)
    };
    let mut next = vec![Lit::FALSE; bits as usize];
    // numbers beyond the last state stand for the last
    let states: Vec<Lit> = (0..count).map(|state| is(&mut system, &now, state)).collect();
    let choose = system.choices.clone();
    for (&here, to) in states.iter().zip(successors) {
        for choice in 0..1usize << choices {
            let chosen = is(&mut system, &choose, choice);
            let step = system.aig.and(here, chosen);
            let target = to[choice.min(to.len() - 1)];
            for (at, next) in next.iter_mut().enumerate().filter(|(at, _)| target >> at & 1 == 1) {
                let _ = at;
                *next = system.aig.or(*next, step);
            }
        }
    }
    system.states = now.iter().zip(next).map(|(&now, next)| StateVar { now, next }).collect();
    let starts: Vec<Lit> = initial.iter().map(|&state| states[state]).collect();
    system.init = vec![system.aig.any(starts)];
    for label in labels {
        let of: Vec<Lit> = label.iter().map(|&state| states[state]).collect();
        let any = system.aig.any(of);
        system.observed.push(any);
    }
    system
}

/// Checks properties over the atoms `p`, `q`, `r` and returns the counters of the last.
fn check(omg: &mut Omg, system: &TransitionSystem, text: &str, expected: bool) -> Vec<(&'static str, u64)> {
    let core = Core::new(&parse(text).expect("well-formed")).expect("CTL");
    let atom = |name: &String| {
        system.observed[["p", "q", "r"].iter().position(|known| known == name).expect("known")]
    };
    let atoms: Vec<Lit> = core.atoms().iter().map(atom).collect();
    let query = Query { core: &core, atoms: &atoms };
    let outcome = omg.check(&query, &mut Budget::unlimited()).expect("no limit").expect("not deep");
    assert_eq!(outcome.holds, expected, "{text}");
    outcome.counters
}

/// The running example, E1 of the specification, from a given initial state.
fn running_example(initial: usize) -> TransitionSystem {
    let successors: [&[usize]; 10] = [&[1, 5], &[2], &[2], &[4], &[4], &[6, 7], &[6], &[8], &[9], &[6]];
    explicit(&successors, &[initial], &[&[0, 6], &[1, 2, 3, 5, 6, 7, 9], &[1, 2, 3, 4]])
}

#[test]
fn running_example_closes_after_two_nodes_and_one_split() {
    // r is named, so that abstract states are distinguished by it, as in the example
    let by_atoms = OmgOptions { predicates: false, splitting: Splitting::Exact, ..OmgOptions::default() };
    let system = running_example(1);
    let mut omg = Omg::new(&system, by_atoms);
    let counters = check(&mut omg, &system, "A [p R q] | (r & !r)", true);
    let count = |wanted: &str| counters.iter().find(|(name, _)| *name == wanted).map(|(_, count)| *count);
    assert_eq!((count("nodes"), count("splits")), (Some(2), Some(1)));
    for (initial, text, expected) in
        [(5, "A [p R q]", false), (9, "A [p R q]", true), (0, "A X A [p R q]", false), (1, "A [p R q]", true)]
    {
        let system = running_example(initial);
        for bits in 0..1 << 11 {
            check(&mut Omg::new(&system, options(bits)), &system, text, expected);
        }
    }
}

/// A counter from zero to the last number and round again; `q` holds in all of these.
fn ring(last: usize) -> TransitionSystem {
    let bits = usize::BITS - last.leading_zeros();
    let mut system = TransitionSystem::default();
    let now: Vec<Lit> = (0..bits).map(|_| system.aig.variable()).collect();
    let at_end: Vec<Lit> =
        now.iter().enumerate().map(|(at, lit)| lit.negated_if(last >> at & 1 == 0)).collect();
    let at_end = system.aig.all(at_end);
    let (mut carry, mut below, mut equal) = (Lit::TRUE, Lit::FALSE, Lit::TRUE);
    for (at, &lit) in now.iter().enumerate().rev() {
        if last >> at & 1 == 1 {
            let less = system.aig.and(equal, !lit);
            below = system.aig.or(below, less);
        }
        equal = system.aig.and(equal, lit.negated_if(last >> at & 1 == 0));
    }
    for &lit in &now {
        let sum = system.aig.xor(lit, carry);
        carry = system.aig.and(carry, lit);
        let next = system.aig.and(sum, !at_end);
        system.states.push(StateVar { now: lit, next });
        system.init.push(!lit);
    }
    let within = system.aig.or(below, equal);
    system.observed = vec![Lit::FALSE, within, Lit::FALSE];
    system
}

#[test]
fn a_ring_closes_after_two_nodes() {
    let system = ring(9_999);
    let mut omg = Omg::new(&system, OmgOptions::default());
    let counters = check(&mut omg, &system, "E G q", true);
    assert_eq!(counters[0], ("nodes", 2));
}

#[test]
fn crossing_paths_hide_no_cycle() {
    // E5: n -> a, n -> b, a -> b, b -> a, all with different labels
    let system = explicit(&[&[1, 2], &[2], &[1]], &[0], &[&[0], &[1], &[2]]);
    for bits in 0..1 << 11 {
        check(&mut Omg::new(&system, options(bits)), &system, "E G (p | q | r)", true);
    }
}

#[test]
fn eventually_always() {
    // E2: 0 -> 0, 0 -> 1, 1 -> 2, 2 -> 2; p fails in 1 only, q and r are the two latches
    let two_latches = explicit(&[&[0, 1], &[2], &[2]], &[0], &[&[0, 2], &[1], &[2]]);
    let texts = [
        ("p", true),
        ("A X !r", true),
        ("E X E X (!q & r)", true),
        ("E G (!q & !r)", true),
        ("E X E G !(q <-> r)", true),
        ("E F E G (!q & r)", true),
        ("A G (!q | !r)", true),
        ("A F A G p", false),
        ("A X p", false),
        ("E X r", false),
        ("A G !q", false),
        ("A X E G !r", false),
    ];
    // E3: a single path of states of six latches, the last of which is p
    let path = [0, 3, 6, 47, 62, 31, 30, 31];
    let mut successors: Vec<Vec<usize>> = (0..64).map(|state| vec![state]).collect();
    for pair in path.windows(2) {
        successors[pair[0]] = vec![pair[1]];
    }
    let successors: Vec<&[usize]> = successors.iter().map(Vec::as_slice).collect();
    let last_latch: Vec<usize> = (32..64).collect();
    let single_path = explicit(&successors, &[0], &[&last_latch, &[], &[]]);
    for bits in (0..1 << 11).step_by(5) {
        for (text, expected) in texts {
            check(&mut Omg::new(&two_latches, options(bits)), &two_latches, text, expected);
        }
        check(&mut Omg::new(&single_path, options(bits)), &single_path, "A F A G !p", true);
        check(&mut Omg::new(&single_path, options(bits)), &single_path, "A F A G p", false);
    }
}

#[test]
fn a_later_property_inherits_labels() {
    let system = running_example(1);
    let count = |shared, wanted: &str| {
        let options = OmgOptions { shared, witness: false, ..OmgOptions::default() };
        let mut omg = Omg::new(&system, options);
        check(&mut omg, &system, "A [p R q]", true);
        let counters = check(&mut omg, &system, "A X A [p R q]", true);
        counters.iter().find(|(name, _)| *name == wanted).map(|(_, count)| *count).expect("a counter")
    };
    assert_eq!(count(true, "nodes"), 1, "the step");
    assert!(count(false, "nodes") > 1);
    assert!(count(true, "reused") > 0);
}

#[test]
fn constants_are_decided_without_a_step() {
    let system = running_example(0);
    let texts = [
        ("A G true", true),
        ("E G true", true),
        ("A [true R q] <-> q", true),
        ("A [false R q] <-> A G q", true),
        ("A [q R q] <-> q", true),
        ("E X true", true),
    ];
    for (text, expected) in texts {
        check(&mut Omg::new(&system, OmgOptions::default()), &system, text, expected);
    }
}
