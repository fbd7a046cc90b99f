//! Walks along paths, one step at a time, and the runs that never end.

use crate::space::{Fairness, LoopRound, StateSpace};
use crate::{Loop, Path};
use loris_base::{Budget, Exhausted};

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

/// Nothing, or the problem.
pub(crate) type Checked = Result<(), Fault>;

/// Checks the states and the steps of a path. `at` follows the state looked at.
pub(crate) fn walk<M: StateSpace>(
    model: &M,
    states: &[M::State],
    at: &mut usize,
    budget: &mut Budget,
) -> Checked {
    if states.is_empty() {
        return Err("a path has at least one state".into());
    }
    for (i, state) in states.iter().enumerate() {
        *at = i;
        budget.spend(model.size(state))?;
        model.check_state(state)?;
    }
    for (i, (state, next)) in states.iter().zip(&states[1..]).enumerate() {
        *at = i;
        budget.spend(model.size(state))?;
        if !model.is_step(state, next, budget)? {
            return Err(format!("no step leads from here to state {}", i + 1).into());
        }
    }
    *at = 0;
    Ok(())
}

/// A run that never ends, as a word of `len` states of which the last is followed by the state
/// `back`.
pub(crate) struct Endless<'p, S> {
    states: &'p [S],
    /// the state after those of the path in which the run stays, if it is another than the last
    rest: Option<S>,
    pub(crate) len: usize,
    pub(crate) back: usize,
    /// one round, if each round starts with a larger stack
    pub(crate) round: Option<LoopRound>,
}

impl<'p, S: PartialEq> Endless<'p, S> {
    /// The run along a walk that has a loop, or that ends where a run can only stay.
    pub(crate) fn new<M: StateSpace<State = S>>(model: &M, path: &'p Path<S>) -> Result<Self, String> {
        let states = &path.states;
        if let Some(repeats @ Loop { from, to }) = path.repeats {
            if from >= to || to + 1 != states.len() {
                let message =
                    format!("a loop from state {from} to {to} does not end in the last state of the path");
                return Err(message);
            }
            let round = model.closes(states, repeats)?;
            return Ok(Self { states, rest: None, len: to, back: from, round });
        }
        let Some((last, rest)) = states.last().and_then(|last| Some((last, model.rest(last)?))) else {
            return Err("this is shown by a loop, and there is none".to_owned());
        };
        let rest = Some(rest).filter(|rest| rest != last);
        let len = states.len() + usize::from(rest.is_some());
        Ok(Self { states, rest, len, back: len - 1, round: None })
    }

    /// Whether the run goes on where the path has no loop.
    pub(crate) fn is_implied(&self) -> bool {
        self.len >= self.states.len()
    }

    /// Whether the run satisfies the conditions of the model for runs that count.
    pub(crate) fn is_fair<M: StateSpace<State = S>>(&self, model: &M) -> bool {
        let occurs = |atom: M::Atom| (self.back..self.len).any(|at| model.holds(self.state(at), atom));
        let is_met = |condition: Fairness<M::Atom>| {
            condition.often.is_some_and(|often| !occurs(often)) || occurs(condition.then)
        };
        model.fairness().into_iter().all(is_met)
    }

    /// The state at a position.
    pub(crate) fn state(&self, position: usize) -> &S {
        self.states.get(position).or(self.rest.as_ref()).expect("a run has as many states as its length")
    }
}
