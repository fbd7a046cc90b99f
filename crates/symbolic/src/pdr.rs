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

use crate::bmc::{Initial, initial_states};
use crate::query::{Clause, Counters, Outcome, Query};
use crate::relation::{Cube, Relation};
use crate::target::Target;
use frames::Frames;
use loris_base::{Budget, Exhausted};
use loris_circuit::{Step, System, Trace};
use loris_solvers::sat::SatLit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a search found.
#[derive(Debug)]
pub enum Reached {
    /// A run to the target.
    By(Trace),
    /// The target is not reached: cubes whose complement is closed under steps, contains the
    /// initial states and excludes the target; none where only initial states count.
    Never(Option<Vec<Cube>>),
}

/// Decides a property that asks for reachability; `None` if it does not.
pub fn check(system: &System, query: &Query<'_>, budget: &mut Budget) -> Result<Option<Outcome>, Exhausted> {
    let Some(target) = Target::of(system, query) else { return Ok(None) };
    if target.is_wanted {
        match initial_states(system, budget)? {
            Initial::None => return Ok(Some(Outcome { holds: true, ..Outcome::default() })),
            Initial::One => {}
            Initial::Several => return Ok(None),
        }
    }
    let (reached, counters) = search(&target, budget)?;
    let (reached, witness, invariant) = match reached {
        Reached::By(trace) => (true, target.witness(query, trace, budget)?, None),
        Reached::Never(excluded) => (false, None, excluded.map(clauses)),
    };
    Ok(Some(Outcome { holds: reached == target.is_wanted, witness, invariant, counters }))
}

/// The negations of cubes.
fn clauses(cubes: Vec<Cube>) -> Vec<Clause> {
    let negated = |cube: Cube| cube.into_iter().map(|(var, value)| (var, !value)).collect();
    cubes.into_iter().map(negated).collect()
}

/// A set of states from which the target is reached, to be excluded from a frame.
struct Obligation {
    cube: Cube,
    /// the choice that leads on, and the obligation it leads to
    choice: Vec<bool>,
    next: Option<usize>,
    depth: usize,
}

pub(crate) struct Pdr<'t> {
    target: &'t Target,
    relation: Relation,
    goal: SatLit,
    allowed: SatLit,
    frames: Frames,
    obligations: Vec<Obligation>,
    budget: &'t mut Budget,
    blocked: u64,
}

/// Is the target reached?
pub fn search(target: &Target, budget: &mut Budget) -> Result<(Reached, Counters), Exhausted> {
    let mut system = target.system.clone();
    let mut relation = Relation::new(&mut system);
    let goal = relation.literal(target.lit, &system);
    let allowed = relation.allowed(&system);
    let frames = Frames::default();
    let mut pdr =
        Pdr { target, relation, goal, allowed, frames, obligations: Vec::new(), budget, blocked: 0 };
    let reached = pdr.run()?;
    let counters = vec![
        ("frames", pdr.frames.len() as u64),
        ("clauses", pdr.blocked),
        ("queries", pdr.relation.sat.calls()),
    ];
    Ok((reached, counters))
}

