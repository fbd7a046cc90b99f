//! Carries out plans for symbolic models.
//!
//! Properties that depend on the same part of the model share one system and the engines for it, in
//! the order they were asked.

use super::explain::certificate;
use super::group::{Group, groups};
use super::plan::{name, no_run};
use super::{SymbolicModel, SymbolicPlan};
use crate::Options;
use crate::answer::{Answer, AnyCertificate, Note};
use crate::plan::Plan;
use crate::rounds::{Round, Run, caught};
use loris_base::{Budget, Exhausted};
use loris_evidence::{Reason, Verdict};
use loris_symbolic::bmc::{Initial, initial_states};
use loris_symbolic::pdr;
use loris_symbolic::{Portfolio, PortfolioOptions, Query, SymbolicEngine, SystemOutcome, Undecided};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Prepares plans for a model, and passes them to `go`.
pub(super) fn run(
    model: &dyn SymbolicModel,
    plans: &[Plan],
    options: &Options,
    go: &mut dyn FnMut(&dyn Run),
) {
    let own = plans.iter().enumerate().filter_map(|(at, plan)| Some((at, plan.work()?)));
    let own: Vec<(usize, &SymbolicPlan)> = own.collect();
    let mut cut = Vec::new();
    let groups = groups(model, &own, options, &mut cut);
    go(&SymbolicRun { model, options, plans: own.into_iter().collect(), groups, cut });
}

/// Plans for a model, ready to be carried out.
struct SymbolicRun<'a> {
    model: &'a dyn SymbolicModel,
    options: &'a Options,
    plans: FxHashMap<usize, &'a SymbolicPlan>,
    groups: Vec<Group>,
    /// a limit was reached before the group of these was known
    cut: Vec<(usize, Exhausted)>,
}

impl Run for SymbolicRun<'_> {
    fn batches(&self) -> Vec<Vec<usize>> {
        let groups = self.groups.iter().map(|group| group.plans.iter().map(|&(at, _)| at).collect());
        self.cut.iter().map(|&(at, _)| vec![at]).chain(groups).collect()
    }

    fn carry_out(&self, batch: &[usize], round: &Round<'_>) {
        let place = self
            .groups
            .iter()
            .find_map(|group| Some((group, group.plans.iter().position(|&(at, _)| at == batch[0])?)));
        let Some((group, start)) = place else {
            for &(at, why) in self.cut.iter().filter(|(at, _)| batch.contains(at)) {
                round.put(at, Ok(Answer::of(self.plans[&at].engine_name(), why.into())), false);
            }
            return;
        };
        let mut run = GroupRun {
            model: self.model,
            group,
            options: self.options,
            memory: round.memory(),
            portfolio: None,
            some_initial: None,
            some_fair: None,
        };
        for &(at, from) in &group.plans[start..start + batch.len()] {
            let kept = run.make_room();
            let budget = round.budget(at);
            let answer = caught(|| run.answer(self.plans[&at], from, budget));
            // after a panic, the engines may be in an inconsistent state; how far they came before
            // they ran out of memory depends on the share there was
            let is_broken = answer.as_ref().map_or(true, Answer::lacks_memory);
            if !round.put(at, answer, kept) || is_broken {
                run.portfolio = None;
            }
        }
    }
}

/// Steps of work to find out that the left side of an implication never holds: some milliseconds.
const PREMISE_STEPS: u64 = 100_000;

/// The questions of a group, one after the other.
struct GroupRun<'g> {
    model: &'g dyn SymbolicModel,
    group: &'g Group,
    options: &'g Options,
    memory: Option<usize>,
    portfolio: Option<Portfolio<'g>>,
    /// whether there is an initial state, once that was asked
    some_initial: Option<bool>,
    /// whether there is a fair run, once that was asked
    some_fair: Option<bool>,
}

impl<'g> GroupRun<'g> {
    /// Drops what is kept from other properties where it is in the way of the limit of the next
    /// one. Whether something is left.
    fn make_room(&mut self) -> bool {
        let kept = self.portfolio.as_ref().map_or(0, Portfolio::bytes);
        if self.memory.is_some_and(|bytes| kept > bytes / 2) {
            self.portfolio = None;
        }
        self.portfolio.is_some()
    }

    fn answer(&mut self, plan: &SymbolicPlan, from: usize, mut budget: Budget) -> Answer {
        let start = Instant::now();
        let mut answer = match self.decide(plan, from, &mut budget) {
            Ok((engine, outcome)) => self.decided(plan, engine, &outcome, &mut budget),
            Err(why) => self.undecided(plan, why),
        };
        answer.seconds = start.elapsed().as_secs_f64();
        answer
    }

