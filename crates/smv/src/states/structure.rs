//! One structure: its states and steps as a component. Where states are calls, `calls` divides
//! them.

use super::calls::{divided, sites};
use super::explore::{Failed, Model, Space, explore};
use super::labels::Labeller;
use super::layout::{Bits, Layout};
use super::naming::{Names, StateNames};
use super::order::Order;
use super::plan::Plans;
use super::trouble::Reporter;
use loris_base::{Budget, Diagnostic, Exhausted, Stopped};
use loris_rsm::{ComponentGraph, DeadEnds, NodeSet};
use std::rc::Rc;

/// The states of a structure.
pub(super) struct Made {
    pub(super) part: ComponentGraph,
    pub(super) names: Box<dyn StateNames>,
    /// for each condition, the nodes where it is true
    pub(super) sets: Vec<NodeSet>,
    pub(super) states: usize,
    /// whether states were left out
    pub(super) merged: bool,
    /// warnings
    pub(super) remarks: Vec<Diagnostic>,
}

/// Why there are no states.
pub(super) enum NotMade {
    Stopped(Stopped),
    /// conditions that are asked have no value in some state, by their numbers
    Faults(Vec<(usize, Diagnostic)>),
}

impl From<Stopped> for NotMade {
    fn from(stopped: Stopped) -> Self {
        NotMade::Stopped(stopped)
    }
}

impl From<Exhausted> for NotMade {
    fn from(why: Exhausted) -> Self {
        NotMade::Stopped(Stopped::Exhausted(why))
    }
}

pub(super) fn make(order: &Order<'_>, budget: &mut Budget) -> Result<Made, NotMade> {
    let layout = Layout::of(
        order.structure,
        order.conditions.iter().map(|condition| condition.expr),
        order.program.recursive,
    );
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
            let problem = Diagnostic::error(start.into(), (end - start) as usize, message);
            Err(Stopped::Wrong(problem.into()).into())
        }
    }
}

fn made<B: Bits>(order: &Order<'_>, layout: Layout, budget: &mut Budget) -> Result<Made, NotMade> {
    let &Order { program, structure, conditions, parts, symbols, limits, before } = order;
    let plans = Plans::of(structure, &layout, program.recursive, budget)?;
    let report = Reporter { structure, symbols, layout: &layout };
    let model = Model { structure, layout: &layout, plans: &plans, recursive: program.recursive, parts };
    let space = explore::<B>(&model, limits, before, budget);
    let space = match space {
        Ok(space) => space,
        Err(Failed::Stopped(stopped)) => return Err(stopped.into()),
        Err(Failed::Trouble(trouble, state)) => {
            return Err(report.trouble(trouble, state.as_ref()).into());
        }
    };
    drop(plans);
    if space.initial == 0 {
        return Err(Stopped::Wrong(report.no_start().into()).into());
    }
    if let (Some(&first), DeadEnds::Error) = (space.dead.first(), limits.dead_ends) {
        let count = (!space.merged).then_some(space.dead.len());
        return Err(report.dead_end(&space.states[first as usize], count).into());
    }
    let before = budget.used();
    let mut labeller = Labeller::new(structure, &layout, &space.states, program.recursive);
    let mut sets: Vec<Rc<NodeSet>> = Vec::with_capacity(conditions.len());
    let (mut remarks, mut faults) = (Vec::new(), Vec::new());
    for (number, condition) in conditions.iter().enumerate() {
        let (set, fault) = labeller.some(condition.expr, budget)?;
        match (fault, condition.unasked) {
            (Some((trouble, state)), None) => faults.push((number, report.absent(trouble, &state)?)),
            (Some((trouble, state)), Some(label)) => {
                remarks.push(report.absent_label(label, trouble, &state));
            }
            (None, _) => {}
        }
        sets.push(set);
    }
    if !faults.is_empty() {
        return Err(NotMade::Faults(faults));
    }
    let count = space.states.len();
    if program.recursive {
        let sites = sites(order, labeller, &report, &space, budget)?;
        let divided = divided(order, &layout, space, &sites, budget)?;
        let sets = divided.sets(&sets, budget)?;
        let names = Names::new(structure, layout, divided.states, divided.nodes, symbols);
        return Ok(Made {
            part: divided.part,
            names: Box::new(names),
            sets,
            states: count,
            merged: false,
            remarks,
        });
    }
    drop(labeller);
    let Space { states, successors, initial, dead, merged, .. } = space;
    // each of these is kept once for each label, everything else of the labeller is gone
    let kept = sets.iter().map(|set| set.bytes()).sum::<usize>() + 4 * initial;
    budget.hold(before + kept)?;
    let sets = sets.into_iter().map(|set| Rc::try_unwrap(set).unwrap_or_else(|set| (*set).clone()));
    let part = ComponentGraph {
        name: structure.name.clone(),
        nodes: count,
        entries: (0..initial as u32).collect(),
        exits: Vec::new(),
        boxes: Vec::new(),
        edges: successors,
        dead_ends: dead,
    };
    let sets = sets.collect();
    let names = Names::new(structure, layout, states, None, symbols);
    Ok(Made { part, names: Box::new(names), sets, states: count, merged, remarks })
}
