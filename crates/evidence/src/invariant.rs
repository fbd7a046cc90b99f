//! Invariants: evidence that a property holds in all states that can be reached.
//!
//! An invariant is a set of states, given as clauses that all of its states satisfy. It shows
//! `A G p` if every initial state is in the set, no step leaves the set, and `p` holds in all of
//! it; it shows `A [q R p]` if only steps from states with `q` leave it. None of this is about
//! paths, so that none depends on how far away a state is. How it is decided is the business of the
//! model ([`Inductive`]): by looking at all states, or by a solver.

use crate::Paths;
use crate::formulas::{Formulas, Lit, Op};
use crate::names::StateNames;
use crate::proposition::Proposition;
use crate::replayed::{Replayed, Unreplayed};
use crate::space::StateSpace;
use loris_base::{Budget, Exhausted};

/// A set of states that contains the initial ones and that no step leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The formula that it shows: `A G p` or `A [q R p]`, where `p` and `q` have no temporal
    /// operators.
    pub shows: String,
    /// Formulas over the atoms of the model, without temporal operators. A state that satisfies all
    /// of them is in the set.
    pub clauses: Vec<String>,
}

/// The states that satisfy all of some propositions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet<A> {
    /// The propositions.
    pub clauses: Vec<Proposition<A>>,
}

impl<A: Copy> StateSet<A> {
    /// Whether a state is in the set, given the atoms that hold in it.
    pub fn contains(&self, mut atom: impl FnMut(A) -> bool) -> bool {
        self.clauses.iter().all(|clause| clause.holds(&mut atom))
    }
}

/// A step of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStep<S> {
    /// The state it starts from.
    pub from: S,
    /// The state it leads to.
    pub to: S,
}

/// A model that decides questions about all of its states, reachable or not.
pub trait Inductive: StateSpace {
    /// An initial state outside of a set, if there is one.
    ///
    /// # Errors
    /// The limit that was reached.
    fn initial_outside(
        &self,
        set: &StateSet<Self::Atom>,
        budget: &mut Budget,
    ) -> Result<Option<Self::State>, Exhausted>;

    /// A step from a state of the first set to one outside the second, if there is one.
    ///
    /// # Errors
    /// The limit that was reached.
    fn step_out_of(
        &self,
        from: &StateSet<Self::Atom>,
        set: &StateSet<Self::Atom>,
        budget: &mut Budget,
    ) -> Result<Option<ModelStep<Self::State>>, Exhausted>;

    /// A state of a set in which a proposition is false, if there is one.
    ///
    /// # Errors
    /// The limit that was reached.
    fn state_without(
        &self,
        set: &StateSet<Self::Atom>,
        proposition: &Proposition<Self::Atom>,
        budget: &mut Budget,
    ) -> Result<Option<Self::State>, Exhausted>;
}

/// Checks that an invariant shows its formula. States in messages are named by `names`.
///
/// # Errors
/// The first thing found that is not so, or the limit that was reached.
pub fn replay_invariant<M: Inductive>(
    model: &M,
    names: &impl StateNames<M::State>,
    invariant: &Invariant,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    let refused = |why: String| Err(Unreplayed::Refuted(why));
    let length: usize = invariant.clauses.iter().map(String::len).sum();
    budget.charge(BYTES * (length + invariant.shows.len()))?;
    let mut formulas = Formulas::new(Paths::Total);
    let claim = formulas.read(&invariant.shows).map_err(Unreplayed::Refuted)?.claim;
    let Some((goes_on, property)) = released(&formulas, claim) else {
        let claim = formulas.print(claim);
        return refused(format!("an invariant shows `A G p` or `A [q R p]` only, and not `{claim}`"));
    };
    let mut set = StateSet { clauses: Vec::with_capacity(invariant.clauses.len()) };
    for clause in &invariant.clauses {
        budget.spend(1 + clause.len())?;
        let lit = formulas.read(clause).map_err(Unreplayed::Refuted)?.claim;
        match Proposition::new(&formulas, lit, |name| model.atom(name)) {
            Some(clause) => set.clauses.push(clause),
            None => return refused(format!("the clause `{}` is not about one state", formulas.print(lit))),
        }
    }
    let Some(proposition) = Proposition::new(&formulas, property, |name| model.atom(name)) else {
        return refused(format!("`{}` is not about one state", formulas.print(property)));
    };
    let Some(goes_on) = Proposition::new(&formulas, goes_on, |name| model.atom(name)) else {
        return refused(format!("`{}` is not about one state", formulas.print(goes_on)));
    };
    if let Some(state) = model.initial_outside(&set, budget)? {
        return refused(format!("the initial state {} is not in the invariant", names.name(&state)));
    }
    let mut before = set.clone();
    before.clauses.push(goes_on);
    if let Some(ModelStep { from, to }) = model.step_out_of(&before, &set, budget)? {
        let (from, to) = (names.name(&from), names.name(&to));
        return refused(format!("a step leaves the invariant, from {from} to {to}"));
    }
    if let Some(state) = model.state_without(&set, &proposition, budget)? {
        let (state, property) = (names.name(&state), formulas.print(property));
        return refused(format!("`{property}` does not hold in the state {state} of the invariant"));
    }
    Ok(Replayed { claims: 1, ..Replayed::default() })
}

/// Bytes per character of a formula, at most.
const BYTES: usize = 32;

/// Of `A [q R p]`, `!q` and `p`; of `A G p`, no state has `q`.
fn released(formulas: &Formulas<'_>, claim: Lit) -> Option<(Lit, Lit)> {
    match formulas.op(claim) {
        Op::Absent(path) => match formulas.op(path) {
            Op::Until(goes_on, never) => Some((goes_on, !never)),
            _ => None,
        },
        Op::Constant(true) => Some((Lit::TRUE, claim)),
        _ => None,
    }
}
