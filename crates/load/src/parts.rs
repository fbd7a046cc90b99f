//! Machines without calls as parts of a composition: Kripke structures, whose states are the nodes
//! that can be reached.

use crate::format::Format;
use crate::model::{Origin, ReadMachine, model};
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
    Circuit(Started, Input),
    Machine(MachinePart),
}

/// A component with all of its initial states.
pub(crate) struct Started {
    pub(crate) component: Component,
    pub(crate) initial: Vec<StateId>,
}

/// A machine that is to be a component.
pub(crate) struct MachinePart {
    name: String,
    rsm: Rsm,
    input: Input,
    /// the nodes that can be reached, the initial ones first
    nodes: Vec<Vertex>,
    /// the values that variables have in them
    values: Values,
}

/// The values of variables, by name.
type Values = BTreeMap<String, BTreeSet<String>>;

impl MachinePart {
    /// Reads a machine. Problems are added to the reading, calls, exits and fairness conditions
    /// included.
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
        let ReadMachine { rsm, fairness, input, .. } = model(path, format, &origin, reading)?;
        let misfit = if rsm.box_count() > 0 {
            Some("a machine with calls is no component")
        } else if !rsm.exits(rsm.initial_component()).is_empty() {
            Some("a machine with exits is no component")
        } else if !fairness.is_empty() {
            Some("a model with fairness conditions is no component")
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
    fn component(&self, all: &Values, budget: &mut Budget) -> Result<Started, Stopped> {
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
        let component = builder.finish(budget)?;
        let initial = rsm.initial().iter().map(|node| numbers[node]).collect();
        Ok(Started { component, initial })
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

/// The nodes that can be reached, the initial ones first, and the values of variables in them.
fn reached(rsm: &Rsm, budget: &mut Budget) -> Result<(Vec<Vertex>, Values), Exhausted> {
    let mut nodes = rsm.initial().to_vec();
    let mut seen = vec![false; rsm.vertex_count()];
    for node in &nodes {
        seen[node.index()] = true;
    }
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

/// All parts as components, and whether they begin with a step to their initial states: if one of them
/// has several. A variable of several parts has the same labels in all of them: those of all values that
/// it has in any, so that states agree on the labels if they agree on the variable.
pub(crate) fn components(parts: Vec<Part>, reading: &mut Reading) -> Option<(Vec<Component>, bool)> {
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
            Part::Component(component) | Part::Circuit(Started { component, .. }, _) => {
                component.atoms().iter().collect()
            }
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
            Part::Component(component) => {
                let initial = vec![component.initial()];
                (Started { component, initial }, None)
            }
            Part::Circuit(started, input) => (started, Some(input)),
            Part::Machine(machine) => {
                let started = machine.component(&all, &mut reading.budget);
                (settled(started, &machine.input, reading)?, Some(machine.input))
            }
        });
    }
    if made.iter().all(|(part, _)| part.initial.len() == 1) {
        return Some((made.into_iter().map(|(part, _)| part.component).collect(), false));
    }
    let mut started = Vec::with_capacity(made.len());
    for (Started { component, initial }, input) in made {
        let input = input.unwrap_or_else(|| Input::named(component.name()));
        // labelled transition systems do not compose with these
        started.push(if component.kind() == Kind::Kripke {
            settled(component.with_start(&initial, &mut reading.budget), &input, reading)?
        } else {
            component
        });
    }
    Some((started, true))
}

/// What was made; or else the reading has the problems.
pub(crate) fn settled<T>(made: Result<T, Stopped>, input: &Input, reading: &mut Reading) -> Option<T> {
    match made {
        Ok(made) => Some(made),
        Err(Stopped::Wrong(problems)) => {
            reading.add(input.clone(), problems);
            None
        }
        Err(Stopped::Exhausted(why)) => {
            reading.stop(input, why);
            None
        }
    }
}
