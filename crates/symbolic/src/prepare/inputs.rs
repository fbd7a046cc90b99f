//! Inputs that are part of a state only because a property or a constraint mentions them.
//!
//! Such a variable takes the value of a choice that nothing else depends on. For reachability it
//! may be a choice of the next step instead: a run then gets to a state *and* makes a choice there,
//! in which the target holds. Conditions on all states of a run, which initial states satisfy and
//! steps lead to, become conditions on steps, and on the choice at the end.

use loris_circuit::{Gate, Lit, TransitionSystem, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A system in which such variables are choices: after the choices that it keeps, those come in
/// their order.
#[derive(Clone)]
pub(super) struct Freed {
    pub(super) system: TransitionSystem,
    pub(super) goal: Lit,
    /// the state variables that are left, by their numbers before
    pub(super) states: Vec<usize>,
    /// the choices that are left, likewise
    pub(super) choices: Vec<usize>,
    /// the state variables that became choices, with the choices that their values came from
    pub(super) moved: Vec<(usize, usize)>,
}

impl Freed {
    /// What can be freed for the question whether a run reaches the target.
    pub(super) fn of(system: &TransitionSystem, goal: Lit) -> Self {
        let mut system = system.clone();
        let next = system.next_of(&system.init.clone());
        let (freed, moved) = candidates(&system, &next, goal);
        let is_freed: FxHashSet<usize> = freed.iter().map(|&(at, _)| at).collect();
        let is_gone: FxHashSet<usize> = freed.iter().map(|&(_, choice)| choice).collect();
        let states: Vec<usize> = (0..system.states.len()).filter(|at| !is_freed.contains(at)).collect();
        let choices: Vec<usize> = (0..system.choices.len()).filter(|at| !is_gone.contains(at)).collect();
        let conditions: Vec<Lit> = moved.iter().map(|&at| system.init[at]).collect();
        let old: FxHashSet<Lit> = moved.iter().map(|&at| next[at]).collect();
        let was_moved: FxHashSet<usize> = moved.into_iter().collect();
        let goal = system.aig.all(std::iter::once(goal).chain(conditions.iter().copied()));
        let mut left = TransitionSystem {
            states: states.iter().map(|&at| system.states[at]).collect(),
            choices: choices.iter().map(|&at| system.choices[at]).collect(),
            ..TransitionSystem::default()
        };
        left.choices.extend(freed.iter().map(|&(at, _)| system.states[at].now));
        let init = system.init.iter().enumerate().filter(|(at, _)| !was_moved.contains(at));
        left.init = init.map(|(_, &lit)| lit).collect();
        left.constraints = system.constraints.iter().filter(|lit| !old.contains(lit)).copied().collect();
        left.constraints.extend(conditions);
        left.aig = system.aig;
        Self { system: left, goal, states, choices, moved: freed }
    }
}

/// The variables to be freed, with the choices that they take their values from; and the conditions
/// on initial states, by their numbers, that are conditions on all states and about one of these.
fn candidates(system: &TransitionSystem, next: &[Lit], goal: Lit) -> (Vec<(usize, usize)>, Vec<usize>) {
    let mut choice_of: FxHashMap<Lit, usize> = FxHashMap::default();
    for (at, &choice) in system.choices.iter().enumerate() {
        choice_of.insert(choice, at);
    }
    let mut freed: Vec<(usize, usize)> = Vec::new();
    for (at, state) in system.states.iter().enumerate() {
        // a choice has one variable that takes its value
        freed.extend(choice_of.remove(&state.next).map(|choice| (at, choice)));
    }
    let is_candidate: FxHashSet<usize> = freed.iter().map(|&(at, _)| at).collect();
    let steps: FxHashSet<Lit> = system.constraints.iter().copied().collect();
    let is_invariant: Vec<bool> = next.iter().map(|next| steps.contains(next)).collect();
    // what may not depend on the choice: all but the variable itself and those conditions
    let kept: FxHashSet<Lit> =
        next.iter().zip(&is_invariant).filter(|(_, is)| **is).map(|(&next, _)| next).collect();
    let others = system.states.iter().enumerate().filter(|(at, _)| !is_candidate.contains(at));
    let constraints = system.constraints.iter().filter(|lit| !kept.contains(lit)).copied();
    let of_steps = others.map(|(_, state)| state.next).chain(constraints);
    let of_choices = system.aig.cone(of_steps.chain([goal]).chain(system.init.iter().copied()));
    // initial states may depend on the variable by those conditions alone
    let only_initial = system.init.iter().zip(&is_invariant).filter(|(_, is)| !**is).map(|(&lit, _)| lit);
    let of_start = system.aig.cone(only_initial);
    freed.retain(|&(at, choice)| {
        let is_within = |within: &[bool], lit: Lit| within[lit.var().index()];
        !is_within(&of_choices, system.choices[choice]) && !is_within(&of_start, system.states[at].now)
    });
    let vars: FxHashSet<_> = freed.iter().map(|&(at, _)| system.states[at].now.var()).collect();
    let depends = depends(system, |var| vars.contains(&var));
    let moved =
        (0..system.init.len()).filter(|&at| is_invariant[at] && depends[system.init[at].var().index()]);
    (freed, moved.collect())
}

/// For each node, whether it depends on one of these variables.
fn depends(system: &TransitionSystem, is_one: impl Fn(Var) -> bool) -> Vec<bool> {
    let mut depends = vec![false; system.aig.len()];
    for (var, gate) in system.aig.gates() {
        depends[var.index()] = match gate {
            Gate::And(a, b) => depends[a.var().index()] || depends[b.var().index()],
            _ => is_one(var),
        };
    }
    depends
}
