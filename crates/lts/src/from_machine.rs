//! Machines without calls as processes: Kripke structures, whose states are the nodes that can be
//! reached.

use crate::start::Started;
use crate::{Modality, ProcessBuilder, ProcessKind, StateId, TAU};
use loris_base::{Budget, Diagnostic, Exhausted, Idx, Stopped, Truth};
use loris_rsm::{Rsm, Vertex};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A machine that is to be a process.
#[derive(Debug)]
pub struct ListedMachine {
    name: String,
    pub(crate) rsm: Rsm,
    /// the nodes that can be reached, the initial ones first
    nodes: Vec<Vertex>,
    /// the values that variables have in them
    pub(crate) values: Values,
}

/// The values of variables, by name.
pub(crate) type Values = BTreeMap<String, BTreeSet<String>>;

impl ListedMachine {
    /// Lists the nodes of a machine without calls and exits that can be reached.
    ///
    /// # Errors
    /// The machine has calls or exits, or the budget ran out.
    pub fn new(name: &str, rsm: Rsm, budget: &mut Budget) -> Result<Self, Stopped> {
        if rsm.box_count() > 0 {
            return Err(Diagnostic::global("a machine with calls cannot be used as a process").into());
        }
        if !rsm.exits(rsm.initial_component()).is_empty() {
            return Err(Diagnostic::global("a machine with exits cannot be used as a process").into());
        }
        let (nodes, values) = reached(&rsm, budget)?;
        Ok(Self { name: name.to_owned(), rsm, nodes, values })
    }

    /// The process. A variable that is TRUE or FALSE is a label of its name, and any other one is
    /// a label `x = v` for each of its values in `all`, of which one is true in every state.
    pub(crate) fn process(&self, all: &Values, budget: &mut Budget) -> Result<Started, Stopped> {
        let Self { name, rsm, nodes, .. } = self;
        let mut builder = ProcessBuilder::new(name.clone(), ProcessKind::Kripke);
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
        let process = builder.finish(budget)?;
        let initial = rsm.initial().iter().map(|node| numbers[node]).collect();
        Ok(Started { process, initial })
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
