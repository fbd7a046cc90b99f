//! Limits on the time, the memory and the threads of a piece of work, and a way to end it from
//! outside.

use crate::{Exhausted, Interrupt, Pace};
use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

/// A limit on time and bytes that is cheap to check often.
///
/// Engines declare the memory they are about to hold with [`Budget::charge`]. Without a
/// [`Meter`](crate::Meter) nothing is measured, and the limit is one on what is declared. A meter,
/// which comes with the [interrupt](Budget::interruptible), bounds what the process really holds:
/// then declarations say when to look at it, and what is not to be allocated since it does not fit.
///
/// ```
/// use loris_base::{Budget, Exhausted};
/// let mut budget = Budget::new(None, Some(1000));
/// assert_eq!(budget.charge(900), Ok(()));
/// assert_eq!(budget.charge(200), Err(Exhausted::Memory));
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    bytes: Option<usize>,
    used: usize,
    peak: usize,
    /// steps left until the next look at the clock
    ticks: u32,
    /// steps spent up to the last look
    spent: u64,
    steps: Option<u64>,
    interrupt: Option<Interrupt>,
    threads: usize,
    /// work of fewer steps is not shared among threads
    grain: usize,
    /// bytes declared since the last look at the meter
    unmeasured: usize,
}

/// Steps that were spent up to some point, see [`Budget::mark`].
#[derive(Clone, Copy, Debug)]
pub struct StepMark {
    ticks: u32,
    spent: u64,
}

/// See [`Budget::with_grain`]: a few milliseconds of work.
const GRAIN: usize = 1 << 18;

/// Steps between two looks at the clock: a few microseconds of work.
const TICKS_PER_LOOK: u32 = 4096;

/// Bytes that are declared between two looks at the meter.
const BYTES_PER_LOOK: usize = 1 << 16;

/// Lists of this many bytes grow by a quarter, smaller ones double.
const LARGE_LIST: usize = 16 << 20;

/// Lists of this many bytes have pages of their own, which allocators do not copy when they grow.
const MAPPED_LIST: usize = 32 << 20;

impl Budget {
    /// A budget that starts now.
    pub fn new(time: Option<Duration>, bytes: Option<usize>) -> Self {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Self {
            deadline,
            bytes,
            used: 0,
            peak: 0,
            ticks: TICKS_PER_LOOK,
            spent: 0,
            steps: None,
            interrupt: None,
            threads: 1,
            grain: GRAIN,
            // the first bytes that are declared are a reason to look
            unmeasured: BYTES_PER_LOOK,
        }
    }

    /// No limit at all.
    pub fn unlimited() -> Self {
        Self::new(None, None)
    }

    /// A time limit counted in steps of work instead of seconds, so that it is the same on every
    /// machine: for tests. It is exceeded by a few thousand steps at most.
    pub fn steps(steps: u64) -> Self {
        Self { steps: Some(steps), ..Self::unlimited() }
    }

