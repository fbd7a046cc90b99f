//! Explicit states against what is merged and freed, on random systems of few variables.

use super::correspond::{Correspondence, Found};
use super::inputs::Freed;
use crate::{Paused, Portfolio, PortfolioOptions, Query, SymbolicEngine, bmc, pdr};
use loris_base::{Budget, Exhausted, Rng};
use loris_circuit::{Aig, Lit, StateVar, TransitionSystem};
use loris_logic::{Core, parse};
use std::collections::{BTreeMap, BTreeSet};

fn all(bits: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1_usize << bits).map(move |number| (0..bits).map(|at| number >> at & 1 == 1).collect())
}

/// Latches, some of which start like others and have similar functions; inputs, some of which are
/// part of the state; conditions on initial states, on all states and on steps.
fn random(rng: &mut Rng) -> TransitionSystem {
    let mut system = TransitionSystem::default();
    let latches: Vec<Lit> = (0..2 + rng.below(3)).map(|_| system.aig.variable()).collect();
    let held: Vec<Lit> = (0..rng.below(3)).map(|_| system.aig.variable()).collect();
    system.choices = (0..rng.below(3)).map(|_| system.aig.variable()).collect();
    let mut of_states = [latches.clone(), held.clone()].concat();
    let draw = |pool: &[Lit], rng: &mut Rng| pool[rng.below(pool.len())].negated_if(rng.chance(0.5));
    let grow = |system: &mut TransitionSystem, pool: &mut Vec<Lit>, count: usize, rng: &mut Rng| {
        for _ in 0..count {
            let (a, b) = (draw(pool, rng), draw(pool, rng));
            pool.push(if rng.chance(0.3) { system.aig.xor(a, b) } else { system.aig.and(a, b) });
        }
    };
    grow(&mut system, &mut of_states, 6, rng);
    let mut of_steps = [of_states.clone(), system.choices.clone()].concat();
    grow(&mut system, &mut of_steps, 8, rng);
    for &now in &latches {
        let next = if rng.chance(0.2) { now } else { draw(&of_steps, rng) };
        system.states.push(StateVar { now, next });
        if rng.chance(0.8) {
            system.init.push(now.negated_if(rng.chance(0.7)));
        }
    }
    for &now in &held {
        let next = system.aig.variable();
        system.choices.push(next);
        system.states.push(StateVar { now, next });
    }
    if rng.chance(0.4) {
        let condition = [draw(&of_states, rng), draw(&of_states, rng)];
        let condition = !system.aig.and(condition[0], condition[1]);
        system.restrict_states(&[condition]);
    }
    if rng.chance(0.3) {
        let condition = [draw(&of_states, rng), draw(&of_states, rng)];
        let either = !system.aig.and(condition[0], condition[1]);
        system.init.push(either);
    }
    if rng.chance(0.3) {
        let condition = [draw(&of_steps, rng), draw(&of_steps, rng)];
        let either = !system.aig.and(condition[0], condition[1]);
        system.constraints.push(either);
    }
    system.observed = vec![draw(&of_states, rng), draw(&of_states, rng)];
    system
}

