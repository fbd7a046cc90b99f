//! Boolean transition systems as models that evidence is about. A state is a valuation of the state
//! variables; which choice leads from one to the next is a question to a solver, and so are those
//! about all states that an invariant raises.

use crate::invariant::{Inductive, ModelStep, StateSet};
use crate::proposition::Proposition;
use crate::space::{BitModel, Fairness, StateSpace};
use loris_base::{Budget, Exhausted};
use loris_circuit::{Aig, Lit, StatePart, TransitionSystem, Valuation};
use loris_solvers::sat::{Frame, Sat};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The states and steps of a system. Its state variables are the latches of a [`Valuation`].
#[derive(Clone, Debug)]
pub struct SystemStates {
    system: TransitionSystem,
    part: Arc<StatePart>,
    atoms: FxHashMap<String, Lit>,
    /// the system with the state variables that matter alone
    relevant: TransitionSystem,
}

impl SystemStates {
    /// Those of a system, with the names of functions of its states. What matters of a state is
    /// what the functions depend on that the system observes.
    pub fn new(system: TransitionSystem, atoms: impl IntoIterator<Item = (String, Lit)>) -> Self {
        let part = Arc::new(StatePart { latches: system.influences(), inputs: Vec::new() });
        let relevant = relevant(&system, &part.latches);
        Self { system, part, atoms: atoms.into_iter().collect(), relevant }
    }

    /// Whether only some of its runs count.
    pub fn is_fair(&self) -> bool {
        !self.system.justice.is_empty() || !self.system.compassion.is_empty()
    }

    /// The state in which the state variables have these values.
    pub fn valuation(&self, bits: Vec<bool>) -> Valuation {
        Valuation { latches: bits, inputs: Vec::new(), part: Arc::clone(&self.part) }
    }

    /// Whether a state has a step, to a given state if there is one.
    fn steps(
        &self,
        from: &Valuation,
        to: Option<&Valuation>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let mut query = Query::new(self);
        let mut roots = self.system.constraints.clone();
        for (var, &value) in self.system.states.iter().zip(&from.latches) {
            roots.push(var.now.negated_if(!value));
        }
        if let Some(to) = to {
            let relevant = self.system.states.iter().zip(&to.latches).zip(&self.part.latches);
            let relevant = relevant.filter(|&(_, &matters)| matters);
            roots.extend(relevant.map(|((var, &value), _)| var.next.negated_if(!value)));
        }
        query.is_satisfiable(&roots, budget)
    }
}

impl StateSpace for SystemStates {
    type State = Valuation;
    type Atom = Lit;

    fn is_initial(&self, state: &Valuation) -> bool {
        let values = self.system.values(&state.latches, &[]);
        let of_var = self.system.state_of_var();
        let matters = |lit: Lit| of_var[lit.var().index()].is_none_or(|at| self.part.latches[at as usize]);
        self.system.init.iter().all(|&lit| !matters(lit) || Aig::value(&values, lit) & 1 == 1)
    }

    fn is_step(&self, from: &Valuation, to: &Valuation, budget: &mut Budget) -> Result<bool, Exhausted> {
        self.steps(from, Some(to), budget)
    }

    fn has_next(&self, state: &Valuation) -> bool {
        self.steps(state, None, &mut Budget::unlimited()).unwrap_or(false)
    }

    fn atom(&self, name: &str) -> Option<Lit> {
        self.atoms.get(name).copied()
    }

    fn holds(&self, state: &Valuation, atom: Lit) -> bool {
        self.system.holds(atom, &state.latches, &[])
    }

    fn check_state(&self, state: &Valuation) -> Result<(), String> {
        let fits = state.latches.len() == self.system.states.len();
        if fits { Ok(()) } else { Err("it lacks a variable of the model".to_owned()) }
    }

    fn fairness(&self) -> Vec<Fairness<Lit>> {
        let TransitionSystem { justice, compassion, .. } = &self.system;
        let justice = justice.iter().map(|&then| Fairness { often: None, then });
        justice.chain(compassion.iter().map(|&(often, then)| Fairness { often: Some(often), then })).collect()
    }

    fn bits(&self) -> Option<&dyn BitModel<Valuation, Lit>> {
        Some(self)
    }

