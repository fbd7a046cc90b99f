//! The machine as the semantics has it (`docs/semantics.md`): what a state is, what a step, and which
//! paths never end.

use crate::{AtExit, Loop, Path, State};
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{BoxId, ComponentId, Kind, LabelId, Rsm, Vertex};

/// Why a path was not checked to its end.
pub(crate) enum Fault {
    /// Something is not so.
    Wrong(String),
    /// A limit was reached.
    Exhausted(Exhausted),
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Fault::Wrong(message)
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Self {
        Fault::Wrong(message.to_owned())
    }
}

impl From<Exhausted> for Fault {
    fn from(exhausted: Exhausted) -> Self {
        Fault::Exhausted(exhausted)
    }
}

/// Nothing, or what is wrong.
pub(crate) type Checked = Result<(), Fault>;

/// Checks the states and the steps of a path whose stacks start in a component. `at` follows the state
/// looked at.
pub(crate) fn walk(
    rsm: &Rsm,
    at_exit: AtExit,
    base: ComponentId,
    states: &[State],
    at: &mut usize,
    budget: &mut Budget,
) -> Checked {
    if states.is_empty() {
        return Err("a path has at least one state".into());
    }
    for (i, state) in states.iter().enumerate() {
        *at = i;
        budget.spend(1 + state.stack.len())?;
        well_formed(rsm, base, state)?;
    }
    for (i, (state, next)) in states.iter().zip(&states[1..]).enumerate() {
        *at = i;
        budget.spend(1 + state.stack.len())?;
        if !is_step(rsm, at_exit, state, next) {
            return Err(format!("no step leads from here to state {}", i + 1).into());
        }
    }
    *at = 0;
    Ok(())
}

/// The lowest stack height at which a state of a walk leaves an exit: frames further down do not matter.
pub(crate) fn lowest_exit(rsm: &Rsm, walked: &[State]) -> usize {
    let leaves = |state: &&State| state.node.is_none_or(|node| rsm.is_exit(node));
    walked.iter().filter(leaves).map(|state| state.stack.len()).min().unwrap_or(usize::MAX)
}

/// A run that never ends, as a word of `len` states of which the last is followed by the state `back`.
pub(crate) struct Endless<'p> {
    states: &'p [State],
    pub(crate) len: usize,
    pub(crate) back: usize,
    /// one round, if each round starts with a larger stack
    pub(crate) lap: Option<Lap>,
}

/// One round of a loop that grows the stack.
#[derive(Clone, Copy)]
pub(crate) struct Lap {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// the height of the stack where it starts
    pub(crate) height: usize,
    /// how much higher the stack is a round later
    pub(crate) deeper: usize,
}

impl<'p> Endless<'p> {
    /// The run along a walk that has a loop, or that ends where a run can only stay: in an exit under
    /// the empty stack, unless runs end there.
    pub(crate) fn new(rsm: &Rsm, path: &'p Path, at_exit: AtExit) -> Result<Self, String> {
        let states = &path.states;
        if let Some(repeats) = path.repeats {
            let lap = lap(rsm, states, repeats)?;
            return Ok(Self { states, len: repeats.to, back: repeats.from, lap });
        }
        let count = states.len();
        let stays = |len| Ok(Self { states, len, back: len - 1, lap: None });
        match states.last().filter(|last| last.stack.is_empty()).map(|last| last.node) {
            Some(None) if at_exit == AtExit::Sink => stays(count),
            Some(Some(node)) if rsm.is_exit(node) && at_exit == AtExit::Loop => stays(count),
            Some(Some(node)) if rsm.is_exit(node) && at_exit == AtExit::Sink => stays(count + 1),
            _ => Err("this is shown by a loop, and there is none".to_owned()),
        }
    }

    /// Whether the run goes on where the path has no loop.
    pub(crate) fn is_implied(&self) -> bool {
        self.len >= self.states.len()
    }

    /// The state of a later round of a growing loop that corresponds to a state of its first round: on the
    /// stack that the rounds in between leave. The first round is number 0.
    pub(crate) fn later(&self, lap: &Lap, index: usize, round: usize) -> State {
        let (first, last) = (&self.states[lap.from], &self.states[lap.to]);
        // the frame that a round starts in may be left for another, if it is the same box in every round
        let kept = lap.height - usize::from(lap.height > 0 && first.stack.last() == last.stack.last());
        let added = &last.stack[kept..last.stack.len() - (lap.height - kept)];
        let State { stack, node } = &self.states[index];
        let mut higher = stack[..kept].to_vec();
        (0..round).for_each(|_| higher.extend_from_slice(added));
        higher.extend_from_slice(&stack[kept..]);
        State { stack: higher, node: *node }
    }

