//! Products of processes with everything hidden that neither the formula nor a later process looks
//! at, reduced modulo divergence-preserving branching bisimulation after each step.
//!
//! This is for concrete labelled transition systems and for formulas that are insensitive to silent
//! steps that change nothing (`stutter.rs`, where it is shown that values stay). Time and memory
//! are those of the products before each reduction. The oracle is `tests/naive.rs`.

use super::order::cost;
use super::stutter::{Insensitive, insensitive};
use super::{Stage, Stop, alone};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Idx, Stopped, Symbol, Truth};
use loris_lts::{
    Action, ActionId, Edge, Equivalence, Graph, Modality, Process, ProcessBuilder, ProcessKind, Product,
    SILENT, StateId, System, TAU, partition, quotient,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What came out.
pub(crate) struct Hidden {
    /// The value of the question; none if a product was too large.
    pub(crate) value: Option<Truth>,
    /// Products in the order they were made, with their states and the nodes of their games.
    pub(crate) stages: Vec<Stage>,
}

/// Decides a question by products of at most this many states and nodes in all, beginning with a
/// process; none if the question is not of that kind.
pub(crate) fn check_hiding(
    question: &SystemQuestion<'_>,
    first: u32,
    limit: usize,
    budget: &mut Budget,
) -> Result<Option<Hidden>, Exhausted> {
    let system = question.system;
    if system.kind() != ProcessKind::Lts || !system.is_concrete() {
        return Ok(None);
    }
    let Some(shape) = insensitive(question.formula) else { return Ok(None) };
    let hiding = Hiding::new(question, &shape);
    let mark = budget.used();
    let hidden = hiding.run(first, limit, budget)?;
    let used = budget.used();
    budget.release(used - mark);
    Ok(Some(hidden))
}

struct Hiding<'a> {
    question: &'a SystemQuestion<'a>,
    /// by action: whether the formula tells it from `tau`
    visible: Vec<bool>,
    /// by action: whether it matters in every state that it can be taken
    watched: Vec<bool>,
    /// names that composing leaves silent
    silent: Vec<String>,
}

impl<'a> Hiding<'a> {
    fn new(question: &'a SystemQuestion<'a>, shape: &Insensitive) -> Self {
        let system = question.system;
        let actions = 0..system.actions().len() as Action;
        let sets = || question.formula.action_sets().map(|(set, _)| set);
        let visible = |action| sets().any(|set| question.contains(set, action) != question.contains(set, 0));
        let watched = |action| shape.watched.iter().any(|&set| question.contains(set, action));
        let is_silent = |&action: &Action| action > 0 && system.visible_name(action) == "tau";
        let name = |action: Action| system.actions()[Symbol::new(action as usize)].to_owned();
        Self {
            question,
            visible: actions.clone().map(visible).collect(),
            watched: actions.clone().map(watched).collect(),
            silent: actions.filter(is_silent).map(name).collect(),
        }
    }

    fn run(&self, first: u32, limit: usize, budget: &mut Budget) -> Result<Hidden, Exhausted> {
        let system = self.question.system;
        let mut members = vec![false; system.len()];
        let mut processes: Vec<Option<Arc<Process>>> = Vec::with_capacity(system.len());
        for process in 0..system.len() as u32 {
            members[process as usize] = true;
            // alone, a process is not larger than it was
            let merged = self.merged(
                &[Arc::clone(&system.processes()[process as usize])],
                &members,
                usize::MAX,
                budget,
            );
            members[process as usize] = false;
            match merged {
                Ok((process, _)) => processes.push(Some(Arc::new(process))),
                Err(Stop::Exhausted(why)) => return Err(why),
                Err(Stop::TooLarge) => return Ok(Hidden { value: None, stages: Vec::new() }),
            }
        }
        let mut stages = Vec::new();
        let mut order = vec![first];
        members[first as usize] = true;
        let mut current = processes[first as usize].take().expect("every process is reduced");
        let mut made = 0;
        while let Some(process) = self.next_process(&current, &members, &processes) {
            let other = processes[process as usize].take().expect("processes are chosen once");
            members[process as usize] = true;
            order.push(process);
            let left = limit.saturating_sub(made);
            let states = match self.merged(&[current, other], &members, left, budget) {
                Ok((process, states)) => {
                    current = Arc::new(process);
                    states
                }
                Err(Stop::Exhausted(why)) => return Err(why),
                Err(Stop::TooLarge) => {
                    stages.push(Stage { processes: order, nodes: left, undecided: 0 });
                    return Ok(Hidden { value: None, stages });
                }
            };
            let (value, nodes) = self.value(&current, &processes, budget)?;
            made += states + nodes;
            let is_done = value.is_known() || processes.iter().all(Option::is_none);
            let undecided = if is_done { 0 } else { nodes };
            stages.push(Stage { processes: order.clone(), nodes: states + nodes, undecided });
            if is_done {
                return Ok(Hidden { value: Some(value), stages });
            }
        }
        Ok(Hidden { value: None, stages })
    }

