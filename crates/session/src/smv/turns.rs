//! Under `auto`, states are listed in turns with decision diagrams.
//!
//! Which is faster cannot be told from the text of a model: some with few states take long to
//! list, and some with many have small decision diagrams. So some thousand states are listed first.
//! What they look like decides who gets longer turns ([`Outlook`]): if nearly all of them were
//! looked at, the search is about to end or finds states slowly, and listing gets most of the time;
//! if most of them were not, there are many more, and diagrams do. Both go on in turns ([`Pace`]),
//! until either all states are listed, or all questions are answered, or something is found to be
//! wrong with the model. All this is counted in steps, so that it is the same on every machine.
//! What neither does within its steps is left to all engines that do not list states.

use super::{Listed, Modules};
use crate::asked::Asked;
use crate::inquiry::Case;
use loris_base::{Exhausted, Pace};
use loris_check::{Answer, Choice, EngineName, Options, Panicked};
use loris_load::Reading;
use loris_smv::Stopped;
use loris_smv::ir::StructureId;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, Builder};
use std::time::Duration;

/// Steps that listing states has for itself: some milliseconds.
const ALONE: u64 = 500_000;

/// Steps of the first turn of listing states, and of decision diagrams. Public models take 50 to
/// 200 million steps a second to list, and diagrams 15 to 45 million.
const FIRST: [u64; 2] = [400_000; 2];

/// How many times as long the turns of listing, and of diagrams, are if that looks better: a step
/// of diagrams takes longer.
const FAVOUR: [u64; 2] = [8, 4];

/// Fewer states than this say nothing of how many there are: they take long to find.
const FEW_STATES: usize = 256;

/// Steps of all turns of decision diagrams, for each one of listing states: longer than that, the
/// other engines are worth a try, too.
const LONGER: u64 = 2;

/// The stack of the thread that lists states.
const STACK: usize = 8 << 20;

/// The share of the memory that is left for decision diagrams meanwhile.
const SHARE: usize = 4;

/// What is done first.
pub(super) enum Done {
    Listed(Listed),
    /// All questions are answered.
    Answered(Vec<Case>),
    /// Something is wrong with the model; the problems were added to the reading.
    Wrong,
}

/// What decision diagrams found.
enum Attempt {
    Cases(Vec<Case>),
    /// Something is wrong with the model.
    Wrong,
}

/// How many states listing found at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outlook {
    states: usize,
    /// those that were not looked at yet
    open: usize,
}

impl Outlook {
    /// How long turns of both ways are, compared with each other.
    fn weights(self) -> [u64; 2] {
        let Self { states, open } = self;
        if states < FEW_STATES || 3 * open >= 2 * states {
            [1, FAVOUR[1]]
        } else if open <= states / 8 {
            [FAVOUR[0], 1]
        } else {
            [1, 1]
        }
    }
}

