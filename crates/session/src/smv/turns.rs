//! Under `auto`, states are listed in turns with decision diagrams.
//!
//! Which is faster cannot be told from a model: some with few states take long to list, and some
//! with many have small decision diagrams. Listing goes first. A model that takes more than the
//! first turn is asked of decision diagrams in turns ([`Pace`]), until either all states are listed
//! or all questions are answered. So `auto` takes about twice the steps of the faster way; steps of
//! the two take different time, so that it may be five times as long. What neither does within its
//! steps is left to all engines that do not list states.

use super::{Listed, Modules};
use crate::asked::Asked;
use crate::inquiry::Case;
use loris_base::{Exhausted, Pace};
use loris_check::{Answer, Choice, EngineName, Options, Panicked};
use loris_load::Reading;
use loris_smv::Stopped;
use loris_smv::ir::StructureId;
use std::thread::{self, Builder};
use std::time::Duration;

/// Steps of the first turn of listing states, and of decision diagrams, whose steps take one to two
/// thirds of the time: some ten milliseconds.
const FIRST: [u64; 2] = [500_000, 750_000];

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
        let [first, second] = Pace::turns(FIRST, [u64::MAX, LONGER * steps]);
        // what comes after needs time, too
        let mut slice = reading.budget.slice(steps).half_time().paced(&first);
        let mut scratch = Reading::new(reading.budget.part().half_time().paced(&second), reading.words);
        let both = thread::scope(|scope| {
            let listing = move || {
                let listed = first.during(|| self.build(&mut slice), is_end);
                (listed, slice)
            };
            let listing = Builder::new().stack_size(STACK).spawn_scoped(scope, listing).ok()?;
            let answer = || self.answered(structures, asked, &mut scratch, &second);
            let answered = second.during(answer, Option::is_some).flatten();
            let (listed, slice) = listing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Some((listed?, slice, answered))
        });
        match both {
            Some((_, _, Some(cases))) => Some(Done::Answered(cases)),
            Some((listed, slice, None)) if !lacks_memory(&listed) => {
                self.settled(listed, &slice, Some(steps), asked, reading).map(Done::Listed)
            }
            // there is no thread, or two pieces of work have less memory than one
            _ => self.listed(Some(steps), asked, reading).map(Done::Listed),
        }
    }

    /// The answers to all questions by decision diagrams, if they find them all.
    fn answered(
        &self,
        structures: &[StructureId],
        asked: &[Vec<Asked>],
        scratch: &mut Reading,
        pace: &Pace,
    ) -> Option<Vec<Case>> {
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
            let cases = self.symbolic(structure, &mut asked, &options, &mut stopped, scratch)?;
            if !asked.is_empty() || stopped.is_some() || scratch.has_errors() {
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
        Some(found)
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
