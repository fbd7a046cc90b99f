//! The states around those of evidence, explored breadth first up to a limit.
//!
//! States are real ones, a node under a call stack, with a number each. Stacks share what lies
//! below their top, so that a state takes constant space however deep it is. States that the limit
//! leaves unexplored have a number, but no successors are known. Linear in the states and steps
//! explored.

use crate::successors::successors;
use crate::{AtExit, State};
use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_rsm::{BoxId, Rsm, Vertex};
use rustc_hash::FxHashMap;

/// The number of the state after the last exit, as a node.
const SINK: u32 = u32::MAX;

/// States, and the steps from those that were explored.
pub(crate) struct Graph {
    /// the stacks but the empty one, which is number 0: the stack below and the box on top
    stacks: Vec<(u32, u32)>,
    stack_numbers: FxHashMap<(u32, u32), u32>,
    /// the stack and the node of each state
    states: Vec<(u32, u32)>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// a row for each state that was explored
    pub(crate) successors: Csr,
}

/// Bytes of a state, with its stack and its entries in tables.
const STATE_BYTES: usize = 80;

impl Graph {
    /// Explores from these states until all are explored, or `limit` others were found.
    pub(crate) fn explore(
        rsm: &Rsm,
        at_exit: AtExit,
        seeds: &mut dyn Iterator<Item = &State>,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Graph, Exhausted> {
        let mut graph = Graph {
            stacks: Vec::new(),
            stack_numbers: FxHashMap::default(),
            states: Vec::new(),
            numbers: FxHashMap::default(),
            successors: Csr::default(),
        };
        for seed in seeds {
            budget.spend(1 + seed.stack.len())?;
            let stack = seed.stack.iter().fold(0, |below, &site| graph.push(below, site));
            graph.state(stack, seed.node);
        }
        budget.charge(graph.states.len() * STATE_BYTES)?;
        let most = graph.states.len() + limit;
        let mut row = Vec::new();
        let mut at = 0;
        while at < graph.states.len() && graph.states.len() < most && graph.successors.len() < 16 * most {
            let before = graph.states.len();
            let (stack, node) = graph.states[at];
            let node = (node != SINK).then(|| Vertex::new(node as usize));
            let top = graph.top(stack);
            row.clear();
            successors(rsm, at_exit, node, top.map(|(_, site)| site), |change, node| {
                let below = if change.leaves { top.map_or(0, |(below, _)| below) } else { stack };
                let stack = change.enters.map_or(below, |site| graph.push(below, site));
                row.push(graph.state(stack, node));
            });
            budget.spend(1 + row.len())?;
            budget.charge((graph.states.len() - before) * STATE_BYTES + 8 * (1 + row.len()))?;
            graph.successors.push_row(row.iter().copied());
            at += 1;
        }
        Ok(graph)
    }

    /// How many states there are, explored or not.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The node of a state; nothing after the last exit.
    pub(crate) fn node(&self, state: usize) -> Option<Vertex> {
        let (_, node) = self.states[state];
        (node != SINK).then(|| Vertex::new(node as usize))
    }

    /// The box on top of the stack of a state.
    pub(crate) fn top_box(&self, state: usize) -> Option<BoxId> {
        self.top(self.states[state].0).map(|(_, site)| site)
    }

    /// The number of a state, if it is one of these.
    pub(crate) fn find(&self, state: &State) -> Option<usize> {
        let mut stack = 0;
        for site in &state.stack {
            stack = *self.stack_numbers.get(&(stack, site.index() as u32))?;
        }
        let node = state.node.map_or(SINK, |node| node.index() as u32);
        self.numbers.get(&(stack, node)).map(|&number| number as usize)
    }

    fn top(&self, stack: u32) -> Option<(u32, BoxId)> {
        let (below, site) = *self.stacks.get((stack as usize).checked_sub(1)?)?;
        Some((below, BoxId::new(site as usize)))
    }

    fn push(&mut self, below: u32, site: BoxId) -> u32 {
        let key = (below, site.index() as u32);
        *self.stack_numbers.entry(key).or_insert_with(|| {
            self.stacks.push(key);
            self.stacks.len() as u32
        })
    }

    fn state(&mut self, stack: u32, node: Option<Vertex>) -> u32 {
        let key = (stack, node.map_or(SINK, |node| node.index() as u32));
        *self.numbers.entry(key).or_insert_with(|| {
            self.states.push(key);
            self.states.len() as u32 - 1
        })
    }
}
