//! Replay of evidence about circuits.

use super::by_values::{NO_START, ValueSubject};
use super::confirmed::{Confirmed, Unverified};
use super::verify::logic_of;
use loris_base::Budget;
use loris_check::{CircuitGoal, CountedRuns, Logic, Suggestions, core};
use loris_circuit::{Lit, Valuation};
use loris_evidence::{
    About, Certificate, CircuitStates, NamedValue, Paths, Stated, has_initial_state, relates_formula,
    relates_to_fair_runs, replay_everywhere, replay_invariant, replay_paths,
};
use loris_load::Origin;
use loris_load::Reading;
use loris_load::{CircuitModel, circuit};
use loris_logic::{Formula, Node, parse, parse_iimc, parse_printed};
use std::path::Path;
use std::sync::Arc;

/// A circuit that evidence is about.
pub(super) struct CircuitSubject {
    model: CircuitModel,
}

impl CircuitSubject {
    /// Reads the circuit. Problems are added to the reading.
    pub(super) fn read(path: &Path, origin: &Origin, reading: &mut Reading) -> Option<Self> {
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
        let counted = stated.counted_runs.as_deref().and_then(CountedRuns::stated).unwrap_or_default();
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
                let goal = goal
                    .map_err(|_| Unverified::Refused("the target is not a condition on states".to_owned()))?;
                Some((goal.formula().clone(), true))
            }
            _ => {
                return Err(Unverified::Refused(
                    "circuits have evidence for properties of ctl and ltl only".to_owned(),
                ));
            }
        };
        // the inputs that the property reads, as it is written, are a part of a state
        let shown = parse_printed(evidence.shows()).ok();
        let written = property.as_ref().map(|(formula, _)| formula).or(shown.as_ref());
        let names = written.into_iter().flat_map(|formula| formula.atoms().iter());
        let atoms: Vec<Lit> = names.filter_map(|name| circuit.atom(name)).collect();
        let is_reach = matches!(stated.about, About::Reach { .. });
        let mut functions = atoms;
        if counted == CountedRuns::Ending {
            if !property.as_ref().is_some_and(|(formula, _)| is_never(formula)) {
                return Err(Unverified::Refused("runs that end count for A G p only".to_owned()));
            }
            functions.extend(circuit.constraints.iter().map(|port| port.lit));
        }
        // any run that gets there will do
        let all_runs = is_reach || counted == CountedRuns::Ending;
        let states_of = if all_runs { CircuitStates::of_all_runs } else { CircuitStates::new };
        let states = states_of(circuit, &functions);
        let runs = if counted == CountedRuns::Endless { Paths::Infinite } else { Paths::Total };
        let holds = property.as_ref().map(|&(_, holds)| holds);
        let replayed = match evidence {
            Certificate::Paths(paths) => {
                let mut paths = paths.clone();
                for path in paths.paths.ids() {
                    for state in &mut paths.paths[path].states {
                        state.part = Arc::clone(states.part());
                    }
                }
                // that something can be reached, or that a property fails, is about one initial
                // state
                if holds == Some(true) && !is_reach {
                    replay_everywhere(&states, &paths, runs, budget)?
                } else {
                    replay_paths(&states, &paths, runs, budget)?
                }
            }
            Certificate::Invariant(invariant) => {
                if holds == Some(false) && !has_initial_state(&states, budget)? {
                    return Err(Unverified::Refused(NO_START.to_owned()));
                }
                replay_invariant(&states, &states, invariant, budget)?
            }
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
        let linear = matches!(&stated.about, About::Property { logic, .. } if logic_of(logic) == Logic::Ltl);
        let is_related = if states.is_fair() {
            relates_to_fair_runs(&formula, holds, evidence.shows(), linear)
        } else {
            relates_formula(&formula, holds, evidence.shows(), runs)
        };
        if !is_related {
            let verdict = if holds { "holds" } else { "fails" };
            let why = format!("the formula it shows does not imply that the property {verdict}");
            return Err(Unverified::Refused(why));
        }
        Ok(Confirmed { replayed, verdict: true })
    }
}

/// Whether a formula says of a condition on states that it never holds.
fn is_never(formula: &Formula) -> bool {
    let Node::A(path) = formula.node(formula.root()) else { return false };
    let Node::G(condition) = formula.node(path) else { return false };
    let Node::Not(bad) = formula.node(condition) else { return false };
    matches!(formula.node(bad), Node::Atom(_))
}

/// A property as it was written: in a file, in the grammar of property files of circuits.
fn formula(text: &str, in_file: bool) -> Option<Formula> {
    if !in_file {
        return parse(text).ok();
    }
    let (mut properties, problems) = parse_iimc(text);
    (problems.is_empty() && properties.len() == 1).then(|| properties.remove(0).formula)
}
