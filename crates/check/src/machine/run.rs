//! Questions about machines, in batches.
//!
//! Properties of one shape are decided together, up to 64 at a time, in the order they were asked;
//! which ones form a batch depends on the questions alone, so that answers do not depend on the
//! number of threads. A batch that runs out of its budget is taken apart: budgets are per property.

use super::ends::without_ends;
use super::linear::Searches;
use super::plan::{MachinePlan, Task};
use super::resolved::Resolved;
use crate::answer::counters::{CHECKS, COMPONENTS, CONTEXTS, FUNCTIONS, POSITIONS};
use crate::answer::{Answer, AnyCertificate, NO_PATH, NOT_FOUND, Note, TOO_LONG};
use crate::engines::{CtlEngine, StarEngine};
use crate::plan::Plan;
use crate::rounds::{Panicked, Round, Run, caught};
use crate::{Choice, EngineName, Options};
use loris_base::{Budget, Exhausted};
#[cfg(feature = "baselines")]
use loris_baselines::rks::{Annotations, Knowledge};
#[cfg(feature = "baselines")]
use loris_baselines::{cont, rks};
use loris_evidence::{AtExit, Certificate, Verdict};
use loris_logic::mu::MuFormula;
use loris_logic::{Core, CoreNode, CtlCore, NO_REST, PathFormula};
use loris_recursive::{
    CtlProperty, EngineSettings, Explanation, FairLabels, MachineOutcome, MuProperty, Prepared, Property,
};
use loris_rsm::Rsm;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// As many properties of one shape as are decided in one pass, a bit each.
const BATCH: usize = 64;

/// As many properties of any shape as share their subformulas and passes over a finite structure.
const FIXPOINTS: usize = 1024;

/// On machines of fewer vertices, starting threads takes longer than they save.
const WORTH_HELP: usize = 1 << 16;

/// Prepares plans for a machine, and passes them to `go`.
pub(super) fn run(rsm: &Rsm, plans: &[Plan], options: &Options, go: &mut dyn FnMut(&dyn Run)) {
    let prepared = &Prepared::new(rsm);
    let is_of_states = |plan: &Plan| {
        let Some(plan) = plan.work::<MachinePlan>() else { return false };
        match plan.task {
            Task::Distance { .. } | Task::Fixpoint { .. } | Task::Ctl(..) | Task::Star(..) => true,
            Task::Mu { ref ctl, .. } => ctl.is_some(),
            Task::Accepted(_) | Task::Refuted(_) => false,
        }
    };
    let needs_loops = !rsm.stops().is_empty() && plans.iter().any(is_of_states);
    let mut budget =
        Budget::new(options.timeout, options.memory.into_iter().chain(options.shared_memory).min())
            .interruptible(&options.interrupt);
    let looped = needs_loops.then(|| rsm.looped(NO_REST, &mut budget)).transpose();
    let (looped, no_loops) = match looped {
        Ok(looped) => (looped, None),
        Err(why) => (None, Some(why)),
    };
    let copied = looped.as_ref().map_or(0, Rsm::bytes);
    let looped = looped.as_ref().map(Prepared::new);
    go(&MachineRun {
        prepared,
        branching: looped.as_ref().unwrap_or(prepared),
        no_loops,
        copied,
        searches: Searches::new(prepared, options),
        plans,
        options,
        settings: EngineSettings { at_exit: options.at_exit, seed: options.seed },
        fair: OnceLock::new(),
    });
}

/// Plans for a machine, ready to be carried out.
struct MachineRun<'a> {
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
    settings: EngineSettings,
    /// whether some run is fair
    fair: OnceLock<bool>,
}

impl Run for MachineRun<'_> {
    fn batches(&self) -> Vec<Vec<usize>> {
        batches(self.plans)
    }

    fn carry_out(&self, batch: &[usize], round: &Round<'_>) {
        InRound { run: self, round }.batch(batch);
    }

    fn shares_batches(&self) -> bool {
        true
    }

    fn is_worth_help(&self) -> bool {
        self.prepared.rsm().vertex_count() >= WORTH_HELP
    }
}

impl MachineRun<'_> {
    fn plan(&self, index: usize) -> &MachinePlan {
        self.plans[index].work().expect("only plans for machines are in batches")
    }
}