    fn decide(
        &mut self,
        plan: &SymbolicPlan,
        from: usize,
        budget: &mut Budget,
    ) -> Result<(SymbolicEngine, SystemOutcome), Undecided> {
        if plan.linear.is_some() && !plan.may_end(self.model) {
            // only endless runs count in the system with the automaton; whether the model has
            // others is checked on the model itself
            let mut model = plan.states(self.model);
            model.justice.clear();
            model.compassion.clear();
            model.observed.clear();
            let cone = model.reduced_within(budget)?;
            Portfolio::new(&cone.system, self.settings(false)).ensure_total(budget)?;
        }
        let atoms = &self.group.cone.system.observed[from..from + plan.atoms.len()];
        let query = Query { core: &plan.core, atoms };
        let portfolio = self.portfolio(plan);
        match plan.engine {
            Some(engine) => match portfolio.by(engine, &query, budget) {
                Err(Undecided::Unfit(_)) if plan.may_turn => portfolio.decide(&query, budget),
                found => found.map(|outcome| (engine, outcome)),
            },
            None => portfolio.decide(&query, budget),
        }
    }

    fn settings(&self, total: bool) -> PortfolioOptions {
        PortfolioOptions {
            witness: self.options.evidence,
            total,
            omg: self.options.omg,
            order: self.model.order(),
        }
    }

    fn portfolio(&mut self, plan: &SymbolicPlan) -> &mut Portfolio<'g> {
        let settings = self.settings(plan.linear.is_some() || plan.may_end(self.model));
        self.portfolio.get_or_insert_with(|| Portfolio::new(&self.group.cone.system, settings))
    }

    fn decided(
        &mut self,
        plan: &SymbolicPlan,
        engine: SymbolicEngine,
        outcome: &SystemOutcome,
        budget: &mut Budget,
    ) -> Answer {
        let verdict = if outcome.holds { Verdict::Holds } else { Verdict::Fails };
        let mut answer = Answer::new(name(engine), verdict);
        answer.counters.clone_from(&outcome.counters);
        if self.options.evidence {
            match certificate(outcome, plan, self.group, self.model) {
                Ok(certificate) => answer.evidence = Some(AnyCertificate::Values(certificate)),
                Err(why) => answer.evidence_note = Some(why.to_owned()),
            }
        }
        answer.note = self.note(plan, outcome, budget);
        answer
    }

    /// Why a verdict is weaker than it seems, if it is.
    fn note(&mut self, plan: &SymbolicPlan, outcome: &SystemOutcome, budget: &mut Budget) -> Option<Note> {
        if !self.has_initial_state(plan, budget) {
            return Some(Note::NoInitialState);
        }
        if plan.fair && !self.has_fair_run(plan, budget) {
            return Some(Note::NoFairRun);
        }
        let (premise, never) = plan.premise.as_deref().filter(|_| outcome.holds)?;
        let mut system = plan.states(self.model);
        system.justice.clear();
        system.compassion.clear();
        system.observed.clone_from(&never.atoms);
        let slice = &mut budget.slice(PREMISE_STEPS);
        let cone = system.reduced_within(slice).ok()?;
        let query = Query { core: &never.core, atoms: &cone.system.observed };
        let is_never = matches!(pdr::check(&cone.system, &query, slice), Ok(Some(found)) if found.holds);
        is_never.then(|| Note::NeverHolds(premise.text()))
    }

    /// Whether some state is initial, as far as that can be found out within the time for a
    /// property.
    fn has_initial_state(&mut self, plan: &SymbolicPlan, budget: &mut Budget) -> bool {
        let group = self.group;
        let model = self.model;
        *self.some_initial.get_or_insert_with(|| {
            // the system of a formula of linear time starts where its negation may hold
            let whole = plan.linear.is_some().then(|| plan.states(model));
            let system = whole.as_ref().unwrap_or(&group.cone.system);
            // resets alone leave at least one, once reduction has seen that they do not contradict
            let of_var = system.state_of_var();
            whole.is_none() && system.init.iter().all(|lit| of_var[lit.var().index()].is_some())
                || initial_states(system, &mut budget.time_only()) != Ok(Initial::None)
        })
    }

    /// Whether some run is fair, as far as that can be found out within the time for a property.
    fn has_fair_run(&mut self, plan: &SymbolicPlan, budget: &mut Budget) -> bool {
        if let Some(known) = self.some_fair {
            return known;
        }
        let core = no_run();
        let query = Query { core: &core, atoms: &[] };
        let settings = PortfolioOptions { witness: false, ..self.settings(true) };
        let by = SymbolicEngine::Bdd;
        let asked = if plan.linear.is_none() {
            self.portfolio(plan).by(by, &query, budget)
        } else {
            let mut whole = plan.states(self.model);
            whole.observed.clear();
            let cone = whole.reduced_within(budget).map_err(Undecided::from);
            cone.and_then(|cone| Portfolio::new(&cone.system, settings).by(by, &query, budget))
        };
        let found = asked.map_or(true, |outcome| !outcome.holds);
        self.some_fair = Some(found);
        found
    }

    fn undecided(&self, plan: &SymbolicPlan, why: Undecided) -> Answer {
        let reason = match why {
            Undecided::Exhausted(why) => Reason::Limit(why),
            Undecided::DeadEnd(trace) => Reason::Unsupported(self.model.dead_end(&trace)),
            Undecided::Unfit(why) => Reason::Inapplicable(why.to_owned()),
        };
        Answer::of(plan.engine_name(), Verdict::Unknown(reason))
    }
}