    /// The node at a position; nothing after the last exit.
    pub(crate) fn node(&self, position: usize) -> Option<Vertex> {
        self.states.get(position)?.node
    }
}

/// Checks a loop; nothing if it ends in the very state it starts from.
///
/// No state of a loop drops below the stack it starts with; it may leave the box on top of that stack
/// for another at the same height. A round of a growing loop can be run again on a larger stack if it
/// looks at no frame but the uppermost one it starts with, and at that only if the larger stack has the
/// same box there.
fn lap(rsm: &Rsm, states: &[State], Loop { from, to }: Loop) -> Result<Option<Lap>, String> {
    if from >= to || to + 1 != states.len() {
        return Err(format!("a loop from state {from} to {to} does not end in the last state of the path"));
    }
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
        state.stack.len() == height && state.node.is_some_and(|node| rsm.is_exit(node))
    };
    match (from..to).find(|&i| leaves(i)) {
        Some(i) if first.stack.last() != last.stack.last() => {
            Err(format!("state {i} returns from the call the loop starts in, and state {to} is in another"))
        }
        _ => Ok(Some(Lap { from, to, height, deeper: last.stack.len() - height })),
    }
}

/// Whether a state with this node carries a label; the one after the last exit carries none.
pub(crate) fn carries(rsm: &Rsm, node: Option<Vertex>, label: LabelId) -> bool {
    node.is_some_and(|node| rsm.labels_of(node).any(|other| other == label))
}

/// Checks that each box lies in the component the one before calls, and the node in the last; the
/// first is `base`.
fn well_formed(rsm: &Rsm, base: ComponentId, state: &State) -> Checked {
    let mut component = base;
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
                && rsm.kind(node) == Kind::Node
                && rsm.component_of(node) == component =>
        {
            Ok(())
        }
        Some(_) => Err("this is no node of the component the stack leads to".into()),
    }
}

/// Whether the machine can move from one state to another in one step.
fn is_step(rsm: &Rsm, at_exit: AtExit, from: &State, to: &State) -> bool {
    let Some(node) = from.node else { return at_exit == AtExit::Sink && from == to };
    let Some(exit) = rsm.exit_index(node) else {
        return rsm.successors(node).any(|target| lands(rsm, &from.stack, target, to));
    };
    let Some((&site, below)) = from.stack.split_last() else {
        return match at_exit {
            AtExit::Loop => from == to,
            AtExit::Sink => to.node.is_none() && to.stack.is_empty(),
            AtExit::Stop => false,
        };
    };
    rsm.return_port(site, exit)
        .is_some_and(|port| rsm.successors(port).any(|target| lands(rsm, below, target, to)))
}

/// Whether an edge to `target`, taken under a stack, leads to a state: a port is a node with its box
/// on the stack.
fn lands(rsm: &Rsm, stack: &[BoxId], target: Vertex, state: &State) -> bool {
    state.node == Some(rsm.node_of(target))
        && match (rsm.box_of(target), state.stack.split_last()) {
            (None, _) => state.stack == stack,
            (Some(site), Some((&last, below))) => site == last && below == stack,
            (Some(_), None) => false,
        }
}

/// How a step changes the stack.
#[derive(Clone, Copy)]
pub(crate) struct StackChange {
    /// The box on top is left.
    pub(crate) leaves: bool,
    /// After that, this box is entered.
    pub(crate) enters: Option<BoxId>,
}

/// Calls `step` for each state that the machine can move to in one step from a node, under a stack with
/// this box on top. It is written apart from [`is_step`]: the tests compare the two.
pub(crate) fn successors(
    rsm: &Rsm,
    at_exit: AtExit,
    node: Option<Vertex>,
    top: Option<BoxId>,
    mut step: impl FnMut(StackChange, Option<Vertex>),
) {
    let stays = StackChange { leaves: false, enters: None };
    let Some(node) = node else { return step(stays, None) };
    let (source, leaves) = match (rsm.exit_index(node), top) {
        (None, _) => (Some(node), false),
        (Some(exit), Some(site)) => (rsm.return_port(site, exit), true),
        (Some(_), None) => {
            return match at_exit {
                AtExit::Loop => step(stays, Some(node)),
                AtExit::Sink => step(stays, None),
                AtExit::Stop => {}
            };
        }
    };
    for target in source.into_iter().flat_map(|source| rsm.successors(source)) {
        step(StackChange { leaves, enters: rsm.box_of(target) }, Some(rsm.node_of(target)));
    }
}

/// Whether the machine can move from a state at all.
pub(crate) fn goes_on(rsm: &Rsm, at_exit: AtExit, node: Option<Vertex>, top: Option<BoxId>) -> bool {
    let mut found = false;
    successors(rsm, at_exit, node, top, |_, _| found = true);
    found
}
