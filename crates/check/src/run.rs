//! Batches of properties, shared among threads.
//!
//! Properties of one shape are decided together, up to 64 at a time, in the order they were asked;
//! which ones form a batch depends on the questions alone, so that answers do not depend on the
//! number of threads. A batch that runs out of its budget is taken apart: budgets are per property.
//!
//! Properties that are checked at the same time share the memory there is. One that runs out of its
//! share is checked again among fewer others, in the end alone: so the answer depends on the memory
//! there is, and not on the number of threads.

use crate::answer::counters::{CHECKS, COMPONENTS, CONTEXTS, FUNCTIONS, POSITIONS};
use crate::answer::{Answer, NO_EVIDENCE_OF_MU, NO_PATH, Note, TOO_LONG};
use crate::ends::without_ends;
use crate::engines::{CtlEngine, StarEngine};
use crate::linear::Searches;
use crate::plan::{Plan, Work};
use crate::resolved::Resolved;
use crate::{Choice, EngineName, Options, rounds};
use loris_base::{Budget, Exhausted};
use loris_baselines::rks::{Annotations, Knowledge};
use loris_baselines::{cont, rks};
use loris_evidence::{AtExit, Reason, Verdict};
use loris_logic::mu::MuFormula;
use loris_logic::{Core, CoreNode, CtlCore, NO_REST, Path};
use loris_recursive::{
    CtlProperty, Explanation, FairLabels, MuProperty, Outcome, Prepared, Property, Settings,
};
use loris_rsm::Rsm;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// An engine panicked, which is a defect of the engine and no verdict on the property.
#[derive(Clone, Debug)]
pub struct Panicked(pub String);

/// The operating system gave no threads.
#[derive(Debug)]
pub struct NoThreads(rayon::ThreadPoolBuildError);

impl NoThreads {
    pub(crate) fn new(error: rayon::ThreadPoolBuildError) -> Self {
        Self(error)
    }
}

impl fmt::Display for NoThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start threads: {}", self.0)
    }
}

impl std::error::Error for NoThreads {}

/// As many properties of one shape as are decided in one pass, a bit each.
const BATCH: usize = 64;

/// As many properties of any shape as share their subformulas and passes over a finite structure.
const FIXPOINTS: usize = 1024;

/// On machines of fewer vertices, starting threads takes longer than they save.
const WORTH_HELP: usize = 1 << 16;

