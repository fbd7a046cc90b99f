//! Why a target that looks ahead holds in a state: the steps it relies on, one query each.

use crate::query::{Query, Witness};
use crate::target::ReachProperty;
use loris_base::{Budget, Exhausted, Idx};
use loris_circuit::{RunStep, SystemRun, TransitionSystem};
use loris_logic::{CoreId, CoreNode};
use loris_solvers::sat::{Frame, Sat, SatLit};

impl ReachProperty {
    /// The run that shows the property, or refutes it, with the steps that its last state relies
    /// on.
    pub(crate) fn witness(
        &self,
        query: &Query<'_>,
        mut trace: SystemRun,
        budget: &mut Budget,
    ) -> Result<Option<Witness>, Exhausted> {
        let nodes = query.core.nodes();
        let root = query.core.root();
        if self.at_start && self.steps.is_empty() {
            return Ok(Some(Witness { shows: root, negated: true, trace, because: Vec::new() }));
        }
        let shows = match nodes[root.index()] {
            CoreNode::Not(of) => of,
            _ => root,
        };
        let Some(last) = trace.steps.len().checked_sub(1) else { return Ok(None) };
        let state = trace.steps[last].state.clone();
        let goal = match nodes[shows.index()] {
            CoreNode::Eu(_, to) if !self.at_start => to,
            CoreNode::Ex(of) => {
                // the run is the step itself
                let witness = step(&self.system, query, shows, of, &state, budget)?;
                return Ok(Some(witness));
            }
            _ => shows,
        };
        trace.steps.truncate(last + 1);
        let because = because(&self.system, query, goal, &state, budget)?;
        let because = because.into_iter().map(|witness| (last, witness)).collect();
        Ok(Some(Witness { shows, negated: false, trace, because }))
    }
}

/// The steps that a boolean combination relies on in a state in which it holds.
fn because(
    system: &TransitionSystem,
    query: &Query<'_>,
    goal: CoreId,
    state: &[bool],
    budget: &mut Budget,
) -> Result<Vec<Witness>, Exhausted> {
    let nodes = query.core.nodes();
    let (mut shown, mut stack) = (Vec::new(), vec![goal]);
    while let Some(node) = stack.pop() {
        match nodes[node.index()] {
            CoreNode::And(a, b) => stack.extend([b, a]),
            CoreNode::Or(a, b) => {
                stack.push(if satisfying(system, query, a, state, false, budget)?.is_some() { a } else { b });
            }
            CoreNode::Ex(of) => shown.push(step(system, query, node, of, state, budget)?),
            _ => {}
        }
    }
    Ok(shown)
}

/// A step to a state in which a function holds, and why it does.
fn step(
    system: &TransitionSystem,
    query: &Query<'_>,
    node: CoreId,
    of: CoreId,
    state: &[bool],
    budget: &mut Budget,
) -> Result<Witness, Exhausted> {
    let choice = satisfying(system, query, of, state, true, budget)?.expect("the target holds in this state");
    let next = system.step(state, &choice);
    let because =
        because(system, query, of, &next, budget)?.into_iter().map(|witness| (1, witness)).collect();
    let last = RunStep { state: next, choice: vec![false; choice.len()] };
    let trace = SystemRun { steps: vec![RunStep { state: state.to_vec(), choice }, last], back_to: None };
    Ok(Witness { shows: node, negated: false, trace, because })
}

/// A choice under which a node holds in a state, or, `after`, in the state that the choice leads
/// to.
fn satisfying(
    system: &TransitionSystem,
    query: &Query<'_>,
    node: CoreId,
    state: &[bool],
    after: bool,
    budget: &mut Budget,
) -> Result<Option<Vec<bool>>, Exhausted> {
    let Some(mut target) = ReachProperty::at(system, query, node) else { return Ok(None) };
    if after {
        let allowed = target.system.aig.all(target.system.constraints.clone());
        let next = target.system.next_of(&[target.lit])[0];
        target.lit = target.system.aig.and(allowed, next);
    }
    let (mut sat, mut frame) = (Sat::new(), Frame::default());
    let aig = &target.system.aig;
    let mut assumed = vec![frame.literal(target.lit, aig, &mut sat)];
    for (var, &value) in system.states.iter().zip(state) {
        assumed.push(frame.literal(var.now, aig, &mut sat).negated_if(!value));
    }
    let choices: Vec<SatLit> = system.choices.iter().map(|&lit| frame.literal(lit, aig, &mut sat)).collect();
    let found = sat.solve(&assumed, budget)?;
    Ok(found.then(|| choices.iter().map(|&lit| sat.value(lit)).collect()))
}
