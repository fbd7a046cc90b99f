//! Initial states: where each condition is about a single variable, no query is needed to see
//! whether a cube has one.

use loris_circuit::{Gate, Lit, TransitionSystem};
use loris_solvers::sat::SatLit;
use rustc_hash::FxHashMap;

/// The initial states of a search.
pub(crate) enum Start {
    /// All states that have these values, by state variable.
    Cube(Vec<Option<bool>>),
    /// All states that satisfy these literals.
    Assumed(Vec<SatLit>),
}

impl Start {
    /// The initial states of a system, as a cube if each condition is about a single variable:
    /// then no query is needed to see whether a cube has an initial state.
    pub(super) fn of(system: &TransitionSystem, initial: SatLit) -> Self {
        let mut values = vec![None; system.states.len()];
        let mut number_of = FxHashMap::default();
        for (number, state) in system.states.iter().enumerate() {
            number_of.insert(state.now.var(), (number, state.now.is_negated()));
        }
        let mut open = system.init.clone();
        while let Some(condition) = open.pop() {
            if condition == Lit::TRUE {
                continue;
            }
            if let Some(&(number, is_negated)) = number_of.get(&condition.var()) {
                let value = condition.is_negated() == is_negated;
                if values[number].replace(value).is_some_and(|other| other != value) {
                    return Start::Assumed(vec![initial]);
                }
                continue;
            }
            match system.aig.gate(condition.var()) {
                Gate::And(a, b) if !condition.is_negated() => open.extend([a, b]),
                _ => return Start::Assumed(vec![initial]),
            }
        }
        Start::Cube(values)
    }
}
