//! Families of compositions: how many states they have, that nobody is stuck who should not be, and
//! that seeds choose.

#![allow(clippy::unwrap_used)]

use loris_base::{Idx, Rng};
use loris_lts::families::{
    Family, RandomProcesses, chain, counters, milner, philosophers, random, star, token_ring,
};
use loris_lts::{Process, StateId};
use std::collections::{BTreeSet, HashSet};

/// The reachable states of the composition, by its definition, and how many of them have no step.
fn composed(processes: &[Process]) -> (usize, usize) {
    let alphabet: BTreeSet<&str> =
        processes.iter().flat_map(|process| process.actions().iter().skip(1)).collect();
    let mut seen: HashSet<Vec<usize>> = HashSet::new();
    let mut work: Vec<Vec<usize>> = vec![processes.iter().map(|process| process.initial().index()).collect()];
    let mut stuck = 0;
    seen.insert(work[0].clone());
    while let Some(states) = work.pop() {
        let mut steps = 0;
        for &action in &alphabet {
            let mut targets = vec![states.clone()];
            for (i, process) in processes.iter().enumerate() {
                let Some(action) = process.find_action(action) else { continue };
                let next: Vec<usize> = process
                    .steps_by(StateId::new(states[i]), action)
                    .map(|step| step.target.index())
                    .collect();
                targets = (targets.iter())
                    .flat_map(|target| {
                        next.iter().map(|&state| {
                            let mut target = target.clone();
                            target[i] = state;
                            target
                        })
                    })
                    .collect();
            }
            steps += targets.len();
            work.extend(targets.into_iter().filter(|target| seen.insert(target.clone())));
        }
        stuck += usize::from(steps == 0);
    }
    (seen.len(), stuck)
}

fn check(family: &Family, processes: usize, states: usize, stuck: usize) {
    assert_eq!(family.processes.len(), processes);
    assert_eq!(composed(&family.processes), (states, stuck), "{}", family.processes[0].name());
}

#[test]
fn sizes() {
    check(&counters(2), 2, 25, 0);
    check(&counters(4), 4, 625, 0);
    check(&chain(2), 2, 25, 0);
    check(&chain(4), 4, 625, 0);
    check(&token_ring(2), 2, 40, 0);
    check(&token_ring(4), 4, 4 * 5 * 64, 0);
    check(&star(2), 2, 5, 0);
    check(&star(4), 4, 64 + 3 * 16, 0);
    check(&milner(2), 2, 2 * 3 * 2, 0);
    check(&milner(4), 4, 4 * 3 * 8, 0);
    // all hold their left fork
    check(&philosophers(2), 4, 10, 1);
    check(&philosophers(3), 6, 35, 1);
}

#[test]
fn seeds_choose() {
    let shape = RandomProcesses { processes: 5, states: 7, ..RandomProcesses::default() };
    let shown = |seed| {
        let family = random(&shape, &mut Rng::new(seed));
        format!("{:?}", family.processes)
    };
    assert_eq!(shown(1), shown(1));
    assert_ne!(shown(1), shown(2));
    for seed in 0..200 {
        let rng = &mut Rng::new(seed);
        let shape = RandomProcesses {
            processes: rng.below(6),
            states: rng.below(5),
            own: rng.below(3),
            shared: rng.below(5),
            degree: rng.below(4) as f64,
        };
        let family = random(&shape, rng);
        assert_eq!(family.processes.len(), shape.processes.max(2));
        assert!(family.processes.iter().all(|process| process.state_count() == shape.states.max(1)));
        // an action that is shared is known by two parts or more
        for process in &family.processes {
            for name in process.actions().iter().filter(|name| name.starts_with("all")) {
                assert!(
                    family.processes.iter().filter(|other| other.find_action(name).is_some()).count() > 1
                );
            }
        }
    }
}
