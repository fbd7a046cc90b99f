//! One system, any number of properties, several engines: in turns, until one of them decides.
//!
//! In each round, each engine that takes a property earns slices of work, counted in steps, which
//! grow from round to round. Engines that go on where their last turn ended take them at once;
//! others save them until they have twice as many as they took before. So which engine decides
//! depends on the system and the property only, and the whole costs at most a small multiple of
//! what the best engine costs alone: the sum of all shares by that of the engine, times two where
//! it begins anew. What an engine has found out about the system stays for its next turn, and for
//! the next property but for what `pdr` and `bmc` learned.

use crate::diagrams::{DiagramError, DiagramOptions, Diagrams, FirstOrder};
use crate::omg::{Omg, OmgOptions};
use crate::prepare::Preparing;
use crate::query::{Query, SystemOutcome};
use crate::relation::Relation;
use crate::resume::Paused;
use crate::{bmc, pdr};
use loris_base::{Budget, Exhausted};
use loris_circuit::{SystemRun, TransitionSystem};
use loris_solvers::sat::SatLit;

/// An engine on Boolean transition systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolicEngine {
    /// Guided abstraction.
    Omg,
    /// Property-directed reachability.
    Pdr,
    /// Bounded model checking.
    Bmc,
    /// Fixpoints on decision diagrams.
    Bdd,
}

impl SymbolicEngine {
    /// How many slices of work it earns in a round: decision diagrams and inductive clauses decide
    /// most of the public circuits and models that take any time. A step of `bmc` takes two to
    /// three times as long as theirs.
    fn share(self) -> u64 {
        match self {
            SymbolicEngine::Bdd | SymbolicEngine::Pdr => 6,
            SymbolicEngine::Bmc => 3,
            SymbolicEngine::Omg => 2,
        }
    }

