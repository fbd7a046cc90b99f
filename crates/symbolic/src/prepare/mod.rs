//! A target made ready for a search: what the search does not have to see is taken out, whatever
//! else is asked of the model at the same time.
//!
//! | step | what |
//! |---|---|
//! | [`inputs`] | state variables that only hold an input become choices |
//! | cone of influence | what the target does not depend on is left out |
//! | [`correspond`] | nodes that are always equal become one |
//!
//! Whether a run reaches the target stays the same, and a run of what is left is one of the whole
//! system. What is closed under steps there need not be closed in the whole system: evidence that a
//! target is not reached is looked for in the system as it is.

mod classes;
mod correspond;
mod inputs;
mod sweep;
#[cfg(test)]
mod tests;

use crate::query::{Query, SystemOutcome};
use crate::target::ReachProperty;
use correspond::{Correspondence, Found};
use inputs::Freed;
use loris_base::{Budget, Exhausted};
use loris_circuit::{Cone, Lit, RunStep, SystemRun, TransitionSystem};
use loris_solvers::sat::{Frame, Sat};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A target, and the system that is searched for it.
pub(crate) struct Prepared {
    /// As it was asked.
    pub(crate) target: ReachProperty,
    /// What is searched.
    pub(crate) system: TransitionSystem,
    /// The target in that system.
    pub(crate) goal: Lit,
    /// The choices in it that the target depends on.
    pub(crate) ahead: Vec<Lit>,
    /// How runs of that system are runs of the target's; none if they are the same.
    origin: Option<Origin>,
}

/// A target that is being made ready.
#[derive(Default)]
pub(crate) enum Preparing {
    #[default]
    New,
    /// Nodes that correspond are looked for.
    Merging(Box<Merging>),
    /// It is.
    Ready(Arc<Prepared>),
}

/// A search for nodes that correspond, in the cone of a target.
pub(crate) struct Merging {
    target: ReachProperty,
    freed: Freed,
    /// the variables that the target looks ahead with are choices of its system
    cone: Cone,
    search: Correspondence,
    /// steps that the search may still take
    left: u64,
    found: Option<Found>,
}

/// Steps of the search for nodes that correspond, for each node and beyond that. After more than
/// these, no nodes are merged.
const MERGING_STEPS: (u64, u64) = (500, 2_000_000);

impl Preparing {
    /// Goes on with it. Breaks with the answer, or with none, where the property is not for a
    /// search.
    ///
    /// # Errors
    /// The limit that was reached; the next call goes on from there.
    pub(crate) fn finish(
        &mut self,
        system: &TransitionSystem,
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<ControlFlow<Option<SystemOutcome>, Arc<Prepared>>, Exhausted> {
        loop {
            *self = match self {
                Preparing::New => match asked(system, query, budget)? {
                    ControlFlow::Break(answer) => return Ok(ControlFlow::Break(answer)),
                    ControlFlow::Continue(target) => {
                        Preparing::Merging(Box::new(Merging::new(target, budget)?))
                    }
                },
                Preparing::Merging(merging) => {
                    merging.search(budget)?;
                    Preparing::Ready(Arc::new(merging.prepared(budget)?))
                }
                Preparing::Ready(prepared) => return Ok(ControlFlow::Continue(Arc::clone(prepared))),
            };
        }
    }
}

/// The target of a property. Breaks with the answer, or with none, where the property is not for a
/// search.
fn asked(
    system: &TransitionSystem,
    query: &Query<'_>,
    budget: &mut Budget,
) -> Result<ControlFlow<Option<SystemOutcome>, ReachProperty>, Exhausted> {
    let Some(target) = ReachProperty::of(system, query) else { return Ok(ControlFlow::Break(None)) };
    Ok(match target.by_initial_states(budget)? {
        ControlFlow::Break(answer) => ControlFlow::Break(answer),
        ControlFlow::Continue(()) => ControlFlow::Continue(target),
    })
}

impl Merging {
    fn new(target: ReachProperty, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.spend(4 * target.system.aig.len())?;
        let mut freed = Freed::of(&target.system, target.lit);
        freed.system.choices.extend(target.steps.iter().flatten());
        freed.system.observed = vec![freed.goal];
        let cone = freed.system.reduced_within(budget)?;
        let nodes = cone.system.aig.len() as u64;
        let left = MERGING_STEPS.0.saturating_mul(nodes).saturating_add(MERGING_STEPS.1);
        let search = Correspondence::new(&cone.system);
        Ok(Self { target, freed, cone, search, left, found: None })
    }

