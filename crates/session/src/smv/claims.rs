//! The modules and properties of an SMV file that evidence is about.

use super::goal::{SmvGoal, goal};
use loris_check::{Logic, Peer, core};
use loris_evidence::{About, AskedProperty, Results, Stated};
use loris_load::smv::{
    MERGED, SmvFile, SmvMachine, WantedProperty, component, full_text, propositions, wrong,
};
use loris_load::{Input, Origin, Reading, composed};
use loris_logic::Formula;
use loris_logic::automaton::Hoa;
use loris_rsm::Rsm;
use loris_smv::ir::{SmvProperty, StructureId};
use loris_smv::{Labels, Limits, Stopped};
use std::collections::BTreeMap;

/// The machine that evidence is about, and the properties that it may be evidence for.
pub(crate) struct Claims {
    file: SmvFile,
    machine: SmvMachine,
    /// the machine, composed with its peer if there is one
    pub(crate) rsm: Rsm,
    properties: BTreeMap<Claimed, Vec<WantedProperty>>,
    /// of `loris reach`, by module and text
    targets: BTreeMap<(StructureId, String), SmvGoal>,
}

impl Claims {
    /// Makes the machine for all properties that were asked: evidence names states by the monitors
    /// of all of them. Propositions of automata become the labels they mean. Problems are added to
    /// the list.
    pub(crate) fn new(
        mut file: SmvFile,
        Results { stated, asked, .. }: &Results<'_>,
        is_part: bool,
        automata: Vec<&mut Hoa>,
        peer: Option<&Peer>,
        origin: &Origin,
        reading: &mut Reading,
    ) -> Option<Self> {
        if !file.is_chosen {
            let first = stated.iter().find_map(|stated| file.structure(stated.module.as_deref()?));
            file.root = first.unwrap_or(file.root);
        }
        file.goes_with(peer);
        let mut properties: BTreeMap<Claimed, Vec<WantedProperty>> = BTreeMap::new();
        let mut targets: BTreeMap<(StructureId, String), SmvGoal> = BTreeMap::new();
        for Stated { about, module, instance, .. } in stated {
            let structure = module.as_ref().map_or(Some(file.root), |module| file.structure(module));
            let Some(structure) = structure else { continue };
            match about {
                About::Nothing => {}
                About::Property { text, .. } => {
                    let key = (structure, instance.clone().unwrap_or_default(), text.clone());
                    properties.entry(key).or_insert_with_key(|claim| claimed(&mut file, claim));
                }
                About::Reach { target, .. } => {
                    let key = (structure, target.clone());
                    targets
                        .entry(key)
                        .or_insert_with(|| goal(&mut file, structure, target, reading.words.no_formula));
                }
            }
        }
        for AskedProperty { text, module, instance } in asked {
            let structure = module.as_ref().map_or(Some(file.root), |module| file.structure(module));
            let Some(structure) = structure else { continue };
            let named = (structure, instance.clone().unwrap_or_default(), text.clone());
            if !properties.contains_key(&named) {
                claimed(&mut file, &named);
            }
        }
        if properties.is_empty() || is_part {
            // of evidence alone nothing is known, and of a part of what was asked not all
            file.want_carried();
        }
        let mut meanings = Vec::new();
        for hoa in automata {
            let root = file.root;
            let (wanted, others) = propositions(&mut file, root, hoa);
            for (_, problem) in others {
                reading.add(Input::named(reading.words.automaton), problem.into());
            }
            meanings.push((hoa, wanted));
        }
        // as for the questions, where all of these are known
        let merge = (peer.is_none() && targets.is_empty() && !is_part).then_some(MERGED);
        let limits = Limits { merge, ..origin.limits() };
        let built = file.build(Labels::All, &limits, &mut reading.budget);
        let built = built.map_err(|stopped| {
            let stopped = match stopped {
                Stopped::Wrong(found) => Stopped::Wrong(file.as_problems_of_file(&found)),
                exhausted @ Stopped::Exhausted(_) => exhausted,
            };
            wrong(stopped, &file.input, reading);
        });
        let machine = built.ok()?;
        for (hoa, wanted) in meanings {
            hoa.propositions = wanted.iter().map(|&wanted| machine.label(wanted)).collect();
        }
        let rsm = match peer {
            Some(peer) => composed(&machine.rsm, peer, origin, reading)?,
            None => machine.rsm.clone(),
        };
        Some(Self { file, machine, rsm, properties, targets })
    }

    /// Whether its states depend on what was asked.
    pub(crate) fn depends_on_asked(&self) -> bool {
        self.file.has_monitors() || self.machine.is_merged
    }

    /// A target of `loris reach`.
    pub(crate) fn target(&self, stated: &Stated, text: &str) -> Option<&SmvGoal> {
        self.targets.get(&(self.structure(stated.module.as_deref()), text.to_owned()))
    }

    /// The machine.
    pub(crate) fn machine(&self) -> &SmvMachine {
        &self.machine
    }

    /// The machine whose runs start in a module.
    pub(crate) fn rooted(&self, module: Option<&str>) -> Rsm {
        let structure = self.structure(module);
        // with a peer, runs start where they were made to
        if self.rsm.has_listed_names() { self.rsm.clone() } else { self.rsm.rooted(component(structure)) }
    }

    fn structure(&self, module: Option<&str>) -> StructureId {
        module.and_then(|module| self.file.structure(module)).unwrap_or(self.file.root)
    }

    /// The formulas that the property of a result may mean: what evidence has to show of fair runs,
    /// and whether only these count.
    pub(crate) fn formulas(&self, item: &Stated, text: &str, logic: Logic) -> Vec<(Formula, bool)> {
        let structure = self.structure(item.module.as_deref());
        let named = (structure, item.instance.clone().unwrap_or_default(), text.to_owned());
        let wanted = self.properties.get(&named).into_iter().flatten();
        let of_logic = wanted.filter(|&&wanted| core(logic, self.machine.formula(wanted)).is_ok());
        let fair = of_logic.map(|&wanted| {
            let fairness = self.machine.fairness_of(self.file.property(wanted));
            let formula = self.machine.formula(wanted);
            let formula =
                if logic == Logic::Ltl { fairness.of_paths(formula) } else { fairness.of_states(formula) };
            (formula, !fairness.is_empty())
        });
        fair.collect()
    }
}

/// A module, an instance in it and the text of a property.
pub(crate) type Claimed = (StructureId, String, String);

/// The properties of a text: those the file carries for the instance, and what it means if it is
/// given.
pub(crate) fn claimed(file: &mut SmvFile, (structure, instance, text): &Claimed) -> Vec<WantedProperty> {
    let is_meant = |property: &&SmvProperty| {
        property.structure == *structure
            && property.instance == *instance
            && full_text(property.kind, &property.text) == *text
    };
    let mut found: Vec<SmvProperty> = file.carried().filter(is_meant).cloned().collect();
    if instance.is_empty() {
        found.extend(file.resolve(*structure, text).ok());
    }
    found.into_iter().map(|property| file.want(property)).collect()
}
