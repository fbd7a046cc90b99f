//! Circuits as symbolic models.

use super::SymbolicModel;
use crate::checkable::Size;
use loris_circuit::{Circuit, Lit, Observed, RunStep, StatePart, SystemRun, TransitionSystem, Valuation};
use std::sync::Arc;

impl SymbolicModel for Circuit {
    fn atom(&self, name: &str) -> Option<Lit> {
        Circuit::atom(self, name)
    }

    fn names(&self) -> Vec<String> {
        Circuit::names(self).collect()
    }

    fn circuit(&self) -> Option<&Circuit> {
        Some(self)
    }

    fn bytes(&self) -> usize {
        Circuit::bytes(self)
    }

    fn sizes(&self) -> Vec<Size> {
        vec![
            Size::new("inputs", self.inputs.len(), "input", "inputs"),
            Size::new("latches", self.latches.len(), "latch", "latches"),
            Size::new("gates", self.aig.ands(), "gate", "gates"),
            Size::unspoken("outputs", self.outputs.len()),
        ]
    }

    fn system(&self, observed: &[Lit]) -> TransitionSystem {
        TransitionSystem::of_circuit(self, observed)
    }

    fn is_fair(&self) -> bool {
        !self.fairness.is_empty()
    }

    fn constraints(&self) -> Vec<Lit> {
        self.constraints.iter().map(|port| port.lit).collect()
    }

    fn is_total(&self) -> bool {
        self.constraints.is_empty()
    }

    fn variables(&self, system: &TransitionSystem) -> Vec<String> {
        let (origins, _) = system.origins(self);
        let name = |origin: &Observed| match *origin {
            Observed::Latch(at) => self.latch_name(at),
            Observed::Input(at) => self.input_name(at),
        };
        origins.iter().map(name).collect()
    }

    fn state_variables(&self) -> usize {
        self.latches.len()
    }

    fn always_matters(&self) -> Vec<bool> {
        self.constrained()
    }

    fn states(&self, system: &TransitionSystem, trace: &SystemRun, latches: Vec<bool>) -> Vec<Valuation> {
        let (origins, _) = system.origins(self);
        let inputs = (0..self.inputs.len()).map(|at| origins.contains(&Observed::Input(at))).collect();
        let part = Arc::new(StatePart { latches, inputs });
        let valuation = |step: &RunStep| {
            let (latches, inputs) =
                (vec![false; self.latches.len()], step.choice[..self.inputs.len()].to_vec());
            let mut at = Valuation { latches, inputs, part: Arc::clone(&part) };
            for (origin, &value) in origins.iter().zip(&step.state) {
                match *origin {
                    Observed::Latch(latch) => at.latches[latch] = value,
                    // the input is a part of the state: its value is chosen by the step before
                    Observed::Input(input) => at.inputs[input] = value,
                }
            }
            at
        };
        trace.steps.iter().map(valuation).collect()
    }

    fn dead_end(&self, trace: &SystemRun) -> String {
        let steps = trace.steps.len() - 1;
        let noun = if steps == 1 { "step" } else { "steps" };
        format!("no input satisfies the constraints after {steps} {noun}: runs end there")
    }
}
