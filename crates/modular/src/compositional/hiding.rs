//! Products of processes with everything hidden that neither the formula nor a later process looks
//! at, reduced modulo divergence-preserving branching bisimulation after each step.
//!
//! This is for concrete labelled transition systems and for formulas that are insensitive to silent
//! steps that change nothing (`stutter.rs`, where it is shown that values stay). Time and memory
//! are those of the products before each reduction. The oracle is `tests/naive.rs`.

use super::order::cost;
use super::stutter::insensitive;
use super::{Stage, Stop, alone};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Idx, Stopped, Symbol, Truth};
use loris_lts::{
    Action, ActionId, Edge, Equivalence, Graph, Modality, Process, ProcessBuilder, ProcessKind, Product,
    SILENT, StateId, System, TAU, partition, quotient,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Products with actions hidden, as far as they were made.
pub(crate) struct Hiding<'a> {
    question: &'a SystemQuestion<'a>,
    /// by action: whether the formula tells it from `tau`
    visible: Vec<bool>,
    /// by action: whether it matters in every state that it can be taken
    watched: Vec<bool>,
    /// names that composing leaves silent
    silent: Vec<String>,
    first: u32,
    /// by process: whether it belongs to the product
    members: Vec<bool>,
    /// the processes outside, each reduced; as many as were
    processes: Vec<Option<Arc<Process>>>,
    order: Vec<u32>,
    /// the product, and the process that is composed with it next
    current: Option<Arc<Process>>,
    next: Option<u32>,
    stages: Vec<Stage>,
    /// states and nodes of complete products
    made: usize,
    /// states of products that were too large when they were tried
    wasted: usize,
    /// the limit of the last product that was too large
    refused: usize,
}

impl<'a> Hiding<'a> {
    /// Begins with a process; none if the question is not of that kind.
    pub(crate) fn of(question: &'a SystemQuestion<'a>, first: u32) -> Option<Self> {
        let system = question.system;
        if system.kind() != ProcessKind::Lts || !system.is_concrete() {
            return None;
        }
        let shape = insensitive(question.formula)?;
        let actions = 0..system.actions().len() as Action;
        let sets = || question.formula.action_sets().map(|(set, _)| set);
        let visible = |action| sets().any(|set| question.contains(set, action) != question.contains(set, 0));
        let watched = |action| shape.watched.iter().any(|&set| question.contains(set, action));
        let is_silent = |&action: &Action| action > 0 && system.visible_name(action) == "tau";
        let name = |action: Action| system.actions()[Symbol::new(action as usize)].to_owned();
        Some(Self {
            question,
            visible: actions.clone().map(visible).collect(),
            watched: actions.clone().map(watched).collect(),
            silent: actions.filter(is_silent).map(name).collect(),
            first,
            members: vec![false; system.len()],
            processes: Vec::with_capacity(system.len()),
            order: Vec::new(),
            current: None,
            next: None,
            stages: Vec::new(),
            made: 0,
            wasted: 0,
            refused: 0,
        })
    }

    /// How many states and nodes were made.
    pub(crate) fn made(&self) -> usize {
        self.made + self.wasted
    }

    /// How many stages came to an end.
    pub(crate) fn stages(&self) -> usize {
        self.processes.len() + self.stages.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.processes.iter().flatten().chain(&self.current).map(|process| process.bytes()).sum()
    }

    /// Products in the order they were made, with their states and the nodes of their games.
    pub(crate) fn into_stages(mut self) -> Vec<Stage> {
        if self.wasted > 0 {
            let tried = Stage { processes: self.order, nodes: self.wasted, undecided: 0 };
            // what decided comes last
            let place = self.stages.len().saturating_sub(1);
            self.stages.insert(place, tried);
        }
        self.stages
    }

    /// Goes on until the question is decided, or until there are more states and nodes than this,
    /// or the budget has spent this many steps after a product: then the result is none. A product
    /// that a limit cut off begins again.
    pub(crate) fn advance(
        &mut self,
        limit: usize,
        pause: u64,
        budget: &mut Budget,
    ) -> Result<Option<Truth>, Exhausted> {
        let mark = budget.used();
        let found = self.steps(limit, pause, budget);
        let used = budget.used();
        budget.release(used - mark);
        found
    }

