//! Rounds of questions that share the memory there is.
//!
//! Questions that are asked at the same time share memory, and engines keep what they found out for
//! the next question. One that runs out of memory like that is asked again among fewer others, in
//! the end alone, of engines that keep nothing. So its answer depends on the memory there is, and
//! not on the number of threads or on other questions.

use crate::Options;
use crate::answer::Answer;
use crate::run::NoThreads;
use loris_base::{Budget, Exhausted};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// By how much the threads are divided for questions that ran out of memory.
const FEWER: usize = 4;

/// How many threads ask the questions of the round after one with this many.
pub(crate) fn fewer(threads: usize) -> usize {
    (threads / FEWER).max(1)
}

impl Options {
    /// Whether a question that is asked beside those of other threads has less memory than alone.
    pub(crate) fn is_crowded(&self, threads: usize) -> bool {
        let has_less = |all: usize| self.memory.is_none_or(|memory| all / threads < memory);
        threads > 1 && (self.interrupt.meter().is_some() || self.shared_memory.is_some_and(has_less))
    }

    /// Waits while the process is short of memory because of work that is about to end.
    pub(crate) fn settle(&self) {
        for _ in 0..100 {
            if self.interrupt.raised() != Some(Exhausted::Memory) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Answer {
    /// Whether it may be another one with more memory.
    pub(crate) fn lacks_memory(&self) -> bool {
        self.verdict.limit() == Some(Exhausted::Memory)
            || self.evidence_note.as_deref() == Some(&*Exhausted::Memory.to_string())
    }
}

/// Questions that are asked at the same time as others, and what they get.
pub(crate) struct Round<'r> {
    options: &'r Options,
    threads: usize,
    /// time that was spent on each question in the rounds before
    spent: &'r [Duration],
    /// questions to be asked again, and after which time
    again: Mutex<Vec<(usize, Duration)>>,
}

impl Round<'_> {
    /// The bytes that each question may declare.
    pub(crate) fn memory(&self) -> Option<usize> {
        let share = self.options.shared_memory.map(|bytes| bytes / self.threads);
        self.options.memory.into_iter().chain(share).min()
    }

    /// The limits of a question, from now on.
    pub(crate) fn budget(&self, index: usize) -> Budget {
        self.options.settle();
        let time = self.options.timeout.map(|time| time.saturating_sub(self.spent[index]));
        Budget::new(time, self.memory()).interruptible(&self.options.interrupt)
    }

    /// Whether an answer, of engines that kept something or did not, stands. Otherwise its question
    /// comes again in a later round.
    pub(crate) fn stands(&self, index: usize, answer: &Answer, kept: bool) -> bool {
        if answer.lacks_memory() && (kept || self.options.is_crowded(self.threads)) {
            let mut again = self.again.lock().unwrap_or_else(PoisonError::into_inner);
            again.push((index, Duration::from_secs_f64(answer.seconds)));
            return false;
        }
        true
    }

    /// The seconds that were spent on a question in the rounds before.
    pub(crate) fn seconds_before(&self, index: usize) -> f64 {
        self.spent[index].as_secs_f64()
    }
}

/// Asks pieces of work with some of so many questions, shared among threads, and then each question
/// that did not get an answer that stands again, as a piece of work of its own.
pub(crate) fn in_rounds<W: Send + Sync>(
    options: &Options,
    questions: usize,
    mut work: Vec<W>,
    single: impl Fn(usize) -> W,
    ask: impl Fn(&W, &Round<'_>) + Sync,
) -> Result<(), NoThreads> {
    let mut spent = vec![Duration::ZERO; questions];
    let mut threads = options.jobs.clamp(1, work.len().max(1));
    loop {
        let round = Round { options, threads, spent: &spent, again: Mutex::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(NoThreads::new)?;
        pool.install(|| work.par_iter().for_each(|work| ask(work, &round)));
        let mut again = round.again.into_inner().unwrap_or_else(PoisonError::into_inner);
        if again.is_empty() {
            return Ok(());
        }
        again.sort_unstable();
        work = again.iter().map(|&(index, _)| single(index)).collect();
        for (index, time) in again {
            spent[index] += time;
        }
        threads = fewer(threads).min(work.len());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Round, in_rounds};
    use crate::answer::Answer;
    use crate::{EngineName, Options};
    use loris_base::Exhausted;
    use loris_evidence::Verdict;
    use std::sync::Mutex;

    /// Whether questions that need so many bytes are answered within 100, where each needs as many
    /// more as the one before it has left behind.
    fn check(needs: &[usize], jobs: usize, expected: &[bool]) {
        let options = Options { jobs, shared_memory: Some(100), ..Options::default() };
        let found = Mutex::new(vec![None; needs.len()]);
        let ask = |work: &Vec<usize>, round: &Round<'_>| {
            let mut kept = 0;
            for &at in work {
                let fits = round.memory().is_some_and(|bytes| needs[at] + kept <= bytes);
                let verdict = if fits { Verdict::Holds } else { Verdict::from(Exhausted::Memory) };
                if round.stands(at, &Answer::new(EngineName::Game, verdict), kept > 0) {
                    assert_eq!(found.lock().unwrap()[at].replace(fits), None, "one answer stands");
                }
                kept = needs[at];
            }
        };
        let all: Vec<usize> = (0..needs.len()).collect();
        let work = all.chunks(needs.len().div_ceil(jobs)).map(<[usize]>::to_vec).collect();
        in_rounds(&options, needs.len(), work, |at| vec![at], ask).unwrap();
        let found: Vec<bool> = found.into_inner().unwrap().into_iter().map(Option::unwrap).collect();
        assert_eq!(found, expected, "{jobs} threads");
    }

    #[test]
    fn answers_depend_on_the_memory_alone() {
        for jobs in [1, 2, 3, 8, 64] {
            let expected = [true, true, true, false, true, true, true, false];
            check(&[10, 90, 100, 101, 30, 60, 5, 200], jobs, &expected);
        }
    }
}
