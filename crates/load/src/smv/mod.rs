//! SMV files: the properties that are wanted of them, and the machine that is made for these.

mod blame;
mod conditions;
mod symbolic;
mod written;

pub use blame::Blamed;
pub(crate) use conditions::is_atom;
pub use conditions::{is_condition, propositions};
pub use symbolic::{SmvStates, Unsound};
pub use written::{Written, written};
pub(crate) use written::{carried_properties, places};

use crate::reading::{Input, Reading, Text};
use loris_base::{Budget, Diagnostic, Diagnostics, Idx, IndexVec, nearest};
use loris_check::{Logic, Peer};
use loris_logic::{Fairness, Formula};
use loris_rsm::{ComponentId, Rsm};
use loris_smv::ir::{Computation, PropertyKind, SmvProperty, StructureId};
use loris_smv::{Encoded, Labels, Limits, Smv, Stopped, build, encode, read_smv_within};
use std::path::Path;

/// A file, and the properties whose atoms its machine is to have as labels.
#[derive(Clone)]
pub struct SmvFile {
    smv: Smv,
    /// To show what is wrong with it.
    pub input: Input,
    /// Where runs start, unless a property names another module.
    pub root: StructureId,
    /// whether that was chosen
    pub is_chosen: bool,
    wanted: Vec<SmvProperty>,
}

/// From this many successors of one state on, states that no question can distinguish are kept
/// once.
pub const MERGED: usize = 256;

/// A property that the machine is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedProperty(usize);

impl SmvFile {
    /// Reads a file, with runs that start in a module; its problems are added to the reading.
    pub fn read(path: &Path, module: Option<&str>, reading: &mut Reading) -> Option<Self> {
        let Text { input, content, problems: found } = reading.text(path)?;
        if !found.is_empty() {
            reading.add(input, found);
            return None;
        }
        let smv = match read_smv_within(&content, &mut reading.budget) {
            Ok((mut smv, remarks)) => {
                reading.add(input.clone(), remarks);
                smv.set_file(input.name(), &content);
                smv
            }
            Err(stopped) => {
                wrong(stopped, &input, reading);
                return None;
            }
        };
        let root = smv.first();
        let mut file = Self { smv, input, root, is_chosen: module.is_some(), wanted: Vec::new() };
        if let Some(name) = module {
            match file.structure(name) {
                Some(found) => file.root = found,
                None => reading.add(Input::text(reading.words.module, name), file.no_module(name).into()),
            }
        }
        Some(file)
    }

    /// Has the machine made without places of states: those of a module are all the same.
    pub fn forget_places(&mut self) {
        self.smv.forget_file();
    }

    /// Whether properties that it carries need monitors.
    pub fn has_monitors(&self) -> bool {
        let mut structures = self.smv.program().structures.iter();
        structures.any(|structure| structure.variables.iter().any(|variable| variable.is_monitor))
    }

    /// The module of this name, if runs can start there.
    pub fn structure(&self, name: &str) -> Option<StructureId> {
        let structures = &self.smv.program().structures;
        structures.ids().find(|&id| structures[id].name == name)
    }

    /// The name of a module.
    pub fn module(&self, structure: StructureId) -> &str {
        &self.smv.program().structures[structure].name
    }

