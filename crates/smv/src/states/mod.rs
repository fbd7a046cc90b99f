//! From equations to a machine: all states of all structures, explicitly.

mod calls;
mod classes;
mod code;
mod condition_names;
mod conditions;
mod explain;
mod explore;
mod labels;
mod layout;
mod limits;
mod naming;
mod node_sets;
mod order;
mod parts;
mod plan;
mod solve;
mod solver;
mod step;
mod structure;
mod trouble;
mod view;
mod vm;

pub(crate) use explain::Scene;
pub(crate) use layout::{Layout, parse, print};
pub use limits::Limits;
pub(crate) use vm::wrap;

use crate::ir::{Atom, ExprId, Program, SmvProperty, StructureId};
pub use loris_base::Stopped;
use loris_base::{Budget, Diagnostic, Diagnostics, Idx, IndexVec};
use loris_rsm::{ComponentGraph, NodeSet, PartLabel, Rsm};
use naming::Naming;
use order::{Condition, Order};
use parts::Parts;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use structure::{Made, NotMade, make};

/// Which labels the machine gets besides the atoms of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// Those that properties are about.
    Needed,
    /// All definitions that are truth values.
    All,
}

/// A machine, and where in it the parts of a program are.
#[derive(Clone, Debug)]
pub struct Built {
    /// The machine; component `s` is structure `s`. Runs start in the first, or where
    /// [`Rsm::rooted`] puts the root.
    pub rsm: Rsm,
    /// For each property, in order, its atoms as labels of the machine.
    pub atoms: Vec<Vec<String>>,
    /// For each structure, labels that must hold infinitely often.
    pub justice: IndexVec<StructureId, Vec<String>>,
    /// For each structure, pairs of labels: if the first holds infinitely often, so does the
    /// second.
    pub compassion: IndexVec<StructureId, Vec<(String, String)>>,
    /// Warnings: definitions that nothing asks for and that have no value in some state, where the
    /// label is absent.
    pub remarks: Diagnostics,
    /// Whether states were left out, see [`Limits::merge`].
    pub is_merged: bool,
}

/// Makes the machine of a program, labelled for these properties.
///
/// # Errors
/// There are too many states, or some state shows that the model is wrong.
pub fn build(
    program: &Program,
    properties: &[&SmvProperty],
    labels: Labels,
    limits: &Limits,
    budget: &mut Budget,
) -> Result<Built, Stopped> {
    let mut wanted = Wanted::new(program);
    let atoms: Vec<Vec<String>> = properties.iter().map(|property| wanted.property(property)).collect();
    let (justice, compassion) = wanted.fairness(program);
    if labels == Labels::All || program.recursive {
        wanted.definitions(program);
    }
    let symbols: Arc<[String]> = program.symbols.clone().into();
    let (mut parts, mut names): (Vec<ComponentGraph>, Vec<_>) = (Vec::new(), Vec::new());
    let mut sets: Vec<Vec<(usize, NodeSet)>> = vec![Vec::new(); wanted.names.len()];
    let (mut problems, mut remarks) = (Diagnostics::default(), Diagnostics::default());
    let (mut states, mut is_merged) = (0, false);
    for (id, structure) in program.structures.iter_enumerated() {
        let conditions = wanted.of[id].iter().map(|&(label, condition)| Condition {
            expr: condition,
            unasked: (!wanted.asked[label]).then(|| &*wanted.names[label]),
        });
        let conditions: Vec<Condition<'_>> = conditions.collect();
        let own = properties.iter().copied().filter(|property| property.structure == id);
        let apart = limits.merge.and_then(|_| Parts::of(structure, own));
        let (conditions, apart) = (&*conditions, apart.as_ref());
        let order =
            Order { program, structure, conditions, parts: apart, symbols: &symbols, limits, before: states };
        match make(&order, budget) {
            Ok(Made {
                part,
                names: of_states,
                sets: of_conditions,
                states: more,
                remarks: found,
                merged,
            }) => {
                is_merged |= merged;
                for remark in found {
                    remarks.push(remark);
                }
                for (&(label, _), set) in wanted.of[id].iter().zip(of_conditions) {
                    sets[label].push((id.index(), set));
                }
                parts.push(part);
                names.push(of_states);
                states += more;
            }
            Err(NotMade::Stopped(Stopped::Wrong(found))) => {
                found.sorted().into_iter().for_each(|problem| problems.push(problem.clone()));
            }
            Err(NotMade::Stopped(stopped)) => return Err(stopped),
            Err(NotMade::Faults(faults)) => {
                let of_runs = justice.iter().flatten();
                let of_runs = of_runs.chain(compassion.iter().flatten().flat_map(|(p, q)| [p, q]));
                let of_runs: FxHashSet<&str> = of_runs.map(String::as_str).collect();
                for (number, problem) in faults {
                    let label = &wanted.names[wanted.of[id][number].0];
                    blame(label, &problem, properties, &atoms, &mut problems);
                    if of_runs.contains(&**label) {
                        problems.push(problem);
                    }
                }
            }
        }
    }
    if problems.has_errors() {
        return Err(Stopped::Wrong(problems));
    }
    let labels = wanted.names.into_iter().zip(sets).map(|(name, nodes)| PartLabel { name, nodes });
    let naming = Arc::new(Naming { structures: names, modules: program.modules.clone() });
    let rsm = Rsm::assemble_within(parts, labels.collect(), naming, budget)?;
    Ok(Built { rsm, atoms, justice, compassion, remarks, is_merged })
}

