//! States that are calls.
//!
//! In a recursive program states that satisfy a `CALL` become boxes, the others nodes; the
//! conditions of the thesis on sub-structures (section 5.1) are checked here, where states are
//! known.

use super::explore::Space;
use super::labels::Labeller;
use super::layout::{Bits, Layout};
use super::naming::{name, values};
use super::order::Order;
use super::trouble::Reporter;
use crate::ir::Call;
use loris_base::{Budget, Csr, Diagnostic, Diagnostics, Exhausted, Idx, Stopped};
use loris_rsm::{ComponentGraph, NodeSet, PartBox};
use std::rc::Rc;

/// By state, the call that it is.
pub(super) type Sites<'a> = Vec<Option<&'a Call>>;

/// Problems of states, which may be as many as these.
struct Found<'b> {
    list: Diagnostics,
    budget: &'b mut Budget,
}

impl Found<'_> {
    fn push(&mut self, problem: Diagnostic) -> Result<(), Exhausted> {
        self.budget.charge(size_of::<Diagnostic>() + problem.message.capacity())?;
        self.list.push(problem);
        Ok(())
    }
}

/// Finds out which states are calls, and whether they are where calls may be.
pub(super) fn sites<'a, B: Bits>(
    order: &Order<'a>,
    mut labeller: Labeller<'_, B>,
    report: &Reporter<'_>,
    space: &Space<B>,
    budget: &mut Budget,
) -> Result<Sites<'a>, Stopped> {
    let (structure, states) = (order.structure, &space.states);
    let mut sites: Sites<'_> = Vec::new();
    budget.reserve(&mut sites, states.len())?;
    sites.resize(states.len(), None);
    let mut found = Found { list: Diagnostics::default(), budget };
    for call in &structure.calls {
        let set = labeller.set(call.condition, found.budget);
        let set = set.map_err(|(trouble, state)| report.trouble(trouble, state.as_ref()))?;
        for state in set.iter() {
            found.budget.spend(1)?;
            match &mut sites[state as usize] {
                Some(other) => {
                    found.push(report.two_calls(&states[state as usize], other, call, order.program))?;
                }
                none => *none = Some(call),
            }
        }
    }
    for label in &structure.labels {
        let (set, _) = labeller.some(label.condition, found.budget)?;
        found.budget.spend(set.len())?;
        if let Some(state) = set.iter().find(|&state| sites[state as usize].is_some()) {
            found.push(report.labelled_call(&states[state as usize], label))?;
        }
    }
    if space.initial > 1 {
        found.push(report.several_initial(space.initial, &states[0], &states[1]))?;
    }
    if let Some(call) = sites[0] {
        found.push(report.entry_is_call(&states[0], call))?;
    }
    if let Some((exit, call)) = space.exit.and_then(|exit| Some((exit, sites[exit as usize]?))) {
        found.push(report.exit_is_call(&states[exit as usize], call))?;
    }
    for state in 0..states.len() {
        if sites[state].is_none() {
            continue;
        }
        let row = space.successors.row(state);
        found.budget.spend(1 + row.len())?;
        let next = row.iter().find_map(|&next| Some((next, sites[next as usize]?)));
        if let Some((next, call)) = next {
            found.push(report.call_after_call(&states[state], &states[next as usize], call))?;
        }
    }
    if found.list.has_errors() { Err(Stopped::Wrong(found.list)) } else { Ok(sites) }
}

/// Nodes and boxes of a recursive structure.
pub(super) struct Divided<B> {
    pub(super) part: ComponentGraph,
    pub(super) states: Vec<B>,
    /// the state of each node
    pub(super) nodes: Option<Vec<u32>>,
    /// by state, its number among nodes, or among boxes after all nodes
    numbers: Vec<u32>,
}

/// Divides states into nodes and boxes.
pub(super) fn divided<B: Bits>(
    order: &Order<'_>,
    layout: &Layout,
    space: Space<B>,
    sites: &Sites<'_>,
    budget: &mut Budget,
) -> Result<Divided<B>, Exhausted> {
    let Space { states, successors, exit, dead, .. } = space;
    let (mut nodes, mut numbers): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let calls = sites.iter().flatten().count();
    budget.reserve(&mut nodes, sites.len() - calls)?;
    budget.reserve(&mut numbers, sites.len())?;
    budget.spend(2 * sites.len())?;
    nodes.extend((0..sites.len() as u32).filter(|&state| sites[state as usize].is_none()));
    numbers.resize(sites.len(), 0);
    for (number, &state) in nodes.iter().enumerate() {
        numbers[state as usize] = number as u32;
    }
    let mut boxes = Vec::new();
    let mut places: Vec<u32> = Vec::new();
    budget.reserve(&mut boxes, calls)?;
    budget.reserve(&mut places, calls)?;
    for (state, call) in sites.iter().enumerate() {
        if let Some(call) = call {
            numbers[state] = (nodes.len() + boxes.len()) as u32;
            let variables = &order.structure.variables;
            let domains = layout.fields.iter().map(|field| &variables[field.variable]);
            let domains = domains.map(|variable| (&*variable.name, &variable.domain));
            let name = name(&values(layout, domains, order.symbols, &states[state]));
            budget.charge(name.capacity())?;
            budget.spend(layout.fields.len())?;
            boxes.push(PartBox { name, callee: call.target.index() });
            places.push(state as u32);
        }
    }
    let (mut edges, mut row): (Csr, Vec<u32>) = (Csr::default(), Vec::new());
    for &state in nodes.iter().chain(&places) {
        row.clear();
        row.extend(successors.row(state as usize).iter().map(|&next| numbers[next as usize]));
        budget.spend(1 + row.len())?;
        edges.push_row_within(&row, budget)?;
    }
    budget.release(successors.bytes());
    budget.free(places);
    let part = ComponentGraph {
        name: order.structure.name.clone(),
        nodes: nodes.len(),
        entries: vec![0],
        exits: exit.iter().map(|&exit| numbers[exit as usize]).collect(),
        boxes,
        edges,
        dead_ends: dead.iter().map(|&state| numbers[state as usize]).collect(),
    };
    Ok(Divided { part, states, nodes: Some(nodes), numbers })
}

impl<B> Divided<B> {
    /// Sets of states as sets of nodes.
    pub(super) fn sets(&self, sets: &[Rc<NodeSet>], budget: &mut Budget) -> Result<Vec<NodeSet>, Exhausted> {
        let nodes = self.part.nodes as u32;
        let mut of_nodes = Vec::with_capacity(sets.len());
        for set in sets {
            budget.spend(set.len())?;
            budget.charge(4 * set.len())?;
            let all = set.iter().map(|state| self.numbers[state as usize]);
            of_nodes.push(NodeSet::listed(all.filter(|&node| node < nodes).collect()));
        }
        Ok(of_nodes)
    }
}
