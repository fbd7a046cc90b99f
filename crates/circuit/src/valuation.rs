//! States of circuits as people see them: the values of latches and inputs.

use crate::aig::Aig;
use crate::circuit::{Circuit, Reset};
use crate::lit::Lit;

/// The values of all latches and inputs at one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Valuation {
    /// The latches, in the order of the circuit.
    pub latches: Vec<bool>,
    /// The inputs, in the order of the circuit.
    pub inputs: Vec<bool>,
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

    /// Whether a function holds.
    pub fn holds(&self, lit: Lit, at: &Valuation) -> bool {
        Aig::value(&self.values(at), lit) & 1 == 1
    }

    /// Whether the latches have the values they start with.
    pub fn is_initial(&self, at: &Valuation) -> bool {
        let fits = |(latch, &value): (&crate::Latch, &bool)| match latch.reset {
            Reset::To(first) => first == value,
            Reset::Free => true,
        };
        self.latches.iter().zip(&at.latches).all(fits)
    }

    /// The latches after a step, if all constraints hold.
    pub fn next(&self, at: &Valuation) -> Option<Vec<bool>> {
        let values = self.values(at);
        let holds = |lit: Lit| Aig::value(&values, lit) & 1 == 1;
        let allowed = self.constraints.iter().all(|port| holds(port.lit));
        allowed.then(|| self.latches.iter().map(|latch| holds(latch.next)).collect())
    }
}
