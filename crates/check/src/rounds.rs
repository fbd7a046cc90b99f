//! Rounds of batches, which threads and memory are shared among: the one way in which plans for
//! models of every kind are carried out.
//!
//! A kind of models says which plans go together, as batches, and answers a batch within the limits
//! that it is given. Threads, shares of memory and retries are decided here.
//!
//! Batches that are carried out at the same time share memory, and engines keep what they found out
//! for the next question. A question that runs out of memory like that is asked again among fewer
//! others, in the end alone, of engines that keep nothing. So its answer depends on the memory
//! there is, and not on the number of threads or on other questions.

use crate::answer::{Answer, TOO_LONG};
use crate::{EngineName, Options};
use loris_base::{Budget, Exhausted};
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

/// Carries out batches, shared among threads, and then each question whose answer does not stand
/// again, as a batch of its own.
pub(crate) fn in_rounds(
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
mod tests {
    use super::{Panicked, caught};

    #[test]
    fn a_panic_is_told() {
        assert_eq!(
            caught(|| panic!("at {}", 7)).map_err(|panicked: Panicked| panicked.0),
            Err::<(), _>("at 7".into())
        );
    }
}
