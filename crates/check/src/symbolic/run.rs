//! Carries out plans for symbolic models.
//!
//! Properties that depend on the same part of the model share one system and the engines for it, in the order
//! they were asked; which ones do depends on the questions alone, so that answers do not depend on the number
//! of threads.

use super::explain::certificate;
use super::plan::{name, no_run};
use super::{SymbolicModel, SymbolicPlan};
use crate::Options;
use crate::answer::{Answer, Note};
use crate::run::{NoThreads, Panicked, caught};
use loris_base::{Budget, Exhausted};
use loris_circuit::{Cone, Lit, System};
use loris_evidence::{Reason, Verdict};
use loris_symbolic::{Outcome, Portfolio, PortfolioOptions, Query, SymbolicEngine, Undecided};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use std::time::Instant;

/// The properties that depend on one part of a model.
pub(super) struct Group {
    pub(super) whole: System,
    pub(super) cone: Cone,
    /// the plans, with where their atoms start among the observed functions
    plans: Vec<(usize, usize)>,
}

/// Carries out all plans, which were made for this model and these options. `on_result` is called with each
/// answer as soon as it is there, from any thread and in any order.
///
/// # Errors
/// The operating system gave no threads.
pub fn check_symbolic(
    model: &dyn SymbolicModel,
    plans: &[SymbolicPlan],
    options: &Options,
    on_result: impl Fn(usize, &Answer) + Sync,
) -> Result<Vec<Result<Answer, Panicked>>, NoThreads> {
    let answers: Vec<OnceLock<Result<Answer, Panicked>>> = plans.iter().map(|_| OnceLock::new()).collect();
    let mut cut = Vec::new();
    let groups = groups(model, plans, options, &mut cut);
    for (at, why) in cut {
        let answer = Answer::of(engine(&plans[at]), Verdict::Unknown(Reason::Limit(why)));
        on_result(at, &answer);
        assert!(answers[at].set(Ok(answer)).is_ok(), "a question is answered once");
    }
    let threads = options.jobs.clamp(1, groups.len().max(1));
    let share = options.shared_memory.map(|bytes| bytes / threads);
    let memory = options.memory.into_iter().chain(share).min();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(NoThreads::new)?;
    let carry_out = |group: &Group| {
        let mut run = Run { model, group, options, memory, portfolio: None, some_fair: None };
        for &(at, from) in &group.plans {
            let answer = caught(|| run.answer(&plans[at], from));
            match &answer {
                Ok(answer) => on_result(at, answer),
                // what it was doing when it panicked may be half done
                Err(_) => run.portfolio = None,
            }
            assert!(answers[at].set(answer).is_ok(), "a question is answered once");
        }
    };
    pool.install(|| groups.par_iter().for_each(carry_out));
    let answered = |slot: OnceLock<_>| slot.into_inner().expect("every plan is in one group");
    Ok(answers.into_iter().map(answered).collect())
}

/// The engine that a plan names, for answers without a verdict.
fn engine(plan: &SymbolicPlan) -> &'static str {
    plan.engine.map_or("auto", |engine| name(engine).name())
}

/// Properties by the part of the model that they depend on; for those in `cut`, a limit was reached before
/// that was known.
fn groups(
    model: &dyn SymbolicModel,
    plans: &[SymbolicPlan],
    options: &Options,
    cut: &mut Vec<(usize, Exhausted)>,
) -> Vec<Group> {
    let budget = || Budget::new(options.timeout, options.memory).interruptible(&options.interrupt);
    let mut groups: Vec<Group> = Vec::new();
    let mut by_part: FxHashMap<(bool, Vec<bool>), usize> = FxHashMap::default();
    let mut parts: Vec<Part> = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        let whole = plan.system(model);
        let cone = match whole.reduced_within(&mut budget()) {
            Ok(cone) => cone,
            Err(why) => {
                cut.push((at, why));
                continue;
            }
        };
        if plan.linear.is_some() {
            // no other property has this system
            groups.push(Group { whole, cone, plans: vec![(at, 0)] });
            continue;
        }
        let mut part: Vec<bool> = cone.states.iter().map(Option::is_some).collect();
        part.extend(cone.choices.iter().map(Option::is_some));
        let next = parts.len();
        let group = *by_part.entry((plan.fair, part.clone())).or_insert(next);
        if group == next {
            parts.push(Part { fair: plan.fair, variables: part, members: Vec::new() });
        }
        parts[group].members.push(at);
    }
    for members in joined(parts) {
        let mut observed: Vec<Lit> = Vec::new();
        let mut of = Vec::with_capacity(members.len());
        for &at in &members {
            of.push((at, observed.len()));
            observed.extend(&plans[at].atoms);
        }
        let mut whole = model.system(&observed);
        plans[members[0]].restrict(&mut whole);
        match whole.reduced_within(&mut budget()) {
            Ok(cone) => groups.push(Group { whole, cone, plans: of }),
            Err(why) => cut.extend(of.into_iter().map(|(at, _)| (at, why))),
        }
    }
    groups
}

