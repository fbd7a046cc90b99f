//! Carries out plans: the one runner for models of every kind.
//!
//! A kind of models says which plans go together, as batches, and answers a batch within the limits
//! that it is given. Threads, shares of memory, retries and the order of answers are decided here.
//! Which plans form a batch depends on the questions alone.
//!
//! Batches that are carried out at the same time share memory, and engines keep what they found out
//! for the next question. A question that runs out of memory like that is asked again among fewer
//! others, in the end alone, of engines that keep nothing. So its answer depends on the memory
//! there is, and not on the number of threads or on other questions.

use crate::answer::{Answer, TOO_LONG};
use crate::model::Model;
use crate::plan::{Plan, Work};
use crate::{EngineName, Options};
use loris_base::{Budget, Exhausted};
use loris_evidence::Reason;
use rayon::prelude::*;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// An engine panicked, which is a defect of the engine and no verdict on the property.
#[derive(Clone, Debug)]
pub struct Panicked(pub String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the engine panicked: {}", self.0)
    }
}

impl std::error::Error for Panicked {}

/// The operating system gave no threads.
#[derive(Debug)]
pub struct NoThreads(rayon::ThreadPoolBuildError);

impl fmt::Display for NoThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start threads: {}", self.0)
    }
}

impl std::error::Error for NoThreads {}

/// Plans for one model, ready to be carried out.
pub trait Run: Sync {
    /// Which plans go together. Every plan that was made for this kind of models is in one batch.
    fn batches(&self) -> Vec<Vec<usize>>;

    /// Answers the questions of a batch, or of one question that is asked again, each by
    /// [`Round::put`].
    fn carry_out(&self, batch: &[usize], round: &Round<'_>);

    /// Whether several threads share the questions of a batch.
    fn shares_batches(&self) -> bool {
        false
    }

    /// Whether threads that have no batch of their own are worth starting to help with the only
    /// question there is.
    fn is_worth_help(&self) -> bool {
        false
    }
}

/// Carries out all plans, which were made for this model and these options, in their order.
/// `on_result` is called with each answer as soon as it is known, from any thread and in any order.
///
/// A property that runs out of its budget is answered
/// [`Unknown`](loris_evidence::Verdict::Unknown); one whose engine panicked is not answered, the
/// others are.
///
/// # Errors
/// The operating system gave no threads.
pub fn check_all(
    model: &Model,
    plans: &[Plan],
    options: &Options,
    on_result: impl Fn(usize, &Answer) + Sync,
) -> Result<Vec<Result<Answer, Panicked>>, NoThreads> {
    let answers: Vec<OnceLock<Result<Answer, Panicked>>> = plans.iter().map(|_| OnceLock::new()).collect();
    let kind = model.checkable().kind();
    for (index, plan) in plans.iter().enumerate() {
        let reason = match &plan.0 {
            Work::Unsupported(what) => Reason::Unsupported(what.clone()),
            Work::Unmade(_) => Reason::Inapplicable("the model was not made when it was planned".to_owned()),
            _ if !plan.fits(kind) => {
                Reason::Inapplicable("it was planned for another kind of model".to_owned())
            }
            _ => continue,
        };
        let answer = Answer::undecided(&reason);
        on_result(index, &answer);
        assert!(answers[index].set(Ok(answer)).is_ok(), "a question is answered once");
    }
    if plans.is_empty() {
        return Ok(Vec::new());
    }
    let mut done = Ok(());
    model.checkable().run(plans, options, &mut |run| done = in_rounds(run, options, &answers, &on_result));
    done?;
    let answered = |slot: OnceLock<_>| slot.into_inner().expect("every plan is in one batch");
    Ok(answers.into_iter().map(answered).collect())
}

/// Carries out batches, shared among threads, and then each question whose answer does not stand
/// again, as a batch of its own.
fn in_rounds(
    run: &dyn Run,
    options: &Options,
    answers: &[OnceLock<Result<Answer, Panicked>>],
    on_result: &(dyn Fn(usize, &Answer) + Sync),
) -> Result<(), NoThreads> {
    let is_open = |index: &usize| answers[*index].get().is_none();
    let mut batches: Vec<Vec<usize>> =
        run.batches().into_iter().map(|batch| batch.into_iter().filter(is_open).collect()).collect();
    batches.retain(|batch| !batch.is_empty());
    let mut spent = vec![Duration::ZERO; answers.len()];
    let pieces = if run.shares_batches() { batches.iter().map(Vec::len).sum() } else { batches.len() };
    let mut threads = options.jobs.clamp(1, pieces.max(1));
    while !batches.is_empty() {
        // threads that have no question help with the only one there is
        let is_one = batches.len() == 1 && batches[0].len() == 1;
        let helpers = if is_one && run.is_worth_help() { options.jobs.max(1) } else { 1 };
        let round =
            Round { options, threads, helpers, spent: &spent, answers, on_result, again: Mutex::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(helpers));
        let pool = pool.build().map_err(NoThreads)?;
        pool.install(|| batches.par_iter().for_each(|batch| run.carry_out(batch, &round)));
        let mut again = round.again.into_inner().unwrap_or_else(PoisonError::into_inner);
        again.sort_unstable();
        batches = again.iter().map(|&(index, _)| vec![index]).collect();
        for (index, time) in again {
            spent[index] += time;
        }
        threads = fewer(threads).min(batches.len().max(1));
    }
    Ok(())
}

/// The answers where no model was made: why, and after which time.
pub fn unanswered(
    plans: &[Plan],
    (why, spent): (Exhausted, Duration),
    on_result: impl Fn(usize, &Answer),
) -> Vec<Result<Answer, Panicked>> {
    let answer = |(index, plan): (usize, &Plan)| {
        let answer = match &plan.0 {
            Work::Unsupported(what) => Answer::undecided(&Reason::Unsupported(what.clone())),
            _ => Answer { seconds: spent.as_secs_f64(), ..Answer::of(plan.engine(), why.into()) },
        };
        on_result(index, &answer);
        Ok(answer)
    };
    plans.iter().enumerate().map(answer).collect()
}

/// By how much the threads are divided for questions that ran out of memory.
const FEWER: usize = 4;

/// How many threads ask the questions of the round after one with this many.
fn fewer(threads: usize) -> usize {
    (threads / FEWER).max(1)
}

impl Options {
    /// Whether a question that is asked beside those of other threads has less memory than alone.
    fn is_crowded(&self, threads: usize) -> bool {
        let has_less = |all: usize| self.memory.is_none_or(|memory| all / threads < memory);
        threads > 1 && (self.interrupt.meter().is_some() || self.shared_memory.is_some_and(has_less))
    }
}

impl Answer {
    /// Whether it may be another one with more memory.
    pub(crate) fn lacks_memory(&self) -> bool {
        self.verdict.limit() == Some(Exhausted::Memory)
            || self.evidence_note.as_deref() == Some(&*Exhausted::Memory.to_string())
    }