/// Reports the problem of a label in some state: for each property that was given with it, and once
/// for those of the file.
fn blame(
    label: &str,
    problem: &Diagnostic,
    properties: &[&SmvProperty],
    atoms: &[Vec<String>],
    problems: &mut Diagnostics,
) {
    let mut of_file = false;
    for (property, labels) in properties.iter().zip(atoms) {
        let Some(atom) = labels.iter().position(|other| other == label) else { continue };
        if property.base.is_some() || !std::mem::replace(&mut of_file, true) {
            problems.push(property.blamed(atom, problem));
        }
    }
}

/// The labels of the machine, and the condition of each in each structure.
struct Wanted {
    names: Vec<String>,
    /// whether something asks for the label; else it is there because it has a name
    asked: Vec<bool>,
    numbers: FxHashMap<String, usize>,
    /// for each structure, labels and their conditions
    of: IndexVec<StructureId, Vec<(usize, ExprId)>>,
    /// for each label, its condition
    meanings: Vec<Vec<(StructureId, ExprId)>>,
    /// definitions of all structures, by name
    defined: FxHashMap<String, Vec<(StructureId, ExprId)>>,
}

impl Wanted {
    fn new(program: &Program) -> Self {
        let mut defined: FxHashMap<String, Vec<(StructureId, ExprId)>> = FxHashMap::default();
        for (id, structure) in program.structures.iter_enumerated() {
            for label in &structure.labels {
                defined.entry(label.name.clone()).or_default().push((id, label.condition));
            }
        }
        Self {
            names: Vec::new(),
            asked: Vec::new(),
            numbers: FxHashMap::default(),
            of: vec![Vec::new(); program.structures.len()].into(),
            meanings: Vec::new(),
            defined,
        }
    }

    /// A label of this name for a condition; another name, if this one means something else
    /// already.
    fn add(&mut self, name: &str, of: &[(StructureId, ExprId)]) -> String {
        let mut name = name.to_owned();
        loop {
            let next = self.names.len();
            let number = *self.numbers.entry(name.clone()).or_insert(next);
            if number == next {
                self.names.push(name.clone());
                self.asked.push(true);
                self.meanings.push(of.to_vec());
                for &(structure, condition) in of {
                    self.of[structure].push((number, condition));
                }
                return name;
            }
            if self.meanings[number] == of {
                return name;
            }
            name.push('\'');
        }
    }

    fn property(&mut self, property: &SmvProperty) -> Vec<String> {
        let atoms = property.formula.atoms().iter().zip(&property.atoms);
        atoms
            .map(|(name, atom)| match *atom {
                Atom::Label => {
                    let of = self.defined.get(name).cloned().unwrap_or_default();
                    self.add(name, &of)
                }
                Atom::Condition(condition) => self.add(name, &[(property.structure, condition)]),
                Atom::Foreign => name.to_owned(),
            })
            .collect()
    }

    #[expect(clippy::type_complexity, reason = "two lists for each structure")]
    fn fairness(
        &mut self,
        program: &Program,
    ) -> (IndexVec<StructureId, Vec<String>>, IndexVec<StructureId, Vec<(String, String)>>) {
        let (mut justice, mut compassion) = (IndexVec::new(), IndexVec::new());
        for (id, structure) in program.structures.iter_enumerated() {
            let mut number = 0;
            let mut add = |condition: ExprId| {
                number += 1;
                let name = condition_names::condition(structure, &program.symbols, condition);
                self.add(&name.unwrap_or_else(|| format!("fairness {number}")), &[(id, condition)])
            };
            justice.push(structure.justice.iter().map(|&condition| add(condition)).collect());
            compassion.push(structure.compassion.iter().map(|&(p, q)| (add(p), add(q))).collect());
        }
        (justice, compassion)
    }

    fn definitions(&mut self, program: &Program) {
        let mut names: Vec<&str> = Vec::new();
        for structure in &program.structures {
            names.extend(structure.labels.iter().map(|label| &*label.name));
        }
        names.sort_unstable();
        names.dedup();
        for name in names {
            let (of, before) = (self.defined[name].clone(), self.names.len());
            self.add(name, &of);
            self.asked[before..].fill(false);
        }
    }
}