/// A part of a model, and the properties that depend on it.
struct Part {
    fair: bool,
    variables: Vec<bool>,
    members: Vec<usize>,
}

impl Part {
    fn size(&self) -> usize {
        self.variables.iter().filter(|&&kept| kept).count()
    }
}

/// The members of parts. Of two parts where one has most of the other, the smaller goes with the larger: what
/// engines find out about the one, such as its reachable states, they would find out again about the other.
fn joined(mut parts: Vec<Part>) -> Vec<Vec<usize>> {
    parts.sort_by_key(|part| std::cmp::Reverse(part.size()));
    let mut kept: Vec<Part> = Vec::new();
    for part in parts {
        let size = part.size();
        let goes_with = |larger: &&mut Part| {
            larger.fair == part.fair
                && MOST.1 * size >= MOST.0 * larger.size()
                && part.variables.iter().zip(&larger.variables).all(|(&of, &within)| !of || within)
        };
        match kept.iter_mut().find(goes_with) {
            Some(larger) => larger.members.extend(part.members),
            None => kept.push(part),
        }
    }
    for part in &mut kept {
        part.members.sort_unstable();
    }
    kept.sort_by_key(|part| part.members[0]);
    kept.into_iter().map(|part| part.members).collect()
}

/// What most of a part is: two thirds of its variables.
const MOST: (usize, usize) = (2, 3);

/// The questions of a group, one after the other.
struct Run<'g> {
    model: &'g dyn SymbolicModel,
    group: &'g Group,
    options: &'g Options,
    memory: Option<usize>,
    portfolio: Option<Portfolio<'g>>,
    /// whether there is a fair run, once that was asked
    some_fair: Option<bool>,
}

impl<'g> Run<'g> {
    fn answer(&mut self, plan: &SymbolicPlan, from: usize) -> Answer {
        let start = Instant::now();
        let mut budget =
            Budget::new(self.options.timeout, self.memory).interruptible(&self.options.interrupt);
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
    ) -> Result<(SymbolicEngine, Outcome), Undecided> {
        if plan.linear.is_some() && !self.model.is_total() {
            // of the larger system, endless runs count; that the model has no others is asked of the model
            let mut model = self.model.system(&[]);
            model.justice.clear();
            model.compassion.clear();
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
        PortfolioOptions { witness: self.options.evidence, total, omg: self.options.omg }
    }

    fn portfolio(&mut self, plan: &SymbolicPlan) -> &mut Portfolio<'g> {
        let settings = self.settings(plan.linear.is_some() || self.model.is_total());
        self.portfolio.get_or_insert_with(|| Portfolio::new(&self.group.cone.system, settings))
    }

    fn decided(
        &mut self,
        plan: &SymbolicPlan,
        engine: SymbolicEngine,
        outcome: &Outcome,
        budget: &mut Budget,
    ) -> Answer {
        let verdict = if outcome.holds { Verdict::Holds } else { Verdict::Fails };
        let mut answer = Answer::new(name(engine), verdict);
        answer.counters.clone_from(&outcome.counters);
        if self.options.evidence {
            match certificate(outcome, plan, self.group, self.model) {
                Ok(certificate) => answer.certificate = Some(certificate),
                Err(why) => answer.evidence_note = Some(why.to_owned()),
            }
        }
        if outcome.holds && plan.fair && !self.has_fair_run(plan, budget) {
            answer.note = Some(Note::NoFairRun);
        }
        answer
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
            let whole = self.model.system(&[]);
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
        Answer::of(engine(plan), Verdict::Unknown(reason))
    }
}