    /// Whether there is a path that was not found, which is another one if engines kept nothing.
    fn lacks_path(&self) -> bool {
        self.evidence_note.as_deref() == Some(TOO_LONG)
    }
}

/// Batches that are carried out at the same time, and the limits of their questions.
pub struct Round<'r> {
    options: &'r Options,
    threads: usize,
    /// how many threads one question may use
    helpers: usize,
    /// time that was spent on each question in the rounds before
    spent: &'r [Duration],
    answers: &'r [OnceLock<Result<Answer, Panicked>>],
    on_result: &'r (dyn Fn(usize, &Answer) + Sync),
    /// questions to be asked again, and after which time
    again: Mutex<Vec<(usize, Duration)>>,
}

impl Round<'_> {
    /// The bytes that each question may declare.
    pub fn memory(&self) -> Option<usize> {
        let share = self.options.shared_memory.map(|bytes| bytes / self.threads);
        self.options.memory.into_iter().chain(share).min()
    }

    /// The limits of a question, from now on.
    pub fn budget(&self, index: usize) -> Budget {
        self.settle();
        self.left(&[index], Duration::ZERO, 0)
    }

    /// The limits that are left to some questions together after `spent`, beside `held` bytes.
    pub(crate) fn left(&self, indices: &[usize], spent: Duration, held: usize) -> Budget {
        let before = indices.iter().map(|&index| self.spent[index]).max().unwrap_or_default();
        let time = self.options.timeout.map(|time| time.saturating_sub(before + spent));
        let memory = self.memory().map(|bytes| bytes.saturating_sub(held));
        Budget::new(time, memory).interruptible(&self.options.interrupt).with_threads(self.helpers)
    }

    /// Waits while the process is short of memory because of work that is about to end.
    pub(crate) fn settle(&self) {
        for _ in 0..100 {
            if self.options.interrupt.raised() != Some(Exhausted::Memory) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Takes the answer to a question, of engines that had `kept` something from other questions
    /// or had not. Returns whether it stands; otherwise the question comes again in a later round.
    pub fn put(&self, index: usize, mut answer: Result<Answer, Panicked>, kept: bool) -> bool {
        if let Ok(answer) = &mut answer {
            let lacks_memory = answer.lacks_memory();
            if kept && (lacks_memory || answer.lacks_path())
                || lacks_memory && self.options.is_crowded(self.threads)
            {
                let mut again = self.again.lock().unwrap_or_else(PoisonError::into_inner);
                again.push((index, Duration::from_secs_f64(answer.seconds)));
                return false;
            }
            answer.seconds += self.spent[index].as_secs_f64();
            (self.on_result)(index, answer);
        }
        assert!(self.answers[index].set(answer).is_ok(), "a question is answered once");
        true
    }

    /// Nothing was found out about a question.
    pub(crate) fn unknown(&self, index: usize, engine: EngineName, why: Exhausted) {
        self.put(index, Ok(Answer::new(engine, why)), false);
    }
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
    use super::{Panicked, Round, Run, caught, check_all};
    use crate::answer::Answer;
    use crate::{Checkable, EngineName, Model, ModelKind, Options, Plan, Planner, Size, Suggestions};
    use loris_base::Exhausted;
    use loris_evidence::Verdict;
    use std::sync::Arc;

    /// A kind of models of its own: questions that need some bytes each, and as many more as the
    /// one before has left behind.
    #[derive(Debug)]
    struct Hungry(Vec<usize>);

    impl Checkable for Hungry {
        fn kind(&self) -> Option<ModelKind> {
            None
        }

        fn bytes(&self) -> usize {
            0
        }

        fn sizes(&self) -> Vec<Size> {
            Vec::new()
        }

        fn planner<'a>(&'a self, _: &'a Options, _: &'a Suggestions) -> Planner<'a> {
            Box::new(|_| Ok(Plan::other("hungry", Arc::new(()))))
        }

        fn run(&self, _: &[Plan], options: &Options, go: &mut dyn FnMut(&dyn Run)) {
            go(&Eating { needs: &self.0, jobs: options.jobs });
        }
    }

    struct Eating<'a> {
        needs: &'a [usize],
        jobs: usize,
    }

    impl Run for Eating<'_> {
        fn batches(&self) -> Vec<Vec<usize>> {
            let all: Vec<usize> = (0..self.needs.len()).collect();
            all.chunks(self.needs.len().div_ceil(self.jobs)).map(<[usize]>::to_vec).collect()
        }

        fn carry_out(&self, batch: &[usize], round: &Round<'_>) {
            let mut kept = 0;
            for &at in batch {
                let fits = round.memory().is_some_and(|bytes| self.needs[at] + kept <= bytes);
                let verdict = if fits { Verdict::Holds } else { Verdict::from(Exhausted::Memory) };
                round.put(at, Ok(Answer::new(EngineName::Game, verdict)), kept > 0);
                kept = self.needs[at];
            }
        }
    }

    /// Whether questions that need this many bytes are answered within 100.
    fn check(needs: &[usize], jobs: usize, expected: &[bool]) {
        let options = Options { jobs, shared_memory: Some(100), ..Options::default() };
        let model = Model::Other(Arc::new(Hungry(needs.to_vec())));
        let plans = vec![Plan::other("hungry", Arc::new(())); needs.len()];
        let answers = check_all(&model, &plans, &options, |_, _| ()).unwrap();
        let holds = |answer: Result<Answer, Panicked>| answer.unwrap().verdict == Verdict::Holds;
        let found: Vec<bool> = answers.into_iter().map(holds).collect();
        assert_eq!(found, expected, "{jobs} threads");
    }

    #[test]
    fn answers_depend_on_the_memory_alone() {
        for jobs in [1, 2, 3, 8, 64] {
            let expected = [true, true, true, false, true, true, true, false];
            check(&[10, 90, 100, 101, 30, 60, 5, 200], jobs, &expected);
        }
    }

    #[test]
    fn plans_of_another_kind_are_not_carried_out() {
        let model = Model::Other(Arc::new(Hungry(Vec::new())));
        let options = Options::default();
        let plans = [Plan::unmade(EngineName::Game), Plan::unsupported("dancing")];
        let reasons = |plan: &Plan| {
            let model = Model::Other(Arc::new(Hungry(vec![1])));
            let answers = check_all(&model, std::slice::from_ref(plan), &options, |_, _| ()).unwrap();
            answers[0].as_ref().unwrap().verdict.word()
        };
        assert_eq!(plans.iter().map(reasons).collect::<Vec<_>>(), ["unknown"; 2]);
        assert!(check_all(&model, &[], &options, |_, _| ()).unwrap().is_empty());
    }

    #[test]
    fn a_panic_is_told() {
        assert_eq!(
            caught(|| panic!("at {}", 7)).map_err(|panicked: Panicked| panicked.0),
            Err::<(), _>("at 7".into())
        );
    }
}
