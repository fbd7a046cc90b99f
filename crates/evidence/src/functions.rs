//! Invariants as functions of and-inverter graphs, for models that ask a solver.

use crate::invariant::StateSet;
use crate::proposition::{Gate, Proposition};
use loris_circuit::{Aig, Lit};

impl Proposition<Lit> {
    /// The proposition as a function of a graph that has its atoms.
    pub(crate) fn function(&self, aig: &mut Aig) -> Lit {
        let mut of: Vec<Lit> = Vec::with_capacity(self.gates().len());
        for gate in self.gates() {
            of.push(match *gate {
                Gate::Constant(value) => Lit::constant(value),
                Gate::Literal(lit, positive) => lit.negated_if(!positive),
                Gate::And(a, b) => aig.and(of[a], of[b]),
                Gate::Or(a, b) => aig.or(of[a], of[b]),
            });
        }
        of.last().copied().unwrap_or(Lit::TRUE)
    }
}

impl StateSet<Lit> {
    /// The set as a function of a graph that has its atoms.
    pub(crate) fn function(&self, aig: &mut Aig) -> Lit {
        let clauses: Vec<Lit> = self.clauses.iter().map(|clause| clause.function(aig)).collect();
        aig.all(clauses)
    }
}
