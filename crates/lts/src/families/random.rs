//! Random processes that share some of their actions.

use super::Family;
use crate::{Modality, ProcessBuilder, ProcessKind, StateId};
use loris_base::{Budget, Idx, Rng};

/// How random processes look.
#[derive(Clone, Copy, Debug)]
pub struct RandomProcesses {
    /// How many there are.
    pub processes: usize,
    /// States of each.
    pub states: usize,
    /// Actions of its own that each has.
    pub own: usize,
    /// Actions that are shared, each by two or more processes.
    pub shared: usize,
    /// Steps from each state, on average.
    pub degree: f64,
}

impl Default for RandomProcesses {
    fn default() -> Self {
        Self { processes: 4, states: 5, own: 2, shared: 4, degree: 2.0 }
    }
}

/// Random processes. All states of a process can be reached by its steps alone.
pub fn random(shape: &RandomProcesses, rng: &mut Rng) -> Family {
    let (count, states) = (shape.processes.max(2), shape.states.max(1));
    let sharers: Vec<Vec<bool>> = (0..shape.shared)
        .map(|_| {
            let mut knows: Vec<bool> = (0..count).map(|_| rng.chance(2.0 / count as f64)).collect();
            let first = rng.below(count);
            knows[first] = true;
            knows[(first + 1 + rng.below(count - 1)) % count] = true;
            knows
        })
        .collect();
    let processes = (0..count).map(|i| {
        let mut builder = ProcessBuilder::new(format!("part{}", i + 1), ProcessKind::Lts);
        builder.add_states(states);
        builder.initial(StateId::new(0));
        let own = (1..=shape.own.max(1)).map(|action| format!("own{}_{action}", i + 1));
        let shared = sharers.iter().enumerate().filter(|(_, knows)| knows[i]);
        let names: Vec<String> = own.chain(shared.map(|(action, _)| format!("all{}", action + 1))).collect();
        let actions: Vec<_> = names.iter().map(|name| builder.action(name)).collect();
        let mut step = |source: usize, target: usize, rng: &mut Rng| {
            let action = actions[rng.below(actions.len())];
            builder.step(StateId::new(source), action, StateId::new(target), Modality::Both);
        };
        // a tree to all states, then the rest
        for target in 1..states {
            let source = rng.below(target);
            step(source, target, rng);
        }
        let mut left = shape.degree * states as f64 - (states as f64 - 1.0);
        while left >= 1.0 {
            let (source, target) = (rng.below(states), rng.below(states));
            step(source, target, rng);
            left -= 1.0;
        }
        builder.finish(&mut Budget::unlimited()).expect("random processes are well-formed")
    });
    Family {
        processes: processes.collect(),
        one: "[true*]<own1_1>tt".to_owned(),
        two: "<true*>(<own1_1>tt & <own2_1>tt)".to_owned(),
        always: "[true*]<true*><own1_1>tt".to_owned(),
    }
}
