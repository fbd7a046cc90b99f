//! Reduction of processes: reachable states, labels and modalities as part of the equivalence.

use super::{Equivalence, partition, quotient};
use crate::builder::{Modality, ProcessBuilder};
use crate::graph::{Edge, Graph};
use crate::process::{ActionId, Process, StateId, TAU};
use loris_base::{Budget, Diagnostic, Exhausted, Idx, Stopped, Truth};
use rustc_hash::FxHashMap;

/// The actions that become silent before a reduction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hiding {
    /// None but those that are.
    #[default]
    Nothing,
    /// These.
    Only(Vec<ActionId>),
    /// All but these.
    AllBut(Vec<ActionId>),
}

impl Hiding {
    /// Whether an action becomes silent.
    pub fn hides(&self, action: ActionId) -> bool {
        match self {
            Hiding::Nothing => false,
            Hiding::Only(hidden) => hidden.contains(&action),
            Hiding::AllBut(visible) => !visible.contains(&action),
        }
    }
}

/// A reduced process.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The process, whose states are classes of states that can be reached. The alphabet is the
    /// same, without hidden actions.
    pub process: Process,
    /// For each state of the original process its class, or nothing if it cannot be reached.
    pub class_of: Vec<Option<StateId>>,
}

/// Reduces a process modulo an equivalence, after hiding actions. Labels of states and modalities
/// of steps are part of the equivalence. States are numbered in the order in which their first
/// members are reached breadth first; a state has the name of its first member.
///
/// Branching bisimulation is refused for processes with steps that may and need not be there:
/// silent steps of that kind cannot be left out, and which others can be depends on what is to be
/// preserved.
///
/// ```
/// use loris_base::Budget;
/// use loris_lts::{Equivalence, Hiding, read_aut, reduce};
/// let text = b"des (0,3,3)\n(0,a,1)\n(1,tau,2)\n(2,b,0)\n";
/// let (process, _) = read_aut(text, "ring", &mut Budget::unlimited()).unwrap();
/// let hiding = Hiding::Nothing;
/// let reduced = reduce(&process, Equivalence::Branching, &hiding, &mut Budget::unlimited()).unwrap();
/// assert_eq!(reduced.process.state_count(), 2);
/// ```
///
/// # Errors
/// The budget ran out, or the equivalence does not fit the process.
pub fn reduce(
    process: &Process,
    equivalence: Equivalence,
    hiding: &Hiding,
    budget: &mut Budget,
) -> Result<Reduced, Stopped> {
    budget.look()?;
    let is_certain = process.states().all(|state| process.steps(state).all(|step| step.must));
    if equivalence != Equivalence::Strong && !is_certain {
        let problem = Diagnostic::global(
            "a process with steps that are may and not must is reduced modulo strong bisimulation only",
        );
        return Err(problem.not_supported("branching bisimulation with may steps").into());
    }
    let before = budget.used();
    let labels = if is_certain { Labels::Actions } else { Labels::Modalities };
    let hidden: Vec<bool> =
        process.action_ids().map(|action| action == TAU || hiding.hides(action)).collect();
    let reached = Reached::new(process, &hidden, labels, budget)?;
    let classes = classes(process, &reached.order, budget)?;
    let partition = partition(&reached.graph, equivalence, classes.as_deref(), budget)?;
    let quotient = quotient(&reached.graph, &partition, equivalence, budget)?;

    let mut builder = ProcessBuilder::new(process.name(), process.kind());
    // the new number of each action
    let actions: Vec<ActionId> = process
        .action_ids()
        .map(|action| if hidden[action.index()] { TAU } else { builder.action(process.action_name(action)) })
        .collect();
    for atom in process.atoms().iter() {
        builder.atom(atom);
    }
    budget.charge(8 * (partition.blocks + process.state_count()))?;
    let mut firsts = vec![None; partition.blocks];
    for (&state, &block) in reached.order.iter().zip(&partition.block_of) {
        firsts[block as usize].get_or_insert(state);
    }
    for state in firsts.iter().flatten() {
        match process.state_name(*state) {
            Some(name) => builder.named_state(name),
            None => builder.state(),
        };
    }
    builder.initial(StateId::new(0));
    for (number, &state) in firsts.iter().flatten().enumerate() {
        let source = StateId::new(number);
        for atom in process.atom_ids() {
            builder.make_room(budget)?;
            let value = process.label(state, atom);
            if value.is_known() {
                builder.label(source, atom, value == Truth::True);
            }
        }
        for edge in quotient.edges(number) {
            builder.make_room(budget)?;
            let (action, must) = labels.unpacked(edge.label);
            let modality = if must { Modality::Both } else { Modality::May };
            builder.step(source, actions[action], StateId::new(edge.target as usize), modality);
        }
    }
    let mut class_of = vec![None; process.state_count()];
    for (state, &block) in reached.order.iter().zip(&partition.block_of) {
        class_of[state.index()] = Some(StateId::new(block as usize));
    }
    let process = builder.finish(budget)?;
    budget.settle(before + process.bytes() + 8 * class_of.len())?;
    Ok(Reduced { process, class_of })
}

