//! Batches of properties, shared among threads.
//!
//! Properties of one shape are decided together, up to 64 at a time, in the order they were asked;
//! which ones form a batch depends on the questions alone, so that answers do not depend on the
//! number of threads. A batch that runs out of its budget is taken apart: budgets are per property.
//!
//! Properties that are checked at the same time share the memory there is. One that runs out of its
//! share is checked again among fewer others, in the end alone: so the answer depends on the memory
//! there is, and not on the number of threads.

use crate::answer::{Answer, NO_PATH, Note, TOO_LONG};
use crate::ends::without_ends;
use crate::linear::Searches;
use crate::question::Steps;
use crate::refusal::engine;
use crate::{Choice, Options, Question};
use loris_base::{Budget, Exhausted};
use loris_evidence::Verdict;
use loris_logic::{CoreNode, NO_REST, Path};
use loris_recursive::{EngineName, Explanation, FairLabels, Logic, Outcome, Prepared, Property, Settings};
use loris_rsm::Rsm;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// An engine panicked, which is a defect of the engine and says nothing about the property.
#[derive(Clone, Debug)]
pub struct Panicked(pub String);

/// The operating system gave no threads.
#[derive(Debug)]
pub struct NoThreads(rayon::ThreadPoolBuildError);

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

/// By how much the threads are divided for properties that ran out of their share of the memory.
const FEWER: usize = 4;

/// Answers all questions, in their order. `on_result` is told of each answer as soon as it is there,
/// from any thread and in any order.
///
/// A property that runs out of its budget is answered [`Verdict::Unknown`]; one whose engine
/// panicked is not answered, the others are. No question may be [refused](crate::refusal()).
pub fn check_all(
    prepared: &Prepared<'_>,
    questions: &[Question],
    options: &Options,
    on_result: impl Fn(usize, &Answer) + Sync,
) -> Result<Vec<Result<Answer, Panicked>>, NoThreads> {
    let is_ctl = |question: &Question| question.logic() == Logic::Ctl;
    let needs_loops = !prepared.rsm().stops().is_empty() && questions.iter().any(is_ctl);
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
    let mut run = Run {
        prepared,
        branching: looped.as_ref().unwrap_or(prepared),
        no_loops,
        copied,
        searches: Searches::new(prepared, options),
        questions,
        options,
        settings: Settings { at_exit: options.at_exit, seed: options.seed },
        answers: questions.iter().map(|_| OnceLock::new()).collect(),
        fair: OnceLock::new(),
        share: None,
        spent: vec![Duration::ZERO; questions.len()],
        again: Mutex::new(Vec::new()),
        on_result,
    };
    let is_unsupported = |&index: &usize| questions[index].not_supported().is_some();
    let unsupported = (0..questions.len()).filter(is_unsupported);
    unsupported.for_each(|index| run.put(index, Ok(Answer::unsupported())));
    let mut batches = batches(questions, |question| engine(prepared, question, options));
    let mut threads = options.jobs.clamp(1, questions.len().max(1));
    loop {
        run.share = options.shared_memory.filter(|_| threads > 1).map(|bytes| bytes / threads);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(NoThreads)?;
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
        threads = (threads / FEWER).max(1);
    }
    let answered = |slot: OnceLock<_>| slot.into_inner().expect("every supported question is in one batch");
    Ok(run.answers.into_iter().map(answered).collect())
}

