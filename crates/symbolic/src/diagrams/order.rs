//! A first order of the variables, from the graph of the system.
//!
//! Variables that a function reads together should be near each other. Where the system lists them
//! in an order that somebody gave them, as in SMV models, that order is taken; steps choose right
//! before the first variable whose next value depends on the choice. Else the graph is walked depth
//! first from each next-state function, the deeper operand of a gate first (Malik, Wang, Brayton
//! and Sangiovanni-Vincentelli 1988), and variables are numbered as they are met; functions of
//! state variables come in the order in which these were met. The current and the next value of a
//! state variable are neighbours and stay so. Linear in the graph.

use super::options::FirstOrder;
use loris_circuit::{Gate, Lit, TransitionSystem};
use loris_solvers::bdd::Store;

/// The variables of a system in a store.
pub(super) struct Places {
    /// the current and the next value of each state variable
    pub(super) states: Vec<(u32, u32)>,
    /// each choice
    pub(super) choices: Vec<u32>,
    /// for each choice, the state variable whose next value it is, if it is used as such
    pub(super) next_of: Vec<Option<usize>>,
}

#[derive(Clone, Copy)]
enum Leaf {
    State(usize),
    Choice(usize),
}

impl Places {
    /// Makes all variables of a system, in a good order.
    pub(super) fn new(system: &TransitionSystem, order: FirstOrder, store: &mut Store) -> Self {
        let mut leaf_of: Vec<Option<Leaf>> = vec![None; system.aig.len()];
        for (at, state) in system.states.iter().enumerate() {
            leaf_of[state.now.var().index()] = Some(Leaf::State(at));
        }
        for (at, choice) in system.choices.iter().enumerate() {
            leaf_of[choice.var().index()] = Some(Leaf::Choice(at));
        }
        // a choice is the next value of the first state variable that takes it as it is
        let mut next_of: Vec<Option<usize>> = vec![None; system.choices.len()];
        for (at, state) in system.states.iter().enumerate() {
            let leaf = leaf_of[state.next.var().index()];
            if let (Some(Leaf::Choice(choice)), false) = (leaf, state.next.is_negated()) {
                next_of[choice].get_or_insert(at);
            }
        }
        let mut next_choice: Vec<Option<usize>> = vec![None; system.states.len()];
        for (choice, state) in next_of.iter().enumerate() {
            if let Some(state) = *state {
                next_choice[state] = Some(choice);
            }
        }
        let mut states = vec![None; system.states.len()];
        let mut choices = vec![None; system.choices.len()];
        let leaves = match order {
            FirstOrder::Walk => walked(system, &leaf_of),
            FirstOrder::Declared => declared(system, &leaf_of),
        };
        for leaf in leaves {
            match leaf {
                Leaf::Choice(choice) if next_of[choice].is_none() => {
                    choices[choice].get_or_insert_with(|| store.variable());
                }
                Leaf::State(_) | Leaf::Choice(_) => {
                    let state = match leaf {
                        Leaf::State(state) => state,
                        Leaf::Choice(choice) => next_of[choice].expect("the other arm"),
                    };
                    if states[state].is_none() {
                        let pair = (store.variable(), store.variable());
                        store.group(&[pair.0, pair.1]);
                        states[state] = Some(pair);
                        if let Some(choice) = next_choice[state] {
                            choices[choice] = Some(pair.1);
                        }
                    }
                }
            }
        }
        Self {
            states: states.into_iter().map(|pair| pair.expect("all are leaves")).collect(),
            choices: choices.into_iter().map(|var| var.expect("all are leaves")).collect(),
            next_of,
        }
    }
}

/// All state variables in the order of the system, each after the choices that its next value is
/// the first to depend on.
fn declared(system: &TransitionSystem, leaf_of: &[Option<Leaf>]) -> Vec<Leaf> {
    let mut met = vec![false; system.aig.len()];
    let mut leaves = Vec::new();
    for (at, state) in system.states.iter().enumerate() {
        let mut work = vec![state.next.var()];
        while let Some(var) = work.pop() {
            if std::mem::replace(&mut met[var.index()], true) {
                continue;
            }
            if let Some(leaf @ Leaf::Choice(_)) = leaf_of[var.index()] {
                leaves.push(leaf);
            }
            if let Gate::And(a, b) = system.aig.gate(var) {
                work.extend([b.var(), a.var()]);
            }
        }
        leaves.push(Leaf::State(at));
    }
    leaves.extend((0..system.choices.len()).map(Leaf::Choice));
    leaves
}

/// All state variables and choices in the order in which a walk meets them.
fn walked(system: &TransitionSystem, leaf_of: &[Option<Leaf>]) -> Vec<Leaf> {
    let mut depth = vec![0_u32; system.aig.len()];
    for (var, gate) in system.aig.gates() {
        if let Gate::And(a, b) = gate {
            depth[var.index()] = 1 + depth[a.var().index()].max(depth[b.var().index()]);
        }
    }
    let mut met = vec![false; system.aig.len()];
    let mut leaves = Vec::new();
    let mut walk = |root: Lit, leaves: &mut Vec<Leaf>| {
        let mut work = vec![root.var()];
        while let Some(var) = work.pop() {
            if std::mem::replace(&mut met[var.index()], true) {
                continue;
            }
            leaves.extend(leaf_of[var.index()]);
            if let Gate::And(a, b) = system.aig.gate(var) {
                let (a, b) = (a.var(), b.var());
                let (deep, flat) = if depth[a.index()] >= depth[b.index()] { (a, b) } else { (b, a) };
                work.extend([flat, deep]);
            }
        }
    };
    for &lit in system.observed.iter().chain(&system.constraints) {
        walk(lit, &mut leaves);
    }
    let mut entered = vec![false; system.states.len()];
    let (mut at, mut first) = (0, 0);
    loop {
        while at < leaves.len() {
            if let Leaf::State(state) = leaves[at]
                && !std::mem::replace(&mut entered[state], true)
            {
                walk(system.states[state].next, &mut leaves);
            }
            at += 1;
        }
        let Some(state) = (first..entered.len()).find(|&state| !entered[state]) else { break };
        first = state;
        walk(system.states[state].now, &mut leaves);
        // a variable that was met as part of a function is entered where it stands
        if leaves.len() == at {
            entered[state] = true;
        }
    }
    for &choice in &system.choices {
        walk(choice, &mut leaves);
    }
    leaves
}