    /// The same budget, which also ends when the interrupt is raised.
    #[must_use]
    pub fn interruptible(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: Some(interrupt.clone()), ..self }
    }

    /// The same budget for one of two pieces of work that take turns.
    #[must_use]
    pub fn paced(self, pace: &Pace) -> Self {
        let interrupt = self.interrupt.unwrap_or_default().paced(pace.clone());
        Self { interrupt: Some(interrupt), ..self }
    }

    /// The same budget for work that may use this many threads of the pool it runs in. Nothing else
    /// may use that pool meanwhile.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The same budget, in which work of fewer steps than this is not shared among threads: for
    /// tests, whose machines are small.
    #[must_use]
    pub fn with_grain(self, grain: usize) -> Self {
        Self { grain, ..self }
    }

    /// Whether threads would share work of about this many steps, if there were several.
    pub fn is_large(&self, steps: usize) -> bool {
        steps >= self.grain
    }

    /// How many threads may share work of about this many steps.
    pub fn threads_for(&self, steps: usize) -> usize {
        if self.is_large(steps) { self.threads.max(1) } else { 1 }
    }

    /// Does work of about this many steps that threads may share. The steps that threads really
    /// spend depend on which is faster, so the work counts as `steps` if it is shared or could be
    /// with more threads.
    pub fn counting<T, E: From<Exhausted>>(
        &mut self,
        steps: usize,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.is_large(steps) {
            return work(self);
        }
        let mark = self.mark();
        let found = work(self)?;
        self.recount(mark, steps)?;
        Ok(found)
    }

    /// How many steps were spent so far, for [`recount`](Self::recount).
    pub fn mark(&self) -> StepMark {
        StepMark { ticks: self.ticks, spent: self.spent }
    }

    /// Counts the work since a mark as this many steps, instead of those that it spent: for work
    /// whose cost is known only when it is over.
    ///
    /// ```
    /// use loris_base::Budget;
    /// let mut budget = Budget::unlimited();
    /// let mark = budget.mark();
    /// assert_eq!(budget.spend(1000), Ok(()));
    /// assert_eq!(budget.recount(mark, 10), Ok(()));
    /// assert_eq!(budget.spent(), 10);
    /// ```
    pub fn recount(&mut self, mark: StepMark, steps: usize) -> Result<(), Exhausted> {
        (self.ticks, self.spent) = (mark.ticks, mark.spent);
        self.spend(steps)
    }

    /// The same deadline without a limit on bytes: for work that all properties share.
    #[must_use]
    pub fn time_only(&self) -> Self {
        Self { bytes: None, ..self.clone() }
    }

    /// The same budget with half of the time that is left, if that is limited: for a first try.
    #[must_use]
    pub fn half_time(self) -> Self {
        let now = Instant::now();
        let half = |deadline: Instant| now + deadline.saturating_duration_since(now) / 2;
        Self { deadline: self.deadline.map(half), ..self }
    }

    /// The same limit on bytes, with nothing declared yet, and none on time: for what is still to
    /// be told when the time is over.
    #[must_use]
    pub fn bytes_only(&self) -> Self {
        Self { bytes: self.bytes, ..Self::unlimited() }
    }

    /// How many steps were spent so far.
    pub fn spent(&self) -> u64 {
        self.spent + u64::from(TICKS_PER_LOOK - self.ticks)
    }

    /// Counts `steps` steps of work, and every few thousand looks at the clock and the interrupt.
    #[inline]
    pub fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        if self.ticks > steps {
            self.ticks -= steps;
            return Ok(());
        }
        let before = self.spent;
        self.spent = self.spent().saturating_add(steps.into());
        self.ticks = TICKS_PER_LOOK;
        let seen = self.passed(self.spent - before).and_then(|()| self.look());
        if seen.is_err() {
            // whoever goes on nevertheless sees it again with the next step
            self.spent = self.spent.saturating_sub(u64::from(TICKS_PER_LOOK));
            self.ticks = 0;
        }
        seen
    }

    /// Waits for the next turn of work that takes turns, if this one is over after these steps.
    fn passed(&self, steps: u64) -> Result<(), Exhausted> {
        self.interrupt.as_ref().and_then(Interrupt::pace).map_or(Ok(()), |pace| pace.pass(steps))
    }

    /// Looks at the clock, the interrupt and its meter now: between pieces of work that spend
    /// nothing.
    pub fn look(&self) -> Result<(), Exhausted> {
        if let Some(interrupt) = &self.interrupt {
            if let Some(why) = interrupt.raised() {
                return Err(why);
            }
            if interrupt.meter().is_some_and(|meter| !meter.admits(0)) {
                return Err(Exhausted::Memory);
            }
        }
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let is_spent = self.steps.is_some_and(|steps| self.spent() > steps);
        if is_late || is_spent { Err(Exhausted::Time) } else { Ok(()) }
    }

    /// Declares that `bytes` more bytes are about to be held.
    pub fn charge(&mut self, bytes: usize) -> Result<(), Exhausted> {
        // what was declared once and given back is there, or was turned into this
        let new = self.used.saturating_add(bytes).saturating_sub(self.peak);
        self.hold_more(bytes, new.min(bytes))
    }

    /// The same for bytes that are given back when what is returned goes out of scope, by whatever
    /// way; until then it stands for the budget.
    ///
    /// ```
    /// use loris_base::{Budget, Exhausted};
    /// fn work(budget: &mut Budget) -> Result<usize, Exhausted> {
    ///     let budget = &mut budget.holding(900)?;
    ///     budget.charge(90)?;
    ///     Ok(budget.used())
    /// }
    /// let mut budget = Budget::new(None, Some(1000));
    /// assert_eq!((work(&mut budget), budget.used()), (Ok(990), 90));
    /// // what was charged inside stays, what was held is given back, after an error, too
    /// assert_eq!((work(&mut budget), budget.used()), (Err(Exhausted::Memory), 180));
    /// ```
    pub fn holding(&mut self, bytes: usize) -> Result<Held<'_>, Exhausted> {
        let mut held = Held { budget: self, bytes: 0 };
        held.raise(bytes)?;
        Ok(held)
    }

    /// Declares bytes that are held already.
    pub fn note(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.hold_more(bytes, 0)
    }

    /// Declares bytes, of which this many are more than the process holds already.
    fn hold_more(&mut self, bytes: usize, new: usize) -> Result<(), Exhausted> {
        self.used = self.used.saturating_add(bytes);
        self.peak = self.peak.max(self.used);
        self.unmeasured = self.unmeasured.saturating_add(bytes);
        if self.unmeasured >= BYTES_PER_LOOK {
            self.unmeasured = 0;
            self.measure(new)?;
        }
        match self.bytes {
            Some(limit) if self.used > limit => Err(Exhausted::Memory),
            _ => Ok(()),
        }
    }

    /// Whether the process may hold this many bytes more.
    #[cold]
    fn measure(&self, bytes: usize) -> Result<(), Exhausted> {
        let meter = self.interrupt.as_ref().and_then(Interrupt::meter);
        if meter.is_none_or(|meter| meter.admits(bytes)) { Ok(()) } else { Err(Exhausted::Memory) }
    }

    /// Declares that a growing structure, declared with `held` bytes so far, is about to hold
    /// `bytes`. Does nothing if it does not grow.
    #[inline]
    pub fn grow(&mut self, held: &mut usize, bytes: usize) -> Result<(), Exhausted> {
        if bytes > *held {
            self.charge(bytes - *held)?;
            *held = bytes;
        }
        Ok(())
    }

    /// The same for a structure that holds these bytes already.
    pub fn grown(&mut self, held: &mut usize, bytes: usize) -> Result<(), Exhausted> {
        if bytes > *held {
            self.note(bytes - *held)?;
            *held = bytes;
        }
        Ok(())
    }

    /// Makes room in a list for `more` elements and charges for it: the old place of the elements
    /// counts together with the new one while they move. The list must have grown by this alone.
    #[inline]
    pub fn reserve<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), Exhausted> {
        let wanted = list.len().saturating_add(more);
        if wanted <= list.capacity() { Ok(()) } else { self.enlarge(list, wanted) }
    }

    #[cold]
    fn enlarge<T>(&mut self, list: &mut Vec<T>, wanted: usize) -> Result<(), Exhausted> {
        let (size, before) = (size_of::<T>(), list.capacity());
        // a large list that doubles would be refused long before it is too large
        let mut growth = if before.saturating_mul(size) < LARGE_LIST { before } else { before / 4 };
        let old = before.saturating_mul(size);
        loop {
            let capacity = wanted.max(before.saturating_add(growth)).max(4);
            let whole = capacity.saturating_mul(size);
            // lists with pages of their own grow where they are
            let new = if old < MAPPED_LIST { whole } else { whole - old };
            if growth > before / 16 && self.measure(new).is_err() {
                // near the limit, less has to do
                growth /= 4;
                continue;
            }
            self.hold_more(whole, new)?;
            break self.move_to(list, capacity);
        }
    }

    /// Moves a list to where it has room for more elements, which is charged for already.
    fn move_to<T>(&mut self, list: &mut Vec<T>, capacity: usize) -> Result<(), Exhausted> {
        let (size, before) = (size_of::<T>(), list.capacity());
        self.spend(before)?;
        list.try_reserve_exact(capacity - list.len()).map_err(|_| Exhausted::Memory)?;
        self.release(before * size);
        Ok(())
    }

    /// Drops a list that has grown by [`Budget::reserve`].
    pub fn free<T>(&mut self, list: Vec<T>) {
        let bytes = list.capacity() * size_of::<T>();
        drop(list);
        self.release(bytes);
    }

    /// The same for a piece of work that gets at most this many steps from here on: when it ends, a
    /// [look](Self::look) at the whole budget shows which of the two was exhausted.
    #[must_use]
    pub fn slice(&self, steps: u64) -> Self {
        let end = self.spent().saturating_add(steps);
        Self { steps: Some(self.steps.map_or(end, |limit| limit.min(end))), ..self.part() }
    }

    /// The rest of this budget, with nothing declared yet: for a piece of work whose own memory is
    /// of interest. [`join`](Self::join) must follow.
    #[must_use]
    pub fn part(&self) -> Self {
        let bytes = self.bytes.map(|bytes| bytes.saturating_sub(self.used));
        Self { bytes, used: 0, peak: 0, ..self.clone() }
    }

    /// The same with half of the bytes that are left: for one of two pieces of work that hold
    /// memory at the same time.
    #[must_use]
    pub fn half(&self) -> Self {
        let part = self.part();
        Self { bytes: part.bytes.map(|bytes| bytes / 2), ..part }
    }

    /// Counts the steps of a [part](Self::part) as steps of this budget, and what it held at most
    /// as held meanwhile.
    pub fn join(&mut self, part: &Self) -> Result<(), Exhausted> {
        self.peak = self.peak.max(self.used.saturating_add(part.peak));
        self.spend(usize::try_from(part.spent().saturating_sub(self.spent())).unwrap_or(usize::MAX))
    }

    /// Declares that `bytes` bytes are held now, of all that was declared or beyond it.
    pub fn settle(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.release(self.used.saturating_sub(bytes));
        self.note(bytes - self.used)
    }

    /// How many more bytes may be declared, if that is limited.
    pub fn bytes_left(&self) -> Option<usize> {
        self.bytes.map(|bytes| bytes.saturating_sub(self.used))
    }

    /// How many bytes are declared now.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The most bytes that were declared at one time.
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Declares that `bytes` bytes were given back.
    pub fn release(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes);
    }

    /// Declares that `bytes` bytes are held now, all else given back.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.used = 0;
        self.note(bytes)
    }
}

