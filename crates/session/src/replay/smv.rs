//! Replay of evidence about SMV models whose states were not listed.

use super::by_values::{NO_START, ValueSubject};
use super::confirmed::{Confirmed, Unverified};
use super::verify::logic_of;
use crate::smv::{Claimed, claimed};
use loris_base::{Budget, Stopped};
use loris_check::{Logic, core};
use loris_circuit::Valuation;
use loris_evidence::{
    About, Certificate, Evidence, NamedValue, Paths, Results, Stated, SystemStates, has_initial_state,
    relates_formula, relates_to_fair_runs, replay_everywhere, replay_invariant, replay_paths,
};
use loris_load::Origin;
use loris_load::Reading;
use loris_load::smv::{SmvFile, SmvStates, WantedProperty};
use loris_smv::ir::{PropertyKind, StructureId};
use std::collections::BTreeMap;
use std::path::Path;

/// The modules that evidence is about, as equations over bits.
pub struct SmvSubject {
    file: SmvFile,
    states: BTreeMap<StructureId, SmvStates>,
    properties: BTreeMap<Claimed, Vec<WantedProperty>>,
}

impl SmvSubject {
    /// Reads the model. Problems are added to the reading.
    pub fn read(path: &Path, origin: &Origin, results: &Results<'_>, reading: &mut Reading) -> Option<Self> {
        let mut file = SmvFile::read(path, origin.module.as_deref(), reading)?;
        let mut properties: BTreeMap<Claimed, Vec<WantedProperty>> = BTreeMap::new();
        for Stated { about, module, instance, .. } in &results.stated {
            let structure = module.as_ref().map_or(Some(file.root), |module| file.structure(module));
            let (Some(structure), About::Property { text, .. }) = (structure, about) else { continue };
            let key = (structure, instance.clone().unwrap_or_default(), text.clone());
            properties.entry(key).or_insert_with_key(|claim| claimed(&mut file, claim));
        }
        let mut states = BTreeMap::new();
        for &(structure, ..) in properties.keys() {
            if states.contains_key(&structure) {
                continue;
            }
            match file.equations(structure, &mut reading.budget) {
                Ok(found) => states.insert(structure, found),
                Err(Stopped::Wrong(found)) => {
                    reading.add(file.input.clone(), found);
                    return None;
                }
                Err(Stopped::Exhausted(why)) => {
                    reading.stop(&file.input, why);
                    return None;
                }
            };
        }
        Some(Self { file, states, properties })
    }

    fn of(&self, module: Option<&str>) -> Option<&SmvStates> {
        let structure = module.map_or(Some(self.file.root), |module| self.file.structure(module));
        self.states.get(&structure?)
    }
}

impl ValueSubject for SmvSubject {
    fn state(&self, module: Option<&str>, values: &[NamedValue<'_>]) -> Result<Valuation, String> {
        let states = self.of(module).ok_or("no property of this module has evidence")?;
        states.valuation(values.iter().map(|(name, value)| (&**name, &**value)))
    }

    fn verify(
        &self,
        stated: &Stated,
        evidence: &Certificate<Valuation>,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        let refused = |why: &str| Err(Unverified::Refused(why.to_owned()));
        let About::Property { text, logic, holds, .. } = &stated.about else {
            return refused("evidence about states that were not listed needs its property");
        };
        let logic = logic_of(logic);
        let module = stated.module.as_deref();
        let structure = module.map_or(Some(self.file.root), |module| self.file.structure(module));
        let (Some(structure), Some(states)) = (structure, self.of(module)) else {
            return refused("the model has no such module");
        };
        let key = (structure, stated.instance.clone().unwrap_or_default(), text.clone());
        let mut why = Unverified::Refused(format!(
            "the property means nothing in this model, or is not {}",
            logic.name()
        ));
        for &wanted in self.properties.get(&key).into_iter().flatten() {
            let property = self.file.property(wanted);
            if core(logic, &property.formula).is_err() {
                continue;
            }
            let fair = property.kind != PropertyKind::Invariant;
            let space = states.space(&self.file, wanted, fair);
            let replayed = match evidence {
                Certificate::Paths(paths) => {
                    let own = located(paths, &space);
                    if *holds {
                        replay_everywhere(&space, &own, Paths::Total, budget)
                    } else {
                        replay_paths(&space, &own, Paths::Total, budget)
                    }
                }
                Certificate::Invariant(_) if !*holds && !has_initial_state(&space, budget)? => {
                    return refused(NO_START);
                }
                Certificate::Invariant(invariant) => replay_invariant(&space, states, invariant, budget),
                _ => return refused("evidence of this kind is not known here"),
            };
            let replayed = match replayed {
                Ok(replayed) => replayed,
                Err(error) => {
                    why = error.into();
                    continue;
                }
            };
            let is_related = if space.is_fair() {
                relates_to_fair_runs(&property.formula, *holds, evidence.shows(), logic == Logic::Ltl)
            } else {
                relates_formula(&property.formula, *holds, evidence.shows(), Paths::Total)
            };
            if !is_related {
                let verdict = if *holds { "holds" } else { "fails" };
                why = Unverified::Refused(format!(
                    "the formula it shows does not imply that the property {verdict}"
                ));
                continue;
            }
            return Ok(Confirmed { replayed, verdict: true });
        }
        Err(why)
    }
}

/// The same evidence, with states that are compared in what matters to a property.
fn located(paths: &Evidence<Valuation>, space: &SystemStates) -> Evidence<Valuation> {
    let mut paths = paths.clone();
    for path in paths.paths.ids() {
        for state in &mut paths.paths[path].states {
            *state = space.valuation(std::mem::take(&mut state.latches));
        }
    }
    paths
}
