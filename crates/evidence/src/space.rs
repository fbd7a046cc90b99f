//! The behaviour of a model, as far as replay needs it.
//!
//! Replay never asks for all states or all successors: it follows the states that evidence lists,
//! one step at a time. So a model may have more states than can be stored, and a state may be any
//! type: the node and the call stack of a [`MachineSpace`](crate::Machine), or a valuation of the
//! latches and inputs of a circuit.

use crate::Loop;
use crate::proposition::Proposition;
use loris_base::{Budget, Csr, Exhausted};
use loris_circuit::{Lit, TransitionSystem};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Where runs of a model start, which steps it can take, and which atoms hold in its states.
///
/// A new kind of model implements the five required functions; for JSON and text it implements
/// [`StateNames`](crate::StateNames) as well. The provided functions are for models that know more:
/// which states lie around others, or that a run can repeat itself with a larger call stack.
pub trait StateSpace {
    /// A state of the model.
    type State: Clone + Eq + Hash;
    /// An atomic proposition of the model, found by its name once and evaluated often.
    type Atom: Copy + Eq;

    /// Whether runs can start in a state.
    fn is_initial(&self, state: &Self::State) -> bool;

    /// Whether the model can move from one state to another in one step. Both are states of the
    /// model ([`check_state`](Self::check_state)).
    ///
    /// # Errors
    /// The limit that was reached.
    fn is_step(&self, from: &Self::State, to: &Self::State, budget: &mut Budget) -> Result<bool, Exhausted>;

    /// Whether the model can move from a state at all. It is asked only where runs may end
    /// ([`Paths::Ending`](crate::Paths::Ending)).
    fn has_next(&self, state: &Self::State) -> bool;

    /// The atom of this name; an atom that the model does not have is false in every state.
    fn atom(&self, name: &str) -> Option<Self::Atom>;

    /// Whether an atom holds in a state.
    fn holds(&self, state: &Self::State, atom: Self::Atom) -> bool;

    /// Checks that something that has the type of a state is a state of the model: that its parts
    /// belong together, or that it satisfies the constraints of the model.
    ///
    /// # Errors
    /// The reason why it is not.
    fn check_state(&self, state: &Self::State) -> Result<(), String> {
        let _ = state;
        Ok(())
    }

    /// The conditions that a run has to satisfy to count; without any, all runs count.
    fn fairness(&self) -> Vec<Fairness<Self::Atom>> {
        Vec::new()
    }

    /// The model as a Boolean transition system, if its states are valuations: then claims that no
    /// path shows are decided by searches in that system.
    fn bits(&self) -> Option<&dyn BitModel<Self::State, Self::Atom>> {
        None
    }

    /// Decides where a path leads to states with the second condition through states with the
    /// first, if the model can do that for all states at once; else nothing.
    ///
    /// # Errors
    /// The limit that was reached.
    fn until<'m>(
        &'m self,
        through: &Proposition<Self::Atom>,
        to: &Proposition<Self::Atom>,
        budget: &mut Budget,
    ) -> Result<Option<Box<dyn Reaching<Self::State> + 'm>>, Exhausted> {
        let _ = (through, to, budget);
        Ok(None)
    }

    /// The number of steps of work it takes to look at a state, for the budget.
    fn size(&self, state: &Self::State) -> usize {
        let _ = state;
        1
    }

    /// The state that all runs from a state move to at once and never leave, if there is one. A
    /// path that ends there shows an endless run without a loop.
    fn rest(&self, state: &Self::State) -> Option<Self::State> {
        let _ = state;
        None
    }

    /// Explores the states around the given ones, up to about `limit` states more. Claims that no
    /// path exists are decided there. The default is not to explore; such claims are then not
    /// confirmed, unless the model is known by [`bits`](Self::bits).
    ///
    /// # Errors
    /// The limit that was reached.
    fn explore<'m>(
        &'m self,
        seeds: &mut dyn Iterator<Item = &Self::State>,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Option<BoxedNeighbourhood<'m, Self>>, Exhausted> {
        let _ = (seeds, limit, budget);
        Ok(None)
    }

    /// Checks that a loop can be repeated for ever. The bounds of the loop lie on the path. The
    /// default is that it ends in the state it starts from.
    ///
    /// Returns the round if it has a larger stack each time; this and the next two functions matter
    /// for call stacks only.
    ///
    /// # Errors
    /// The reason why it cannot.
    fn closes(&self, states: &[Self::State], repeats: Loop) -> Result<Option<LoopRound>, String> {
        let Loop { from, to } = repeats;
        if states[from] == states[to] {
            Ok(None)
        } else {
            Err(format!("the loop does not close: states {from} and {to} differ"))
        }
    }

    /// The state in a later round of a growing loop that corresponds to a state of its first round,
    /// which is number 0. Without growing loops, rounds do not differ.
    fn later(&self, states: &[Self::State], round: &LoopRound, index: usize, number: usize) -> Self::State {
        let _ = (round, number);
        states[index].clone()
    }

    /// The lowest height of the stack at which a state of a walk leaves a call: frames further down
    /// do not matter to the walk. Without call stacks, nothing below ever matters.
    fn lowest(&self, walked: &[Self::State]) -> usize {
        let _ = walked;
        usize::MAX
    }
}