fn reachable(system: &TransitionSystem) -> BTreeSet<Vec<bool>> {
    let start = all(system.states.len()).filter(|state| system.is_initial(state));
    let mut seen: BTreeSet<Vec<bool>> = start.collect();
    let mut open: Vec<Vec<bool>> = seen.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for choice in all(system.choices.len()).filter(|choice| system.allows(&state, choice)) {
            let next = system.step(&state, &choice);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    seen
}

/// For each node, the first node with the same values, or their negations, in all these valuations.
fn grouped(nodes: usize, valuations: &BTreeSet<Vec<bool>>) -> Vec<usize> {
    let mut first: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
    let values = |at: usize| -> Vec<bool> { valuations.iter().map(|values| values[at]).collect() };
    let of = |at: usize| {
        let mut values = values(at);
        if values[0] {
            for value in &mut values {
                *value = !*value;
            }
        }
        *first.entry(values).or_insert(at)
    };
    (0..nodes).map(of).collect()
}

/// The coarsest partition of nodes that is right in initial states, and after each step from a
/// state in which it is right; from lists of all states and choices.
fn coarsest(system: &TransitionSystem) -> Vec<usize> {
    let nodes = system.aig.len();
    let valuation = |state: &[bool], choice: &[bool]| -> Vec<bool> {
        system.values(state, choice).iter().map(|value| value & 1 == 1).collect()
    };
    let choices = || all(system.choices.len());
    let mut told: BTreeSet<Vec<bool>> = BTreeSet::new();
    let after = |state: &[bool], told: &mut BTreeSet<Vec<bool>>| {
        choices().map(|choice| told.insert(valuation(state, &choice))).fold(false, |any, new| any | new)
    };
    for state in all(system.states.len()).filter(|state| system.is_initial(state)) {
        after(&state, &mut told);
    }
    loop {
        let group = grouped(nodes, &told);
        let known = told.iter().next().expect("there is an initial state").clone();
        let is_right = |values: &[bool]| {
            (0..nodes).all(|at| (values[at] == values[group[at]]) == (known[at] == known[group[at]]))
        };
        let mut was_new = false;
        for state in all(system.states.len()) {
            for choice in choices().filter(|choice| system.allows(&state, choice)) {
                if is_right(&valuation(&state, &choice)) {
                    was_new |= after(&system.step(&state, &choice), &mut told);
                }
            }
        }
        if !was_new {
            return group;
        }
    }
}

/// Classes are right in every reachable state, and the coarsest that induction finds; in turns,
/// too.
#[test]
fn nodes_that_correspond() {
    let cases: u64 = loris_testing::cases(400);
    let (mut merged, mut empty) = (0, 0);
    for case in 0..cases {
        let mut rng = Rng::new(case);
        let system = random(&mut rng);
        let reached = reachable(&system);
        let mut search = Correspondence::new(&system);
        let found = loop {
            // the first look at a limit comes after 4096 steps
            let mut turn = Budget::steps(0);
            turn.spend(4095 - rng.below(2000)).expect("no look yet");
            match search.run(&system, &mut turn) {
                Err(Exhausted::Time) => {}
                found => break found.expect("no limit on memory"),
            }
        };
        assert_eq!(matches!(found, Found::Nothing), reached.is_empty(), "case {case}");
        if reached.is_empty() {
            empty += 1;
            continue;
        }
        let stands = search.stands();
        for (state, choice) in
            reached.iter().flat_map(|state| all(system.choices.len()).map(move |c| (state, c)))
        {
            let values = system.values(state, &choice);
            for (at, &stands) in stands.iter().enumerate() {
                assert_eq!(values[at] & 1, Aig::value(&values, stands) & 1, "case {case}: node {at}");
            }
        }
        let group = coarsest(&system);
        for (a, b) in (0..group.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let (found, expected) = (stands[a].var() == stands[b].var(), group[a] == group[b]);
            assert_eq!(found, expected, "case {case}: nodes {a} and {b}");
        }
        merged += stands.iter().enumerate().filter(|(at, stands)| stands.var().index() != *at).count();
    }
    assert!(merged > 2 * cases as usize && empty > 0, "{merged} {empty}");
}

/// Verdicts of every engine are those of listed states, runs are runs of the system as it was, and
/// invariants hold there.
#[test]
fn verdicts_and_runs_of_what_is_left() {
    let cases: u64 = loris_testing::cases(600);
    let core = Core::new(&parse("A G !bad").expect("a formula")).expect("CTL");
    let (mut runs, mut freed) = (0, 0);
    for case in 0..cases {
        let mut rng = Rng::new(case);
        let system = random(&mut rng);
        let bad = system.observed[0];
        let query = Query { core: &core, atoms: &[bad] };
        let reached = reachable(&system);
        let expected = !reached.iter().any(|state| system.holds(bad, state, &[]));
        freed += Freed::of(&system, bad).moved.len();
        let budget = &mut Budget::unlimited();
        let by_pdr = pdr::resume(&system, &query, &mut Paused::default(), budget);
        let by_bmc = bmc::resume(&system, &query, &mut Paused::default(), &mut Budget::steps(1_000_000));
        let options = PortfolioOptions { total: true, ..PortfolioOptions::default() };
        let by_bdd = Portfolio::new(&system, options).by(SymbolicEngine::Bdd, &query, budget);
        assert_eq!(by_bdd.expect("no limit").holds, expected, "case {case}");
        for found in [by_pdr, by_bmc] {
            let Ok(Some(found)) = found else { continue };
            assert_eq!(found.holds, expected, "case {case}");
            if let Some(witness) = found.witness {
                let last = witness.trace.steps.last().expect("a state");
                assert!(system.is_run(&witness.trace, true), "case {case}");
                assert!(system.holds(bad, &last.state, &[]), "case {case}");
                runs += 1;
            }
        }
        let invariant = pdr::invariant(&system, &query, budget).expect("no limit");
        assert_eq!(invariant.is_some(), expected, "case {case}");
        for clause in invariant.iter().flatten() {
            let holds = |state: &Vec<bool>| clause.iter().any(|&(at, value)| state[at as usize] == value);
            assert!(reached.iter().all(holds), "case {case}: {clause:?}");
        }
    }
    assert!(runs > cases / 2 && freed > 50, "{runs} {freed}");
}
