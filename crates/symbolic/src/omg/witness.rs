//! Runs that show why a verdict is what it is, read off the labels.
//!
//! A label of an existential formula holds the set that the next step of its proof leads to: every
//! state with the label has a successor there, closer to the end of the proof, or on its lasso. So
//! a run is found by one query a step.

use super::Omg;
use super::formulas::Formula;
use crate::query::{Query, Witness};
use loris_base::{Exhausted, Idx};
use loris_circuit::{RunStep, SystemRun};
use loris_logic::{CoreId, CoreNode};

/// A run to show, where it belongs in the tree of witnesses.
struct Task {
    node: CoreId,
    state: usize,
}

/// Sub-witnesses are shown to this depth, and this many in all.
const SHOWN: usize = 200;

impl Omg {
    /// The witness of a verdict: for the state that refutes the property, or for some initial
    /// state.
    pub(super) fn witness(
        &mut self,
        query: &Query<'_>,
        formulas: &[Formula],
        refuted: Option<usize>,
    ) -> Result<Option<Witness>, Exhausted> {
        let root = query.core.root();
        let value = refuted.is_none();
        let state = if let Some(state) = refuted {
            state
        } else if self.relation.solve(&[self.relation.initial], &mut self.budget)? {
            let values = self.relation.state();
            self.intern(values)
        } else {
            return Ok(None);
        };
        let mut left = SHOWN;
        let claims = self.claims(query, formulas, root, state, value)?;
        if let [node] = &claims[..]
            && (root == *node || query.core.node(root) == CoreNode::Not(*node))
        {
            return self.run(query, formulas, &Task { node: *node, state }, &mut left).map(Some);
        }
        // a boolean combination: one state, with evidence for its claims
        let because = self.all(query, formulas, claims, state, 0, &mut left)?;
        if value && because.is_empty() {
            return Ok(None);
        }
        let choice = vec![false; self.system.choices.len()];
        let step = RunStep { state: self.states[state].values.clone(), choice };
        let trace = SystemRun { steps: vec![step], back_to: None };
        Ok(Some(Witness { shows: root, negated: !value, trace, because }))
    }

    /// The existential subformulas that the value of a node in a state relies on.
    fn claims(
        &mut self,
        query: &Query<'_>,
        formulas: &[Formula],
        node: CoreId,
        state: usize,
        value: bool,
    ) -> Result<Vec<CoreId>, Exhausted> {
        let (mut claims, mut stack) = (Vec::new(), vec![(node, value)]);
        while let Some((node, value)) = stack.pop() {
            match query.core.node(node) {
                CoreNode::Not(a) => stack.push((a, !value)),
                CoreNode::And(a, b) if value => stack.extend([(b, true), (a, true)]),
                CoreNode::Or(a, b) if !value => stack.extend([(b, false), (a, false)]),
                CoreNode::And(a, b) | CoreNode::Or(a, b) => {
                    let first = self.holds(state, formulas[a.index()])? == value;
                    stack.push((if first { a } else { b }, value));
                }
                existential if existential.is_existential() && value => claims.push(node),
                _ => {}
            }
        }
        claims.sort_unstable();
        claims.dedup();
        Ok(claims)
    }

    fn all(
        &mut self,
        query: &Query<'_>,
        formulas: &[Formula],
        claims: Vec<CoreId>,
        state: usize,
        at: usize,
        left: &mut usize,
    ) -> Result<Vec<(usize, Witness)>, Exhausted> {
        let mut shown = Vec::new();
        for node in claims {
            if *left == 0 {
                break;
            }
            *left -= 1;
            shown.push((at, self.run(query, formulas, &Task { node, state }, left)?));
        }
        Ok(shown)
    }

    /// The run of an existential formula from a state that satisfies it.
    fn run(
        &mut self,
        query: &Query<'_>,
        formulas: &[Formula],
        task: &Task,
        left: &mut usize,
    ) -> Result<Witness, Exhausted> {
        let node = query.core.node(task.node);
        let formula = formulas[task.node.index()];
        let (mut states, mut choices) = (vec![task.state], Vec::new());
        let mut back_to = None;
        loop {
            self.budget.spend(1)?;
            let state = states[states.len() - 1];
            let is_end = match node {
                CoreNode::Ex(_) => states.len() == 2,
                CoreNode::Eu(_, b) => self.holds(state, formulas[b.index()])?,
                _ => false,
            };
            if is_end {
                break;
            }
            self.holds(state, formula)?;
            let leaf = self.leaf(state);
            let by = self.abstraction.label(leaf, formula.index()).and_then(|label| label.by);
            let Some(by) = by else { break };
            let Some(choice) = self.choice_to(state, &[by])? else { break };
            let next = self.successor(state, &choice)?;
            choices.push(choice);
            if matches!(node, CoreNode::Eg(_))
                && let Some(before) = states.iter().position(|&state| state == next)
            {
                back_to = Some(before);
                break;
            }
            states.push(next);
        }
        let mut because = Vec::new();
        for (at, &state) in states.iter().enumerate() {
            let is_last = at + 1 == states.len();
            let claim = match node {
                CoreNode::Ex(a) => is_last.then_some(a),
                CoreNode::Eu(a, b) => Some(if is_last { b } else { a }),
                CoreNode::Eg(a) => Some(a),
                _ => None,
            };
            if let Some(claim) = claim {
                let claims = self.claims(query, formulas, claim, state, true)?;
                because.extend(self.all(query, formulas, claims, state, at, left)?);
            }
        }
        let none = vec![false; self.system.choices.len()];
        let step = |(at, &state): (usize, &usize)| RunStep {
            state: self.states[state].values.clone(),
            choice: choices.get(at).unwrap_or(&none).clone(),
        };
        let steps = states.iter().enumerate().map(step).collect();
        Ok(Witness { shows: task.node, negated: false, trace: SystemRun { steps, back_to }, because })
    }
}
