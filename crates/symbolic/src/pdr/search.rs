//! Searches for one property, which can be taken up again where a limit ended them.

use super::{Found, Memory, Pdr, Question, Start};
use crate::prepare::Prepared;
use crate::query::{Clause, Counters, Query, SystemOutcome};
use crate::relation::{Cube, Relation};
use crate::resume::{Paused, Searching, resumed};
use loris_base::{Budget, Exhausted};
use loris_circuit::{RunStep, SystemRun, TransitionSystem};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What a search found.
#[derive(Debug)]
enum Reached {
    /// A run to the target.
    By(SystemRun),
    /// The target is not reached: cubes whose complement is closed under steps, contains the
    /// initial states and excludes the target; none where only initial states count.
    Never(Option<Vec<Cube>>),
}

/// Decides a property that asks for reachability; `None` if it does not.
pub fn check(
    system: &TransitionSystem,
    query: &Query<'_>,
    budget: &mut Budget,
) -> Result<Option<SystemOutcome>, Exhausted> {
    resume(system, query, &mut Paused::default(), budget)
}

/// The same; a search that a limit ends is left in `paused`, to be taken up by the next call for
/// the same property.
pub fn resume(
    system: &TransitionSystem,
    query: &Query<'_>,
    paused: &mut Paused<Search>,
    budget: &mut Budget,
) -> Result<Option<SystemOutcome>, Exhausted> {
    resumed(system, query, paused, budget)
}

/// Clauses whose conjunction is closed under steps, contains the initial states and excludes the
/// target of a property that asks for reachability, if there are such: evidence, which is about the
/// system as it is. The search for the verdict is about what is left of it.
pub fn invariant(
    system: &TransitionSystem,
    query: &Query<'_>,
    budget: &mut Budget,
) -> Result<Option<Vec<Clause>>, Exhausted> {
    let ControlFlow::Continue(prepared) = Prepared::plain(system, query, budget)? else { return Ok(None) };
    if prepared.target.at_start {
        return Ok(None);
    }
    Ok(Search::new(Arc::new(prepared)).decide(query, budget)?.invariant)
}

/// The negations of cubes.
fn clauses(cubes: Vec<Cube>) -> Vec<Clause> {
    let negated = |cube: Cube| cube.into_iter().map(|(var, value)| (var, !value)).collect();
    cubes.into_iter().map(negated).collect()
}

/// A search for a target, which can be taken up again where a limit ended it.
pub struct Search {
    prepared: Arc<Prepared>,
    /// the system of the target, with functions that the search needs
    system: TransitionSystem,
    relation: Relation,
    question: Question,
    memory: Memory,
    /// whether no initial state is in the target
    is_started: bool,
}

impl Searching for Search {
    fn new(prepared: Arc<Prepared>) -> Self {
        let mut system = prepared.system.clone();
        let (relation, question) = asked(&prepared, &mut system);
        let memory = Memory::default();
        Self { prepared, system, relation, question, memory, is_started: false }
    }

    fn decide(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<SystemOutcome, Exhausted> {
        let (reached, witness, invariant) = match self.go_on(budget)? {
            Reached::By(trace) => {
                let trace = self.prepared.original(trace, budget)?;
                (true, self.prepared.target.witness(query, trace, budget)?, None)
            }
            Reached::Never(excluded) => (false, None, excluded.map(clauses)),
        };
        let invariant = invariant.filter(|_| self.prepared.is_plain());
        Ok(SystemOutcome {
            holds: reached == self.prepared.target.is_wanted,
            witness,
            is_cut: false,
            invariant,
            counters: self.counters(),
        })
    }
}

impl Search {
    /// Is the target reached?
    fn go_on(&mut self, budget: &mut Budget) -> Result<Reached, Exhausted> {
        let (prepared, system) = (&self.prepared, &mut self.system);
        let mut renew = || asked(prepared, system);
        let pdr = Pdr::new(&mut self.question, &mut self.relation, &mut self.memory, budget);
        let mut pdr = pdr.renewing(&mut renew);
        if !self.is_started {
            if let Some(found) = pdr.at_start()? {
                return self.reached(found);
            }
            self.is_started = true;
        }
        if self.prepared.target.at_start {
            // only initial states count: there is nothing to close
            return Ok(Reached::Never(None));
        }
        let found = pdr.run()?;
        self.reached(found)
    }

    fn reached(&self, found: Found) -> Result<Reached, Exhausted> {
        match found {
            Found::Paused => Err(Exhausted::Time),
            Found::Closed(cubes) => Ok(Reached::Never(Some(cubes))),
            Found::Run(start, choices) => Ok(Reached::By(trace(&self.system, start, choices))),
        }
    }

    /// What was done so far.
    fn counters(&self) -> Counters {
        vec![
            ("frames", self.memory.frames.len() as u64),
            ("clauses", self.memory.blocked),
            ("queries", self.memory.queries + self.relation.sat.calls()),
        ]
    }
}

/// The relation of a system that is searched, and the question in its solver.
fn asked(prepared: &Prepared, system: &mut TransitionSystem) -> (Relation, Question) {
    let mut relation = Relation::in_parts(system);
    let goal = relation.literal(prepared.goal, system);
    let allowed = relation.allowed(system);
    let ahead = prepared.ahead.iter().map(|&lit| relation.literal(lit, system)).collect();
    let question = Question {
        initial: Start::of(system, relation.initial),
        step: vec![relation.step],
        no_step: vec![!allowed],
        goal,
        ahead,
        until: u64::MAX,
    };
    (relation, question)
}

/// The run from a state along choices.
fn trace(system: &TransitionSystem, start: Vec<bool>, choices: Vec<Vec<bool>>) -> SystemRun {
    let (mut steps, mut state) = (Vec::with_capacity(choices.len() + 1), start);
    for choice in choices {
        let after = system.step(&state, &choice);
        steps.push(RunStep { state, choice });
        state = after;
    }
    steps.push(RunStep { state, choice: vec![false; system.choices.len()] });
    SystemRun { steps, back_to: None }
}