    /// The value in a product with all others unknown, and the nodes of its game.
    fn value(
        &self,
        current: &Arc<Process>,
        others: &[Option<Arc<Process>>],
        budget: &mut Budget,
    ) -> Result<(Truth, usize), Exhausted> {
        let processes = std::iter::once(current).chain(others.iter().flatten()).map(Arc::clone).collect();
        let system = System::new(processes, &self.silent).expect("processes of a system fit together");
        // actions that were hidden are not known any more
        let question = SystemQuestion::new(&system, self.question.formula, true).expect("nothing is refused");
        alone(&question, 0, budget)
    }

    /// The product of processes that are all `members`, with what nobody else looks at hidden, and
    /// reduced; with its number of states before.
    fn merged(
        &self,
        processes: &[Arc<Process>],
        members: &[bool],
        limit: usize,
        budget: &mut Budget,
    ) -> Result<(Process, usize), Stop> {
        let mark = budget.used();
        let system = System::new(processes.to_vec(), &[]).expect("processes of a system fit together");
        let global: Vec<Action> = system.actions().iter().map(|name| self.action(name)).collect();
        let hides = |&action: &Action| {
            let participants = self.question.system.participants(action);
            !self.visible[action as usize]
                && participants.iter().all(|&(process, _)| members[process as usize])
        };
        let hidden: Vec<bool> = global.iter().map(hides).collect();
        let atoms: Vec<Symbol> =
            (self.question.formula.atoms().iter()).filter_map(|name| system.atoms().find(name)).collect();
        let watched: Vec<Action> =
            (1..global.len() as Action).filter(|&own| self.watched[global[own as usize] as usize]).collect();

        let mut product = Product::new(&system, budget)?;
        let (mut graph, mut row, mut steps) = (Graph::default(), Vec::new(), Vec::new());
        let mut kinds: FxHashMap<Vec<bool>, u32> = FxHashMap::default();
        let (mut classes, mut labels, mut local) = (Vec::new(), Vec::new(), Vec::new());
        let mut state = 0;
        while (state as usize) < product.len() {
            if product.len() > limit {
                return Err(Stop::TooLarge);
            }
            product.decode(state, &mut local);
            let holds = |value: Truth| value == Truth::True;
            let mut key: Vec<bool> = atoms.iter().map(|&atom| holds(product.label(&local, atom))).collect();
            key.extend(watched.iter().map(|&action| holds(product.enabled(&local, action))));
            budget.spend(1 + key.len())?;
            budget.reserve(&mut classes, 1)?;
            let fresh = kinds.len() as u32;
            classes.push(*kinds.entry(key).or_insert_with_key(|key| {
                labels.push(key[..atoms.len()].to_vec());
                fresh
            }));
            if kinds.len() as u32 > fresh {
                budget.charge(atoms.len() * 2 + watched.len() + KIND_BYTES)?;
            }
            steps.clear();
            product.steps(state, &mut steps, budget)?;
            row.clear();
            row.extend(steps.iter().map(|step| Edge {
                label: if hidden[step.action as usize] { SILENT } else { step.action },
                target: step.target,
            }));
            graph.push_within(&row, budget)?;
            state += 1;
        }
        drop(product);
        let equivalence = Equivalence::DivergenceBranching;
        let found = partition(&graph, equivalence, Some(&classes), budget)?;
        let small = quotient(&graph, &found, equivalence, budget)?;
        let mut kind_of = vec![0; found.blocks];
        for (&class, &block) in classes.iter().zip(&found.block_of) {
            kind_of[block as usize] = class;
        }
        drop((graph, found, classes));
        let names: Vec<&str> = atoms.iter().map(|&atom| &system.atoms()[atom]).collect();
        let actions: Vec<Option<&str>> =
            system.actions().iter().zip(&hidden).map(|(name, &hidden)| (!hidden).then_some(name)).collect();
        let labels: Vec<&[bool]> = kind_of.iter().map(|&kind| labels[kind as usize].as_slice()).collect();
        let process = process(&small, &actions, &names, &labels, budget)?;
        let used = budget.used();
        budget.release(used - mark);
        budget.charge(process.bytes())?;
        Ok((process, state as usize))
    }

