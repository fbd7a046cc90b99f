//! Machines of objects made small before a property is decided on them.
//!
//! A rule looks at a few events, and most of what a method does with an object is none of them.
//! Components are reduced from the bottom of the call graph up: each is replaced by its
//! [quotient], and a call of a component that calls nothing itself and is small, by a copy of it. A
//! component is reduced once for each rule, however many sites reach it. What is left of a machine
//! is a handful of nodes in most cases, with calls only where methods recurse.
//!
//! The reduction keeps the truth value of every formula that [`is_insensitive`], which is all a
//! verdict needs; stories are told on the machine as it was explored.

mod graph;
mod quotient;
mod rsm;
mod stutter;
#[cfg(test)]
mod tests;

pub(crate) use graph::{Graph, GraphCall, GraphNode, Mask};
pub(crate) use rsm::rsm;
pub(crate) use stutter::is_insensitive;

use crate::ask::{holds_in_graph, holds_in_machine};
use loris_base::{Budget, Csr, Exhausted, strong_components};
use loris_logic::CtlCore;
use quotient::quotient;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Components with more nodes than this are called, not copied.
const INLINED: usize = 40;

/// Reduced components of one rule.
#[derive(Default)]
pub(crate) struct Reducer {
    known: FxHashMap<usize, Rc<Reduced>>,
    /// bytes that the components hold, and those of them that were charged to a budget
    held: usize,
    charged: usize,
}

/// A reduced component, and for each of its exits the node that it is there.
struct Reduced {
    graph: Graph,
    exits: Vec<(u32, u32)>,
}

impl Reducer {
    /// The machine of a component and what it calls, reduced: the first component is that one. It
    /// is not remembered; those it calls are. `component` gives the components by their numbers.
    pub(crate) fn machine(
        &mut self,
        top: usize,
        component: &mut dyn FnMut(usize) -> Graph,
        budget: &mut Budget,
    ) -> Result<Vec<Graph>, Exhausted> {
        for group in self.groups(top, component, budget)? {
            let members: Vec<usize> = group.iter().map(|&(number, _)| number).collect();
            for (number, graph) in group {
                let graph = self.with_copies(graph, &members);
                let (graph, exits) = quotient(&graph, budget)?;
                if number != top {
                    self.held += graph.bytes();
                }
                self.known.insert(number, Rc::new(Reduced { graph, exits }));
            }
        }
        budget.grow(&mut self.charged, self.held)?;
        let machine = self.collect(top);
        self.known.remove(&top);
        Ok(machine)
    }

    /// Forgets all components.
    pub(crate) fn forget(&mut self, budget: &mut Budget) {
        budget.release(self.charged);
        *self = Self::default();
    }

    /// New components that a component reaches, in groups that call each other, callees first.
    fn groups(
        &self,
        top: usize,
        component: &mut dyn FnMut(usize) -> Graph,
        budget: &mut Budget,
    ) -> Result<Vec<Vec<(usize, Graph)>>, Exhausted> {
        let mut numbers = vec![top];
        let mut places: FxHashMap<usize, u32> = FxHashMap::from_iter([(top, 0)]);
        let mut graphs: Vec<Option<Graph>> = Vec::new();
        let mut calls = Csr::default();
        while let Some(&number) = numbers.get(graphs.len()) {
            let graph = component(number);
            budget.spend(graph.nodes.len())?;
            let mut callees = Vec::new();
            for call in graph.nodes.iter().flat_map(|node| &node.calls) {
                if self.known.contains_key(&call.callee) {
                    continue;
                }
                callees.push(*places.entry(call.callee).or_insert_with(|| {
                    numbers.push(call.callee);
                    numbers.len() as u32 - 1
                }));
            }
            calls.push_row(callees);
            graphs.push(Some(graph));
        }
        let groups = strong_components(&calls);
        let groups = (0..groups.rows()).map(|row| {
            let members = groups.row(row).iter().map(|&place| place as usize);
            members.filter_map(|place| Some((numbers[place], graphs[place].take()?))).collect()
        });
        Ok(groups.collect())
    }

    /// A component with copies of what it calls, as far as that is small and not of its own group.
    fn with_copies(&self, mut graph: Graph, group: &[usize]) -> Graph {
        for at in 0..graph.nodes.len() {
            for call in std::mem::take(&mut graph.nodes[at].calls) {
                let callee = self.known.get(&call.callee).filter(|_| !group.contains(&call.callee));
                match callee {
                    Some(callee) if callee.graph.nodes.len() <= INLINED && callee.graph.is_flat() => {
                        graph.inline(at, &callee.graph, &callee.exits, &call);
                    }
                    _ => graph.nodes[at].calls.push(call),
                }
            }
        }
        graph
    }

    /// A component with all that is still called, numbered by their places.
    fn collect(&self, top: usize) -> Vec<Graph> {
        let mut order = vec![top];
        let mut numbers = FxHashMap::from_iter([(top, 0)]);
        let mut machine: Vec<Graph> = Vec::new();
        while let Some(number) = order.get(machine.len()) {
            let Some(reduced) = self.known.get(number) else { break };
            let mut graph = reduced.graph.clone();
            for call in graph.nodes.iter_mut().flat_map(|node| &mut node.calls) {
                let place = numbers.len();
                let callee = *numbers.entry(call.callee).or_insert_with(|| {
                    order.push(call.callee);
                    place
                });
                let exits = &self.known[&call.callee].exits;
                for (exit, _) in &mut call.returns {
                    *exit = exits.iter().find(|(name, _)| name == exit).map_or(*exit, |&(_, node)| node);
                }
                call.callee = callee;
            }
            machine.push(graph);
        }
        machine
    }
}

/// Whether a formula holds at the entry of the first component. Its atoms are the bits `atoms`, of
/// which `names` has names.
pub(crate) fn holds(
    machine: &[Graph],
    formula: &CtlCore,
    atoms: &[u32],
    names: &[String],
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    let [graph] = machine else { return holds_in_machine(&rsm(machine, names), formula, budget) };
    if !graph.is_flat() {
        return holds_in_machine(&rsm(machine, names), formula, budget);
    }
    let rows = graph.nodes.len();
    let mut successors = Csr::with_capacity(rows, rows);
    for node in &graph.nodes {
        successors.push_row(node.next.iter().copied());
    }
    let is_labelled = |node: u32, atom: u32| graph.nodes[node as usize].mask >> atom & 1 == 1;
    holds_in_graph(&successors, is_labelled, formula, atoms, budget)
}
