//! Bounded model checking: a shortest run to a target, by unrolling the transition relation.
//!
//! Source: Biere, Cimatti, Clarke and Zhu, *Symbolic Model Checking without BDDs* (1999). After `k`
//! rounds no run of fewer than `k` steps reaches the target. Each round adds one copy of the
//! relation to the same solver and asks it one question. Where the target cannot be reached, the
//! search ends with its budget, or as soon as there is no run of `k` steps that never visits a
//! state twice (asked by the first rounds whose number is a power of two, within a budget of its
//! own); its oracle is the explicit search of the tests.

use crate::prepare::Prepared;
use crate::query::{Query, SystemOutcome};
use crate::resume::{Paused, Searching, resumed};
use crate::unrolled::Unrolled;
use loris_base::{Budget, Exhausted};
use loris_circuit::{SystemRun, TransitionSystem};
use std::sync::Arc;

pub use crate::unrolled::{Initial, initial_states};

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

/// The budget of the question whether runs of some length must visit a state twice.
const SIMPLE_RUN_STEPS: u64 = 2_000_000;

/// Runs of more steps are not asked about.
const SIMPLE_RUNS: usize = 128;

/// A search for a target, which can be taken up again where a limit ended it.
pub struct Search {
    prepared: Arc<Prepared>,
    unrolled: Unrolled,
    /// steps of the runs that are asked about
    round: usize,
    /// what was done for runs of this many steps
    stage: Stage,
    /// whether longer runs must visit a state twice, while that is asked
    simple: Option<SimpleRun>,
}

/// How far a round is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The relation is to be unrolled so far.
    Unroll,
    /// The last state may be in the target.
    Ask,
    /// It is not; a run may have to visit a state twice.
    Simple,
}

impl Searching for Search {
    fn new(prepared: Arc<Prepared>) -> Self {
        Self { prepared, unrolled: Unrolled::new(), round: 0, stage: Stage::Unroll, simple: None }
    }

    fn decide(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<SystemOutcome, Exhausted> {
        let found = self.go_on(budget)?;
        let rounds = found.as_ref().map_or(0, |trace| trace.steps.len() as u64);
        let Prepared { target, .. } = &*self.prepared;
        let holds = found.is_some() == target.is_wanted;
        let trace = found.map(|trace| self.prepared.original(trace, budget)).transpose()?;
        let witness = trace.map(|trace| target.witness(query, trace, budget)).transpose()?.flatten();
        let counters = vec![("steps", rounds)];
        Ok(SystemOutcome { holds, witness, counters, ..SystemOutcome::default() })
    }
}

impl Search {
    /// A shortest run to the target, or none where there is none.
    fn go_on(&mut self, budget: &mut Budget) -> Result<Option<SystemRun>, Exhausted> {
        let Self { prepared, unrolled, round, stage, simple } = self;
        let system = &prepared.system;
        loop {
            match *stage {
                Stage::Unroll => {
                    unrolled.extend(system, budget)?;
                    if *round == 0 {
                        unrolled.start(system);
                    }
                    *stage = Stage::Ask;
                }
                Stage::Ask => {
                    let goal = unrolled.frames[*round].literal(prepared.goal, &system.aig, &mut unrolled.sat);
                    if unrolled.sat.solve(&[goal], budget)? {
                        return Ok(Some(unrolled.trace()));
                    }
                    if prepared.target.at_start {
                        return Ok(None);
                    }
                    unrolled.sat.clause(&[!goal]);
                    *stage = Stage::Simple;
                }
                Stage::Simple => {
                    if usize::is_power_of_two(*round + 1) && *round < SIMPLE_RUNS {
                        let asked = simple.get_or_insert_with(|| SimpleRun::new(*round + 1));
                        if asked.ask(system, budget)? == Some(false) {
                            return Ok(None);
                        }
                        *simple = None;
                    }
                    *round += 1;
                    *stage = Stage::Unroll;
                }
            }
        }
    }
}

/// Whether some run of a number of steps from an initial state visits no state twice. This is a
/// pigeonhole principle at its worst: it gets a small budget of its own.
struct SimpleRun {
    unrolled: Unrolled,
    steps: usize,
    is_started: bool,
    /// steps of the budget that are left
    left: u64,
}

impl SimpleRun {
    fn new(steps: usize) -> Self {
        Self { unrolled: Unrolled::new(), steps, is_started: false, left: SIMPLE_RUN_STEPS }
    }

    /// Goes on with the question; none if it takes too long.
    fn ask(&mut self, system: &TransitionSystem, budget: &mut Budget) -> Result<Option<bool>, Exhausted> {
        let before = budget.spent();
        let few = &mut budget.slice(self.left);
        let found = self.decide(system, few);
        let joined = budget.join(few);
        self.left = self.left.saturating_sub(budget.spent() - before);
        // memory that this question lacks, the search may not need
        if found.is_err() {
            joined?;
            budget.look()?;
        }
        Ok(found.ok())
    }

    fn decide(&mut self, system: &TransitionSystem, budget: &mut Budget) -> Result<bool, Exhausted> {
        let unrolled = &mut self.unrolled;
        while unrolled.states.len() <= self.steps {
            unrolled.extend(system, budget)?;
        }
        if !self.is_started {
            unrolled.start(system);
            self.is_started = true;
        }
        let bits = system.states.len();
        let budget = &mut budget.holding((self.steps + 1) * bits)?;
        // pairs of states that a model identifies are told apart, until none is or no model is left
        loop {
            // a model is read, and its states are compared
            budget.spend((self.steps + 1) * (bits + 1))?;
            if !unrolled.sat.solve(&[], budget)? {
                return Ok(false);
            }
            let mut seen: rustc_hash::FxHashMap<Vec<bool>, usize> = rustc_hash::FxHashMap::default();
            let mut equal = None;
            for (at, state) in unrolled.states.iter().enumerate() {
                let values: Vec<bool> = state.iter().map(|&lit| unrolled.sat.value(lit)).collect();
                if let Some(before) = seen.insert(values, at) {
                    equal = Some((before, at));
                    break;
                }
            }
            let Some((a, b)) = equal else { return Ok(true) };
            let (a, b) = (unrolled.states[a].clone(), unrolled.states[b].clone());
            let mut differ = Vec::with_capacity(a.len());
            for (a, b) in a.into_iter().zip(b) {
                let differs = unrolled.sat.variable();
                unrolled.sat.clause(&[!differs, a, b]);
                unrolled.sat.clause(&[!differs, !a, !b]);
                differ.push(differs);
            }
            unrolled.sat.clause(&differ);
        }
    }
}
