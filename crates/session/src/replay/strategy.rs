//! Strategies and runs of processes: which processes each is about, and their replay.

use super::confirmed::{Confirmed, Unverified};
use super::verify::logic_of;
use crate::inquire::mentioned_inputs;
use loris_base::Budget;
use loris_check::{Logic, Processes};
use loris_evidence::{
    About, Certificate, NamedValue, Results, Stated, global_state, replay_process_run, replay_strategy,
};
use loris_load::{Origin, circuit, dead_ends, one_circuit};
use loris_logic::mu::{Reading, parse_with};
use loris_logic::parse;
use loris_lts::GlobalState;
use rustc_hash::FxHashMap;
use std::path::Path;

/// Components that evidence is about.
pub(super) struct ProcessSubject {
    models: Vec<Processes>,
    /// by the text of a property: which of them it is about, the first if nothing else is known
    by_property: FxHashMap<String, usize>,
}

impl ProcessSubject {
    /// All evidence is about these components.
    pub(super) fn new(model: Processes) -> Self {
        Self { models: vec![model], by_property: FxHashMap::default() }
    }

    /// Reads a circuit that strategies are about: the inputs that a property mentions are part of
    /// the states of its component. Problems are added to the reading.
    pub(super) fn of_circuit(
        path: &Path,
        results: &Results<'_>,
        origin: &Origin,
        reading: &mut loris_load::Reading,
    ) -> Option<Self> {
        let dead_ends = dead_ends(origin);
        let circuit = circuit(path, origin, reading)?;
        let mut known: Vec<Vec<bool>> = Vec::new();
        let mut by_property = FxHashMap::default();
        for stated in &results.stated {
            let About::Property { text, .. } = &stated.about else { continue };
            // what is not a formula is refused when it is verified
            let reading = Reading { dead_ends, ..Reading::default() };
            let Ok(formula) = parse_with(text, &reading) else { continue };
            let inputs = mentioned_inputs(&circuit.circuit, &formula);
            let at = known.iter().position(|other| *other == inputs).unwrap_or_else(|| {
                known.push(inputs);
                known.len() - 1
            });
            by_property.insert(text.clone(), at);
        }
        if known.is_empty() {
            known.push(circuit.circuit.observed(&[]));
        }
        let models = known.iter().map(|inputs| one_circuit(path, &circuit, inputs, origin, reading));
        Some(Self { models: models.collect::<Option<_>>()?, by_property })
    }

    /// The components that a result is about.
    fn model(&self, stated: &Stated) -> &Processes {
        let at = match &stated.about {
            About::Property { text, .. } => self.by_property.get(text).copied(),
            _ => None,
        };
        &self.models[at.unwrap_or(0)]
    }

    /// The global state in which the processes that a result is about have these states.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn state(&self, stated: &Stated, values: &[NamedValue<'_>]) -> Result<GlobalState, String> {
        global_state(&self.model(stated).system, values)
    }

    /// Replays a strategy or a run, and decides whether it is evidence for the verdict that it came
    /// with.
    ///
    /// # Errors
    /// Why it is not, or which limit was reached before that was known.
    pub(super) fn verify(
        &self,
        stated: &Stated,
        evidence: &Certificate<GlobalState>,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        let refused = |why: &str| Unverified::Refused(why.to_owned());
        let About::Property { text, holds, logic, .. } = &stated.about else {
            return Err(refused("evidence about parallel processes is for the verdict of a property"));
        };
        let model = self.model(stated);
        let system = &*model.system;
        let strategy = match evidence {
            Certificate::Strategy(strategy) => strategy,
            Certificate::Paths(paths) if logic_of(logic) == Logic::Ltl => {
                if *holds {
                    return Err(refused("that a property of linear time holds is shown by no run"));
                }
                let formula = parse(text).map_err(|_| refused("the property is not a formula"))?;
                let replayed = replay_process_run(system, &formula, model.dead_ends, paths, budget)?;
                return Ok(Confirmed { replayed, verdict: true });
            }
            _ => return Err(refused("evidence about parallel processes is a strategy, or a run for ltl")),
        };
        let knows = |name: &str| system.actions().find(name).is_some();
        let reading = Reading { dead_ends: model.dead_ends, knows_action: &knows, ..Reading::default() };
        let formula = parse_with(text, &reading).map_err(|_| refused("the property is not a formula"))?;
        let replayed = replay_strategy(system, &formula, *holds, strategy, budget)?;
        Ok(Confirmed { replayed, verdict: true })
    }
}