    /// What is wrong with a name that is not a module.
    fn no_module(&self, name: &str) -> Diagnostic {
        let known: Vec<&str> =
            self.smv.program().structures.iter().map(|structure| &*structure.name).collect();
        let problem = Diagnostic::error(0, name.len(), format!("runs start in no module \"{name}\""));
        problem.help(match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("they can start in {}", known.join(", ")),
        })
    }

    /// Those it carries; if a module was chosen, those of that module.
    pub fn carried(&self) -> impl Iterator<Item = &SmvProperty> {
        let all = self.smv.program().properties.iter();
        all.filter(|property| !self.is_chosen || property.structure == self.root)
    }

    /// Lets properties name the states of a peer, and the peer read conditions on states.
    pub fn goes_with(&mut self, peer: Option<&Peer>) {
        for state in peer.into_iter().flat_map(Peer::states) {
            self.smv.add_label(state);
        }
        for atom in peer.into_iter().flat_map(Peer::atoms) {
            let read = self.resolve(self.root, atom).ok();
            self.wanted.extend(read.filter(|property| is_atom(&property.formula)));
        }
    }

    /// A property of a module, from its text.
    pub fn resolve(&mut self, structure: StructureId, text: &str) -> Result<SmvProperty, Diagnostics> {
        self.smv.property_of(structure, text)
    }

    /// A question for a number about a module, if the text is one.
    pub fn computation(
        &mut self,
        structure: StructureId,
        text: &str,
    ) -> Option<Result<Computation, Diagnostics>> {
        self.smv.computation_of(structure, text)
    }

    /// The module where runs start as a Boolean transition system, for some of its properties.
    pub fn encode(&self, properties: &[&SmvProperty], budget: &mut Budget) -> Result<Encoded, Stopped> {
        budget.look()?;
        encode(self.smv.program(), self.root, properties, budget)
    }

    /// The property that is wanted.
    pub fn property(&self, wanted: WantedProperty) -> &SmvProperty {
        &self.wanted[wanted.0]
    }

    /// Has the machine made for a property.
    pub fn want(&mut self, property: SmvProperty) -> WantedProperty {
        self.wanted.push(property);
        WantedProperty(self.wanted.len() - 1)
    }

    /// Has the machine made for the formulas of a property that the file carries.
    pub fn want_written(&mut self, one: &Written) -> Vec<WantedProperty> {
        match one {
            Written::Property(property) => vec![self.want(property.clone())],
            Written::Computation(found) => {
                [&found.from, &found.to].map(|side| self.want(side.clone())).to_vec()
            }
            Written::Unsupported(_) => Vec::new(),
        }
    }

    /// Has the machine made for all properties that the file carries.
    pub fn want_carried(&mut self) -> Vec<(SmvProperty, WantedProperty)> {
        let carried: Vec<SmvProperty> = self.carried().cloned().collect();
        carried.into_iter().map(|property| (property.clone(), self.want(property))).collect()
    }

    /// Whether modules call each other.
    pub fn is_recursive(&self) -> bool {
        self.smv.program().recursive
    }

    /// What makes runs fair that start in a module, before conditions have become labels.
    pub fn fairness(&self, structure: StructureId) -> Fairness {
        let structure = &self.smv.program().structures[structure];
        let condition = || "condition".to_owned();
        Fairness {
            justice: structure.justice.iter().map(|_| condition()).collect(),
            compassion: structure.compassion.iter().map(|_| (condition(), condition())).collect(),
        }
    }

    /// Makes the machine.
    ///
    /// An atom that occurs in two modules means two things, of which only one gets the text as its
    /// name. Which one depends only on the set of properties, not on their order, so that evidence
    /// can be replayed.
    pub fn build(&self, labels: Labels, limits: &Limits, budget: &mut Budget) -> Result<SmvMachine, Stopped> {
        // engines look at the clock now and then; a limit of nothing at all is passed at once
        budget.look()?;
        let mut order: Vec<usize> = (0..self.wanted.len()).collect();
        order.sort_by_key(|&wanted| self.wanted[wanted].structure);
        let properties: Vec<&SmvProperty> = order.iter().map(|&wanted| &self.wanted[wanted]).collect();
        let built = build(self.smv.program(), &properties, labels, limits, budget)?;
        let mut atoms = vec![&[][..]; order.len()];
        order.iter().zip(&built.atoms).for_each(|(&wanted, names)| atoms[wanted] = names);
        let formulas = self.wanted.iter().zip(atoms).map(|(property, names)| property.formula.renamed(names));
        let conditions = built.justice.iter().cloned().zip(built.compassion.iter().cloned());
        let fairness = conditions.map(|(justice, compassion)| Fairness { justice, compassion });
        Ok(SmvMachine {
            rsm: built.rsm.rooted(component(self.root)),
            formulas: formulas.collect(),
            fairness: fairness.collect::<Vec<_>>().into(),
            remarks: built.remarks,
            is_merged: built.is_merged,
        })
    }
}

/// The component of a module.
pub fn component(structure: StructureId) -> ComponentId {
    ComponentId::new(structure.index())
}

/// What was made of a file.
pub struct SmvMachine {
    /// with runs that start in the root of the file
    pub rsm: Rsm,
    formulas: Vec<Formula>,
    fairness: IndexVec<StructureId, Fairness>,
    /// warnings about labels that nothing asks for
    pub remarks: Diagnostics,
    /// Whether states were left out that no question can distinguish from others.
    pub is_merged: bool,
}

impl SmvMachine {
    /// A property as a formula over labels.
    pub fn formula(&self, wanted: WantedProperty) -> &Formula {
        &self.formulas[wanted.0]
    }

    /// The label of a property that is one atom.
    pub fn label(&self, wanted: WantedProperty) -> String {
        self.formula(wanted).atoms().iter().next().unwrap_or_default().to_owned()
    }

    /// Which runs count that start in a module.
    pub fn fairness(&self, structure: StructureId) -> &Fairness {
        &self.fairness[structure]
    }

    /// What makes the runs fair that a property is about; an invariant is about all.
    pub fn fairness_of(&self, property: &SmvProperty) -> Fairness {
        match property.kind {
            PropertyKind::Invariant => Fairness::default(),
            _ => self.fairness(property.structure).clone(),
        }
    }
}

/// The logic of the keyword of a property.
pub fn own_logic(kind: PropertyKind) -> Logic {
    match kind {
        PropertyKind::Ltl => Logic::Ltl,
        PropertyKind::Ctl | PropertyKind::Invariant | PropertyKind::Given => Logic::Ctl,
    }
}

/// The complete text of a property: an invariant is more than its condition.
pub fn full_text(kind: PropertyKind, text: &str) -> String {
    match kind {
        PropertyKind::Invariant => format!("AG ({text})"),
        _ => text.to_owned(),
    }
}

/// Reports what stopped the making of states.
pub fn wrong(stopped: Stopped, input: &Input, reading: &mut Reading) {
    match stopped {
        Stopped::Wrong(found) => reading.add(input.clone(), found),
        Stopped::Exhausted(why) => reading.stop(input, why),
    }
}
