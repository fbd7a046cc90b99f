//! Replay of evidence about circuits.

use super::by_values::ValueSubject;
use super::confirmed::{Confirmed, Unverified};
use super::verify::logic_of;
use crate::circuit::{CircuitModel, circuit};
use crate::model::Origin;
use crate::reading::Reading;
use loris_base::Budget;
use loris_check::{CircuitGoal, Logic, Suggestions, core};
use loris_circuit::{Circuit, Lit, Reset, Valuation};
use loris_evidence::{
    About, Certificate, CircuitStates, NamedValue, Paths, Stated, is_fair, relates_formula, replay_invariant,
    replay_paths,
};
use loris_logic::{Formula, parse, parse_iimc};
use std::path::Path;

/// A circuit that evidence is about.
pub struct CircuitSubject {
    model: CircuitModel,
}

impl CircuitSubject {
    /// Reads the circuit. Problems are added to the reading.
    pub fn read(path: &Path, origin: &Origin, reading: &mut Reading) -> Option<Self> {
        Some(Self { model: circuit(path, origin, reading)? })
    }
}

impl ValueSubject for CircuitSubject {
    fn state(&self, module: Option<&str>, values: &[NamedValue<'_>]) -> Result<Valuation, String> {
        if module.is_some() {
            return Err("its result names a module, and a circuit has none".to_owned());
        }
        let values = values.iter().map(|(name, value)| (&**name, &**value));
        CircuitStates::new(&self.model.circuit, &[]).valuation(values)
    }

    fn verify(
        &self,
        stated: &Stated,
        evidence: &Certificate<Valuation>,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        let circuit = &*self.model.circuit;
        let property = match &stated.about {
            About::Nothing => None,
            About::Property { text, logic, holds, file }
                if matches!(logic_of(logic), Logic::Ctl | Logic::Ltl) =>
            {
                let logic = logic_of(logic);
                let formula = formula(text, file.is_some()).filter(|formula| core(logic, formula).is_ok());
                let formula = formula.ok_or_else(|| {
                    Unverified::Refused(format!("the property is not a formula of {}", logic.name()))
                })?;
                Some((formula, *holds))
            }
            About::Reach { target, from: None, .. } => {
                let goal = CircuitGoal::new(circuit, target, &Suggestions::default());
                let goal =
                    goal.map_err(|_| Unverified::Refused("the target is no condition on states".to_owned()))?;
                Some((goal.formula().clone(), true))
            }
            _ => {
                return Err(Unverified::Refused(
                    "circuits have evidence for properties of ctl and ltl only".to_owned(),
                ));
            }
        };
        // the inputs that the property reads are a part of a state
        let atoms: Vec<Lit> = match &property {
            Some((formula, _)) => formula.atoms().iter().filter_map(|name| circuit.atom(name)).collect(),
            None => circuit
                .outputs
                .iter()
                .map(|port| port.lit)
                .chain(circuit.inputs.iter().map(|port| port.lit))
                .collect(),
        };
        let states = CircuitStates::new(circuit, &atoms);
        let replayed = match evidence {
            Certificate::Paths(paths) => {
                let mut paths = paths.clone();
                let part = circuit.part(&atoms);
                for path in paths.paths.ids() {
                    for state in &mut paths.paths[path].states {
                        state.part = part.clone();
                    }
                }
                replay_paths(&states, &paths, Paths::Total, budget)?
            }
            Certificate::Invariant(invariant) => replay_invariant(&states, &states, invariant, budget)?,
            _ => return Err(Unverified::Refused("evidence of this kind is not known here".to_owned())),
        };
        if let About::Reach { steps, .. } = &stated.about {
            let refused = |why: &str| Err(Unverified::Refused(why.to_owned()));
            if matches!(evidence, Certificate::Invariant(_)) {
                return refused("an invariant does not show that something can be reached");
            }
            if steps.is_some_and(|steps| steps != replayed.steps) {
                return refused("\"steps\" is not the number of steps of the path");
            }
        }
        let Some((formula, holds)) = property else {
            return Ok(Confirmed { replayed, verdict: false });
        };
        if !relates_formula(&formula, holds, evidence.shows(), Paths::Total) {
            let verdict = if holds { "holds" } else { "fails" };
            let why = format!("the formula it shows does not imply that the property {verdict}");
            return Err(Unverified::Refused(why));
        }
        let shows_all = match evidence {
            // an invariant is about all initial states, and about all runs
            Certificate::Invariant(_) => true,
            // a path is about one initial state
            Certificate::Paths(paths) => {
                // any run that gets there will do
                matches!(stated.about, About::Reach { .. })
                    || is_fair(&states, paths) && (!holds || has_one_initial_state(circuit, &atoms))
            }
            _ => false,
        };
        Ok(Confirmed { replayed, verdict: shows_all })
    }
}

/// A property as it was written: in a file, in the grammar of property files of circuits.
fn formula(text: &str, in_file: bool) -> Option<Formula> {
    if !in_file {
        return parse(text).ok();
    }
    let (mut properties, problems) = parse_iimc(text);
    (problems.is_empty() && properties.len() == 1).then(|| properties.remove(0).formula)
}

/// Whether the circuit starts in one state only.
fn has_one_initial_state(circuit: &Circuit, atoms: &[Lit]) -> bool {
    let is_fixed = circuit.latches.iter().all(|latch| latch.reset != Reset::Free);
    is_fixed && !circuit.part(atoms).inputs.contains(&true)
}