/// Questions of one shape together where the summary engine decides, in the order of the first of each
/// shape; all others alone. Those that no engine knows are left out.
fn batches(questions: &[Question], engine: impl Fn(&Question) -> EngineName) -> Vec<Vec<usize>> {
    let mut open: HashMap<(&[CoreNode], &[Path]), usize> = HashMap::new();
    let mut batches: Vec<Vec<usize>> = Vec::new();
    // those about all runs, and those about fair ones
    let mut finite: [Option<usize>; 2] = [None; 2];
    let supported = |(_, question): &(usize, &Question)| question.not_supported().is_none();
    for (index, question) in questions.iter().enumerate().filter(supported) {
        let next = batches.len();
        let engine = engine(question);
        if question.steps().is_some() {
            batches.push(vec![index]);
            continue;
        }
        if engine == EngineName::Fixpoint {
            let finite = &mut finite[usize::from(question.fairness().is_some())];
            let batch = finite.filter(|&batch| batches[batch].len() < FIXPOINTS).unwrap_or(next);
            if batch == next {
                batches.push(Vec::new());
            }
            batches[batch].push(index);
            *finite = Some(batch);
            continue;
        }
        let is_batched = engine == EngineName::Summary;
        let Some(formula) = question.formula().filter(|_| is_batched) else {
            batches.push(vec![index]);
            continue;
        };
        let batch = open.entry(formula.shape()).or_insert(next);
        if *batch < next && batches[*batch].len() == BATCH {
            *batch = next;
        }
        if *batch == next {
            batches.push(Vec::new());
        }
        batches[*batch].push(index);
    }
    batches
}

/// The answers where nothing could be found out, why, after which time, and whether a finite
/// structure would have been asked.
pub fn unanswered(
    questions: &[Question],
    options: &Options,
    (why, spent, finite): (Exhausted, Duration, bool),
    on_result: impl Fn(usize, &Answer),
) -> Vec<Result<Answer, Panicked>> {
    let answer = |(index, question): (usize, &Question)| {
        let answer = if question.not_supported().is_some() {
            Answer::unsupported()
        } else {
            let engine = options.engine.engine(question.logic(), finite);
            Answer { seconds: spent.as_secs_f64(), ..Answer::new(engine, Verdict::Unknown(why)) }
        };
        on_result(index, &answer);
        Ok(answer)
    };
    questions.iter().enumerate().map(answer).collect()
}

struct Run<'a, F> {
    prepared: &'a Prepared<'a>,
    /// the machine for formulas of states, in which every state has a successor
    branching: &'a Prepared<'a>,
    /// why that machine is needed and not there
    no_loops: Option<Exhausted>,
    /// the bytes that it holds, if it is a copy
    copied: usize,
    searches: Searches<'a>,
    questions: &'a [Question],
    options: &'a Options,
    settings: Settings,
    answers: Vec<OnceLock<Result<Answer, Panicked>>>,
    /// whether some run is fair
    fair: OnceLock<bool>,
    /// the part of the shared memory that each property gets, unless it gets all
    share: Option<usize>,
    /// time that was spent on each question with too small a share
    spent: Vec<Duration>,
    /// questions that ran out of their share, and after which time
    again: Mutex<Vec<(usize, Duration)>>,
    on_result: F,
}

