//! A recursive state machine as replay sees it, by the semantics alone (`docs/semantics.md`): a
//! state is a node under a call stack.

use crate::calls::Crossings;
use crate::explore::Graph;
use crate::proposition::Proposition;
use crate::space::{BoxedNeighbourhood, LoopRound, Neighbourhood, Reaching, StateSpace};
use crate::successors::{carries, successors};
use crate::{AtExit, Loop, Path, State};
use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_rsm::{BoxId, ComponentId, LabelId, Rsm, Vertex, VertexKind};

/// This many states are explored beyond those of the evidence.
const MOST_STATES: usize = 1 << 16;

/// The same in a machine that calls, where there are mostly infinitely many.
const MOST_OF_CALLS: usize = 1 << 12;

/// A recursive state machine with what its runs do after the last exit.
#[derive(Clone, Copy)]
pub struct MachineSpace<'m> {
    pub(crate) rsm: &'m Rsm,
    pub(crate) at_exit: AtExit,
    /// The component in which stacks start.
    base: ComponentId,
}

impl<'m> MachineSpace<'m> {
    /// A machine whose stacks start in its initial component.
    pub fn new(rsm: &'m Rsm, at_exit: AtExit) -> Self {
        Self { rsm, at_exit, base: rsm.initial_component() }
    }

    /// The same machine with the stacks of a path, which may start in another component.
    pub(crate) fn along(self, path: &Path) -> Self {
        Self { base: path.base(self.rsm), ..self }
    }
}

impl StateSpace for MachineSpace<'_> {
    type State = State;
    type Atom = LabelId;

    fn is_initial(&self, state: &State) -> bool {
        state.stack.is_empty() && state.node.is_some_and(|node| self.rsm.initial().contains(&node))
    }

    fn is_step(&self, from: &State, to: &State, _: &mut Budget) -> Result<bool, Exhausted> {
        let rsm = self.rsm;
        let Some(node) = from.node else { return Ok(self.at_exit == AtExit::Sink && from == to) };
        let Some(exit) = rsm.exit_index(node) else {
            return Ok(rsm.successors(node).any(|target| lands(rsm, &from.stack, target, to)));
        };
        let Some((&site, below)) = from.stack.split_last() else {
            return Ok(match self.at_exit {
                AtExit::Loop => from == to,
                AtExit::Sink => to.node.is_none() && to.stack.is_empty(),
                AtExit::Stop => false,
            });
        };
        Ok(rsm
            .return_port(site, exit)
            .is_some_and(|port| rsm.successors(port).any(|target| lands(rsm, below, target, to))))
    }

    fn has_next(&self, state: &State) -> bool {
        has_next(self.rsm, self.at_exit, state.node, state.stack.last().copied())
    }

    fn atom(&self, name: &str) -> Option<LabelId> {
        self.rsm.label(name)
    }

    fn holds(&self, state: &State, label: LabelId) -> bool {
        carries(self.rsm, state.node, label)
    }

    /// Checks that each box lies in the component the one before calls, and the node in the last.
    fn check_state(&self, state: &State) -> Result<(), String> {
        let rsm = self.rsm;
        let mut component = self.base;
        for &site in &state.stack {
            if site.index() >= rsm.box_count() || rsm.owner(site) != component {
                return Err("the stack holds a box of another component than the one called".into());
            }
            component = rsm.callee(site);
        }
        match state.node {
            None if state.stack.is_empty() => Ok(()),
            None => Err("the state after the last exit has no stack".into()),
            Some(node)
                if node.index() < rsm.vertex_count()
                    && rsm.kind(node) == VertexKind::Node
                    && rsm.component_of(node) == component =>
            {
                Ok(())
            }
            Some(_) => Err("this is not a node of the component the stack leads to".into()),
        }
    }

    fn size(&self, state: &State) -> usize {
        1 + state.stack.len()
    }

    /// An exit under the empty stack, unless runs end there.
    fn rest(&self, state: &State) -> Option<State> {
        let is_last = state.stack.is_empty() && state.node.is_none_or(|node| self.rsm.is_exit(node));
        match self.at_exit {
            AtExit::Loop if is_last && state.node.is_some() => Some(state.clone()),
            AtExit::Sink if is_last => Some(State { stack: Vec::new(), node: None }),
            _ => None,
        }
    }

    fn explore<'s>(
        &'s self,
        seeds: &mut dyn Iterator<Item = &State>,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Option<BoxedNeighbourhood<'s, Self>>, Exhausted> {
        let most = if self.rsm.box_count() == 0 { MOST_STATES } else { MOST_OF_CALLS };
        let graph = Graph::explore(self.rsm, self.at_exit, seeds, most.min(limit), budget)?;
        Ok(Some(Box::new(Around { machine: self, graph })))
    }

    fn until<'s>(
        &'s self,
        through: &Proposition<LabelId>,
        to: &Proposition<LabelId>,
        budget: &mut Budget,
    ) -> Result<Option<Box<dyn Reaching<State> + 's>>, Exhausted> {
        let crossings = Crossings::new(self.rsm, self.at_exit, through, to, budget)?;
        Ok(Some(Box::new(crossings)))
    }

    /// No state of a loop drops below the stack it starts with; it may leave the box on top of that
    /// stack for another at the same height. A round of a growing loop can be run again on a larger
    /// stack if it looks at no frame but the uppermost one it starts with, and at that only if the
    /// larger stack has the same box there.
    fn closes(&self, states: &[State], Loop { from, to }: Loop) -> Result<Option<LoopRound>, String> {
        let (first, last) = (&states[from], &states[to]);
        let height = first.stack.len();
        if first.node != last.node {
            return Err(format!("the loop does not close: states {from} and {to} have different nodes"));
        }
        if !last.stack.starts_with(&first.stack) {
            return Err(format!(
                "the loop does not close: the stack of state {to} does not extend that of {from}"
            ));
        }
        if let Some(i) = (from..to).find(|&i| states[i].stack.len() < height) {
            return Err(format!("the loop drops below the stack it starts with, in state {i}"));
        }
        if last.stack.len() == height {
            return Ok(None);
        }
        let leaves = |i: usize| {
            let state = &states[i];
            state.stack.len() == height && state.node.is_some_and(|node| self.rsm.is_exit(node))
        };
        match (from..to).find(|&i| leaves(i)) {
            Some(i) if first.stack.last() != last.stack.last() => Err(format!(
                "state {i} returns from the call the loop starts in, and state {to} is in another"
            )),
            _ => Ok(Some(LoopRound { from, to, height, deeper: last.stack.len() - height })),
        }
    }

    /// The node on the stack that the rounds in between leave.
    fn later(&self, states: &[State], round: &LoopRound, index: usize, number: usize) -> State {
        let (first, last) = (&states[round.from], &states[round.to]);
        // the frame that a round starts in may be left for another, if it is the same box in every
        // round
        let kept = round.height - usize::from(round.height > 0 && first.stack.last() == last.stack.last());
        let added = &last.stack[kept..last.stack.len() - (round.height - kept)];
        let State { stack, node } = &states[index];
        let mut higher = stack[..kept].to_vec();
        (0..number).for_each(|_| higher.extend_from_slice(added));
        higher.extend_from_slice(&stack[kept..]);
        State { stack: higher, node: *node }
    }

    fn lowest(&self, walked: &[State]) -> usize {
        let leaves = |state: &&State| state.node.is_none_or(|node| self.rsm.is_exit(node));
        walked.iter().filter(leaves).map(|state| state.stack.len()).min().unwrap_or(usize::MAX)
    }
}