/// Bytes of a budget that are given back when this is dropped, see [`Budget::holding`].
#[derive(Debug)]
pub struct Held<'b> {
    budget: &'b mut Budget,
    bytes: usize,
}

impl Held<'_> {
    /// Declares that a growing structure is about to hold this many bytes in all, to be given back
    /// likewise. Does nothing if it does not grow.
    #[inline]
    pub fn raise(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.budget.grow(&mut self.bytes, bytes)
    }
}

impl Deref for Held<'_> {
    type Target = Budget;

    #[inline]
    fn deref(&self) -> &Budget {
        self.budget
    }
}

impl DerefMut for Held<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Budget {
        self.budget
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Exhausted};
    use crate::{Interrupt, Meter};
    use std::time::Duration;

    /// The outcome of a look at a budget after this many steps.
    fn check(budget: Budget, steps: usize, expected: Result<(), Exhausted>) {
        let mut in_one = budget.clone();
        assert_eq!(in_one.spend(steps).and_then(|()| in_one.look()), expected);
        let mut one_by_one = budget;
        let spent = (0..steps).try_for_each(|_| one_by_one.spend(1));
        assert_eq!(spent.and_then(|()| one_by_one.look()), expected);
        assert!(one_by_one.spent() <= steps as u64);
    }

    #[test]
    fn a_first_try_leaves_time() {
        let whole = Budget::new(Some(Duration::from_millis(400)), None);
        let first = whole.clone().half_time();
        while first.look().is_ok() {}
        assert_eq!((whole.look(), first.look()), (Ok(()), Err(Exhausted::Time)));
        assert_eq!(Budget::unlimited().half_time().look(), Ok(()));
    }

    #[test]
    fn limits_end_work() {
        check(Budget::unlimited(), 100_000, Ok(()));
        check(Budget::new(Some(Duration::ZERO), None), 0, Err(Exhausted::Time));
        check(Budget::steps(50_000), 40_000, Ok(()));
        check(Budget::steps(50_000), 60_000, Err(Exhausted::Time));
        check(Budget::unlimited().slice(50_000), 60_000, Err(Exhausted::Time));
        check(Budget::steps(50_000).slice(90_000), 60_000, Err(Exhausted::Time));
        let interrupt = Interrupt::default();
        let watched = Budget::new(Some(Duration::ZERO), None).interruptible(&interrupt);
        check(watched.clone(), 0, Err(Exhausted::Time));
        interrupt.raise(Exhausted::Interrupted);
        check(watched.clone(), 0, Err(Exhausted::Interrupted));
        check(watched.time_only(), 0, Err(Exhausted::Interrupted));
        check(Budget::unlimited(), 10_000, Ok(()));
    }

    /// What a process holds that has 700 of the 1000 KiB it may have.
    #[test]
    fn meters_end_work() {
        let interrupt = |held| Interrupt::default().with_meter(Meter::new(held, 1000 << 10));
        let mut budget = Budget::unlimited().interruptible(&interrupt(|| 700 << 10));
        // what is declared does not count, but what is held together with what is about to be
        for _ in 0..100 {
            assert_eq!(budget.charge(300 << 10), Ok(()));
        }
        assert_eq!(budget.charge(301 << 10), Err(Exhausted::Memory));
        assert_eq!(budget.part().charge(301 << 10), Err(Exhausted::Memory));
        check(budget, 10_000, Ok(()));
        check(Budget::unlimited().interruptible(&interrupt(|| 1001 << 10)), 0, Err(Exhausted::Memory));
        // what was given back and what is held already is not new
        let mut again = Budget::unlimited().interruptible(&interrupt(|| 700 << 10));
        assert_eq!(again.charge(300 << 10), Ok(()));
        again.release(300 << 10);
        assert_eq!(again.charge(300 << 10), Ok(()));
        assert_eq!(again.note(500 << 10), Ok(()));
        assert_eq!(again.hold(900 << 10), Ok(()));
        // small pieces are seen together
        let mut small = Budget::unlimited().interruptible(&interrupt(|| 1001 << 10));
        assert!((0..100).any(|_| small.charge(1 << 10).is_err()));
    }

    #[test]
    fn growth_is_declared_once() {
        let mut budget = Budget::new(None, Some(100));
        let mut held = 0;
        for bytes in [10, 30, 20, 60] {
            assert_eq!(budget.grow(&mut held, bytes), Ok(()));
        }
        budget.release(50);
        assert_eq!((budget.peak(), held), (60, 60));
        assert_eq!(budget.grow(&mut held, 160), Err(Exhausted::Memory));
        assert_eq!(held, 60);
    }

    #[test]
    fn a_limit_stays_reached() {
        let mut budget = Budget::steps(50_000);
        assert_eq!(budget.spend(60_000), Err(Exhausted::Time));
        for _ in 0..10 {
            assert_eq!(budget.spend(1), Err(Exhausted::Time));
            assert_eq!(budget.look(), Err(Exhausted::Time));
        }
        assert_eq!(budget.spent(), 60_010);
    }

    #[test]
    fn work_is_counted() {
        let mut budget = Budget::unlimited();
        for _ in 0..1000 {
            assert_eq!(budget.spend(7), Ok(()));
        }
        assert_eq!(budget.spent(), 7000);
    }

    /// The bytes that are held after pushing this many numbers, and the most that are held
    /// meanwhile.
    #[test]
    fn lists_are_charged_while_they_move() {
        let (mut budget, mut list) = (Budget::unlimited(), Vec::new());
        for number in 0..100_u64 {
            budget.reserve(&mut list, 1).expect("no limit");
            list.push(number);
        }
        assert_eq!(budget.used(), 8 * list.capacity());
        let grown = |limit| {
            let (mut budget, mut list) = (Budget::new(None, Some(limit)), Vec::<u64>::new());
            budget.reserve(&mut list, 100).and_then(|()| {
                list.resize(100, 0);
                budget.reserve(&mut list, 1)
            })
        };
        assert_eq!(grown(8 * 300 - 1), Err(Exhausted::Memory));
        assert_eq!(grown(8 * 300), Ok(()));
        budget.free(list);
        assert_eq!(budget.used(), 0);
    }
}