/// Plans of one shape together where the summary engine decides, in the order of the first of each
/// shape, and all fixpoints over one structure; all others alone. Those that no engine supports are
/// left out.
fn batches(plans: &[Plan]) -> Vec<Vec<usize>> {
    let mut open: HashMap<(&[CoreNode], &[PathFormula]), usize> = HashMap::new();
    let mut batches: Vec<Vec<usize>> = Vec::new();
    // those about all runs, and those about fair ones
    let mut finite: [Option<usize>; 2] = [None; 2];
    for (index, plan) in plans.iter().enumerate() {
        let Some(plan) = plan.work::<MachinePlan>() else { continue };
        let next = batches.len();
        let batch = match &plan.task {
            Task::Fixpoint { .. } => {
                let finite = &mut finite[usize::from(plan.fairness.is_some())];
                let batch = finite.filter(|&batch| batches[batch].len() < FIXPOINTS).unwrap_or(next);
                *finite = Some(batch);
                batch
            }
            Task::Star(StarEngine::Summary, formula) => {
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

/// Batches of one round.
struct InRound<'a> {
    run: &'a MachineRun<'a>,
    round: &'a Round<'a>,
}

impl InRound<'_> {
    fn batch(&self, indices: &[usize]) {
        self.round.settle();
        let first = indices[0];
        match &self.run.plan(first).task {
            Task::Refuted(linear) => self.search(first, |budget| self.run.searches.refuted(linear, budget)),
            Task::Accepted(automaton) => {
                self.search(first, |budget| self.run.searches.accepted(automaton, budget));
            }
            Task::Distance { longest, from, to } => self.measure(first, *longest, from, to),
            Task::Fixpoint { .. } => self.fixpoints(indices),
            Task::Ctl(engine, formula) => self.ctl(first, *engine, formula),
            Task::Mu { formula, ctl } => self.mu(first, formula, ctl.is_some()),
            Task::Star(StarEngine::Summary, _) => self.summaries(indices),
            #[cfg(feature = "baselines")]
            Task::Star(engine @ StarEngine::Cont, formula) => self.star(first, *engine, formula),
        }
    }

    /// Fixpoints over a finite structure, all in one.
    fn fixpoints(&self, indices: &[usize]) {
        let formulas = indices.iter().filter_map(|&index| match &self.run.plan(index).task {
            Task::Fixpoint { formula, .. } => Some(formula.property()),
            _ => None,
        });
        let properties: Vec<CtlProperty<'_>> = formulas.collect();
        // fairness is that of the model, for all of a batch or for none
        let fair = self.run.plan(indices[0]).fairness.as_deref().cloned().unwrap_or_default();
        let apart = |index: usize| self.fixpoints(&[index]);
        self.together(indices, EngineName::Fixpoint, apart, |budget| {
            let found = self.run.branching.fixpoint(&properties, &fair, self.run.options.at_exit, budget)?;
            Ok(found.into_iter().map(|outcome| (EngineName::Fixpoint, outcome)).collect())
        });
    }

    /// Formulas of one shape by the summary engine.
    fn summaries(&self, indices: &[usize]) {
        let formulas = indices.iter().filter_map(|&index| match &self.run.plan(index).task {
            Task::Star(_, formula) => Some(formula),
            _ => None,
        });
        let formulas: Vec<&Resolved<Core>> = formulas.collect();
        if let (&[index], &[formula]) = (indices, &formulas[..]) {
            return self.star(index, StarEngine::Summary, formula);
        }
        let properties: Vec<Property<'_>> = formulas.iter().map(|formula| formula.property()).collect();
        let is_summary = self.run.options.engine != Choice::Auto;
        let apart = |index: usize| self.summaries(&[index]);
        self.together(indices, EngineName::Summary, apart, |budget| {
            let found =
                self.run.branching.check_batch(&properties, is_summary, &self.run.settings, budget)?;
            Ok(found.into_iter().map(|(decider, outcome)| (decider.into(), outcome)).collect())
        });
    }

    /// Several properties at once; if they run out of their budget, each of them `apart`.
    fn together(
        &self,
        indices: &[usize],
        engine: EngineName,
        apart: impl Fn(usize) + Sync,
        decide: impl FnOnce(&mut Budget) -> Result<Vec<(EngineName, MachineOutcome)>, Exhausted>,
    ) {
        if let Some(why) = self.run.no_loops {
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
        if let Some(why) = self.run.no_loops {
            return self.unknown(index, EngineName::Fixpoint, why);
        }
        let start = Instant::now();
        let mut budget = self.budget(&[index], Duration::ZERO);
        let fair = self.run.plan(index).fairness.as_deref().cloned().unwrap_or_default();
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            let sides = (&from.property(), &to.property());
            self.run.branching.distance(longest, sides, &fair, self.run.options.at_exit, &mut budget)
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
        let settings = &self.run.settings;
        self.alone(index, engine.name(), |budget| {
            let outcome = match engine {
                CtlEngine::ThreeValued(policy) => {
                    self.run.branching.three_valued(policy, &property, settings, budget)
                }
                #[cfg(feature = "baselines")]
                CtlEngine::Rks(engine) => {
                    rks::check(engine, self.run.branching.rsm(), &property, settings, budget)
                }
            };
            Ok((engine.name(), outcome?))
        });
    }

    /// One formula of CTL* by itself.
    fn star(&self, index: usize, engine: StarEngine, formula: &Resolved<Core>) {
        let property = formula.property();
        let settings = &self.run.settings;
        self.alone(index, engine.name(), |budget| {
            let outcome = match engine {
                StarEngine::Summary if self.run.options.engine == Choice::Auto => {
                    let (decider, outcome) = self.run.branching.decide(&property, settings, budget)?;
                    return Ok((decider.into(), outcome));
                }
                StarEngine::Summary => self.run.branching.summary(&property, settings, budget),
                #[cfg(feature = "baselines")]
                StarEngine::Cont => cont::check(self.run.branching.rsm(), &property, settings, budget),
            };
            Ok((engine.name(), outcome?))
        });
    }

    /// One formula of the mu-calculus; one that stands for a formula of CTL is asked of the machine
    /// in which every state has a successor.
    fn mu(&self, index: usize, formula: &Resolved<MuFormula>, is_ctl: bool) {
        let machine = if is_ctl { self.run.branching } else { self.run.prepared };
        if let (true, Some(why)) = (is_ctl, self.run.no_loops) {
            return self.unknown(index, EngineName::Pushdown, why);
        }
        self.round.settle();
        let start = Instant::now();
        let mut budget = self.budget(&[index], Duration::ZERO);
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            let property = MuProperty::new(&formula.of, formula.atoms.clone());
            let property = property.expect("actions were refused when it was planned");
            machine.mu(&property, &self.run.settings, &mut budget)
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
        if let (true, false, Some(holds)) = (self.run.options.evidence, is_ctl, holds) {
            let start = Instant::now();
            let mut budget = self.budget(&[index], spent);
            let shown = caught(|| {
                let property = MuProperty::new(&formula.of, formula.atoms.clone());
                let property = property.expect("actions were refused when it was planned");
                machine.mu_strategy(&property, holds, &self.run.settings, &mut budget)
            });
            match shown {
                Ok(Ok(Some(strategy))) => {
                    let strategy = Certificate::CallStrategy(strategy);
                    answer.evidence = Some(AnyCertificate::Machine(strategy));
                }
                Ok(Ok(None)) => answer.evidence_note = Some(NOT_FOUND.to_owned()),
                Ok(Err(why)) => answer.evidence_note = Some(why.to_string()),
                Err(panicked) => return self.put(index, Err(panicked)),
            }
            answer.seconds += start.elapsed().as_secs_f64();
        }
        self.explain(index, answer, holds, spent);
    }

    /// One property by itself.
    fn alone(
        &self,
        index: usize,
        engine: EngineName,
        decide: impl FnOnce(&mut Budget) -> Result<(EngineName, MachineOutcome), Exhausted>,
    ) {
        if let Some(why) = self.run.no_loops {
            return self.unknown(index, engine, why);
        }
        self.round.settle();
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
        self.round.unknown(index, engine, why);
    }

    /// The limits left to some properties after `spent`.
    fn budget(&self, indices: &[usize], spent: Duration) -> Budget {
        self.round.left(indices, spent, self.run.copied)
    }

    /// Adds evidence to the result of an engine.
    fn finish(
        &self,
        index: usize,
        engine: EngineName,
        found: Result<MachineOutcome, Exhausted>,
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
        let plan = self.run.plan(index);
        let shown = if self.run.options.evidence { plan.shown() } else { None };
        if let (Some(holds), Some(shown)) = (holds, &shown) {
            let start = Instant::now();
            let mut budget = self.budget(&[index], spent);
            let explain =
                || self.run.branching.explain(&shown.property(), holds, &self.run.settings, &mut budget);
            match caught(explain) {
                Ok(Ok(Explanation::Evidence(mut evidence))) => {
                    if !self.run.prepared.rsm().stops().is_empty() {
                        without_ends(&mut evidence);
                    }
                    answer.evidence = Some(evidence.into());
                }
                Ok(Ok(Explanation::Absence)) => answer.evidence_note = Some(NO_PATH.to_owned()),
                Ok(Ok(Explanation::TooLong)) => answer.evidence_note = Some(TOO_LONG.to_owned()),
                Ok(Err(reason)) => answer.evidence_note = Some(reason.to_string()),
                Err(panicked) => return self.put(index, Err(panicked)),
            }
            answer.seconds += start.elapsed().as_secs_f64();
        }
        #[cfg(feature = "baselines")]
        if let (true, Some(_), Task::Ctl(_, formula)) = (plan.has_tables, holds, &plan.task) {
            let mut budget = self.budget(&[index], spent);
            let mut tables = || {
                let (rsm, annotations) = (self.run.branching.rsm(), Annotations::Needed);
                Knowledge::new(rsm, &formula.property(), &self.run.settings, annotations, &mut budget)
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
        *self.run.fair.get_or_init(|| {
            let mut budget = self.budget(&[], Duration::ZERO);
            // not of the copy with loops, which is there only if another question needs it
            let found = self.run.prepared.has_fair_run(fairness, self.run.options.at_exit, &mut budget);
            found.unwrap_or(true)
        })
    }

    fn put(&self, index: usize, mut answer: Result<Answer, Panicked>) {
        if let (Ok(Answer { verdict, note: note @ None, .. }), Some(fairness)) =
            (&mut answer, self.run.plan(index).fairness.as_deref())
            && matches!(verdict, Verdict::Holds | Verdict::Fails)
            && !self.has_fair_run(fairness)
        {
            *note = Some(Note::NoFairRun);
        }
        if let (Ok(Answer { verdict: Verdict::Holds, note: note @ None, .. }), Some(premise)) =
            (&mut answer, &self.run.plan(index).premise)
            && premise.never_holds(self.run.prepared.rsm(), self.run.options.at_exit == AtExit::Sink)
        {
            *note = Some(Note::NeverHolds(premise.text()));
        }
        self.round.put(index, answer, false);
    }
}

/// Whether an engine looks at components only as it needs them.
fn is_local(engine: EngineName) -> bool {
    match engine {
        #[cfg(feature = "baselines")]
        EngineName::RksEager | EngineName::RksIncremental | EngineName::RksSummary => true,
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::batches;
    use crate::{Answer, Logic, Model, Note, Options, Question, Runs, UnknownAtoms, check_all};
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

    fn answers(rsm: &Rsm, questions: &[Question], options: &Options) -> Vec<Answer> {
        let model = Model::machine(rsm.clone());
        let plans = model.plan_all(questions, options).unwrap();
        let answers = check_all(&model, &plans, options, |_, _| ()).unwrap();
        answers.into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn one_shape_one_batch() {
        // calls keep it from being a finite structure
        let rsm = loris_rsm::generate::RandomRsm::paper(9).to_rsm(&mut loris_base::Rng::new(1));
        let of = |questions: &[Question], engine: &str| {
            let options = Options { engine: engine.parse().unwrap(), ..Options::default() };
            batches(&Model::machine(rsm.clone()).plan_all(questions, &options).unwrap())
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
                if let Some(evidence) = answer.machine_paths() {
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
}