    fn size(&self, _: &Valuation) -> usize {
        self.system.aig.len()
    }
}

impl BitModel<Valuation, Lit> for SystemStates {
    fn transitions(&self) -> &TransitionSystem {
        &self.relevant
    }

    fn values(&self, state: &Valuation) -> Vec<bool> {
        let bits = state.latches.iter().zip(&self.part.latches);
        bits.filter(|(_, matters)| **matters).map(|(&value, _)| value).collect()
    }

    fn state(&self, values: &[bool]) -> Valuation {
        let mut values = values.iter().copied();
        let of = |&matters: &bool| matters && values.next().unwrap_or(false);
        let bits = self.part.latches.iter().map(of).collect();
        self.valuation(bits)
    }

    fn function(&self, atom: Lit) -> Lit {
        atom
    }
}

/// A system with some of its state variables, on which all else that matters depends.
fn relevant(system: &TransitionSystem, matters: &[bool]) -> TransitionSystem {
    let of_var = system.state_of_var();
    let is_kept = |lit: &Lit| of_var[lit.var().index()].is_none_or(|at| matters[at as usize]);
    let mut relevant = system.clone();
    relevant.states =
        system.states.iter().zip(matters).filter(|(_, matters)| **matters).map(|(var, _)| *var).collect();
    relevant.init.retain(is_kept);
    relevant
}

/// A state, and the one after a step, in a fresh solver.
struct Query<'s> {
    states: &'s SystemStates,
    aig: Aig,
    sat: Sat,
    frames: [Frame; 2],
}

impl<'s> Query<'s> {
    fn new(states: &'s SystemStates) -> Self {
        let aig = states.system.aig.clone();
        Self { states, aig, sat: Sat::new(), frames: [Frame::default(), Frame::default()] }
    }

    /// Lets the second frame be the state after an allowed step.
    fn step(&mut self) {
        let system = &self.states.system;
        for &lit in &system.constraints {
            let lit = self.frames[0].literal(lit, &self.aig, &mut self.sat);
            self.sat.clause(&[lit]);
        }
        for var in &system.states {
            let next = self.frames[0].literal(var.next, &self.aig, &mut self.sat);
            self.frames[1].bind(var.now, next);
        }
    }

    fn is_satisfiable(&mut self, roots: &[Lit], budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut assumed = Vec::with_capacity(roots.len());
        for &root in roots {
            assumed.push(self.frames[0].literal(root, &self.aig, &mut self.sat));
        }
        self.sat.solve(&assumed, budget)
    }

    fn valuation(&mut self, frame: usize) -> Valuation {
        let known = |var: &loris_circuit::StateVar| {
            self.frames[frame].known(var.now).is_some_and(|lit| self.sat.value(lit))
        };
        self.states.valuation(self.states.system.states.iter().map(known).collect())
    }
}

impl Inductive for SystemStates {
    fn initial_outside(
        &self,
        set: &StateSet<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<Valuation>, Exhausted> {
        let mut query = Query::new(self);
        let set = set.function(&mut query.aig);
        let roots: Vec<Lit> = self.system.init.iter().copied().chain([!set]).collect();
        Ok(query.is_satisfiable(&roots, budget)?.then(|| query.valuation(0)))
    }

    fn step_out_of(
        &self,
        from: &StateSet<Lit>,
        set: &StateSet<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<ModelStep<Valuation>>, Exhausted> {
        let mut query = Query::new(self);
        query.step();
        let (from, set) = (from.function(&mut query.aig), set.function(&mut query.aig));
        let before = query.frames[0].literal(from, &query.aig, &mut query.sat);
        let after = query.frames[1].literal(set, &query.aig, &mut query.sat);
        let found = query.sat.solve(&[before, !after], budget)?;
        Ok(found.then(|| ModelStep { from: query.valuation(0), to: query.valuation(1) }))
    }

    fn state_without(
        &self,
        set: &StateSet<Lit>,
        proposition: &Proposition<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<Valuation>, Exhausted> {
        let mut query = Query::new(self);
        let (set, holds) = (set.function(&mut query.aig), proposition.function(&mut query.aig));
        Ok(query.is_satisfiable(&[set, !holds], budget)?.then(|| query.valuation(0)))
    }
}