    /// The action of this name.
    fn action(&self, name: &str) -> Action {
        let symbol = self.question.system.actions().find(name);
        symbol.expect("products have no actions but those of their processes").index() as Action
    }

    /// The process to compose next: the one that leaves fewest actions to be shared with others, by
    /// share of all, and rather one that the formula mentions.
    fn next_process(
        &self,
        current: &Process,
        members: &[bool],
        processes: &[Option<Arc<Process>>],
    ) -> Option<u32> {
        let system = self.question.system;
        let mut best: Option<((u64, bool, usize), u32)> = None;
        for (process, other) in processes.iter().enumerate() {
            let Some(other) = other else { continue };
            let (mut shared, mut closed, mut foreign) = (0u64, 0u64, 0u64);
            let mut is_mentioned = false;
            for name in other.actions().iter().skip(1) {
                let action = self.action(name);
                is_mentioned |= self.visible[action as usize];
                if current.find_action(name).is_none() {
                    foreign += u64::from(!self.visible[action as usize]);
                    continue;
                }
                shared += 1;
                let participants = system.participants(action);
                let outside = participants.iter().filter(|&&(p, _)| !members[p as usize]).count();
                closed += u64::from(outside == 1);
            }
            let key = (cost(shared, closed, foreign), !is_mentioned, other.state_count());
            if best.is_none_or(|(least, _)| key < least) {
                best = Some((key, process as u32));
            }
        }
        best.map(|(_, process)| process)
    }
}

/// A graph as a process: by label its action, none for hidden ones, and by node its labels.
fn process(
    graph: &Graph,
    actions: &[Option<&str>],
    atoms: &[&str],
    labels: &[&[bool]],
    budget: &mut Budget,
) -> Result<Process, Exhausted> {
    let mut builder = ProcessBuilder::new("product", ProcessKind::Lts);
    builder.add_states(graph.node_count());
    builder.initial(StateId::new(0));
    let actions: Vec<ActionId> =
        actions.iter().map(|name| name.map_or(TAU, |name| builder.action(name))).collect();
    let atoms: Vec<_> = atoms.iter().map(|name| builder.atom(name)).collect();
    for (node, labels) in labels.iter().enumerate() {
        let source = StateId::new(node);
        for (&atom, &value) in atoms.iter().zip(*labels) {
            builder.make_room(budget)?;
            builder.label(source, atom, value);
        }
        for edge in graph.edges(node) {
            builder.make_room(budget)?;
            let target = StateId::new(edge.target as usize);
            builder.step(source, actions[edge.label as usize], target, Modality::Both);
        }
    }
    match builder.finish(budget) {
        Ok(process) => Ok(process),
        Err(Stopped::Exhausted(why)) => Err(why),
        Err(Stopped::Wrong(problems)) => unreachable!("products are well-formed: {problems:?}"),
    }
}

/// What the table of labels takes for one entry, about.
const KIND_BYTES: usize = 80;