impl<F: Fn(usize, &Answer) + Sync> Run<'_, F> {
    /// Waits while the process is short of memory because of work that is about to end.
    fn settle(&self) {
        for _ in 0..100 {
            if self.options.interrupt.raised() != Some(Exhausted::Memory) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn batch(&self, indices: &[usize]) {
        self.settle();
        let engine = engine(self.prepared, &self.questions[indices[0]], self.options);
        if let Some(steps) = self.questions[indices[0]].steps() {
            return self.measure(indices[0], steps);
        }
        if let Some(why) = self.no_loops.filter(|_| engine != EngineName::Buchi) {
            let unknown = || Ok(Answer::new(engine, Verdict::Unknown(why)));
            return indices.iter().for_each(|&index| self.put(index, unknown()));
        }
        if indices.len() == 1 && engine != EngineName::Fixpoint {
            return self.alone(indices[0]);
        }
        let start = Instant::now();
        let mut budget = self.budget(indices, Duration::ZERO);
        // engines look at the clock now and then; a limit of nothing at all is passed at once
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            if engine == EngineName::Fixpoint {
                let outcomes = self.fixpoint(indices, &mut budget)?;
                return Ok(outcomes.into_iter().map(|outcome| (engine, outcome)).collect());
            }
            let properties: Vec<Property<'_>> = indices.iter().map(|&index| self.property(index)).collect();
            let is_summary = self.options.engine != Choice::Auto;
            self.branching.check_batch(&properties, is_summary, &self.settings, &mut budget)
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
            Ok(Err(_)) if engine == EngineName::Fixpoint => {
                indices.par_iter().for_each(|&index| self.batch(&[index]));
            }
            Ok(Err(_)) => indices.par_iter().for_each(|&index| self.alone(index)),
            Err(panicked) => indices.iter().for_each(|&index| self.put(index, Err(panicked.clone()))),
        }
    }

    /// Questions of one finite structure.
    fn fixpoint(&self, indices: &[usize], budget: &mut Budget) -> Result<Vec<Outcome>, Exhausted> {
        let asked = indices.iter().filter_map(|&index| self.questions[index].finite());
        let properties: Vec<Property<'_>> = asked.collect();
        // fairness is that of the model, for all of a batch or for none
        let fair = self.questions[indices[0]].fairness().cloned().unwrap_or_default();
        self.branching.fixpoint(&properties, &fair, self.options.at_exit, budget)
    }

    /// Finds out a number of steps.
    fn measure(&self, index: usize, steps: &Steps) {
        let start = Instant::now();
        let mut budget = self.budget(&[index], Duration::ZERO);
        let fair = self.questions[index].fairness().cloned().unwrap_or_default();
        let [from, to] =
            [&steps.from, &steps.to].map(|side| Property { formula: &side.of, atoms: side.atoms.clone() });
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            self.prepared.distance(steps.longest, (&from, &to), &fair, self.options.at_exit, &mut budget)
        });
        let answer = found.map(|found| {
            let verdict = found.map_or_else(Verdict::Unknown, |_| Verdict::Holds);
            let seconds = start.elapsed().as_secs_f64();
            let value = found.ok();
            Answer { value, seconds, ..Answer::new(EngineName::Fixpoint, verdict) }
        });
        self.put(index, answer);
    }

    fn alone(&self, index: usize) {
        self.settle();
        let start = Instant::now();
        let question = &self.questions[index];
        let mut budget = self.budget(&[index], Duration::ZERO);
        let mut engine = engine(self.prepared, question, self.options);
        if engine == EngineName::Buchi {
            let answered = caught(|| {
                budget.spend(usize::MAX)?;
                self.searches.answer(question, &mut budget)
            });
            let answered = answered.map(|answer| {
                let mut answer =
                    answer.unwrap_or_else(|reason| Answer::new(engine, Verdict::Unknown(reason)));
                answer.seconds = start.elapsed().as_secs_f64();
                answer
            });
            return self.put(index, answered);
        }
        let property = self.property(index);
        let check = || {
            budget.spend(usize::MAX)?;
            if self.options.engine == Choice::Auto && engine == EngineName::Summary {
                let (decided, outcome) = self.branching.decide(&property, &self.settings, &mut budget)?;
                engine = decided;
                return Ok(outcome);
            }
            self.branching.check(engine, &property, &self.settings, &mut budget)
        };
        match caught(check) {
            Ok(found) => self.finish(index, engine, found, start.elapsed(), start.elapsed()),
            Err(panicked) => self.put(index, Err(panicked)),
        }
    }

    /// A question as engines take it that decide formulas of states.
    fn property(&self, index: usize) -> Property<'_> {
        self.questions[index].property().expect("these engines refuse automata")
    }

    /// What is left to some properties after `spent`.
    fn budget(&self, indices: &[usize], spent: Duration) -> Budget {
        let before = indices.iter().map(|&index| self.spent[index]).max().unwrap_or_default();
        let time = self.options.timeout.map(|time| time.saturating_sub(before + spent));
        let limits = [self.options.memory, self.share.or(self.options.shared_memory)];
        let memory = limits.into_iter().flatten().min().map(|bytes| bytes.saturating_sub(self.copied));
        Budget::new(time, memory).interruptible(&self.options.interrupt)
    }

    /// Whether the answer may be another one with more memory than its share.
    fn is_short(&self, answer: &Answer) -> bool {
        let lacks = answer.verdict == Verdict::Unknown(Exhausted::Memory)
            || answer.evidence_note.as_deref() == Some(&*Exhausted::Memory.to_string());
        let memory = self.options.memory.unwrap_or(usize::MAX);
        lacks && self.share.is_some_and(|share| share < memory)
    }

    /// Adds evidence to what an engine found.
    fn finish(
        &self,
        index: usize,
        engine: EngineName,
        found: Result<Outcome, Exhausted>,
        spent: Duration,
        share: Duration,
    ) {
        let verdict = match found {
            Ok(outcome) if outcome.holds => Verdict::Holds,
            Ok(_) => Verdict::Fails,
            Err(reason) => Verdict::Unknown(reason),
        };
        let mut answer = Answer::new(engine, verdict);
        let found_contexts = found.ok().filter(|_| engine != EngineName::Fixpoint);
        answer.contexts = found_contexts.map(|outcome| outcome.contexts);
        answer.checks = found_contexts.map(|outcome| outcome.checks);
        answer.components = found.ok().map(|outcome| outcome.components).filter(|_| is_local(engine));
        answer.seconds = share.as_secs_f64();
        if let (true, Ok(outcome)) = (self.options.evidence, found) {
            let start = Instant::now();
            let property = self.property(index);
            let mut budget = self.budget(&[index], spent);
            let explain = || self.branching.explain(&property, outcome.holds, &self.settings, &mut budget);
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
        if self.options.explain && engine == EngineName::RksEager && found.is_ok() {
            let mut budget = self.budget(&[index], spent);
            let mut tables = || self.branching.knowledge(&self.property(index), &self.settings, &mut budget);
            match caught(|| tables().map(|knowledge| knowledge.to_string())) {
                Ok(Ok(tables)) => answer.knowledge = Some(tables),
                Ok(Err(reason)) => answer.knowledge = Some(format!("no tables: {reason}")),
                Err(panicked) => return self.put(index, Err(panicked)),
            }
        }
        self.put(index, Ok(answer));
    }

    /// Whether some run is fair, as far as that can be told within the time for a property.
    fn has_fair_run(&self, fairness: &FairLabels) -> bool {
        *self.fair.get_or_init(|| {
            let mut budget = self.budget(&[], Duration::ZERO);
            let found = self.branching.has_fair_run(fairness, self.options.at_exit, &mut budget);
            found.unwrap_or(true)
        })
    }

    fn put(&self, index: usize, mut answer: Result<Answer, Panicked>) {
        if let (Ok(Answer { verdict: Verdict::Holds, note: note @ None, .. }), Some(fairness)) =
            (&mut answer, self.questions[index].fairness())
            && !self.has_fair_run(fairness)
        {
            *note = Some(Note::NoFairRun);
        }
        if let Ok(answer) = &mut answer {
            if self.is_short(answer) {
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

/// The panic hook has spoken; what it said goes with the question.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        Panicked(text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default())
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Panicked, batches, caught};
    use crate::{Answer, Choice, Logic, Note, Options, Prepared, Question, Runs, UnknownAtoms, check_all};
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

    fn asked(rsm: &Rsm, logic: Logic, texts: &[&str]) -> Vec<Question> {
        let ask = |text: &&str| {
            Question::new(rsm, logic, *text, &parse(text).unwrap(), UnknownAtoms::False).unwrap()
        };
        texts.iter().map(ask).collect()
    }

    fn questions(rsm: &Rsm, texts: &[&str]) -> Vec<Question> {
        asked(rsm, Logic::Ctl, texts)
    }

    #[test]
    fn one_shape_one_batch() {
        let of = |questions: &[Question], choice: Choice| {
            batches(questions, |question| choice.engine(question.logic(), false))
        };
        let rsm = machine();
        let mixed = questions(&rsm, &["E F p", "E G p", "E F q", "p", "E G r", "q"]);
        assert_eq!(of(&mixed, Choice::Auto), [vec![0, 2], vec![1, 4], vec![3, 5]]);
        let many = questions(&rsm, &["E F p"; 150]);
        assert_eq!(of(&many, Choice::Auto).iter().map(Vec::len).collect::<Vec<_>>(), [64, 64, 22]);
        assert!(of(&[], Choice::Auto).is_empty());
        let star = asked(&rsm, Logic::Star, &["E F G p", "E F p", "E F G q", "E F q"]);
        assert_eq!(of(&star, Choice::Auto), [vec![0, 2], vec![1, 3]]);
        let linear = asked(&rsm, Logic::Ltl, &["F p", "F q"]);
        assert_eq!(of(&linear, Choice::Auto), [vec![0], vec![1]]);
        assert_eq!(of(&linear, "summary".parse().unwrap()), [vec![0, 1]]);
    }

    #[test]
    fn answers_stand_in_the_order_of_the_questions() {
        let rsm = machine();
        let asked = questions(&rsm, &["E G p", "E F q", "E G q", "E F p", "A F q", "A X p"]);
        for jobs in [1, 3] {
            let options = Options { jobs, ..Options::default() };
            let answers = check_all(&Prepared::new(&rsm), &asked, &options, |_, _| ()).unwrap();
            let holds: Vec<bool> =
                answers.iter().map(|answer| answer.as_ref().unwrap().verdict == Verdict::Holds).collect();
            assert_eq!(holds, [false, true, false, true, true, false]);
        }
    }

    #[test]
    fn no_budget_is_unknown_for_each() {
        let rsm = machine();
        let asked = questions(&rsm, &["E F p", "E F q", "E G q"]);
        let options = Options { timeout: Some(std::time::Duration::ZERO), ..Options::default() };
        let answers = check_all(&Prepared::new(&rsm), &asked, &options, |_, _| ()).unwrap();
        let unknown = |verdict| matches!(verdict, Verdict::Unknown(_));
        assert!(answers.iter().all(|answer| unknown(answer.as_ref().unwrap().verdict)));
    }

    #[test]
    fn too_small_a_share_is_no_answer() {
        let rsm = loris_rsm::generate::RandomRsm::paper(9).to_rsm(&mut loris_base::Rng::new(1));
        let asked = questions(&rsm, &["E F a", "A G (a -> E F b)", "E G (a | E X b)", "A F E G c"]);
        let run = |jobs, shared_memory| {
            let options = Options { jobs, shared_memory, evidence: true, ..Options::default() };
            let answers = check_all(&Prepared::new(&rsm), &asked, &options, |_, _| ()).unwrap();
            let found = |answer: &Result<Answer, Panicked>| {
                let answer = answer.as_ref().unwrap();
                (answer.verdict, answer.evidence.is_some(), answer.evidence_note.clone())
            };
            answers.iter().map(found).collect::<Vec<_>>()
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
        let rsm = machine();
        let asked = questions(&rsm, &["E F p", "E F q", "E G q"]);
        let options = Options::default();
        options.interrupt.raise(Exhausted::Interrupted);
        let answers = check_all(&Prepared::new(&rsm), &asked, &options, |_, _| ()).unwrap();
        let verdicts = answers.iter().map(|answer| answer.as_ref().unwrap().verdict);
        assert_eq!(verdicts.collect::<Vec<_>>(), [Verdict::Unknown(Exhausted::Interrupted); 3]);
    }

    /// Whether each formula holds, by each way to decide it, with evidence that replays.
    fn check_linear(texts: &[&str], at_exit: AtExit, runs: Runs, expected: &[(bool, Option<Note>)]) {
        let rsm = machine();
        let asked = asked(&rsm, Logic::Ltl, texts);
        let engines: &[&str] =
            if at_exit == AtExit::Stop || runs != Runs::All { &["auto"] } else { &["auto", "summary"] };
        for engine in engines {
            let engine = engine.parse().unwrap();
            let options = Options { engine, at_exit, runs, evidence: true, ..Options::default() };
            let answers = check_all(&Prepared::new(&rsm), &asked, &options, |_, _| ()).unwrap();
            let answers: Vec<_> = answers.iter().map(|answer| answer.as_ref().unwrap()).collect();
            let found: Vec<_> =
                answers.iter().map(|answer| (answer.verdict == Verdict::Holds, answer.note)).collect();
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
        let vacuous = |runs| [(true, Some(Note::NoInfiniteRun(runs))); 5];
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