    /// Looks for nodes that correspond, within the steps there are for it.
    fn search(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.found.is_some() || self.left == 0 {
            return Ok(());
        }
        let before = budget.spent();
        let few = &mut budget.slice(self.left);
        let found = self.search.run(&self.cone.system, few);
        budget.join(few)?;
        self.left = self.left.saturating_sub(budget.spent() - before);
        match found {
            Ok(found) => self.found = Some(found),
            Err(Exhausted::Time) if self.left == 0 => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// The system that is left, and where it comes from.
    fn prepared(&self, budget: &mut Budget) -> Result<Prepared, Exhausted> {
        let Self { target, freed, cone, search, found, .. } = self;
        let goal = cone.system.observed[0];
        let itself = || cone.system.states.iter().map(|state| state.now).collect();
        let (mut merged, goal, equal) = match found {
            None => (cone.system.clone(), goal, itself()),
            Some(Found::Nothing) => (cone.system.clone(), Lit::FALSE, itself()),
            Some(Found::Classes) => search.merged(&cone.system, goal),
        };
        merged.observed = vec![goal];
        let within = merged.reduced_within(budget)?;
        let kept = |at: usize| cone.choices[at].and_then(|at| within.choices[at]);
        let choices: Vec<Option<usize>> = (0..freed.system.choices.len()).map(kept).collect();
        let first = first_values(&freed.system, cone, (&equal, &merged.resets()), &within);
        let system = within.system;
        // a variable that was freed is chosen in the last state, too
        let ahead = choices[freed.choices.len()..].iter().flatten();
        let ahead = ahead.map(|&at| system.choices[at]).collect();
        let goal = system.observed[0];
        let origin = Some(Origin { freed: freed.clone(), first, choices });
        Ok(Prepared { target: target.clone(), system, goal, ahead, origin })
    }
}

/// The value of a state variable in the first state of a run.
#[derive(Clone, Copy)]
enum First {
    /// This one.
    Known(bool),
    /// That of a variable of another system, or its negation.
    As(usize, bool),
}

/// Where the state variables of a system get their first values from, in the cone of the cone of it
/// in which each variable was replaced by the one that equals it. `starts` is what that one starts
/// with.
fn first_values(
    system: &TransitionSystem,
    cone: &Cone,
    (equal, starts): (&[Lit], &[Option<bool>]),
    within: &Cone,
) -> Vec<First> {
    let cone_state = cone.system.state_of_var();
    let within_state = within.system.state_of_var();
    let resets = system.resets();
    let number = |of: &[Option<u32>], lit: Lit| of[lit.var().index()].expect("a state variable") as usize;
    let value = |at: usize| {
        let Some(lit) = cone.states[at] else { return First::Known(resets[at].unwrap_or(false)) };
        if let Some(value) = lit.as_constant() {
            return First::Known(value);
        }
        let stands = equal[number(&cone_state, lit)].negated_if(lit.is_negated());
        if let Some(value) = stands.as_constant() {
            return First::Known(value);
        }
        let stands_at = number(&cone_state, stands);
        match within.states[stands_at].map(|lit| lit.negated_if(stands.is_negated())) {
            None => First::Known(starts[stands_at].unwrap_or(false) != stands.is_negated()),
            Some(lit) => match lit.as_constant() {
                Some(value) => First::Known(value),
                None => First::As(number(&within_state, lit), lit.is_negated()),
            },
        }
    };
    (0..system.states.len()).map(value).collect()
}

/// How runs of a system that is searched are runs of the system of its target.
struct Origin {
    freed: Freed,
    /// for each state variable of that system
    first: Vec<First>,
    /// for each choice of that system, with the variables that the target looks ahead with, the
    /// choice of the system that is searched
    choices: Vec<Option<usize>>,
}

impl Prepared {
    /// The target as it was asked, in the system as it is. Breaks with the answer, or with none,
    /// where the property is not for a search.
    pub(crate) fn plain(
        system: &TransitionSystem,
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<ControlFlow<Option<SystemOutcome>, Self>, Exhausted> {
        Ok(match asked(system, query, budget)? {
            ControlFlow::Break(answer) => ControlFlow::Break(answer),
            ControlFlow::Continue(target) => {
                let (system, goal) = (target.system.clone(), target.lit);
                let ahead = target.steps.iter().flatten().copied().collect();
                ControlFlow::Continue(Self { target, system, goal, ahead, origin: None })
            }
        })
    }

    /// Whether the system that is searched is that of the target.
    pub(crate) fn is_plain(&self) -> bool {
        self.origin.is_none()
    }

    /// A run of the target's system that looks like a run to the target of the system that is
    /// searched.
    pub(crate) fn original(&self, run: SystemRun, budget: &mut Budget) -> Result<SystemRun, Exhausted> {
        let Some(origin) = &self.origin else { return Ok(run) };
        let Freed { system: whole, states, choices, moved, .. } = &origin.freed;
        let mut run = run.steps;
        if let Some(last) = run.last_mut() {
            last.choice = self.choice_at_end(&last.state, budget)?;
        }
        budget.spend(whole.aig.len().saturating_mul(run.len()))?;
        let chosen = |step: &RunStep| -> Vec<bool> {
            origin.choices.iter().map(|choice| choice.is_some_and(|at| step.choice[at])).collect()
        };
        let chosen: Vec<Vec<bool>> = run.iter().map(chosen).collect();
        let mut state: Vec<bool> = Vec::with_capacity(whole.states.len());
        for first in &origin.first {
            state.push(match *first {
                First::Known(value) => value,
                First::As(at, is_negated) => run.first().is_some_and(|step| step.state[at] != is_negated),
            });
        }
        let mut steps = Vec::with_capacity(run.len());
        for (at, choice) in chosen.iter().enumerate() {
            let mut step = RunStep {
                state: vec![false; states.len() + moved.len()],
                choice: vec![false; choices.len() + moved.len()],
            };
            states.iter().zip(&state).for_each(|(&to, &value)| step.state[to] = value);
            choices.iter().zip(choice).for_each(|(&to, &value)| step.choice[to] = value);
            for (number, &(to, from)) in moved.iter().enumerate() {
                step.state[to] = choice[choices.len() + number];
                step.choice[from] = chosen.get(at + 1).is_some_and(|next| next[choices.len() + number]);
            }
            state = whole.step(&state, choice);
            steps.push(step);
        }
        Ok(SystemRun { steps, back_to: None })
    }

    /// What is chosen in a state in which the target holds.
    fn choice_at_end(&self, state: &[bool], budget: &mut Budget) -> Result<Vec<bool>, Exhausted> {
        let (mut sat, mut frame) = (Sat::new(), Frame::default());
        let aig = &self.system.aig;
        let mut assumed = vec![frame.literal(self.goal, aig, &mut sat)];
        for (var, &value) in self.system.states.iter().zip(state) {
            assumed.push(frame.literal(var.now, aig, &mut sat).negated_if(!value));
        }
        let found = sat.solve(&assumed, budget)?;
        debug_assert!(found, "the run leads to the target");
        let value = |&lit: &Lit| frame.known(lit).is_some_and(|lit| sat.value(lit));
        Ok(self.system.choices.iter().map(value).collect())
    }
}