/// States around those of evidence that share their stacks.
struct Around<'m> {
    machine: &'m MachineSpace<'m>,
    graph: Graph,
}

impl Neighbourhood<State, LabelId> for Around<'_> {
    fn count(&self) -> usize {
        self.graph.len()
    }

    fn successors(&self) -> &Csr {
        &self.graph.successors
    }

    fn find(&self, state: &State) -> Option<usize> {
        self.graph.find(state)
    }

    fn holds(&self, number: usize, label: LabelId) -> bool {
        carries(self.machine.rsm, self.graph.node(number), label)
    }

    fn has_next(&self, number: usize) -> bool {
        has_next(self.machine.rsm, self.machine.at_exit, self.graph.node(number), self.graph.top_box(number))
    }
}

/// Whether an edge to `target`, taken under a stack, leads to a state: a port is a node with its
/// box on the stack.
fn lands(rsm: &Rsm, stack: &[BoxId], target: Vertex, state: &State) -> bool {
    state.node == Some(rsm.node_of(target))
        && match (rsm.box_of(target), state.stack.split_last()) {
            (None, _) => state.stack == stack,
            (Some(site), Some((&last, below))) => site == last && below == stack,
            (Some(_), None) => false,
        }
}

/// Whether the machine can move from a node, under a stack with this box on top, at all.
fn has_next(rsm: &Rsm, at_exit: AtExit, node: Option<Vertex>, top: Option<BoxId>) -> bool {
    let mut found = false;
    successors(rsm, at_exit, node, top, |_, _| found = true);
    found
}