    fn steps(&mut self, limit: usize, pause: u64, budget: &mut Budget) -> Result<Option<Truth>, Exhausted> {
        let system = self.question.system;
        while self.processes.len() < system.len() {
            if budget.spent() >= pause {
                return Ok(None);
            }
            let process = self.processes.len();
            self.members[process] = true;
            // alone, a process is not larger than it was
            let own = Arc::clone(&system.processes()[process]);
            let merged = self.merged(&[own], usize::MAX, budget);
            self.members[process] = false;
            match merged {
                Ok((process, _)) => self.processes.push(Some(Arc::new(process))),
                Err(Stop::Exhausted(why)) => return Err(why),
                Err(Stop::TooLarge) => return Ok(None),
            }
        }
        if self.order.is_empty() {
            self.order.push(self.first);
            self.members[self.first as usize] = true;
            self.current = self.processes[self.first as usize].take();
        }
        while let Some(current) = &self.current {
            if budget.spent() >= pause {
                return Ok(None);
            }
            let next = match self.next {
                Some(next) => next,
                None => match self.next_process(current, budget)? {
                    Some(next) => next,
                    None => break,
                },
            };
            self.next = Some(next);
            let left = limit.saturating_sub(self.made());
            // with little more room than the last time, it would be too large again
            if left < 2 * self.refused || left == 0 {
                return Ok(None);
            }
            let other = self.processes[next as usize].as_ref().expect("processes are chosen once");
            let pair = [Arc::clone(current), Arc::clone(other)];
            self.members[next as usize] = true;
            let merged = self.merged(&pair, left, budget);
            self.members[next as usize] = false;
            let (product, states) = match merged {
                Ok((product, states)) => (Arc::new(product), states),
                Err(Stop::Exhausted(why)) => return Err(why),
                Err(Stop::TooLarge) => {
                    self.wasted += left;
                    self.refused = left;
                    return Ok(None);
                }
            };
            let nodes = product.state_count().saturating_mul(self.question.formula.len());
            if states.saturating_add(nodes) > left {
                // its game may be too large
                self.wasted += states;
                self.refused = left;
                return Ok(None);
            }
            let (value, nodes) = self.value(&product, next, budget)?;
            self.members[next as usize] = true;
            self.processes[next as usize] = None;
            self.order.push(next);
            self.current = Some(product);
            (self.next, self.refused) = (None, 0);
            self.made += states + nodes;
            let is_done = value.is_known() || self.processes.iter().all(Option::is_none);
            let undecided = if is_done { 0 } else { nodes };
            self.stages.push(Stage { processes: self.order.clone(), nodes: states + nodes, undecided });
            if is_done {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The value in a product that a process has entered, with all others unknown, and the nodes of
    /// its game.
    fn value(
        &self,
        current: &Arc<Process>,
        entered: u32,
        budget: &mut Budget,
    ) -> Result<(Truth, usize), Exhausted> {
        let outside = (0..).zip(&self.processes).filter(|&(process, _)| process != entered);
        let others = outside.filter_map(|(_, process)| process.as_ref());
        let processes: Vec<Arc<Process>> = std::iter::once(current).chain(others).map(Arc::clone).collect();
        budget.spend(processes.iter().map(|process| process.actions().len()).sum())?;
        let system = System::new(processes, &self.silent).expect("processes of a system fit together");
        // actions that were hidden are not known any more
        let question = SystemQuestion::new(&system, self.question.formula, true).expect("nothing is refused");
        alone(&question, 0, budget)
    }

    /// The product of processes that are all members, with what nobody else looks at hidden, and
    /// reduced; with its number of states before.
    fn merged(
        &self,
        processes: &[Arc<Process>],
        limit: usize,
        budget: &mut Budget,
    ) -> Result<(Process, usize), Stop> {
        let mark = budget.used();
        let system = System::new(processes.to_vec(), &[]).expect("processes of a system fit together");
        let global: Vec<Action> = system.actions().iter().map(|name| self.action(name)).collect();
        let hides = |&action: &Action| {
            let participants = self.question.system.participants(action);
            !self.visible[action as usize]
                && participants.iter().all(|&(process, _)| self.members[process as usize])
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
    fn next_process(&self, current: &Process, budget: &mut Budget) -> Result<Option<u32>, Exhausted> {
        let system = self.question.system;
        let mut best: Option<((u64, bool, usize), u32)> = None;
        for (process, other) in self.processes.iter().enumerate() {
            let Some(other) = other else { continue };
            budget.spend(other.actions().len())?;
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
                let outside = participants.iter().filter(|&&(p, _)| !self.members[p as usize]).count();
                closed += u64::from(outside == 1);
            }
            let key = (cost(shared, closed, foreign), !is_mentioned, other.state_count());
            if best.is_none_or(|(least, _)| key < least) {
                best = Some((key, process as u32));
            }
        }
        Ok(best.map(|(_, process)| process))
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
