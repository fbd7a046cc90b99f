//! Nodes that are always equal, found by induction: van Eijk, *Sequential equivalence checking
//! based on structural similarities* (2000); Mishchenko, Case, Brayton and Jang, *Scalable and
//! scalably-verifiable sequential synthesis* (2008).
//!
//! Two nodes *correspond* if they are equal, or each other's negation, in all reachable states and
//! under all choices there, allowed or not. Simulation of random runs gives a partition of the
//! nodes that is too coarse. It is refined until its classes are right in initial states, and right
//! after each allowed step from a state in which they are right. Each refinement is forced, so that
//! this is the coarsest such partition, but for pairs that a query has no time for.
//!
//! Verdicts about reachable states stay: with each node replaced by the one that stands for it, a
//! reachable state has the same steps as before, and the same values of functions. States that are
//! not reachable may get others, so that an invariant of the new system need not be one of the old,
//! and conditions on initial states, which make nodes equal there, keep their form.

use super::classes::Classes;
use super::sweep::Sweep;
use loris_base::{Budget, Exhausted, Rng};
use loris_circuit::{Aig, Gate, Lit, StateVar, TransitionSystem, Var};

/// Simulation ends after this many steps that told no nodes apart.
const QUIET: usize = 64;

/// The most steps of simulation.
const MOST_SIMULATED: usize = 1024;

/// A search for nodes that correspond, which can be taken up again where a limit ended it.
pub(super) struct Correspondence {
    classes: Classes,
    order: Vec<Var>,
    rng: Rng,
    stage: Stage,
}

/// How far a search is.
enum Stage {
    /// Random runs, 64 at a time.
    Simulate(Simulation),
    /// A pass over initial states, in which one was found to exist or not yet.
    Start(Box<Sweep>, bool),
    /// A pass over states after a step.
    Step(Box<Sweep>),
    Done,
}

/// What a search found.
pub(super) enum Found {
    /// The classes of [`Correspondence::merged`].
    Classes,
    /// There is no initial state.
    Nothing,
}

#[derive(Default)]
struct Simulation {
    initial: Vec<u64>,
    states: Vec<u64>,
    quiet: usize,
    steps: usize,
}

impl Correspondence {
    pub(super) fn new(system: &TransitionSystem) -> Self {
        Self {
            classes: Classes::new(&system.aig),
            order: Classes::order(&system.aig),
            rng: Rng::new(0),
            stage: Stage::Start(Box::new(Sweep::at_start(system)), false),
        }
    }

    /// Goes on with the search.
    pub(super) fn run(&mut self, system: &TransitionSystem, budget: &mut Budget) -> Result<Found, Exhausted> {
        loop {
            let Self { classes, order, rng, .. } = self;
            self.stage = match &mut self.stage {
                Stage::Start(sweep, false) => {
                    let Some(state) = sweep.some(budget)? else { return Ok(Found::Nothing) };
                    Stage::Simulate(Simulation::from(system, &state, rng))
                }
                Stage::Simulate(simulation) => {
                    while simulation.goes_on() {
                        budget.spend(1 + system.aig.len() / 8)?;
                        simulation.step(system, classes, rng);
                    }
                    Stage::Start(Box::new(Sweep::at_start(system)), true)
                }
                Stage::Start(sweep, true) => {
                    sweep.run(system, (classes, order), rng, budget)?;
                    Stage::Step(self.after_step(system, budget)?)
                }
                Stage::Step(sweep) => {
                    let was_split = sweep.run(system, (classes, order), rng, budget)?;
                    if was_split { Stage::Step(self.after_step(system, budget)?) } else { Stage::Done }
                }
                Stage::Done => return Ok(Found::Classes),
            };
        }
    }

    fn after_step(&self, system: &TransitionSystem, budget: &mut Budget) -> Result<Box<Sweep>, Exhausted> {
        budget.spend(2 * system.aig.len())?;
        Ok(Box::new(Sweep::after_step(system, &self.classes, &self.order)))
    }