/// Carries out all plans, which were made for this machine and these options, in their order.
/// `on_result` is called with each answer as soon as it is known, from any thread and in any order.
///
/// A property that runs out of its budget is answered [`Verdict::Unknown`]; one whose engine
/// panicked is not answered, the others are.
pub fn check_all(
    prepared: &Prepared<'_>,
    plans: &[Plan],
    options: &Options,
    on_result: impl Fn(usize, &Answer) + Sync,
) -> Result<Vec<Result<Answer, Panicked>>, NoThreads> {
    let is_of_states = |plan: &Plan| {
        matches!(
            plan.work,
            Work::Distance { .. }
                | Work::Fixpoint { .. }
                | Work::Ctl(..)
                | Work::Star(..)
                | Work::Mu { ctl: Some(_), .. }
        )
    };
    let needs_loops = !prepared.rsm().stops().is_empty() && plans.iter().any(is_of_states);
    let mut budget =
        Budget::new(options.timeout, options.memory.into_iter().chain(options.shared_memory).min())
            .interruptible(&options.interrupt);
    let looped = needs_loops.then(|| prepared.rsm().looped(NO_REST, &mut budget)).transpose();
    let (looped, no_loops) = match looped {
        Ok(looped) => (looped, None),
        Err(why) => (None, Some(why)),
    };
    let copied = looped.as_ref().map_or(0, Rsm::bytes);
    let looped = looped.as_ref().map(Prepared::new);
    let mut run = Execution {
        prepared,
        branching: looped.as_ref().unwrap_or(prepared),
        no_loops,
        copied,
        searches: Searches::new(prepared, options),
        plans,
        options,
        settings: Settings { at_exit: options.at_exit, seed: options.seed },
        answers: plans.iter().map(|_| OnceLock::new()).collect(),
        fair: OnceLock::new(),
        share: None,
        crowded: false,
        helpers: 1,
        spent: vec![Duration::ZERO; plans.len()],
        again: Mutex::new(Vec::new()),
        on_result,
    };
    for (index, plan) in plans.iter().enumerate() {
        if let Work::Unsupported(what) = &plan.work {
            run.put(index, Ok(Answer::unsupported(what)));
        }
    }
    let mut batches = batches(plans);
    let mut threads = options.jobs.clamp(1, plans.len().max(1));
    loop {
        run.crowded = options.is_crowded(threads);
        run.share = options.shared_memory.filter(|_| threads > 1).map(|bytes| bytes / threads);
        // threads that have no property help with the only one there is
        let is_one = batches.len() == 1 && batches[0].len() == 1;
        let is_large = prepared.rsm().vertex_count() >= WORTH_HELP;
        run.helpers = if is_one && is_large { options.jobs } else { 1 };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(run.helpers));
        let pool = pool.build().map_err(NoThreads::new)?;
        pool.install(|| batches.par_iter().for_each(|batch| run.batch(batch)));
        let mut again = std::mem::take(run.again.get_mut().unwrap_or_else(PoisonError::into_inner));
        if again.is_empty() {
            break;
        }
        again.sort_unstable();
        batches = again.iter().map(|&(index, _)| vec![index]).collect();
        for (index, spent) in again {
            run.spent[index] += spent;
        }
        threads = rounds::fewer(threads);
    }
    let answered = |slot: OnceLock<_>| slot.into_inner().expect("every supported question is in one batch");
    Ok(run.answers.into_iter().map(answered).collect())
}

/// Plans of one shape together where the summary engine decides, in the order of the first of each
/// shape, and all fixpoints over one structure; all others alone. Those that no engine knows are
/// left out.
fn batches(plans: &[Plan]) -> Vec<Vec<usize>> {
    let mut open: HashMap<(&[CoreNode], &[Path]), usize> = HashMap::new();
    let mut batches: Vec<Vec<usize>> = Vec::new();
    // those about all runs, and those about fair ones
    let mut finite: [Option<usize>; 2] = [None; 2];
    for (index, plan) in plans.iter().enumerate() {
        let next = batches.len();
        let batch = match &plan.work {
            Work::Unsupported(_) => continue,
            Work::Fixpoint { .. } => {
                let finite = &mut finite[usize::from(plan.fairness.is_some())];
                let batch = finite.filter(|&batch| batches[batch].len() < FIXPOINTS).unwrap_or(next);
                *finite = Some(batch);
                batch
            }
            Work::Star(StarEngine::Summary, formula) => {
                let batch = open.entry(formula.of.shape()).or_insert(next);
                if *batch < next && batches[*batch].len() == BATCH {
                    *batch = next;
                }
                *batch
            }
            _ => next,
        };
        if batch == next {
            batches.push(Vec::new());
        }
        batches[batch].push(index);
    }
    batches
}

/// The answers where nothing could be found out, by the engines that would have been asked; why,
/// and after which time.
pub fn unanswered(
    engines: &[Result<EngineName, Reason>],
    (why, spent): (Exhausted, Duration),
    on_result: impl Fn(usize, &Answer),
) -> Vec<Result<Answer, Panicked>> {
    let answer = |(index, engine): (usize, &Result<EngineName, Reason>)| {
        let answer = match engine {
            Err(reason) => Answer::undecided(reason),
            Ok(engine) => Answer { seconds: spent.as_secs_f64(), ..Answer::new(*engine, why) },
        };
        on_result(index, &answer);
        Ok(answer)
    };
    engines.iter().enumerate().map(answer).collect()
}

