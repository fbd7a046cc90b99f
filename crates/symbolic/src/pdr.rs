//! Property-directed reachability (IC3): is a target reached, with an inductive invariant if it is
//! not.
//!
//! Source: Bradley, *SAT-Based Model Checking without Unrolling* (2011); Eén, Mishchenko and
//! Brayton, *Efficient Implementation of Property Directed Reachability* (2011). Frames
//! `F₁ ⊇ … ⊇ F_k` are sets of clauses, over-approximations of what at most `i` steps reach; `F₀` is
//! the initial states.
//!
//! Invariant of the loop: `init ⊆ F_i`, `F_i ⊆ F_{i+1}`, the image of `F_i` lies in `F_{i+1}`, and
//! no state of `F_i`, `i < k`, is in the target. A state that can reach the target is blocked in a
//! frame, by a clause that is inductive relative to the frame before, or its predecessors become
//! obligations. When two frames are equal they are the invariant. Every blocked cube excludes a
//! state, so that the search ends; in the worst case after as many queries as there are states
//! times frames. Its oracle is the explicit search of the tests.

mod frames;
mod generalize;
mod search;
mod start;

pub use search::{Search, check, invariant, resume};
pub(crate) use start::Start;

use crate::relation::{Cube, Relation};
use frames::Frames;
use loris_base::{Budget, Exhausted};
use loris_solvers::sat::SatLit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A set of states from which the target is reached, to be excluded from a frame.
struct Obligation {
    cube: Cube,
    /// the choice that leads on, and the obligation it leads to
    choice: Vec<bool>,
    next: Option<usize>,
    depth: usize,
}

/// What a search is about: literals of a solver that has the transition relation.
pub(crate) struct Question {
    /// The initial states.
    pub(crate) initial: Start,
    /// Assumed of steps.
    pub(crate) step: Vec<SatLit>,
    /// Given the state and the choice, one of these holds if there is no such step.
    pub(crate) no_step: Vec<SatLit>,
    /// The target.
    pub(crate) goal: SatLit,
    /// Variables of the target that are not states: what steps from there choose.
    pub(crate) ahead: Vec<SatLit>,
    /// The search pauses when this many steps of the budget are spent.
    pub(crate) until: u64,
}

/// What a search has found out. It stays true if the target or the steps become fewer.
#[derive(Default)]
pub(crate) struct Memory {
    frames: Frames,
    /// whether the last frame is new, and clauses of those before are being moved
    is_propagating: bool,
    blocked: u64,
    /// queries to solvers that were given up
    queries: u64,
}

impl Memory {
    /// The clauses of the frames are no longer needed.
    pub(crate) fn release(&self, relation: &mut Relation) {
        self.frames.release(relation);
    }
}

/// What one search found.
pub(crate) enum Found {
    /// A run to the target: the initial state, and what its steps choose.
    Run(Vec<bool>, Vec<Vec<bool>>),
    /// The complement of these cubes is closed under steps, contains the initial states and
    /// excludes the target.
    Closed(Vec<Cube>),
    /// The search took longer than it was to, and can be resumed.
    Paused,
}

/// Makes the relation and the question anew.
pub(crate) type Renew<'r> = &'r mut dyn FnMut() -> (Relation, Question);

pub(crate) struct Pdr<'r> {
    question: &'r mut Question,
    relation: &'r mut Relation,
    memory: &'r mut Memory,
    obligations: Vec<Obligation>,
    budget: &'r mut Budget,
    renew: Option<Renew<'r>>,
}

/// A solver is given up after this many queries, where it can be: then it is full of clauses and of
/// parts of the relation that no longer matter.
const QUERIES_PER_SOLVER: u64 = 1000;

impl<'r> Pdr<'r> {
    pub(crate) fn new(
        question: &'r mut Question,
        relation: &'r mut Relation,
        memory: &'r mut Memory,
        budget: &'r mut Budget,
    ) -> Self {
        Self { question, relation, memory, obligations: Vec::new(), budget, renew: None }
    }

    /// The same with a solver that is made anew from time to time.
    pub(crate) fn renewing(self, renew: Renew<'r>) -> Self {
        Self { renew: Some(renew), ..self }
    }

    /// Begins with a new solver if the old one has had many queries.
    fn renew(&mut self) {
        let Some(renew) = &mut self.renew else { return };
        if self.relation.sat.calls() < QUERIES_PER_SOLVER {
            return;
        }
        self.memory.queries += self.relation.sat.calls();
        self.budget.release(self.relation.sat.charged());
        let until = self.question.until;
        (*self.relation, *self.question) = renew();
        self.question.until = until;
        self.memory.frames.renew(self.relation);
    }