    /// For each node, the literal that it equals.
    #[cfg(test)]
    pub(super) fn stands(&self) -> Vec<Lit> {
        (0..self.order.len()).map(|at| self.classes.stands_for(Var(at as u32))).collect()
    }

    /// The system with each node replaced by the one that stands for it, with the same state
    /// variables and choices; what a function is there; and for each state variable the literal
    /// that it equals, in the system as it was.
    pub(super) fn merged(&self, system: &TransitionSystem, goal: Lit) -> (TransitionSystem, Lit, Vec<Lit>) {
        let mut merged = TransitionSystem::default();
        let mut own = vec![Lit::FALSE; system.aig.len()];
        let mut image = own.clone();
        let of = |lit: Lit, image: &[Lit]| image[lit.var().index()].negated_if(lit.is_negated());
        for &var in &self.order {
            let stands = self.classes.stands_for(var);
            own[var.index()] = match system.aig.gate(var) {
                Gate::False => Lit::FALSE,
                Gate::Variable => merged.aig.variable(),
                Gate::And(..) if stands.var() != var => Lit::FALSE,
                Gate::And(a, b) => merged.aig.and(of(a, &image), of(b, &image)),
            };
            image[var.index()] = if stands.var() == var { own[var.index()] } else { of(stands, &image) };
        }
        let state =
            |state: &StateVar| StateVar { now: own[state.now.var().index()], next: of(state.next, &image) };
        merged.states = system.states.iter().map(state).collect();
        merged.choices = system.choices.iter().map(|choice| own[choice.var().index()]).collect();
        merged.constraints = system.constraints.iter().map(|&lit| of(lit, &image)).collect();
        let within = system.aig.cone(system.init.iter().copied());
        let start = merged.aig.copy(&system.aig, &within, |_, var| image[var.index()]);
        let condition = |lit: &Lit| start[lit.var().index()].expect("a root").negated_if(lit.is_negated());
        merged.init = system.init.iter().map(condition).collect();
        let equal = system.states.iter().map(|state| self.classes.stands_for(state.now.var())).collect();
        (merged, of(goal, &image), equal)
    }
}

impl Simulation {
    /// From initial states: one that is known, and others where each variable starts with any value
    /// or with one that it always has.
    fn from(system: &TransitionSystem, state: &[bool], rng: &mut Rng) -> Self {
        let of_var = system.state_of_var();
        let splat = |value: bool| u64::from(value).wrapping_neg();
        let resets = system.resets();
        let random: Vec<u64> =
            resets.iter().map(|reset| reset.map_or_else(|| rng.next_u64(), splat)).collect();
        let values = system.aig.simulate(|var| of_var[var.index()].map_or(0, |at| random[at as usize]));
        let is_initial = system.init.iter().fold(u64::MAX, |all, &lit| all & Aig::value(&values, lit));
        let initial: Vec<u64> = random
            .iter()
            .zip(state)
            .map(|(random, &known)| random & is_initial | splat(known) & !is_initial)
            .collect();
        Self { states: initial.clone(), initial, ..Self::default() }
    }

    fn goes_on(&self) -> bool {
        self.quiet < QUIET && self.steps < MOST_SIMULATED
    }

    /// A step under random choices; runs whose choice is not allowed begin anew.
    fn step(&mut self, system: &TransitionSystem, classes: &mut Classes, rng: &mut Rng) {
        let mut is_state = vec![None; system.aig.len()];
        for (state, &values) in system.states.iter().zip(&self.states) {
            is_state[state.now.var().index()] = Some(values);
        }
        let values = system.aig.simulate(|var| is_state[var.index()].unwrap_or_else(|| rng.next_u64()));
        self.quiet = if classes.refine(&values) { 0 } else { self.quiet + 1 };
        self.steps += 1;
        let allowed = system.constraints.iter().fold(u64::MAX, |all, &lit| all & Aig::value(&values, lit));
        for ((now, state), initial) in self.states.iter_mut().zip(&system.states).zip(&self.initial) {
            *now = Aig::value(&values, state.next) & allowed | initial & !allowed;
        }
    }
}