impl Modules<'_> {
    /// Lists states, within this many steps, in turns with decision diagrams. Problems are added to
    /// the reading.
    pub(super) fn in_turns(
        &self,
        steps: u64,
        structures: &[StructureId],
        asked: &[Vec<Asked>],
        reading: &mut Reading,
    ) -> Option<Done> {
        let options = self.request.options;
        let mut all = asked.iter().flatten();
        // of tables of knowledge, only engines that list states have some
        let can_answer = !options.explain && all.clone().next().is_some();
        if !can_answer || !all.all(|one| one.is_symbolic(&self.file, options.engine)) {
            return self.listed(Some(steps), asked, reading).map(Done::Listed);
        }
        let open = Arc::default();
        let mut slice = reading.budget.slice(ALONE.min(steps));
        let built = self.build(&open, &mut slice);
        match self.settled(built, &slice, Some(ALONE), asked, reading)? {
            Listed::TooMany => {}
            listed => return Some(Done::Listed(listed)),
        }
        let outlook = Outlook { states: self.origin.explored.states(), open: open.load(Ordering::Relaxed) };
        let weights = outlook.weights();
        let turns = [0, 1].map(|own| FIRST[own] * weights[own]);
        let [first, second] = Pace::turns(turns, [u64::MAX, LONGER * steps]);
        // what comes after needs time, too
        let mut slice = reading.budget.slice(steps).half_time().paced(&first);
        let mut scratch = Reading::new(reading.budget.part().half_time().paced(&second), reading.words);
        let both = thread::scope(|scope| {
            let listing = move || {
                let listed = first.during(|| self.build(&Arc::default(), &mut slice), is_end);
                (listed, slice)
            };
            let listing = Builder::new().stack_size(STACK).spawn_scoped(scope, listing).ok()?;
            let answer = || self.answered(structures, asked, &mut scratch, &second);
            let answered = second.during(answer, Option::is_some).flatten();
            let (listed, slice) = listing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Some((listed?, slice, answered))
        });
        match both {
            Some((_, _, Some(Attempt::Cases(cases)))) => Some(Done::Answered(cases)),
            Some((_, _, Some(Attempt::Wrong))) => {
                reading.take_over(scratch);
                Some(Done::Wrong)
            }
            Some((listed, slice, None)) if !lacks_memory(&listed) => {
                self.settled(listed, &slice, Some(steps), asked, reading).map(Done::Listed)
            }
            // there is no thread, or two pieces of work have less memory than one
            _ => self.listed(Some(steps), asked, reading).map(Done::Listed),
        }
    }

    /// The answers to all questions by decision diagrams, if they find them all; or what is wrong.
    fn answered(
        &self,
        structures: &[StructureId],
        asked: &[Vec<Asked>],
        scratch: &mut Reading,
        pace: &Pace,
    ) -> Option<Attempt> {
        let all = self.request.options;
        let left = scratch.budget.bytes_left().map(|bytes| bytes / SHARE);
        let options = Options {
            engine: Choice::Named(EngineName::Bdd),
            interrupt: all.interrupt.clone().paced(pace.clone()),
            memory: all.memory.into_iter().chain(all.shared_memory).chain(left).min(),
            shared_memory: None,
            timeout: all.timeout.map(|time| time / 2),
            jobs: 1,
            ..all.clone()
        };
        let mut found = Vec::new();
        for (&structure, asked) in structures.iter().zip(asked) {
            let (mut asked, mut stopped) = (asked.clone(), None);
            let cases = self.symbolic(structure, &mut asked, &options, &mut stopped, scratch);
            if scratch.has_errors() {
                return Some(Attempt::Wrong);
            }
            let cases = cases?;
            if !asked.is_empty() || stopped.is_some() {
                return None;
            }
            for mut case in cases {
                // the first question that stays open ends the attempt
                let see = |_: usize, answer: &Answer| {
                    if !answer.verdict.is_known() {
                        pace.give_up();
                    }
                };
                let answers = case.answers(&options, (None, Duration::ZERO), see).ok()?;
                case.given = answers.into_iter().collect::<Result<_, Panicked>>().ok()?;
                if pace.is_stopped() {
                    return None;
                }
                found.push(case);
            }
        }
        Some(Attempt::Cases(found))
    }
}

/// Whether nothing is left to be found by other ways: states are listed, or something is wrong with
/// the model.
fn is_end<T>(built: &Result<T, Stopped>) -> bool {
    !matches!(built, Err(Stopped::Exhausted(_)))
}

/// Whether there was not enough memory for it.
fn lacks_memory<T>(built: &Result<T, Stopped>) -> bool {
    matches!(built, Err(Stopped::Exhausted(Exhausted::Memory)))
}

#[cfg(test)]
mod tests {
    use super::Outlook;

    #[test]
    fn what_is_open_decides_who_gets_longer_turns() {
        let weights = |states, open| Outlook { states, open }.weights();
        assert_eq!(weights(2126, 40), [8, 1]);
        assert_eq!(weights(2126, 700), [1, 1]);
        assert_eq!(weights(1616, 940), [1, 1]);
        assert_eq!(weights(8612, 6500), [1, 4]);
        assert_eq!(weights(30, 2), [1, 4]);
        assert_eq!(weights(0, 0), [1, 4]);
    }
}