/// A condition on runs: where `often` holds infinitely often, so does `then`. Without `often`,
/// `then` holds infinitely often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fairness<A> {
    /// The premise, if there is one.
    pub often: Option<A>,
    /// The conclusion.
    pub then: A,
}

/// A model whose states are valuations of the state variables of a Boolean transition system.
///
/// All state variables of the system matter: two states are the same if they agree in all of them.
/// A state without a successor is not expected; where there is one, claims stay undecided.
pub trait BitModel<S, A> {
    /// The system; its initial states and its steps are those of the model.
    fn transitions(&self) -> &TransitionSystem;

    /// The values of the state variables of the system in a state.
    fn values(&self, state: &S) -> Vec<bool>;

    /// The state in which the state variables of the system have these values.
    fn state(&self, values: &[bool]) -> S;

    /// The function of the system that an atom stands for.
    fn function(&self, atom: A) -> Lit;
}

/// From which states some path leads to a goal.
pub trait Reaching<S> {
    /// Whether a path from a state does, and the lowest height of the stack at which the answer
    /// depends on the return from a call: frames below do not matter to it.
    fn is_reached(&self, state: &S) -> (bool, usize);
}

/// One round of a loop that grows the call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopRound {
    /// Index of the first state.
    pub from: usize,
    /// Index of the state where the next round starts.
    pub to: usize,
    /// The height of the stack in the first state.
    pub height: usize,
    /// How much higher the stack is a round later.
    pub deeper: usize,
}

/// The states around those of evidence, with a number each, and the steps between them. A number
/// below the rows of [`successors`](Self::successors) belongs to an explored state; of the others
/// the successors are not known.
pub trait Neighbourhood<S, A> {
    /// The number of states, explored or not.
    fn count(&self) -> usize;

    /// The successors of each explored state, all of them.
    fn successors(&self) -> &Csr;

    /// The number of a state.
    fn find(&self, state: &S) -> Option<usize>;

    /// Whether an atom holds in the state of this number.
    fn holds(&self, number: usize, atom: A) -> bool;

    /// The same for all states in their order.
    fn column(&self, atom: A) -> Vec<bool>
    where
        A: Copy,
    {
        (0..self.count()).map(|number| self.holds(number, atom)).collect()
    }

    /// Whether the state of this number has a successor, explored or not.
    fn has_next(&self, number: usize) -> bool;
}

/// A neighbourhood in a model.
pub type BoxedNeighbourhood<'m, M> =
    Box<dyn Neighbourhood<<M as StateSpace>::State, <M as StateSpace>::Atom> + 'm>;

/// Explores a model whose states have few successors each, breadth first, for
/// [`StateSpace::explore`]. States are stored as they are. Linear in the states and steps explored.
///
/// # Errors
/// The limit that was reached.
pub fn explore_breadth_first<'m, M: StateSpace>(
    model: &'m M,
    successors: impl Fn(&M::State) -> Vec<M::State>,
    seeds: &mut dyn Iterator<Item = &M::State>,
    limit: usize,
    budget: &mut Budget,
) -> Result<BoxedNeighbourhood<'m, M>, Exhausted> {
    let mut explored =
        Explored { model, states: Vec::new(), numbers: FxHashMap::default(), successors: Csr::default() };
    for seed in seeds {
        explored.number(seed.clone(), budget)?;
    }
    let most = explored.states.len().saturating_add(limit);
    while explored.successors.rows() < explored.states.len() && explored.states.len() < most {
        let next = successors(&explored.states[explored.successors.rows()]);
        budget.spend(1 + next.len())?;
        budget.charge(4 * (1 + next.len()))?;
        let row = next.into_iter().map(|state| explored.number(state, budget));
        let row: Vec<u32> = row.collect::<Result<_, _>>()?;
        explored.successors.push_row(row);
    }
    Ok(Box::new(explored))
}

struct Explored<'m, M: StateSpace> {
    model: &'m M,
    states: Vec<M::State>,
    numbers: FxHashMap<M::State, u32>,
    successors: Csr,
}

impl<M: StateSpace> Explored<'_, M> {
    fn number(&mut self, state: M::State, budget: &mut Budget) -> Result<u32, Exhausted> {
        if let Some(&number) = self.numbers.get(&state) {
            return Ok(number);
        }
        let size = self.model.size(&state);
        budget.spend(size)?;
        // it is stored twice
        budget.charge(2 * (size_of::<M::State>() + 8 * size))?;
        let number = self.states.len() as u32;
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        Ok(number)
    }
}

impl<M: StateSpace> Neighbourhood<M::State, M::Atom> for Explored<'_, M> {
    fn count(&self) -> usize {
        self.states.len()
    }

    fn successors(&self) -> &Csr {
        &self.successors
    }

    fn find(&self, state: &M::State) -> Option<usize> {
        self.numbers.get(state).map(|&number| number as usize)
    }

    fn holds(&self, number: usize, atom: M::Atom) -> bool {
        self.model.holds(&self.states[number], atom)
    }

    fn has_next(&self, number: usize) -> bool {
        self.model.has_next(&self.states[number])
    }
}
