//! An engine that takes turns with others: what it holds and what it has had.

use loris_base::{Budget, Exhausted};

/// A turn is this part of what the engine has had.
pub(crate) const PART: u64 = 4;

/// What an engine may take beyond its turn to finish what it cannot pause: as many steps as it has
/// had, this many times, and as many least turns.
const OVERTIME: u64 = 8;

/// Time is counted in steps of an engine with this share.
pub(crate) const WHOLE: u64 = 32;

/// An engine with its share of memory and the time it has had.
pub(crate) struct Paused<E> {
    pub(crate) engine: E,
    pub(crate) held: Budget,
    /// steps so far
    pub(crate) had: u64,
    /// the same by share
    pub(crate) time: u64,
}

impl<E> Paused<E> {
    /// It has had nothing yet.
    pub(crate) fn new(engine: E, held: Budget) -> Self {
        Self { engine, held, had: 0, time: 0 }
    }

    /// A turn: `work` is to pause when its budget has spent the steps that it is given.
    pub(crate) fn go_on<T>(
        &mut self,
        least: u64,
        share: u64,
        budget: &mut Budget,
        work: impl FnOnce(&mut E, u64, &mut Budget) -> Result<T, Exhausted>,
    ) -> Result<Result<T, Exhausted>, Exhausted> {
        let before = self.held.spent();
        let turn = least.max(self.had / PART);
        let overtime = OVERTIME.saturating_mul(self.had.saturating_add(least));
        let mut slice = self.held.slice(turn.saturating_add(overtime));
        let found = work(&mut self.engine, before.saturating_add(turn), &mut slice);
        self.held.join(&slice)?;
        let spent = self.held.spent() - before;
        self.count(spent, share);
        budget.spend(usize::try_from(spent).unwrap_or(usize::MAX))?;
        Ok(found)
    }

    /// Counts steps.
    pub(crate) fn count(&mut self, spent: u64, share: u64) {
        self.had = self.had.saturating_add(spent);
        // a turn takes time, even if it took no step
        self.time = self.time.saturating_add(1 + spent.saturating_mul(WHOLE) / share);
    }
}
