//! Circuits as symbolic models.

use super::{SymbolicModel, SymbolicPlan, plan_symbolic};
use crate::question::Asked;
use crate::{Options, Question, Refusal, Suggestions, UnknownAtoms};
use loris_base::{Diagnostic, Diagnostics, Idx};
use loris_circuit::{Circuit, Lit, Observed, Part, Step, System, Trace, Valuation};
use loris_logic::{Formula, Node};
use std::sync::Arc;

impl SymbolicModel for Circuit {
    fn system(&self, observed: &[Lit]) -> System {
        System::of_circuit(self, observed)
    }

    fn is_fair(&self) -> bool {
        !self.fairness.is_empty()
    }

    fn is_total(&self) -> bool {
        self.constraints.is_empty()
    }

    fn variables(&self, system: &System) -> Vec<String> {
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

    fn states(&self, system: &System, trace: &Trace, latches: Vec<bool>) -> Vec<Valuation> {
        let (origins, _) = system.origins(self);
        let inputs = (0..self.inputs.len()).map(|at| origins.contains(&Observed::Input(at))).collect();
        let part = Arc::new(Part { latches, inputs });
        let valuation = |step: &Step| {
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

    fn dead_end(&self, trace: &Trace) -> String {
        let steps = trace.steps.len() - 1;
        let noun = if steps == 1 { "step" } else { "steps" };
        format!("no input satisfies the constraints after {steps} {noun}: runs end there")
    }
}

/// Decides how a question about a circuit is answered.
///
/// # Errors
/// Why it is not.
pub fn plan_circuit(
    circuit: &Circuit,
    question: &Question,
    options: &Options,
    suggestions: &Suggestions,
) -> Result<SymbolicPlan, Refusal> {
    if let (Asked::Formula(formula, _), UnknownAtoms::Error) = (&question.asked, question.unknown_atoms) {
        let wrong = unknown_atoms(circuit, formula, suggestions);
        if !wrong.is_empty() {
            return Err(Refusal::Wrong(wrong));
        }
    }
    let atom = |name: &str| circuit.atom(name).unwrap_or(Lit::FALSE);
    plan_symbolic(circuit, question, atom, circuit.is_fair(), options)
}

/// One problem for each atom that names nothing in the circuit.
pub(super) fn unknown_atoms(circuit: &Circuit, formula: &Formula, suggestions: &Suggestions) -> Diagnostics {
    let mut wrong = Diagnostics::default();
    let mut seen = vec![false; formula.atoms().len()];
    for (id, node) in formula.nodes() {
        let Node::Atom(atom) = node else { continue };
        let name = &formula.atoms()[atom];
        if std::mem::replace(&mut seen[atom.index()], true) || circuit.atom(name).is_some() {
            continue;
        }
        let (start, end) = formula.span(id);
        let message = format!("no latch, output or input is named \"{name}\"");
        let problem = Diagnostic::error(u64::from(start), (end - start) as usize, message);
        wrong.push(suggestions.explain(problem, name, || circuit.names()));
    }
    wrong
}
