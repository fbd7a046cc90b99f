//! Machines without calls as parts of a composition: Kripke structures, whose states are the nodes
//! that can be reached.

use crate::format::Format;
use crate::model::{Model, Origin, model};
use crate::reading::{Input, Reading};
use loris_base::{Budget, Diagnostic, Exhausted, Idx, Stopped, Truth};
use loris_lts::{Component, ComponentBuilder, Kind, Modality, StateId, TAU};
use loris_rsm::{DeadEnds, Rsm, Semantics, Vertex};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A part that was read.
pub(crate) enum Part {
    Component(Component),
    Machine(MachinePart),
}

/// A machine that is to be a component.
pub(crate) struct MachinePart {
    name: String,
    rsm: Rsm,
    input: Input,
    /// the nodes that can be reached, the initial one first
    nodes: Vec<Vertex>,
    /// the values that variables have in them
    values: Values,
}

/// The values of variables, by name.
type Values = BTreeMap<String, BTreeSet<String>>;

impl MachinePart {
    /// Reads a machine. Problems are added to the reading, calls, exits, fairness conditions and
    /// several initial states included.
    pub(crate) fn read(
        path: &Path,
        name: &str,
        format: Format,
        origin: &Origin,
        reading: &mut Reading,
    ) -> Option<Self> {
        // what a dead end means is a matter of the composition
        let semantics = Semantics { dead_ends: DeadEnds::Stop, ..origin.semantics };
        let origin = Origin { with: None, module: None, semantics, ..origin.clone() };
        let Model { rsm, fairness, input, .. } = model(path, format, &origin, reading)?;
        let misfit = if rsm.box_count() > 0 {
            Some("a machine with calls is checked alone, not beside other components")
        } else if !rsm.exits(rsm.initial_component()).is_empty() {
            Some("a machine with exits is checked alone, not beside other components")
        } else if !fairness.is_empty() {
            Some("a model with fairness conditions is checked alone, not beside other components")
        } else if rsm.initial().len() != 1 {
            Some("a component has one initial state, and this model has several")
        } else {
            None
        };
        if let Some(message) = misfit {
            reading.add(input, Diagnostic::global(message).into());
            return None;
        }
        match reached(&rsm, &mut reading.budget) {
            Ok((nodes, values)) => Some(Self { name: name.to_owned(), rsm, input, nodes, values }),
            Err(why) => {
                reading.stop(&input, why);
                None
            }
        }
    }

    /// The component. A variable that is TRUE or FALSE is a label of its name, and any other one is
    /// a label `x = v` for each of its values in `all`, of which one is true in every state.
    fn component(&self, all: &Values, budget: &mut Budget) -> Result<Component, Stopped> {
        let Self { name, rsm, nodes, .. } = self;
        let mut builder = ComponentBuilder::new(name.clone(), Kind::Kripke);
        builder.unlabelled(Truth::False);
        let mut numbers: FxHashMap<Vertex, StateId> = FxHashMap::default();
        for &node in nodes {
            budget.spend(1)?;
            numbers.insert(node, builder.named_state(&rsm.vertex_name(node)));
        }
        for label in rsm.labels() {
            builder.atom(label);
        }
        for (variable, values) in all.iter().filter(|(variable, _)| self.values.contains_key(*variable)) {
            for atom in atoms(variable, values) {
                builder.atom(&atom);
            }
        }
        builder.initial(numbers[&nodes[0]]);
        for &node in nodes {
            let state = numbers[&node];
            for label in rsm.labels_of(node) {
                builder.make_room(budget)?;
                let atom = builder.atom(rsm.label_name(label));
                builder.label(state, atom, true);
            }
            for (variable, value) in rsm.values(node) {
                builder.make_room(budget)?;
                let is_boolean = is_boolean(&all[variable]);
                if !(is_boolean && value == FALSE) {
                    let atom = if is_boolean {
                        builder.atom(variable)
                    } else {
                        builder.atom(&equation(variable, &value))
                    };
                    builder.label(state, atom, true);
                }
            }
            for successor in rsm.successors(node) {
                budget.spend(1)?;
                builder.make_room(budget)?;
                builder.step(state, TAU, numbers[&successor], Modality::Both);
            }
        }
        builder.finish(budget)
    }
}

const TRUE: &str = "TRUE";
const FALSE: &str = "FALSE";

fn is_boolean(values: &BTreeSet<String>) -> bool {
    values.iter().all(|value| value == TRUE || value == FALSE)
}

fn equation(variable: &str, value: &str) -> String {
    format!("{variable} = {value}")
}

/// The labels of a variable.
fn atoms(variable: &str, values: &BTreeSet<String>) -> Vec<String> {
    if is_boolean(values) {
        return vec![variable.to_owned()];
    }
    values.iter().map(|value| equation(variable, value)).collect()
}

/// The nodes that can be reached from the initial one, and the values of variables in them.
fn reached(rsm: &Rsm, budget: &mut Budget) -> Result<(Vec<Vertex>, Values), Exhausted> {
    let mut nodes = rsm.initial().to_vec();
    let mut seen = vec![false; rsm.vertex_count()];
    seen[nodes[0].index()] = true;
    let mut values = Values::new();
    let mut next = 0;
    while let Some(&node) = nodes.get(next) {
        next += 1;
        for successor in rsm.successors(node) {
            budget.spend(1)?;
            if !std::mem::replace(&mut seen[successor.index()], true) {
                budget.reserve(&mut nodes, 1)?;
                nodes.push(successor);
            }
        }
        for (variable, value) in rsm.values(node) {
            budget.spend(1)?;
            match values.get_mut(variable) {
                Some(known) => {
                    if !known.contains(&value) {
                        known.insert(value);
                    }
                }
                None => {
                    values.insert(variable.to_owned(), BTreeSet::from([value]));
                }
            }
        }
    }
    Ok((nodes, values))
}

/// All parts as components. A variable of several parts has the same labels in all of them: those of
/// all values that it has in any, so that states agree on the labels if they agree on the variable.
pub(crate) fn components(parts: Vec<Part>, reading: &mut Reading) -> Option<Vec<Component>> {
    let mut all = Values::new();
    for part in &parts {
        let Part::Machine(machine) = part else { continue };
        for (variable, values) in &machine.values {
            all.entry(variable.clone()).or_default().extend(values.iter().cloned());
        }
    }
    // others may label their states with values of these variables
    for part in &parts {
        let labels: Vec<&str> = match part {
            Part::Component(component) => component.atoms().iter().collect(),
            Part::Machine(machine) => machine.rsm.labels().collect(),
        };
        for (variable, value) in labels.into_iter().filter_map(|label| label.split_once(" = ")) {
            if let Some(values) = all.get_mut(variable) {
                values.insert(value.to_owned());
            }
        }
    }
    let mut made = Vec::with_capacity(parts.len());
    for part in parts {
        made.push(match part {
            Part::Component(component) => component,
            Part::Machine(machine) => match machine.component(&all, &mut reading.budget) {
                Ok(component) => component,
                Err(Stopped::Wrong(problems)) => {
                    reading.add(machine.input, problems);
                    return None;
                }
                Err(Stopped::Exhausted(why)) => {
                    reading.stop(&machine.input, why);
                    return None;
                }
            },
        });
    }
    Some(made)
}
