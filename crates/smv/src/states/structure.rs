//! One structure: its states and steps as a component.
//!
//! In a recursive program states that satisfy a `CALL` become boxes, the others nodes; what the thesis asks of sub-structures
//! (section 5.1) is checked here, where states are known.

use super::explore::{Failed, Space, explore};
use super::labels::Labeller;
use super::layout::{Bits, Layout};
use super::naming::{Names, StateNames, name};
use super::plan::Plans;
use super::trouble::Reporter;
use super::{Limits, Stopped};
use crate::ir::{Call, ExprId, Program, Structure};
use loris_base::{Budget, Csr, Diagnostic, Diagnostics, Idx};
use loris_rsm::{DeadEnds, NodeSet, Part, PartBox};
use std::rc::Rc;
use std::sync::Arc;

/// What became of a structure.
pub(super) struct Made {
    pub(super) part: Part,
    pub(super) names: Box<dyn StateNames>,
    /// for each condition, the nodes where it is true
    pub(super) sets: Vec<NodeSet>,
    pub(super) states: usize,
    /// warnings
    pub(super) remarks: Vec<Diagnostic>,
}

/// A condition that nodes are labelled with.
pub(super) struct Condition<'a> {
    pub(super) expr: ExprId,
    /// the name of a definition that nothing asks for: that it has no value somewhere is no error
    pub(super) unasked: Option<&'a str>,
}

/// What it is made of, and how.
pub(super) struct Order<'a> {
    pub(super) program: &'a Program,
    pub(super) structure: &'a Structure,
    /// conditions that nodes are labelled with
    pub(super) conditions: &'a [Condition<'a>],
    pub(super) symbols: &'a Arc<[String]>,
    pub(super) limits: &'a Limits,
    /// how many states other structures have
    pub(super) before: usize,
}

pub(super) fn make(order: &Order<'_>, budget: &mut Budget) -> Result<Made, Stopped> {
    let layout = Layout::of(order.structure, order.program.recursive);
    match (layout.words, layout.last) {
        (1, 0..=32) => made::<u32>(order, layout, budget),
        (1, _) => made::<[u64; 1]>(order, layout, budget),
        (2, _) => made::<[u64; 2]>(order, layout, budget),
        (3..=4, _) => made::<[u64; 4]>(order, layout, budget),
        (5..=8, _) => made::<[u64; 8]>(order, layout, budget),
        (9..=16, _) => made::<[u64; 16]>(order, layout, budget),
        (17..=64, _) => made::<[u64; 64]>(order, layout, budget),
        _ => {
            let (start, end) = order.structure.span;
            let message = "a state of this module takes more than 4096 bits, too many for explicit states";
            Err(Stopped::Wrong(Diagnostic::error(start.into(), (end - start) as usize, message).into()))
        }
    }
}

