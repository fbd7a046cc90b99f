//! The obvious slow way: unfold a machine that does not recurse into a finite Kripke structure and
//! label its states the textbook way. Shares no code with any engine.

use loris_base::Idx;
use loris_evidence::AtExit;
use loris_logic::{Core, CoreNode};
use loris_rsm::{BoxId, Kind, Rsm, Vertex};
use std::collections::HashMap;

pub(crate) type State = (Vec<BoxId>, Option<Vertex>);

/// All states reached from the initial ones, and their successors.
pub(crate) struct Unfolding<'a> {
    rsm: &'a Rsm,
    states: Vec<State>,
    successors: Vec<Vec<usize>>,
    initial: Vec<usize>,
}

impl<'a> Unfolding<'a> {
    /// Unfolds, or gives up beyond `most` states.
    pub(crate) fn new(rsm: &'a Rsm, at_exit: AtExit, most: usize) -> Option<Self> {
        Self::bounded(rsm, at_exit, usize::MAX, most)
    }

    /// Unfolds what lies under stacks of at most `height` boxes; steps out of that are left out.
    pub(crate) fn bounded(rsm: &'a Rsm, at_exit: AtExit, height: usize, most: usize) -> Option<Self> {
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let mut states: Vec<State> = Vec::new();
        let mut successors: Vec<Vec<usize>> = Vec::new();
        let mut number = |state: State, states: &mut Vec<State>| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        };
        let initial =
            rsm.initial().iter().map(|&node| number((Vec::new(), Some(node)), &mut states)).collect();
        while successors.len() < states.len() {
            if states.len() > most {
                return None;
            }
            let (stack, node) = states[successors.len()].clone();
            let next = step(rsm, &stack, node, at_exit);
            let low = next.into_iter().filter(|(stack, _)| stack.len() <= height);
            let next = low.map(|state| number(state, &mut states)).collect();
            successors.push(next);
        }
        Some(Self { rsm, states, successors, initial })
    }

    /// Per vertex, the fewest steps to a state at that node.
    pub(crate) fn distances(&self) -> Vec<Option<usize>> {
        let mut found = vec![None; self.rsm.vertex_count()];
        let mut seen = vec![false; self.states.len()];
        let mut now = self.initial.clone();
        for distance in 0.. {
            if now.is_empty() {
                break;
            }
            let fresh: Vec<usize> = now.into_iter().filter(|&s| !std::mem::replace(&mut seen[s], true)).collect();
            for node in fresh.iter().filter_map(|&s| self.states[s].1) {
                found[node.index()].get_or_insert(distance);
            }
            now = fresh.iter().flat_map(|&s| self.successors[s].iter().copied()).collect();
        }
        found
    }

    /// Whether a formula holds in all initial states.
    pub(crate) fn check(&self, formula: &Core) -> bool {
        let values = self.label(formula);
        self.initial.iter().all(|&s| values[formula.root() as usize][s])
    }

    /// For a formula E[φ₁ U φ₂], the fewest steps from an initial state to the end of such a run.
    pub(crate) fn shortest(&self, formula: &Core, initial: usize) -> Option<usize> {
        let CoreNode::Eu(along, goal) = formula.nodes()[formula.root() as usize] else { return None };
        let values = self.label(formula);
        let mut now = vec![self.initial[initial]];
        let mut seen = vec![false; self.states.len()];
        for distance in 0.. {
            if now.is_empty() {
                return None;
            }
            if now.iter().any(|&s| values[goal as usize][s]) {
                return Some(distance);
            }
            let passing = now.iter().filter(|&&s| values[along as usize][s]);
            let next: Vec<usize> = passing.flat_map(|&s| self.successors[s].iter().copied()).collect();
            now = next.into_iter().filter(|&s| !std::mem::replace(&mut seen[s], true)).collect();
        }
        None
    }

    fn label(&self, formula: &Core) -> Vec<Vec<bool>> {
        let mut values: Vec<Vec<bool>> = Vec::new();
        for &node in formula.nodes() {
            let at = |node: u32| &values[node as usize];
            let all = 0..self.states.len();
            let value: Vec<bool> = match node {
                CoreNode::True => vec![true; self.states.len()],
                CoreNode::Atom(k) => {
                    let label = self.rsm.label(&formula.atoms()[k as usize]);
                    let carries = |node: Vertex| {
                        label.is_some_and(|label| self.rsm.labels_of(node).any(|l| l == label))
                    };
                    all.map(|s| self.states[s].1.is_some_and(carries)).collect()
                }
                CoreNode::Not(a) => all.map(|s| !at(a)[s]).collect(),
                CoreNode::And(a, b) => all.map(|s| at(a)[s] && at(b)[s]).collect(),
                CoreNode::Or(a, b) => all.map(|s| at(a)[s] || at(b)[s]).collect(),
                CoreNode::Ex(a) => all.map(|s| self.some(s, at(a))).collect(),
                CoreNode::Eg(a) => Self::iterate(at(a).clone(), |s, now| at(a)[s] && self.some(s, now)),
                CoreNode::Eu(a, b) => {
                    Self::iterate(at(b).clone(), |s, now| at(b)[s] || at(a)[s] && self.some(s, now))
                }
            };
            values.push(value);
        }
        values
    }

    fn some(&self, state: usize, values: &[bool]) -> bool {
        self.successors[state].iter().any(|&next| values[next])
    }

    fn iterate(mut now: Vec<bool>, value: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        loop {
            let next: Vec<bool> = (0..now.len()).map(|s| value(s, &now)).collect();
            if next == now {
                return now;
            }
            now = next;
        }
    }
}

/// Fig. 2 of lazy-rsm, with ports read as the states they stand for.
pub(crate) fn step(rsm: &Rsm, stack: &[BoxId], node: Option<Vertex>, at_exit: AtExit) -> Vec<State> {
    let Some(node) = node else { return vec![(Vec::new(), None)] };
    let (source, stack) = if rsm.is_exit(node) {
        let Some((&site, below)) = stack.split_last() else {
            return match at_exit {
                AtExit::Stop => Vec::new(),
                _ => vec![(Vec::new(), (at_exit == AtExit::Loop).then_some(node))],
            };
        };
        let exits = rsm.exits(rsm.callee(site));
        let exit = exits.iter().position(|&exit| exit == node).expect("an exit of the callee");
        (rsm.return_port(site, exit).expect("a port for every exit"), below)
    } else {
        (node, stack)
    };
    let land = |target: Vertex| match rsm.kind(target) {
        Kind::Node => (stack.to_vec(), Some(target)),
        Kind::Call(site) | Kind::Return(site) => {
            let mut stack = stack.to_vec();
            stack.push(site);
            (stack, Some(rsm.node_of(target)))
        }
    };
    assert!(rsm.successors(source).len() > 0, "stuck at vertex {}", source.index());
    rsm.successors(source).map(land).collect()
}
