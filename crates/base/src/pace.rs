//! Two pieces of work that take turns, each on a thread of its own of which only one runs, so that
//! whichever is over first ends the other after about as many steps as it took itself.
//!
//! Turns are counted in steps, at the looks at a [`Budget`](crate::Budget), so that what is found
//! does not depend on the machine. They grow by a quarter from one to the next, so that the piece
//! whose turn it is not lost about a quarter more than the one that is over.

use crate::Exhausted;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The turns of one of two pieces of work: for the [interrupt](crate::Interrupt::paced) of its
/// budgets.
///
/// ```
/// use loris_base::{Budget, Exhausted, Interrupt, Pace};
/// let [long, short] = Pace::turns([10_000; 2], [u64::MAX; 2]);
/// let work = |pace: Pace, steps: usize| {
///     let mut budget = Budget::unlimited().interruptible(&Interrupt::default().paced(pace.clone()));
///     pace.during(|| (0..steps).try_for_each(|_| budget.spend(1)), Result::is_ok)
/// };
/// let found = std::thread::scope(|scope| {
///     let long = scope.spawn(|| work(long, 100_000_000));
///     (work(short, 100_000), long.join().expect("no panic"))
/// });
/// assert_eq!(found, (Some(Ok(())), Some(Err(Exhausted::Time))));
/// ```
#[derive(Clone, Debug)]
pub struct Pace {
    turns: Arc<Turns>,
    own: usize,
}

#[derive(Debug)]
struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// whose turn it is
    turn: usize,
    /// the steps that are left of it
    left: u64,
    /// the next turns
    next: [u64; 2],
    /// the steps that are left of all turns
    all: [u64; 2],
    /// which are over
    over: [bool; 2],
    /// which are to end
    stopped: [bool; 2],
}

impl Pace {
    /// Two pieces of work, the first of which begins; with the steps of their first turns, and
    /// those of all turns.
    pub fn turns(first: [u64; 2], all: [u64; 2]) -> [Self; 2] {
        let (left, over, stopped) = (first[0], [false; 2], [false; 2]);
        let state = State { turn: 0, left, next: first, all, over, stopped };
        let turns = Arc::new(Turns { state: Mutex::new(state), changed: Condvar::new() });
        [0, 1].map(|own| Self { turns: Arc::clone(&turns), own })
    }