struct Execution<'a, F> {
    prepared: &'a Prepared<'a>,
    /// the machine for formulas of states, in which every state has a successor
    branching: &'a Prepared<'a>,
    /// why that machine is needed and not there
    no_loops: Option<Exhausted>,
    /// the bytes that it holds, if it is a copy
    copied: usize,
    searches: Searches<'a>,
    plans: &'a [Plan],
    options: &'a Options,
    settings: Settings,
    answers: Vec<OnceLock<Result<Answer, Panicked>>>,
    /// whether some run is fair
    fair: OnceLock<bool>,
    /// the part of the shared memory that each property gets, unless it gets all
    share: Option<usize>,
    /// whether a property may have less memory than alone
    crowded: bool,
    /// how many threads a property may use
    helpers: usize,
    /// time that was spent on each question with too small a share
    spent: Vec<Duration>,
    /// questions that ran out of their share, and after which time
    again: Mutex<Vec<(usize, Duration)>>,
    on_result: F,
}

impl<F: Fn(usize, &Answer) + Sync> Execution<'_, F> {
    fn batch(&self, indices: &[usize]) {
        self.options.settle();
        let first = indices[0];
        match &self.plans[first].work {
            Work::Unsupported(_) => {}
            Work::Refuted(linear) => self.search(first, |budget| self.searches.refuted(linear, budget)),
            Work::Accepted(automaton) => {
                self.search(first, |budget| self.searches.accepted(automaton, budget));
            }
            Work::Distance { longest, from, to } => self.measure(first, *longest, from, to),
            Work::Fixpoint { .. } => self.fixpoints(indices),
            Work::Ctl(engine, formula) => self.ctl(first, *engine, formula),
            Work::Mu { formula, ctl } => self.mu(first, formula, ctl.is_some()),
            Work::Star(StarEngine::Summary, _) => self.summaries(indices),
            Work::Star(engine @ StarEngine::Cont, formula) => self.star(first, *engine, formula),
        }
    }

    /// Fixpoints over a finite structure, all in one.
    fn fixpoints(&self, indices: &[usize]) {
        let formulas = indices.iter().filter_map(|&index| match &self.plans[index].work {
            Work::Fixpoint { formula, .. } => Some(formula.property()),
            _ => None,
        });
        let properties: Vec<CtlProperty<'_>> = formulas.collect();
        // fairness is that of the model, for all of a batch or for none
        let fair = self.plans[indices[0]].fairness.as_deref().cloned().unwrap_or_default();
        let apart = |index: usize| self.fixpoints(&[index]);
        self.together(indices, EngineName::Fixpoint, apart, |budget| {
            let found = self.branching.fixpoint(&properties, &fair, self.options.at_exit, budget)?;
            Ok(found.into_iter().map(|outcome| (EngineName::Fixpoint, outcome)).collect())
        });
    }

    /// Formulas of one shape by the summary engine.
    fn summaries(&self, indices: &[usize]) {
        let formulas = indices.iter().filter_map(|&index| match &self.plans[index].work {
            Work::Star(_, formula) => Some(formula),
            _ => None,
        });
        let formulas: Vec<&Resolved<Core>> = formulas.collect();
        if let (&[index], &[formula]) = (indices, &formulas[..]) {
            return self.star(index, StarEngine::Summary, formula);
        }
        let properties: Vec<Property<'_>> = formulas.iter().map(|formula| formula.property()).collect();
        let is_summary = self.options.engine != Choice::Auto;
        let apart = |index: usize| self.summaries(&[index]);
        self.together(indices, EngineName::Summary, apart, |budget| {
            let found = self.branching.check_batch(&properties, is_summary, &self.settings, budget)?;
            Ok(found.into_iter().map(|(decider, outcome)| (decider.into(), outcome)).collect())
        });
    }

    /// Several properties at once; if they run out of their budget, each of them `apart`.
    fn together(
        &self,
        indices: &[usize],
        engine: EngineName,
        apart: impl Fn(usize) + Sync,
        decide: impl FnOnce(&mut Budget) -> Result<Vec<(EngineName, Outcome)>, Exhausted>,
    ) {
        if let Some(why) = self.no_loops {
            return indices.iter().for_each(|&index| self.unknown(index, engine, why));
        }
        let start = Instant::now();
        let mut budget = self.budget(indices, Duration::ZERO);
        // engines look at the clock now and then; a limit of nothing at all is passed at once
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            decide(&mut budget)
        });
        let spent = start.elapsed();
        let share = spent / indices.len() as u32;
        match found {
            Ok(Ok(outcomes)) => indices.par_iter().zip(outcomes).for_each(|(&index, (engine, outcome))| {
                self.finish(index, engine, Ok(outcome), spent, share);
            }),
            Ok(Err(reason)) if indices.len() == 1 => {
                self.finish(indices[0], engine, Err(reason), spent, share);
            }
            Ok(Err(_)) => indices.par_iter().for_each(|&index| apart(index)),
            Err(panicked) => indices.iter().for_each(|&index| self.put(index, Err(panicked.clone()))),
        }
    }

    /// Finds out a number of steps.
    fn measure(&self, index: usize, longest: bool, from: &Resolved<CtlCore>, to: &Resolved<CtlCore>) {
        if let Some(why) = self.no_loops {
            return self.unknown(index, EngineName::Fixpoint, why);
        }
        let start = Instant::now();
        let mut budget = self.budget(&[index], Duration::ZERO);
        let fair = self.plans[index].fairness.as_deref().cloned().unwrap_or_default();
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            let sides = (&from.property(), &to.property());
            self.branching.distance(longest, sides, &fair, self.options.at_exit, &mut budget)
        });
        let answer = found.map(|found| {
            let verdict = found.map_or_else(Verdict::from, |_| Verdict::Holds);
            let seconds = start.elapsed().as_secs_f64();
            let value = found.ok();
            Answer { value, seconds, ..Answer::new(EngineName::Fixpoint, verdict) }
        });
        self.put(index, answer);
    }

    /// Looks for a run.
    fn search(&self, index: usize, find: impl FnOnce(&mut Budget) -> Result<Answer, Exhausted>) {
        let start = Instant::now();
        let mut budget = self.budget(&[index], Duration::ZERO);
        let answered = caught(|| {
            budget.spend(usize::MAX)?;
            find(&mut budget)
        });
        let answered = answered.map(|answer| {
            let unknown = |reason: Exhausted| Answer::new(EngineName::Buchi, reason);
            let mut answer = answer.unwrap_or_else(unknown);
            answer.seconds = start.elapsed().as_secs_f64();
            answer
        });
        self.put(index, answered);
    }

    /// One formula of CTL by itself.
    fn ctl(&self, index: usize, engine: CtlEngine, formula: &Resolved<CtlCore>) {
        let property = formula.property();
        let (rsm, settings) = (self.branching.rsm(), &self.settings);
        self.alone(index, engine.name(), |budget| {
            let outcome = match engine {
                CtlEngine::ThreeValued(policy) => {
                    self.branching.three_valued(policy, &property, settings, budget)
                }
                CtlEngine::Rks(engine) => rks::check(engine, rsm, &property, settings, budget),
            };
            Ok((engine.name(), outcome?))
        });
    }

    /// One formula of CTL* by itself.
    fn star(&self, index: usize, engine: StarEngine, formula: &Resolved<Core>) {
        let property = formula.property();
        let (rsm, settings) = (self.branching.rsm(), &self.settings);
        self.alone(index, engine.name(), |budget| {
            let outcome = match engine {
                StarEngine::Summary if self.options.engine == Choice::Auto => {
                    let (decider, outcome) = self.branching.decide(&property, settings, budget)?;
                    return Ok((decider.into(), outcome));
                }
                StarEngine::Summary => self.branching.summary(&property, settings, budget),
                StarEngine::Cont => cont::check(rsm, &property, settings, budget),
            };
            Ok((engine.name(), outcome?))
        });
    }

    /// One formula of the mu-calculus; one that stands for a formula of CTL is asked of the machine
    /// in which every state has a successor.
    fn mu(&self, index: usize, formula: &Resolved<MuFormula>, is_ctl: bool) {
        let machine = if is_ctl { self.branching } else { self.prepared };
        if let (true, Some(why)) = (is_ctl, self.no_loops) {
            return self.unknown(index, EngineName::Pushdown, why);
        }
        self.options.settle();
        let start = Instant::now();
        let mut budget = self.budget(&[index], Duration::ZERO);
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            let property = MuProperty::new(&formula.of, formula.atoms.clone());
            let property = property.expect("actions were refused when it was planned");
            machine.mu(&property, &self.settings, &mut budget)
        });
        let spent = start.elapsed();
        let found = match found {
            Ok(found) => found,
            Err(panicked) => return self.put(index, Err(panicked)),
        };
        let verdict = found.map_or_else(Verdict::from, |outcome| Verdict::from(outcome.holds));
        let mut answer = Answer::new(EngineName::Pushdown, verdict);
        if let Ok(outcome) = found {
            answer.counters.push((POSITIONS, outcome.positions as u64));
            answer.counters.push((FUNCTIONS, outcome.functions as u64));
        }
        answer.seconds = spent.as_secs_f64();
        let holds = found.ok().map(|outcome| outcome.holds);
        if self.options.evidence && !is_ctl && holds.is_some() {
            answer.evidence_note = Some(NO_EVIDENCE_OF_MU.to_owned());
        }
        self.explain(index, answer, holds, spent);
    }

    /// One property by itself.
    fn alone(
        &self,
        index: usize,
        engine: EngineName,
        decide: impl FnOnce(&mut Budget) -> Result<(EngineName, Outcome), Exhausted>,
    ) {
        if let Some(why) = self.no_loops {
            return self.unknown(index, engine, why);
        }
        self.options.settle();
        let start = Instant::now();
        let mut budget = self.budget(&[index], Duration::ZERO);
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            decide(&mut budget)
        });
        let spent = start.elapsed();
        match found {
            Ok(Ok((decider, outcome))) => self.finish(index, decider, Ok(outcome), spent, spent),
            Ok(Err(reason)) => self.finish(index, engine, Err(reason), spent, spent),
            Err(panicked) => self.put(index, Err(panicked)),
        }
    }

    /// Nothing was found out.
    fn unknown(&self, index: usize, engine: EngineName, why: Exhausted) {
        self.put(index, Ok(Answer::new(engine, why)));
    }

    /// The limits left to some properties after `spent`.
    fn budget(&self, indices: &[usize], spent: Duration) -> Budget {
        let before = indices.iter().map(|&index| self.spent[index]).max().unwrap_or_default();
        let time = self.options.timeout.map(|time| time.saturating_sub(before + spent));
        let limits = [self.options.memory, self.share.or(self.options.shared_memory)];
        let memory = limits.into_iter().flatten().min().map(|bytes| bytes.saturating_sub(self.copied));
        Budget::new(time, memory).interruptible(&self.options.interrupt).with_threads(self.helpers)
    }

    /// Adds evidence to the result of an engine.
    fn finish(
        &self,
        index: usize,
        engine: EngineName,
        found: Result<Outcome, Exhausted>,
        spent: Duration,
        share: Duration,
    ) {
        let verdict = found.map_or_else(Verdict::from, |outcome| Verdict::from(outcome.holds));
        let mut answer = Answer::new(engine, verdict);
        if let (Ok(outcome), true) = (found, engine != EngineName::Fixpoint) {
            answer.counters.push((CONTEXTS, outcome.contexts as u64));
            answer.counters.push((CHECKS, outcome.checks as u64));
        }
        if let (Ok(outcome), true) = (found, is_local(engine)) {
            answer.counters.push((COMPONENTS, outcome.components as u64));
        }
        answer.seconds = share.as_secs_f64();
        self.explain(index, answer, found.ok().map(|outcome| outcome.holds), spent);
    }

    /// Adds evidence and tables to an answer, if they are asked for.
    fn explain(&self, index: usize, mut answer: Answer, holds: Option<bool>, spent: Duration) {
        let plan = &self.plans[index];
        let shown = if self.options.evidence { plan.shown() } else { None };
        if let (Some(holds), Some(shown)) = (holds, &shown) {
            let start = Instant::now();
            let mut budget = self.budget(&[index], spent);
            let explain = || self.branching.explain(&shown.property(), holds, &self.settings, &mut budget);
            match caught(explain) {
                Ok(Ok(Explanation::Evidence(mut evidence))) => {
                    if !self.prepared.rsm().stops().is_empty() {
                        without_ends(&mut evidence);
                    }
                    answer.evidence = Some(evidence);
                }
                Ok(Ok(Explanation::Absence)) => answer.evidence_note = Some(NO_PATH.to_owned()),
                Ok(Ok(Explanation::TooLong)) => answer.evidence_note = Some(TOO_LONG.to_owned()),
                Ok(Err(reason)) => answer.evidence_note = Some(reason.to_string()),
                Err(panicked) => return self.put(index, Err(panicked)),
            }
            answer.seconds += start.elapsed().as_secs_f64();
        }
        if let (true, Some(_), Work::Ctl(_, formula)) = (plan.has_tables, holds, &plan.work) {
            let mut budget = self.budget(&[index], spent);
            let mut tables = || {
                let (rsm, annotations) = (self.branching.rsm(), Annotations::Needed);
                Knowledge::new(rsm, &formula.property(), &self.settings, annotations, &mut budget)
            };
            match caught(|| tables().map(|knowledge| knowledge.to_string())) {
                Ok(Ok(tables)) => answer.knowledge = Some(tables),
                Ok(Err(reason)) => answer.knowledge = Some(format!("no tables: {reason}")),
                Err(panicked) => return self.put(index, Err(panicked)),
            }
        }
        self.put(index, Ok(answer));
    }

    /// Whether some run is fair, if that can be decided within the time for a property.
    fn has_fair_run(&self, fairness: &FairLabels) -> bool {
        *self.fair.get_or_init(|| {
            let mut budget = self.budget(&[], Duration::ZERO);
            // not of the copy with loops, which is there only if another question needs it
            let found = self.prepared.has_fair_run(fairness, self.options.at_exit, &mut budget);
            found.unwrap_or(true)
        })
    }

    fn put(&self, index: usize, mut answer: Result<Answer, Panicked>) {
        if let (Ok(Answer { verdict, note: note @ None, .. }), Some(fairness)) =
            (&mut answer, self.plans[index].fairness.as_deref())
            && matches!(verdict, Verdict::Holds | Verdict::Fails)
            && !self.has_fair_run(fairness)
        {
            *note = Some(Note::NoFairRun);
        }
        if let (Ok(Answer { verdict: Verdict::Holds, note: note @ None, .. }), Some(premise)) =
            (&mut answer, &self.plans[index].premise)
            && premise.never_holds(self.prepared.rsm(), self.options.at_exit == AtExit::Sink)
        {
            *note = Some(Note::NeverHolds(premise.text()));
        }
        if let Ok(answer) = &mut answer {
            if self.crowded && answer.lacks_memory() {
                let mut again = self.again.lock().unwrap_or_else(PoisonError::into_inner);
                again.push((index, Duration::from_secs_f64(answer.seconds)));
                return;
            }
            answer.seconds += self.spent[index].as_secs_f64();
            (self.on_result)(index, answer);
        }
        assert!(self.answers[index].set(answer).is_ok(), "a question is answered once");
    }
}

