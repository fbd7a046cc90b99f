//! Runs of a system: states with the choices between them.

use crate::aig::Aig;
use crate::lit::Lit;
use crate::system::TransitionSystem;

/// A state and the choice that leads on from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunStep {
    /// The values of the state variables.
    pub state: Vec<bool>,
    /// The values of the choices; those of the last state of a finite run have no meaning.
    pub choice: Vec<bool>,
}

/// A run: finite, or a lasso whose last step leads back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemRun {
    /// The states in order.
    pub steps: Vec<RunStep>,
    /// Where the last step leads back to, if the run is endless.
    pub back_to: Option<usize>,
}

impl TransitionSystem {
    /// The values of all nodes in a state under a choice.
    pub fn values(&self, state: &[bool], choice: &[bool]) -> Vec<u64> {
        let mut of = vec![false; self.aig.len()];
        for (var, &value) in self.states.iter().zip(state) {
            of[var.now.var().index()] = value;
        }
        for (var, &value) in self.choices.iter().zip(choice) {
            of[var.var().index()] = value;
        }
        self.aig.simulate(|var| u64::from(of[var.index()]))
    }

    /// The state after a step.
    pub fn step(&self, state: &[bool], choice: &[bool]) -> Vec<bool> {
        let values = self.values(state, choice);
        self.states.iter().map(|var| Aig::value(&values, var.next) & 1 == 1).collect()
    }

    /// Whether a function of states and choices holds.
    pub fn holds(&self, lit: Lit, state: &[bool], choice: &[bool]) -> bool {
        Aig::value(&self.values(state, choice), lit) & 1 == 1
    }

    /// Whether a state is initial.
    pub fn is_initial(&self, state: &[bool]) -> bool {
        let values = self.values(state, &[]);
        self.init.iter().all(|&lit| Aig::value(&values, lit) & 1 == 1)
    }

    /// Whether a choice may be taken in a state.
    pub fn allows(&self, state: &[bool], choice: &[bool]) -> bool {
        let values = self.values(state, choice);
        self.constraints.iter().all(|&lit| Aig::value(&values, lit) & 1 == 1)
    }

    /// An endless run with its loop repeated until it closes in the state variables that matter, as
    /// the loop of a part of the system need not be one of the whole at once. Nothing if it takes
    /// more than `most` states.
    pub fn closed(&self, trace: SystemRun, matters: &[bool], most: usize) -> Option<SystemRun> {
        let Some(back) = trace.back_to else { return Some(trace) };
        let same = |a: &[bool], b: &[bool]| {
            a.iter().zip(b).zip(matters).all(|((a, b), &matters)| !matters || a == b)
        };
        let length = trace.steps.len() - back;
        let mut steps = trace.steps;
        loop {
            let last = steps.last()?;
            let next = self.step(&last.state, &last.choice);
            let starts = (back..steps.len()).step_by(length);
            if let Some(start) = starts.into_iter().find(|&start| same(&steps[start].state, &next)) {
                return Some(SystemRun { steps, back_to: Some(start) });
            }
            if steps.len() + length > most {
                return None;
            }
            let mut state = next;
            for at in back..back + length {
                let choice = steps[at].choice.clone();
                let after = self.step(&state, &choice);
                steps.push(RunStep { state, choice });
                state = after;
            }
        }
    }

    /// Whether a trace is a run, from an initial state if `from_start`.
    pub fn is_run(&self, trace: &SystemRun, from_start: bool) -> bool {
        let Some(first) = trace.steps.first() else { return false };
        let lead = |step: &RunStep, to: &RunStep| {
            self.allows(&step.state, &step.choice) && self.step(&step.state, &step.choice) == to.state
        };
        let back = trace.back_to.is_none_or(|to| match (trace.steps.last(), trace.steps.get(to)) {
            (Some(last), Some(to)) => lead(last, to),
            _ => false,
        });
        (!from_start || self.is_initial(&first.state))
            && back
            && trace.steps.windows(2).all(|pair| lead(&pair[0], &pair[1]))
    }
}