fn made<B: Bits>(order: &Order<'_>, layout: Layout, budget: &mut Budget) -> Result<Made, Stopped> {
    let &Order { program, structure, conditions, symbols, limits, before } = order;
    let plans = Plans::of(structure, &layout, program.recursive);
    let report = Reporter { structure, symbols, layout: &layout };
    let space = explore::<B>(structure, &layout, &plans, program.recursive, limits, before, budget);
    let Space { states, successors, initial, exit, dead } = match space {
        Ok(space) => space,
        Err(Failed::Stopped(stopped)) => return Err(stopped),
        Err(Failed::Trouble(trouble, state)) => return Err(report.trouble(trouble, state.as_ref())),
    };
    drop(plans);
    if initial == 0 {
        let (start, end) = structure.span;
        let message = format!("no state of module \"{}\" is initial", structure.name);
        let problem = Diagnostic::error(start.into(), (end - start) as usize, message)
            .help("what INIT, INVAR and init() ask for contradicts itself");
        return Err(Stopped::Wrong(problem.into()));
    }
    if let (Some(&first), DeadEnds::Error) = (dead.first(), limits.dead_ends) {
        return Err(report.dead_end(&states[first as usize], dead.len()));
    }
    let mut labeller = Labeller::new(structure, &layout, &states, program.recursive);
    let mut sets: Vec<Rc<NodeSet>> = Vec::with_capacity(conditions.len());
    let mut remarks = Vec::new();
    for condition in conditions {
        let (set, fault) = labeller.some(condition.expr, budget)?;
        match (fault, condition.unasked) {
            (Some((trouble, state)), None) => return Err(report.trouble(trouble, Some(&state))),
            (Some((trouble, state)), Some(label)) => {
                remarks.push(report.absent_label(label, trouble, &state));
            }
            (None, _) => {}
        }
        sets.push(set);
    }
    let count = states.len();
    if !program.recursive {
        drop(labeller);
        let names = Names::new(structure, layout, states, symbols);
        let part = Part {
            name: structure.name.clone(),
            nodes: count,
            entries: (0..initial as u32).collect(),
            exits: Vec::new(),
            boxes: Vec::new(),
            edges: successors,
            dead_ends: dead,
        };
        let sets = sets.into_iter().map(|set| Rc::try_unwrap(set).unwrap_or_else(|set| (*set).clone()));
        return Ok(Made { part, names: Box::new(names), sets: sets.collect(), states: count, remarks });
    }

    let mut problems = Diagnostics::default();
    let mut callee: Vec<Option<&Call>> = vec![None; count];
    for call in &structure.calls {
        let set = labeller.set(call.condition, budget);
        let set = set.map_err(|(trouble, state)| report.trouble(trouble, state.as_ref()))?;
        for state in set.iter() {
            match &mut callee[state as usize] {
                Some(other) => problems.push(report.two_calls(&states[state as usize], other, call, program)),
                none => *none = Some(call),
            }
        }
    }
    for label in &structure.labels {
        let (set, _) = labeller.some(label.condition, budget)?;
        if let Some(state) = set.iter().find(|&state| callee[state as usize].is_some()) {
            problems.push(report.labelled_call(&states[state as usize], label));
        }
    }
    drop(labeller);
    if initial > 1 {
        problems.push(report.several_initial(initial, &states[0], &states[1]));
    }
    if let Some(call) = callee[0] {
        problems.push(report.entry_is_call(&states[0], call));
    }
    if let Some((exit, call)) = exit.and_then(|exit| Some((exit, callee[exit as usize]?))) {
        problems.push(report.exit_is_call(&states[exit as usize], call));
    }
    for state in 0..count {
        let next = successors.row(state).iter().find(|&&next| callee[next as usize].is_some());
        if let (Some(_), Some(&next), Some(call)) =
            (callee[state], next, next.and_then(|&next| callee[next as usize]))
        {
            problems.push(report.call_after_call(&states[state], &states[next as usize], call));
        }
    }
    if problems.has_errors() {
        return Err(Stopped::Wrong(problems));
    }
    let mut names = Names::new(structure, layout, states, symbols);
    Ok(component(order, &mut names, &successors, &callee, exit, &dead).with(&sets, names, remarks))
}

/// Nodes and boxes of a recursive structure.
struct Divided {
    part: Part,
    /// by state, its number among nodes, or among boxes after all nodes
    numbers: Vec<u32>,
}

fn component<B: Bits>(
    order: &Order<'_>,
    names: &mut Names<B>,
    successors: &Csr,
    callee: &[Option<&Call>],
    exit: Option<u32>,
    dead: &[u32],
) -> Divided {
    let nodes: Vec<u32> =
        (0..callee.len() as u32).filter(|&state| callee[state as usize].is_none()).collect();
    let mut numbers = vec![0; callee.len()];
    for (number, &state) in nodes.iter().enumerate() {
        numbers[state as usize] = number as u32;
    }
    let mut boxes = Vec::new();
    let mut sites = Vec::new();
    for (state, call) in callee.iter().enumerate() {
        if let Some(call) = call {
            numbers[state] = (nodes.len() + boxes.len()) as u32;
            let name = name(&names.of(&names.states[state]));
            boxes.push(PartBox { name, callee: call.target.index() });
            sites.push(state as u32);
        }
    }
    let mut edges = Csr::default();
    for &state in nodes.iter().chain(&sites) {
        edges.push_row(successors.row(state as usize).iter().map(|&next| numbers[next as usize]));
    }
    let part = Part {
        name: order.structure.name.clone(),
        nodes: nodes.len(),
        entries: vec![0],
        exits: exit.iter().map(|&exit| numbers[exit as usize]).collect(),
        boxes,
        edges,
        dead_ends: dead.iter().map(|&state| numbers[state as usize]).collect(),
    };
    names.nodes = Some(nodes);
    Divided { part, numbers }
}

impl Divided {
    fn with<B: Bits>(self, sets: &[Rc<NodeSet>], names: Names<B>, remarks: Vec<Diagnostic>) -> Made {
        let nodes = self.part.nodes as u32;
        let sets = sets.iter().map(|set| {
            let of_nodes = set.iter().map(|state| self.numbers[state as usize]).filter(|&node| node < nodes);
            NodeSet::listed(of_nodes.collect())
        });
        let (sets, states) = (sets.collect(), self.numbers.len());
        Made { part: self.part, names: Box::new(names), sets, states, remarks }
    }
}