    /// An initial state in the target.
    pub(crate) fn at_start(&mut self) -> Result<Option<Found>, Exhausted> {
        let mut assumed = self.initial();
        assumed.push(self.question.goal);
        let found = self.relation.solve(&assumed, self.budget)?;
        Ok(found.then(|| Found::Run(self.relation.state(), Vec::new())))
    }

    /// Goes on with a search; no initial state is in the target.
    pub(crate) fn run(&mut self) -> Result<Found, Exhausted> {
        if self.memory.frames.len() == 0 {
            self.memory.frames.push(self.relation);
        }
        loop {
            if !self.memory.is_propagating {
                let last = self.memory.frames.len();
                while let Some(cube) = self.goal_in(last)? {
                    if let Some(run) = self.block(cube, last)? {
                        return Ok(run);
                    }
                }
                self.memory.frames.push(self.relation);
                self.memory.is_propagating = true;
            }
            if let Some(invariant) = self.propagate()? {
                return Ok(Found::Closed(invariant));
            }
            self.memory.is_propagating = false;
        }
    }

    /// The literals of a cube before the step.
    fn before(&mut self, cube: &[(u32, bool)]) -> Vec<SatLit> {
        cube.iter().map(|&lit| self.relation.here(lit)).collect()
    }

    /// The literals of a cube after the step.
    fn after(&mut self, cube: &[(u32, bool)]) -> Vec<SatLit> {
        cube.iter().map(|&lit| self.relation.there(lit)).collect()
    }

    /// The values of variables in the last model, as literals.
    fn chosen(&self, variables: &[SatLit]) -> Vec<SatLit> {
        variables.iter().map(|&lit| lit.negated_if(!self.relation.sat.value(lit))).collect()
    }

    /// An initial state in a cube, if there is one; if not, the literals of the cube that keep
    /// initial states out, by their places.
    fn initial_in(&mut self, cube: &[(u32, bool)]) -> Result<Result<Vec<bool>, Vec<usize>>, Exhausted> {
        match &self.question.initial {
            Start::Cube(values) => {
                let apart = |&(var, value): &(u32, bool)| values[var as usize] == Some(!value);
                if let Some(at) = cube.iter().position(apart) {
                    return Ok(Err(vec![at]));
                }
                let mut state: Vec<bool> = values.iter().map(|value| value.unwrap_or(false)).collect();
                for &(var, value) in cube {
                    state[var as usize] = value;
                }
                Ok(Ok(state))
            }
            Start::Assumed(literals) => {
                let mut assumed = literals.clone();
                let before = self.before(cube);
                assumed.extend(&before);
                if self.relation.solve(&assumed, self.budget)? {
                    return Ok(Ok(self.relation.state()));
                }
                let is_needed = |&at: &usize| self.relation.sat.needed(before[at]);
                Ok(Err((0..cube.len()).filter(is_needed).collect()))
            }
        }
    }

    /// What to assume of initial states.
    fn initial(&mut self) -> Vec<SatLit> {
        match &self.question.initial {
            Start::Cube(values) => {
                let known = values.iter().enumerate().filter_map(|(var, &value)| Some((var as u32, value?)));
                known.map(|lit| self.relation.here(lit)).collect()
            }
            Start::Assumed(literals) => literals.clone(),
        }
    }

    /// States of a frame in the target, generalised.
    fn goal_in(&mut self, frame: usize) -> Result<Option<Cube>, Exhausted> {
        let mut assumed = self.memory.frames.assumptions(frame);
        assumed.push(self.question.goal);
        if !self.relation.solve(&assumed, self.budget)? {
            return Ok(None);
        }
        let (state, ahead) = (self.relation.state(), self.chosen(&self.question.ahead));
        let cube = self.lift(&state, &ahead, &[!self.question.goal])?;
        Ok(Some(cube))
    }

    /// Excludes a cube from a frame; a run to the target if that cannot be.
    fn block(&mut self, cube: Cube, frame: usize) -> Result<Option<Found>, Exhausted> {
        self.obligations.clear();
        self.obligations.push(Obligation { cube, choice: Vec::new(), next: None, depth: 0 });
        let mut queue = BinaryHeap::from([Reverse((frame, 0usize, 0usize))]);
        while let Some(Reverse((frame, depth, at))) = queue.pop() {
            self.renew();
            self.budget.spend(1)?;
            if self.budget.spent() >= self.question.until {
                return Ok(Some(Found::Paused));
            }
            let cube = self.obligations[at].cube.clone();
            if let Ok(start) = self.initial_in(&cube)? {
                return Ok(Some(self.found(start, at)));
            }
            if frame == 0 {
                continue;
            }
            // a frame that excludes the cube for other reasons is seen by the query below
            if self.memory.frames.subsumes(&cube, frame) {
                if frame < self.memory.frames.len() {
                    queue.push(Reverse((frame + 1, depth, at)));
                }
                continue;
            }
            match self.predecessor(&cube, frame)? {
                None => {
                    let (cube, frame) = self.generalize(cube, frame)?;
                    self.memory.blocked += 1;
                    self.exclude(cube, frame)?;
                    if frame < self.memory.frames.len() {
                        queue.push(Reverse((frame + 1, depth, at)));
                    }
                }
                Some((before, choice)) => {
                    let depth = self.obligations[at].depth + 1;
                    self.obligations.push(Obligation { cube: before, choice, next: Some(at), depth });
                    queue.push(Reverse((frame - 1, depth, self.obligations.len() - 1)));
                    queue.push(Reverse((frame, self.obligations[at].depth, at)));
                }
            }
        }
        Ok(None)
    }