/// How steps become edges.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Labels {
    /// All steps are must: the label is the action.
    Actions,
    /// An edge for may and, if the step is must, another one for that: may steps are matched by may
    /// steps, must steps by must steps.
    Modalities,
}

impl Labels {
    fn unpacked(self, label: u32) -> (usize, bool) {
        match self {
            Labels::Actions => (label as usize, true),
            Labels::Modalities => ((label / 2) as usize, label % 2 == 1),
        }
    }
}

/// The states that can be reached, breadth first, and the graph of them.
struct Reached {
    order: Vec<StateId>,
    graph: Graph,
}

impl Reached {
    fn new(
        process: &Process,
        hidden: &[bool],
        labels: Labels,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let n = process.state_count();
        budget.charge(4 * n)?;
        let mut number = vec![u32::MAX; n];
        let (mut order, mut graph, mut edges) = (Vec::new(), Graph::default(), Vec::new());
        budget.reserve(&mut order, 1)?;
        order.push(process.initial());
        number[process.initial().index()] = 0;
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            edges.clear();
            for step in process.steps(state) {
                let target = &mut number[step.target.index()];
                if *target == u32::MAX {
                    *target = order.len() as u32;
                    budget.reserve(&mut order, 1)?;
                    order.push(step.target);
                }
                let action = if hidden[step.action.index()] { TAU } else { step.action };
                let (label, target) = (action.index() as u32, *target);
                match labels {
                    Labels::Actions => edges.push(Edge { label, target }),
                    Labels::Modalities => {
                        edges.push(Edge { label: 2 * label, target });
                        if step.must {
                            edges.push(Edge { label: 2 * label + 1, target });
                        }
                    }
                }
            }
            graph.push_within(&edges, budget)?;
        }
        budget.release(4 * n);
        Ok(Self { order, graph })
    }
}

/// States by their labels, if there are any.
fn classes(process: &Process, order: &[StateId], budget: &mut Budget) -> Result<Option<Vec<u32>>, Exhausted> {
    if process.atoms().is_empty() {
        return Ok(None);
    }
    budget.charge(4 * order.len())?;
    let words = process.atoms().len().div_ceil(32);
    let mut numbers: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
    let mut classes = Vec::with_capacity(order.len());
    for &state in order {
        budget.spend(1 + process.atoms().len())?;
        let mut key = vec![0u64; words];
        for atom in process.atom_ids() {
            key[atom.index() / 32] |= (process.label(state, atom) as u64) << (2 * (atom.index() % 32));
        }
        let next = numbers.len() as u32;
        if let Some(&class) = numbers.get(&key) {
            classes.push(class);
        } else {
            budget.charge(8 * words + 64)?;
            numbers.insert(key, next);
            classes.push(next);
        }
    }
    budget.release(numbers.len() * (8 * words + 64));
    Ok(Some(classes))
}