/// Whether an engine looks at components only as it needs them.
fn is_local(engine: EngineName) -> bool {
    use EngineName::{RksEager, RksIncremental, RksSummary};
    matches!(engine, RksEager | RksIncremental | RksSummary)
}

/// The panic hook has reported the panic; its message goes with the question.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        Panicked(text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default())
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Panicked, batches, caught};
    use crate::plan::Plan;
    use crate::{
        Answer, Logic, Note, Options, Planner, Prepared, Question, Runs, Suggestions, UnknownAtoms, check_all,
    };
    use loris_base::Exhausted;
    use loris_evidence::{AtExit, Verdict, replay};
    use loris_logic::parse;
    use loris_rsm::{Rsm, Semantics, read_rsm_json};

    fn machine() -> Rsm {
        let text = r#"{"initial_component": "main", "components": [{"name": "main", "boxes": [],
            "nodes": [{"name": "start", "is_entry": true, "labels": ["p"]},
                      {"name": "end", "is_exit": true, "labels": ["q"]}],
            "transitions": [{"source": {"type": "node", "name": "start"},
                             "targets": [{"type": "node", "name": "end"}]}]}]}"#;
        read_rsm_json(text.as_bytes(), &Semantics::default()).unwrap().0
    }

    fn asked(logic: Logic, texts: &[&str]) -> Vec<Question> {
        let ask = |text: &&str| {
            Question::new(logic, *text, parse(text).unwrap()).with_unknown_atoms(UnknownAtoms::False)
        };
        texts.iter().map(ask).collect()
    }

    fn questions(texts: &[&str]) -> Vec<Question> {
        asked(Logic::Ctl, texts)
    }

    fn planned(prepared: &Prepared<'_>, questions: &[Question], options: &Options) -> Vec<Plan> {
        Planner::new(prepared, options, &Suggestions::default()).plan_all(questions).unwrap()
    }

    fn answers(rsm: &Rsm, questions: &[Question], options: &Options) -> Vec<Answer> {
        let prepared = Prepared::new(rsm);
        let plans = planned(&prepared, questions, options);
        let answers = check_all(&prepared, &plans, options, |_, _| ()).unwrap();
        answers.into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn one_shape_one_batch() {
        // calls keep it from being a finite structure
        let rsm = loris_rsm::generate::RandomRsm::paper(9).to_rsm(&mut loris_base::Rng::new(1));
        let of = |questions: &[Question], engine: &str| {
            let options = Options { engine: engine.parse().unwrap(), ..Options::default() };
            batches(&planned(&Prepared::new(&rsm), questions, &options))
        };
        let mixed = questions(&["E F p", "E G p", "E F q", "p", "E G r", "q"]);
        assert_eq!(of(&mixed, "auto"), [vec![0, 2], vec![1, 4], vec![3, 5]]);
        let many = questions(&["E F p"; 150]);
        assert_eq!(of(&many, "auto").iter().map(Vec::len).collect::<Vec<_>>(), [64, 64, 22]);
        assert!(of(&[], "auto").is_empty());
        let star = asked(Logic::Star, &["E F G p", "E F p", "E F G q", "E F q"]);
        assert_eq!(of(&star, "auto"), [vec![0, 2], vec![1, 3]]);
        let linear = asked(Logic::Ltl, &["F p", "F q"]);
        assert_eq!(of(&linear, "auto"), [vec![0], vec![1]]);
        assert_eq!(of(&linear, "summary"), [vec![0, 1]]);
    }

    #[test]
    fn answers_stand_in_the_order_of_the_questions() {
        let asked = questions(&["E G p", "E F q", "E G q", "E F p", "A F q", "A X p"]);
        for jobs in [1, 3] {
            let answers = answers(&machine(), &asked, &Options { jobs, ..Options::default() });
            let holds: Vec<bool> = answers.iter().map(|answer| answer.verdict == Verdict::Holds).collect();
            assert_eq!(holds, [false, true, false, true, true, false]);
        }
    }

    #[test]
    fn no_budget_is_unknown_for_each() {
        let asked = questions(&["E F p", "E F q", "E G q"]);
        let options = Options { timeout: Some(std::time::Duration::ZERO), ..Options::default() };
        let answers = answers(&machine(), &asked, &options);
        assert!(answers.iter().all(|answer| matches!(answer.verdict, Verdict::Unknown(_))));
    }

    #[test]
    fn too_small_a_share_is_no_answer() {
        let rsm = loris_rsm::generate::RandomRsm::paper(9).to_rsm(&mut loris_base::Rng::new(1));
        let asked = questions(&["E F a", "A G (a -> E F b)", "E G (a | E X b)", "A F E G c"]);
        let run = |jobs, shared_memory| {
            let options = Options { jobs, shared_memory, evidence: true, ..Options::default() };
            let found = |answer: Answer| (answer.verdict, answer.evidence.is_some(), answer.evidence_note);
            answers(&rsm, &asked, &options).into_iter().map(found).collect::<Vec<_>>()
        };
        let mut differs = false;
        for kib in [0, 8, 32, 64, 128, 256, 512, 1024] {
            let alone = run(1, Some(kib << 10));
            assert_eq!(run(4, Some(kib << 10)), alone, "{kib} KiB");
            differs |= run(1, Some(kib << 8)) != alone;
        }
        assert!(differs, "a quarter of the memory is always enough");
        assert_eq!(run(4, None), run(1, Some(1 << 30)));
    }

    #[test]
    fn an_interrupt_is_unknown_for_each() {
        let asked = questions(&["E F p", "E F q", "E G q"]);
        let options = Options::default();
        options.interrupt.raise(Exhausted::Interrupted);
        let answers = answers(&machine(), &asked, &options);
        let limits = answers.iter().map(|answer| answer.verdict.limit());
        assert_eq!(limits.collect::<Vec<_>>(), [Some(Exhausted::Interrupted); 3]);
    }

    /// Whether each formula holds, by each way to decide it, with evidence that replays.
    fn check_linear(texts: &[&str], at_exit: AtExit, runs: Runs, expected: &[(bool, Option<Note>)]) {
        let rsm = machine();
        let asked = asked(Logic::Ltl, texts);
        let engines: &[&str] =
            if at_exit == AtExit::Stop || runs != Runs::All { &["auto"] } else { &["auto", "summary"] };
        for engine in engines {
            let engine = engine.parse().unwrap();
            let options = Options { engine, at_exit, runs, evidence: true, ..Options::default() };
            let answers = answers(&rsm, &asked, &options);
            let found: Vec<_> = answers
                .iter()
                .map(|answer| (answer.verdict == Verdict::Holds, answer.note.clone()))
                .collect();
            assert_eq!(found, expected, "{texts:?}");
            for answer in answers {
                assert_eq!(answer.evidence.is_some(), answer.verdict == Verdict::Fails);
                if let Some(evidence) = &answer.evidence {
                    replay(&rsm, evidence, at_exit).unwrap();
                }
            }
        }
    }

    #[test]
    fn linear_time() {
        let texts = ["F q", "G p", "X q", "p U q", "G F p"];
        let plain = [true, false, true, true, false].map(|holds| (holds, None));
        check_linear(&texts, AtExit::Loop, Runs::All, &plain);
        check_linear(&texts, AtExit::Loop, Runs::Bounded, &plain);
        let vacuous = |runs| [true; 5].map(|holds| (holds, Some(Note::NoInfiniteRun(runs))));
        check_linear(&texts, AtExit::Loop, Runs::Unbounded, &vacuous(Runs::Unbounded));
        check_linear(&texts, AtExit::Stop, Runs::All, &vacuous(Runs::All));
        check_linear(&["F G !q"], AtExit::Sink, Runs::All, &[(true, None)]);
    }

    #[test]
    fn a_panic_is_told() {
        assert_eq!(
            caught(|| panic!("at {}", 7)).map_err(|panicked: Panicked| panicked.0),
            Err::<(), _>("at 7".into())
        );
    }
}