impl Pdr<'_> {
    fn run(&mut self) -> Result<Reached, Exhausted> {
        // no step: an initial state in the target
        if self.relation.sat.solve(&[self.relation.initial, self.goal], self.budget)? {
            let step = Step { state: self.relation.state(), choice: self.relation.choice() };
            return Ok(Reached::By(Trace { steps: vec![step], back_to: None }));
        }
        if self.target.at_start {
            // only initial states count: there is nothing to close
            return Ok(Reached::Never(None));
        }
        self.frames.push(&mut self.relation);
        loop {
            let last = self.frames.len();
            while let Some(cube) = self.goal_in(last)? {
                if let Some(trace) = self.block(cube, last)? {
                    return Ok(Reached::By(trace));
                }
            }
            self.frames.push(&mut self.relation);
            if let Some(invariant) = self.propagate()? {
                return Ok(Reached::Never(Some(invariant)));
            }
        }
    }

    /// States of a frame in the target, generalised.
    fn goal_in(&mut self, frame: usize) -> Result<Option<Cube>, Exhausted> {
        let mut assumed = self.frames.assumptions(frame);
        assumed.push(self.goal);
        if !self.relation.sat.solve(&assumed, self.budget)? {
            return Ok(None);
        }
        let state = self.relation.state();
        let ahead: Vec<SatLit> = self.ahead();
        let cube = self.lift(&state, &ahead, &[!self.goal])?;
        Ok(Some(cube))
    }

    /// What the target's own steps choose, in the last model.
    fn ahead(&mut self) -> Vec<SatLit> {
        let lits: Vec<SatLit> = self
            .target
            .steps
            .iter()
            .flatten()
            .map(|&lit| self.relation.literal(lit, &self.target.system))
            .collect();
        lits.into_iter().map(|lit| lit.negated_if(!self.relation.sat.value(lit))).collect()
    }

    /// Excludes a cube from a frame; a run to the target if that cannot be.
    fn block(&mut self, cube: Cube, frame: usize) -> Result<Option<Trace>, Exhausted> {
        self.obligations.clear();
        self.obligations.push(Obligation { cube, choice: Vec::new(), next: None, depth: 0 });
        let mut queue = BinaryHeap::from([Reverse((frame, 0usize, 0usize))]);
        while let Some(Reverse((frame, depth, at))) = queue.pop() {
            self.budget.spend(1)?;
            let cube = self.obligations[at].cube.clone();
            if let Some(start) = self.relation.initial_in(&cube, self.budget)? {
                return Ok(Some(self.trace(start, at)));
            }
            if frame == 0 {
                continue;
            }
            if self.is_blocked(&cube, frame)? {
                if frame < self.frames.len() {
                    queue.push(Reverse((frame + 1, depth, at)));
                }
                continue;
            }
            match self.predecessor(&cube, frame)? {
                None => {
                    let (cube, frame) = self.generalize(cube, frame)?;
                    self.blocked += 1;
                    self.frames.add(cube, frame, &mut self.relation, self.budget)?;
                    if frame < self.frames.len() {
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

    /// Whether a frame excludes a cube already.
    fn is_blocked(&mut self, cube: &Cube, frame: usize) -> Result<bool, Exhausted> {
        if self.frames.subsumes(cube, frame) {
            return Ok(true);
        }
        let mut assumed = self.frames.assumptions(frame);
        assumed.extend(cube.iter().map(|&lit| self.relation.before(lit)));
        Ok(!self.relation.sat.solve(&assumed, self.budget)?)
    }

    /// A state of the frame before, outside the cube, with a step into it, generalised; with the
    /// choice of the step.
    fn predecessor(&mut self, cube: &Cube, frame: usize) -> Result<Option<(Cube, Vec<bool>)>, Exhausted> {
        let mut assumed = self.frames.assumptions(frame - 1);
        if frame == 1 {
            assumed.push(self.relation.initial);
        }
        assumed.push(self.relation.step);
        let outside = self.outside(cube);
        assumed.push(outside);
        assumed.extend(cube.iter().map(|&lit| self.relation.after(lit)));
        let found = self.relation.sat.solve(&assumed, self.budget)?;
        if !found {
            self.relation.sat.release(!outside);
            return Ok(None);
        }
        let (state, choice) = (self.relation.state(), self.relation.choice());
        self.relation.sat.release(!outside);
        let chosen: Vec<SatLit> =
            self.relation.choices.iter().zip(&choice).map(|(lit, &value)| lit.negated_if(!value)).collect();
        // not all of: the constraints hold, and the step leads into the cube
        let mut fails: Vec<SatLit> = cube.iter().map(|&lit| !self.relation.after(lit)).collect();
        fails.push(!self.allowed);
        let before = self.lift(&state, &chosen, &fails)?;
        Ok(Some((before, choice)))
    }

    /// A literal under which the state before the step lies outside a cube.
    pub(crate) fn outside(&mut self, cube: &Cube) -> SatLit {
        let outside = self.relation.sat.variable();
        let mut clause: Vec<SatLit> = cube.iter().map(|&lit| !self.relation.before(lit)).collect();
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
        let from = assumed.len();
        assumed.extend(state.iter().enumerate().map(|(at, &value)| self.relation.before((at as u32, value))));
        let found = self.relation.sat.solve(&assumed, self.budget)?;
        debug_assert!(!found, "a step is a function of the state and the choice");
        let needed = |at: &usize| found || self.relation.sat.needed(assumed[from + at]);
        let cube = (0..state.len()).filter(needed).map(|at| (at as u32, state[at])).collect();
        self.relation.sat.release(!active);
        Ok(cube)
    }

    /// The run from an initial state of an obligation's cube along the choices of the obligations.
    fn trace(&self, start: Vec<bool>, from: usize) -> Trace {
        let (mut steps, mut state, mut at) = (Vec::new(), start, from);
        loop {
            let obligation = &self.obligations[at];
            match obligation.next {
                None => {
                    let choice = vec![false; self.relation.choices.len()];
                    steps.push(Step { state, choice });
                    return Trace { steps, back_to: None };
                }
                Some(next) => {
                    let after = self.target.system.step(&state, &obligation.choice);
                    steps.push(Step { state, choice: obligation.choice.clone() });
                    state = after;
                    at = next;
                }
            }
        }
    }
}
