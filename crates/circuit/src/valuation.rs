//! States of circuits as people see them: the values of latches and inputs.

use crate::aig::Aig;
use crate::circuit::{Circuit, Reset};
use crate::lit::Lit;
use crate::system::TransitionSystem;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The values of all latches and inputs at one step.
///
/// Two are the same state if they agree in the [part](StatePart) that matters: other latches have no
/// influence on it, and other inputs say how the run goes on from the state.
#[derive(Clone, Debug)]
pub struct Valuation {
    /// The latches, in the order of the circuit.
    pub latches: Vec<bool>,
    /// The inputs, in the order of the circuit.
    pub inputs: Vec<bool>,
    /// What makes the state.
    pub part: Arc<StatePart>,
}

/// The latches and inputs that make a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatePart {
    /// For each latch, whether observed functions or constraints depend on it, now or later.
    pub latches: Vec<bool>,
    /// For each input, whether observed functions depend on it now.
    pub inputs: Vec<bool>,
}

impl Valuation {
    /// The part that makes the state.
    fn state(&self) -> impl Iterator<Item = bool> + '_ {
        let latches = self.latches.iter().zip(&self.part.latches);
        let inputs = self.inputs.iter().zip(&self.part.inputs);
        latches.chain(inputs).map(|(&value, &matters)| value && matters)
    }
}

impl PartialEq for Valuation {
    fn eq(&self, other: &Self) -> bool {
        self.state().eq(other.state())
    }
}

impl Eq for Valuation {}

impl Hash for Valuation {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state().for_each(|value| value.hash(hasher));
    }
}

impl Circuit {
    /// The values of all nodes, for [`Aig::value`].
    pub fn values(&self, at: &Valuation) -> Vec<u64> {
        let mut of = vec![false; self.aig.len()];
        for (latch, &value) in self.latches.iter().zip(&at.latches) {
            of[latch.state.var().index()] = value;
        }
        for (input, &value) in self.inputs.iter().zip(&at.inputs) {
            of[input.lit.var().index()] = value;
        }
        self.aig.simulate(|var| u64::from(of[var.index()]))
    }

    /// What makes a state for properties about these functions.
    pub fn part(&self, functions: &[Lit]) -> Arc<StatePart> {
        self.part_in(&TransitionSystem::of_circuit(self, functions), functions)
    }

    /// The same where all runs count: what only the fairness constraints read does not matter.
    pub fn part_of_all_runs(&self, functions: &[Lit]) -> Arc<StatePart> {
        let mut system = TransitionSystem::of_circuit(self, functions);
        system.justice.clear();
        self.part_in(&system, functions)
    }

    fn part_in(&self, system: &TransitionSystem, functions: &[Lit]) -> Arc<StatePart> {
        let mut latches = system.influences();
        latches.truncate(self.latches.len());
        latches.iter_mut().zip(self.constrained()).for_each(|(matters, constrained)| *matters |= constrained);
        Arc::new(StatePart { latches, inputs: self.observed(functions) })
    }

    /// For each latch, whether a constraint depends on it, now or after some steps. Whether a state
    /// exists, and which inputs it allows, depends on these, whatever a property is about.
    pub fn constrained(&self) -> Vec<bool> {
        let mut system = TransitionSystem::of_circuit(self, &[]);
        system.justice.clear();
        system.observed = self.constraints.iter().map(|port| port.lit).collect();
        let mut latches = system.influences();
        latches.truncate(self.latches.len());
        latches
    }

    /// The inputs that become a part of the state for properties about these functions, as in
    /// [`TransitionSystem::of_circuit`].
    pub fn observed(&self, functions: &[Lit]) -> Vec<bool> {
        let fairness = self.fairness.iter().map(|port| port.lit);
        let seen = self.aig.cone(functions.iter().copied().chain(fairness));
        let constrained = self.aig.cone(self.constraints.iter().map(|port| port.lit));
        let inputs = || self.inputs.iter().map(|port| port.lit.var().index());
        let all = inputs().any(|input| seen[input] && constrained[input]);
        inputs().map(|input| seen[input] || all && constrained[input]).collect()
    }

    /// Whether a function holds.
    pub fn holds(&self, lit: Lit, at: &Valuation) -> bool {
        Aig::value(&self.values(at), lit) & 1 == 1
    }

    /// Whether the latches that matter have the values they start with.
    pub fn is_initial(&self, at: &Valuation) -> bool {
        let fits = |((latch, &value), &matters): ((&crate::Latch, &bool), &bool)| match latch.reset {
            Reset::To(first) => !matters || first == value,
            Reset::Free => true,
        };
        self.latches.iter().zip(&at.latches).zip(&at.part.latches).all(fits)
    }

    /// The latches after a step, if all constraints hold.
    pub fn next(&self, at: &Valuation) -> Option<Vec<bool>> {
        let values = self.values(at);
        let holds = |lit: Lit| Aig::value(&values, lit) & 1 == 1;
        let allowed = self.constraints.iter().all(|port| holds(port.lit));
        allowed.then(|| self.latches.iter().map(|latch| holds(latch.next)).collect())
    }
}