    /// Counts steps of this piece. At the end of its turn it waits for the next one, as it does
    /// before the first.
    pub(crate) fn pass(&self, steps: u64) -> Result<(), Exhausted> {
        let mut state = self.state();
        if state.turn == self.own {
            state.left = state.left.saturating_sub(steps);
            state.all[self.own] = state.all[self.own].saturating_sub(steps);
            state.stopped[self.own] |= state.all[self.own] == 0;
            if state.left == 0 {
                self.hand_over(&mut state);
            }
        }
        while state.turn != self.own && !state.stopped[self.own] {
            state = self.turns.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.stopped[self.own] { Err(Exhausted::Time) } else { Ok(()) }
    }

    /// Does this piece of work, as soon as it is its turn; nothing if the other one is done by
    /// then. If this one finds what both look for, the other is to end; else that has all the turns
    /// to come, after a panic, too.
    pub fn during<T>(&self, work: impl FnOnce() -> T, is_found: impl FnOnce(&T) -> bool) -> Option<T> {
        struct Ending<'p>(&'p Pace, bool);
        impl Drop for Ending<'_> {
            fn drop(&mut self) {
                self.0.end(self.1);
            }
        }
        let mut ending = Ending(self, false);
        self.pass(0).ok()?;
        let found = work();
        ending.1 = is_found(&found);
        Some(found)
    }

    fn end(&self, is_found: bool) {
        let mut state = self.state();
        state.over[self.own] = true;
        state.stopped[1 - self.own] |= is_found;
        self.hand_over(&mut state);
        self.turns.changed.notify_all();
    }

    /// This piece is to end with its next look at the budget.
    pub fn give_up(&self) {
        self.state().stopped[self.own] = true;
    }

    /// Whether this one is to end: because it was given up, because its turns are over, or because
    /// the other one found what both look for.
    pub fn is_stopped(&self) -> bool {
        self.state().stopped[self.own]
    }

    fn hand_over(&self, state: &mut State) {
        state.next[self.own] += state.next[self.own] / 4;
        state.turn = if state.over[1 - self.own] { self.own } else { 1 - self.own };
        state.left = if state.over[1 - state.turn] { u64::MAX } else { state.next[state.turn] };
        self.turns.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.turns.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;
    use crate::{Budget, Exhausted, Interrupt};

    /// Work of this many steps, and how many it did.
    fn work(pace: &Pace, steps: u64, finds: bool) -> (bool, u64) {
        let mut budget = Budget::unlimited().interruptible(&Interrupt::default().paced(pace.clone()));
        let mut done = 0;
        let all = || {
            for _ in 0..steps {
                budget.spend(1)?;
                done += 1;
            }
            Ok(())
        };
        let ended = pace.during(all, |ended| finds && ended.is_ok()).expect("both begin");
        assert!(ended.is_ok() || ended == Err(Exhausted::Time) && pace.is_stopped());
        (ended.is_ok(), done)
    }

    fn both(steps: [u64; 2], finds: [bool; 2]) -> [(bool, u64); 2] {
        within([u64::MAX; 2], steps, finds)
    }

    fn within(all: [u64; 2], steps: [u64; 2], finds: [bool; 2]) -> [(bool, u64); 2] {
        let [first, second] = Pace::turns([8192; 2], all);
        std::thread::scope(|scope| {
            let spawned = scope.spawn(move || work(&first, steps[0], finds[0]));
            let here = work(&second, steps[1], finds[1]);
            [spawned.join().expect("no panic"), here]
        })
    }

    #[test]
    fn the_shorter_one_ends_the_longer_one() {
        let found = both([100_000, 5_000_000], [true; 2]);
        assert_eq!(found[0], (true, 100_000));
        assert!(!found[1].0 && (50_000..150_000).contains(&found[1].1), "{found:?}");
        let found = both([5_000_000, 100_000], [true; 2]);
        assert_eq!(found[1], (true, 100_000));
        assert!(!found[0].0 && (50_000..200_000).contains(&found[0].1), "{found:?}");
    }

    #[test]
    fn one_that_finds_nothing_leaves_the_other_alone() {
        assert_eq!(both([100_000, 500_000], [false, true]), [(true, 100_000), (true, 500_000)]);
        assert_eq!(both([500_000, 100_000], [true, false]), [(true, 500_000), (true, 100_000)]);
    }

    #[test]
    fn turns_may_be_over() {
        let [first, second] = within([50_000, u64::MAX], [1_000_000, 400_000], [true; 2]);
        assert!(!first.0 && (45_000..60_000).contains(&first.1), "{first:?}");
        assert_eq!(second, (true, 400_000));
    }

    #[test]
    fn one_that_comes_too_late_does_not_begin() {
        let [first, second] = Pace::turns([8192; 2], [u64::MAX; 2]);
        assert_eq!(first.during(|| 1, |_| true), Some(1));
        assert_eq!(second.during(|| 2, |_| true), None);
    }

    #[test]
    fn a_panic_ends_a_piece() {
        let [first, second] = Pace::turns([8192; 2], [u64::MAX; 2]);
        let here = std::thread::scope(|scope| {
            let spawned = scope.spawn(move || first.during(|| panic!("of a test"), |(): &()| true));
            let here = work(&second, 100_000, true);
            assert!(spawned.join().is_err());
            here
        });
        assert_eq!(here, (true, 100_000));
    }

    #[test]
    fn turns_do_not_depend_on_the_machine() {
        let first = both([300_000, 5_000_000], [true; 2]);
        for _ in 0..20 {
            assert_eq!(both([300_000, 5_000_000], [true; 2]), first);
        }
    }
}