    /// Excludes a cube from all frames up to one.
    fn exclude(&mut self, cube: Cube, frame: usize) -> Result<(), Exhausted> {
        self.memory.frames.add(cube, frame, self.relation, self.budget)
    }

    /// What to assume of a step from the frame before.
    fn step_from(&mut self, frame: usize) -> Vec<SatLit> {
        let mut assumed = self.memory.frames.assumptions(frame);
        if frame == 0 {
            assumed.extend(self.initial());
        }
        assumed.extend(&self.question.step);
        assumed
    }

    /// A state of the frame before, outside the cube, with a step into it, generalised; with the
    /// choice of the step.
    fn predecessor(&mut self, cube: &Cube, frame: usize) -> Result<Option<(Cube, Vec<bool>)>, Exhausted> {
        let mut assumed = self.step_from(frame - 1);
        let outside = self.outside(cube);
        assumed.push(outside);
        let after = self.after(cube);
        assumed.extend(&after);
        if !self.solve_under(outside, &assumed)? {
            self.relation.sat.release(!outside);
            return Ok(None);
        }
        let (state, choice) = (self.relation.state(), self.relation.choice());
        let choices: Vec<SatLit> = self.relation.known_choices().into_iter().map(|(_, lit)| lit).collect();
        let mut chosen = self.chosen(&choices);
        chosen.extend(self.chosen(&self.question.ahead));
        self.relation.sat.release(!outside);
        // not all of: there is a step, and it leads into the cube
        let mut fails: Vec<SatLit> = after.iter().map(|&lit| !lit).collect();
        fails.extend(&self.question.no_step);
        let before = self.lift(&state, &chosen, &fails)?;
        Ok(Some((before, choice)))
    }

    /// Whether there is a model under assumptions, one of which is of this query alone: it is
    /// released if a limit ends the query. Else a search that is resumed many times would have as
    /// many variables to decide on.
    fn solve_under(&mut self, active: SatLit, assumed: &[SatLit]) -> Result<bool, Exhausted> {
        let found = self.relation.solve(assumed, self.budget);
        if found.is_err() {
            self.relation.sat.release(!active);
        }
        found
    }

    /// A literal under which the state before the step lies outside a cube.
    pub(crate) fn outside(&mut self, cube: &Cube) -> SatLit {
        let outside = self.relation.sat.variable();
        let mut clause: Vec<SatLit> = self.before(cube).into_iter().map(|lit| !lit).collect();
        clause.push(!outside);
        self.relation.sat.clause(&clause);
        outside
    }

    /// The part of a state that, with these choices, excludes the clause `fails`.
    fn lift(&mut self, state: &[bool], chosen: &[SatLit], fails: &[SatLit]) -> Result<Cube, Exhausted> {
        let active = self.relation.sat.variable();
        let mut clause = fails.to_vec();
        clause.push(!active);
        self.relation.sat.clause(&clause);
        let mut assumed = vec![active];
        assumed.extend(chosen);
        // no step depends on others
        let known = self.relation.known_now();
        let known = known.into_iter().map(|(at, lit)| (at, lit.negated_if(!state[at])));
        let known: Vec<(usize, SatLit)> = known.collect();
        assumed.extend(known.iter().map(|&(_, lit)| lit));
        let found = self.solve_under(active, &assumed)?;
        debug_assert!(!found, "a step is a function of the state and the choice");
        let needed = known.iter().filter(|&&(_, lit)| found || self.relation.sat.needed(lit));
        let cube = needed.map(|&(at, _)| (at as u32, state[at])).collect();
        self.relation.sat.release(!active);
        Ok(cube)
    }

    /// The run from an initial state of an obligation's cube along the choices of the obligations.
    fn found(&self, start: Vec<bool>, from: usize) -> Found {
        let (mut choices, mut at) = (Vec::new(), from);
        while let Some(next) = self.obligations[at].next {
            choices.push(self.obligations[at].choice.clone());
            at = next;
        }
        Found::Run(start, choices)
    }
}