    /// Whether a turn goes on where the last one ended. Others keep what they found out, but begin
    /// a fixpoint or an unwinding anew.
    fn goes_on(self) -> bool {
        matches!(self, SymbolicEngine::Pdr | SymbolicEngine::Bmc)
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Undecided {
    /// A limit was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// The run ends in a state without a step.
    #[error("a run ends in a state without a step")]
    DeadEnd(Box<SystemRun>),
    /// The engine is not for this property or this system.
    #[error("{0}")]
    Unfit(&'static str),
}

/// The engines for one system, with what they found out so far.
pub struct Portfolio<'s> {
    system: &'s TransitionSystem,
    options: PortfolioOptions,
    omg: Option<Box<Omg>>,
    bdd: Option<Box<Diagrams<'s>>>,
    /// whether every reachable state has a step
    total: bool,
}

/// Searches for one property that wait for their next turns, with the bytes they declared.
#[derive(Default)]
struct Searches {
    /// the target, which is made ready once for all
    preparing: Preparing,
    pdr: Paused<pdr::Search>,
    bmc: Paused<bmc::Search>,
    pdr_bytes: usize,
    bmc_bytes: usize,
}

impl Searches {
    fn bytes(&self, engine: SymbolicEngine) -> usize {
        match engine {
            SymbolicEngine::Pdr => self.pdr_bytes,
            SymbolicEngine::Bmc => self.bmc_bytes,
            SymbolicEngine::Omg | SymbolicEngine::Bdd => 0,
        }
    }

    fn holds(&mut self, engine: SymbolicEngine, bytes: usize) {
        match engine {
            SymbolicEngine::Pdr => self.pdr_bytes = bytes,
            SymbolicEngine::Bmc => self.bmc_bytes = bytes,
            SymbolicEngine::Omg | SymbolicEngine::Bdd => {}
        }
    }
}

/// Settings of the engines.
#[derive(Clone, Copy, Debug)]
pub struct PortfolioOptions {
    /// Verdicts come with runs that show why.
    pub witness: bool,
    /// No run that ends has to be found: it is known that there is none, or only endless ones
    /// count, as with [`seek`](crate::seek).
    pub total: bool,
    /// The switches of `omg`.
    pub omg: OmgOptions,
    /// The first order of the variables of `bdd`.
    pub order: FirstOrder,
}

impl Default for PortfolioOptions {
    fn default() -> Self {
        Self { witness: true, total: false, omg: OmgOptions::default(), order: FirstOrder::Walk }
    }
}

/// Steps of the first slice: some milliseconds.
const FIRST_SLICE: u64 = 100_000;

/// Slices grow by a quarter from round to round: little is lost where an engine decides early in
/// its turn, and rounds stay few.
const SLICE_GROWTH: u64 = 4;

/// Steps of the search for an invariant as evidence, for each step that was spent before and beyond
/// that.
const INVARIANT_STEPS: (u64, u64) = (10, 50_000_000);

/// An engine that waits for its turn.
struct Turn {
    engine: SymbolicEngine,
    /// steps that it has earned and not taken
    credit: u64,
    /// the least steps of its next turn
    least: u64,
}

impl Turn {
    fn first(engine: SymbolicEngine) -> Self {
        Self { engine, credit: 0, least: 0 }
    }

    /// The steps of a turn in this round, if it has earned one. An engine that begins anew waits
    /// until it can take twice as many steps as the last time, so that it wastes at most as much as
    /// it uses.
    fn earn(&mut self, slice: u64) -> Option<u64> {
        self.credit = self.credit.saturating_add(self.engine.share().saturating_mul(slice));
        if self.credit < self.least {
            return None;
        }
        if !self.engine.goes_on() {
            self.least = self.credit.saturating_mul(2);
        }
        Some(std::mem::take(&mut self.credit))
    }
}

/// Engines for reachability take no other properties.
const NOT_REACHABILITY: Undecided =
    Undecided::Unfit("it decides `A G p` and, from one initial state, `E F p`, over states and their steps");

impl<'s> Portfolio<'s> {
    /// The engines for a system.
    pub fn new(system: &'s TransitionSystem, options: PortfolioOptions) -> Self {
        let options =
            PortfolioOptions { omg: OmgOptions { witness: options.witness, ..options.omg }, ..options };
        Self { system, options, omg: None, bdd: None, total: options.total || system.constraints.is_empty() }
    }

    /// The bytes of decision diagrams that it keeps for the next property, about.
    pub fn bytes(&self) -> usize {
        self.bdd.as_ref().map_or(0, |diagrams| diagrams.bytes())
    }

    /// Decides a property by an engine.
    pub fn by(
        &mut self,
        engine: SymbolicEngine,
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<SystemOutcome, Undecided> {
        let outcome = self.go_on(engine, query, &mut Searches::default(), budget)?;
        Ok(self.explained(engine, query, outcome, budget))
    }

    /// The outcome, with an invariant where it says that no run reaches the target of a search. The
    /// verdict stands where that takes much longer than the verdict did.
    fn explained(
        &self,
        engine: SymbolicEngine,
        query: &Query<'_>,
        outcome: SystemOutcome,
        budget: &mut Budget,
    ) -> SystemOutcome {
        let is_never = outcome.witness.is_none() && outcome.invariant.is_none();
        if engine != SymbolicEngine::Pdr || !self.options.witness || !is_never {
            return outcome;
        }
        let steps = budget.spent().saturating_mul(INVARIANT_STEPS.0).saturating_add(INVARIANT_STEPS.1);
        let invariant = pdr::invariant(self.system, query, &mut budget.slice(steps));
        SystemOutcome { invariant: invariant.unwrap_or(None), ..outcome }
    }

    /// Decides a property by an engine, which takes up what it left in `paused` in its last turn.
    fn go_on(
        &mut self,
        engine: SymbolicEngine,
        query: &Query<'_>,
        paused: &mut Searches,
        budget: &mut Budget,
    ) -> Result<SystemOutcome, Undecided> {
        let is_fair = !self.system.justice.is_empty() || !self.system.compassion.is_empty();
        if engine != SymbolicEngine::Bdd {
            if is_fair {
                return Err(Undecided::Unfit("it does not know fairness constraints"));
            }
            self.ensure_total(budget)?;
        }
        match engine {
            SymbolicEngine::Pdr => {
                std::mem::swap(&mut paused.pdr.preparing, &mut paused.preparing);
                let found = pdr::resume(self.system, query, &mut paused.pdr, budget);
                std::mem::swap(&mut paused.pdr.preparing, &mut paused.preparing);
                found?.ok_or(NOT_REACHABILITY)
            }
            SymbolicEngine::Bmc => {
                std::mem::swap(&mut paused.bmc.preparing, &mut paused.preparing);
                let found = bmc::resume(self.system, query, &mut paused.bmc, budget);
                std::mem::swap(&mut paused.bmc.preparing, &mut paused.preparing);
                found?.ok_or(NOT_REACHABILITY)
            }
            SymbolicEngine::Omg => {
                let (system, options) = (self.system, self.options.omg);
                let omg = self.omg.get_or_insert_with(|| Box::new(Omg::new(system, options)));
                omg.check(query, budget)?
                    .ok_or(Undecided::Unfit("its temporal operators are nested too deep"))
            }
            SymbolicEngine::Bdd => self.by_diagrams(query, budget),
        }
    }

    fn by_diagrams(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<SystemOutcome, Undecided> {
        if self.bdd.is_none() {
            let options = DiagramOptions {
                witnesses: self.options.witness,
                total: self.options.total,
                order: self.options.order,
                ..DiagramOptions::default()
            };
            self.bdd = Some(Box::new(Diagrams::new(self.system, options, budget)?));
        }
        let diagrams = self.bdd.as_mut().expect("made just now");
        diagrams.check(query, budget).map_err(|error| match error {
            DiagramError::Exhausted(why) => Undecided::Exhausted(why),
            DiagramError::DeadEnd(trace) => Undecided::DeadEnd(trace),
        })
    }

    /// Decides a property by the first engine that does, in turns.
    pub fn decide(
        &mut self,
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<(SymbolicEngine, SystemOutcome), Undecided> {
        use SymbolicEngine::{Bdd, Bmc, Omg, Pdr};
        self.decide_among(&[Pdr, Bdd, Omg, Bmc], query, budget)
    }

    /// Decides a property by the first of some engines that does, in turns.
    pub fn decide_among(
        &mut self,
        engines: &[SymbolicEngine],
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<(SymbolicEngine, SystemOutcome), Undecided> {
        let mut turns: Vec<Turn> = engines.iter().map(|&engine| Turn::first(engine)).collect();
        let mut paused = Searches::default();
        let mut slice_steps = FIRST_SLICE;
        while !turns.is_empty() {
            let mut unfit = Vec::new();
            for turn in &mut turns {
                let Some(steps) = turn.earn(slice_steps) else { continue };
                let engine = turn.engine;
                let mut slice = budget.slice(steps);
                // what the search of the last turn holds still counts
                let found = match slice.note(paused.bytes(engine)) {
                    Ok(()) => self.go_on(engine, query, &mut paused, &mut slice),
                    Err(why) => Err(why.into()),
                };
                paused.holds(engine, slice.used());
                budget.join(&slice)?;
                match found {
                    // the slice may have ended between the verdict and its witness, where a second
                    // call goes on
                    Ok(outcome) if engine == SymbolicEngine::Bdd && outcome.witness.is_none() => {
                        return Ok((engine, self.by(engine, query, budget).unwrap_or(outcome)));
                    }
                    Ok(outcome) => return Ok((engine, self.explained(engine, query, outcome, budget))),
                    Err(Undecided::Unfit(_)) => unfit.push(engine),
                    // memory that one engine lacks, another may not need
                    Err(Undecided::Exhausted(Exhausted::Memory)) => {
                        self.omg = None;
                        self.bdd = None;
                        paused = Searches::default();
                        unfit.push(engine);
                    }
                    Err(Undecided::Exhausted(Exhausted::Time)) => budget.look()?,
                    Err(other) => return Err(other),
                }
            }
            turns.retain(|turn| !unfit.contains(&turn.engine));
            slice_steps = slice_steps.saturating_add(slice_steps / SLICE_GROWTH);
        }
        Err(Undecided::Exhausted(Exhausted::Memory))
    }

    /// Makes sure that every reachable state has a step, as CTL presumes: first for all states, by
    /// a cover of cubes each of which has a step of its own, and if that fails by the reachable
    /// states.
    ///
    /// # Errors
    /// A run that ends, or the limit that was reached.
    pub fn ensure_total(&mut self, budget: &mut Budget) -> Result<(), Undecided> {
        if self.total {
            return Ok(());
        }
        if !every_state_steps(self.system, budget)? {
            self.every_reachable_state_steps(budget)?;
        }
        self.total = true;
        Ok(())
    }

    /// The same for the reachable states of the part of the system that constraints depend on: what
    /// properties depend on besides does not matter, and may be much larger.
    fn every_reachable_state_steps(&mut self, budget: &mut Budget) -> Result<(), Undecided> {
        let constrained = TransitionSystem { observed: Vec::new(), ..self.system.clone() };
        let cone = constrained.reduced_within(budget)?;
        let core = loris_logic::Core::new(&loris_logic::parse("true").expect("well-formed")).expect("CTL");
        let query = Query { core: &core, atoms: &[] };
        if cone.system.states.len() == self.system.states.len() {
            return self.by_diagrams(&query, budget).map(|_| ());
        }
        let found = Portfolio::new(&cone.system, self.options).by_diagrams(&query, budget);
        found.map(|_| ()).map_err(|why| match why {
            Undecided::DeadEnd(run) => Undecided::DeadEnd(Box::new(cone.extend(self.system, &run))),
            other => other,
        })
    }
}

/// Whether every state, reachable or not, has a step.
fn every_state_steps(system: &TransitionSystem, budget: &mut Budget) -> Result<bool, Exhausted> {
    let mut system = system.clone();
    let mut relation = Relation::new(&mut system);
    let allowed = relation.allowed(&system);
    loop {
        // a state outside the cover
        if !relation.sat.solve(&[], budget)? {
            return Ok(true);
        }
        let state = relation.state();
        let literals: Vec<SatLit> =
            state.iter().enumerate().map(|(at, &value)| relation.before((at as u32, value))).collect();
        let mut assumed = literals.clone();
        assumed.push(relation.step);
        // clauses of the cover exclude the state itself from here on, hence the order: first a
        // step, then its cube
        if !relation.sat.solve(&assumed, budget)? {
            return Ok(false);
        }
        let mut assumed: Vec<SatLit> =
            relation.choices.iter().map(|&lit| lit.negated_if(!relation.sat.value(lit))).collect();
        assumed.push(!allowed);
        assumed.extend(&literals);
        let found = relation.sat.solve(&assumed, budget)?;
        let needed = literals.iter().filter(|&&lit| found || relation.sat.needed(lit));
        let clause: Vec<SatLit> = needed.map(|&lit| !lit).collect();
        relation.sat.clause(&clause);
    }
}
