//! Work that makes more work, shared among the threads of a pool.
//!
//! Each thread has a list of its own. A thread that has nothing left signals it, and another one
//! that has much gives it half. The work is done when no thread has anything left. The result must
//! not depend on the order: fixpoints over [tables](crate::words) that only grow, or only shrink.

use crate::instances::Instances;
use loris_base::{Budget, Exhausted};
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The action on each item of a list.
pub(crate) trait Work: Sync {
    type Item: Copy + Send + Sync;
    /// the working memory of a thread
    type Own: Default;
    /// Whether items are taken in the order in which they came, the first ones before all others;
    /// else the last one is taken first, and the last of those that were there before.
    const IN_ORDER: bool;

    /// Processes an item, and puts the items that follow from it on the list. Returns whether that
    /// is enough, so that the rest can be skipped.
    fn work(
        &self,
        item: Self::Item,
        own: &mut Self::Own,
        list: &mut List<Self::Item>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted>;
}

/// The work of a thread.
pub(crate) struct List<T> {
    items: Vec<T>,
    /// of items in order, how many are done
    done: usize,
}

/// Items in order that are done are dropped when there are more than this many.
const KEPT: usize = 1024;

impl<T: Copy> List<T> {
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    fn len(&self) -> usize {
        self.items.len() - self.done
    }

    #[inline]
    fn pop_first(&mut self) -> Option<T> {
        let item = *self.items.get(self.done)?;
        self.done += 1;
        if self.done > KEPT && 2 * self.done > self.items.len() {
            self.items.drain(..self.done);
            self.done = 0;
        }
        Some(item)
    }
}

/// Does all work, `seeds` and the items that follow from them, with as many threads as the budget
/// has for about `size` steps.
pub(crate) fn run<W: Work>(
    work: &W,
    seeds: &[W::Item],
    size: usize,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let threads = count(size, budget);
    let shared = Shared {
        seeds,
        taken: AtomicUsize::new(0),
        given: Mutex::new(Given { lists: Vec::new(), working: 0 }),
        changed: Condvar::new(),
        hungry: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        chunk: if threads == 1 { seeds.len().max(1) } else { CHUNK.min(seeds.len() / (2 * threads)).max(1) },
    };
    on_each(threads, budget, |budget| shared.join(work, budget))
}

/// How many threads share work of about this many steps.
pub(crate) fn count(size: usize, budget: &Budget) -> usize {
    let threads = budget.threads_for(size);
    if threads > 1 { threads.min(rayon::current_num_threads()) } else { 1 }
}

/// Does something in each of this many threads, with a budget each, whose steps are counted
/// together. Returns the error of the first of them, if any.
pub(crate) fn on_each(
    threads: usize,
    budget: &mut Budget,
    work: impl Fn(&mut Budget) -> Result<(), Exhausted> + Sync,
) -> Result<(), Exhausted> {
    if threads == 1 {
        return work(budget);
    }
    let before = budget.spent();
    let mut parts: Vec<(Budget, Result<(), Exhausted>)> =
        (0..threads).map(|_| (budget.clone(), Ok(()))).collect();
    rayon::scope(|scope| {
        for (part, found) in &mut parts {
            scope.spawn(|_| *found = work(part));
        }
    });
    for (part, found) in parts {
        found?;
        budget.spend(usize::try_from(part.spent() - before).unwrap_or(usize::MAX))?;
    }
    Ok(())
}

/// Finds a value for every cell of a graph, each in this many steps, from the cell and its vertex.
pub(crate) fn fill<T: Default + Clone + Send, O: Default>(
    graph: &Instances<'_>,
    steps: usize,
    budget: &mut Budget,
    value: impl Fn(&mut O, usize, usize) -> T + Sync,
) -> Result<Vec<T>, Exhausted> {
    let mut values = vec![T::default(); graph.cell_count()];
    let fill = |first: usize, values: &mut [T], budget: &mut Budget| {
        let mut own = O::default();
        for (_, cells, vertex) in graph.spans(first..first + values.len()) {
            budget.spend(steps * cells.len())?;
            for (place, cell) in cells.enumerate() {
                values[cell - first] = value(&mut own, cell, vertex + place);
            }
        }
        Ok(())
    };
    if count(graph.cell_count(), budget) == 1 {
        fill(0, &mut values, budget)?;
        return Ok(values);
    }
    let mut limits = budget.clone();
    let pieces = values.par_chunks_mut(PIECE).enumerate();
    pieces.try_for_each_with(&limits, |limits, (piece, values)| {
        fill(piece * PIECE, values, &mut limits.clone())
    })?;
    limits.spend(steps * values.len())?;
    *budget = limits;
    Ok(values)
}

/// Cells that a thread takes at a time.
pub(crate) const PIECE: usize = 1 << 15;

/// Does something with each piece of a range, each number in this many steps; returns the results
/// in order.
pub(crate) fn pieces<T: Send>(
    count_of: usize,
    steps: usize,
    budget: &mut Budget,
    piece: impl Fn(Range<usize>) -> T + Sync,
) -> Result<Vec<T>, Exhausted> {
    let ranges = (0..count_of).step_by(PIECE).map(|first| first..count_of.min(first + PIECE));
    if count(count_of, budget) == 1 {
        let one = |range: Range<usize>| {
            budget.spend(steps * range.len())?;
            Ok(piece(range))
        };
        return ranges.map(one).collect();
    }
    let limits = budget.clone();
    let ranges: Vec<Range<usize>> = ranges.collect();
    let found: Result<Vec<T>, Exhausted> =
        ranges.into_par_iter().map(|range| limits.look().map(|()| piece(range))).collect();
    budget.spend(steps * count_of)?;
    found
}

/// Does something with each of some items, all together in about this many steps.
pub(crate) fn each<T: Send>(
    size: usize,
    items: Vec<T>,
    budget: &mut Budget,
    work: impl Fn(T, &mut Budget) -> Result<(), Exhausted> + Sync,
) -> Result<(), Exhausted> {
    let threads = count(size, budget);
    if threads == 1 {
        return items.into_iter().try_for_each(|item| work(item, budget));
    }
    // those at the end first, a few at a time
    let (few, left) = ((items.len() / (8 * threads)).clamp(1, 64), Mutex::new(items));
    on_each(threads, budget, |budget| {
        loop {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            let rest = left.len().saturating_sub(few);
            let mine = left.split_off(rest);
            drop(left);
            if mine.is_empty() {
                return Ok(());
            }
            mine.into_iter().try_for_each(|item| work(item, budget))?;
        }
    })
}

/// Calls `visit` with every cell of a graph and its vertex, until it returns that this is enough.
pub(crate) fn visit<O: Default>(
    graph: &Instances<'_>,
    budget: &mut Budget,
    visit: impl Fn(&mut O, usize, usize) -> bool + Sync,
) -> Result<(), Exhausted> {
    let pieces: Vec<usize> = (0..graph.cell_count()).step_by(PIECE).collect();
    let work = Visit { graph, call: visit, own: PhantomData };
    budget.counting(graph.cell_count(), |budget| run(&work, &pieces, graph.cell_count(), budget))
}

struct Visit<'v, 'a, O, V> {
    graph: &'v Instances<'a>,
    call: V,
    own: PhantomData<fn() -> O>,
}

impl<O: Default, V: Fn(&mut O, usize, usize) -> bool + Sync> Work for Visit<'_, '_, O, V> {
    type Item = usize;
    type Own = O;
    const IN_ORDER: bool = true;

    fn work(
        &self,
        first: usize,
        own: &mut O,
        _: &mut List<usize>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let end = self.graph.cell_count().min(first + PIECE);
        for (_, cells, vertex) in self.graph.spans(first..end) {
            budget.spend(cells.len())?;
            for (place, cell) in cells.enumerate() {
                if (self.call)(own, cell, vertex + place) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// As many seeds are taken at a time.
const CHUNK: usize = 16;

/// After as many items a thread looks whether others have nothing to do.
const PATIENCE: usize = 64;

struct Shared<'s, T> {
    seeds: &'s [T],
    /// how many seeds are taken
    taken: AtomicUsize,
    given: Mutex<Given<T>>,
    /// when something is given, or all is over
    changed: Condvar,
    /// how many threads have nothing to do
    hungry: AtomicUsize,
    over: AtomicBool,
    chunk: usize,
}

struct Given<T> {
    lists: Vec<Vec<T>>,
    /// how many threads have something to do
    working: usize,
}

/// Ends all work when a thread leaves, for whatever reason, so that no other waits for it.
struct Guard<'g, 's, T>(&'g Shared<'s, T>);

impl<T> Drop for Guard<'_, '_, T> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<T: Copy + Send + Sync> Shared<'_, T> {
    /// A thread's part of the work.
    fn join<W: Work<Item = T>>(&self, work: &W, budget: &mut Budget) -> Result<(), Exhausted> {
        let _guard = Guard(self);
        let mut own = W::Own::default();
        let mut list = List { items: Vec::new(), done: 0 };
        let mut seeds: &[T] = &[];
        self.given().working += 1;
        loop {
            for _ in 0..PATIENCE {
                let next = if W::IN_ORDER {
                    self.first(&mut seeds).or_else(|| list.pop_first())
                } else {
                    list.items.pop().or_else(|| self.last(&mut seeds))
                };
                let Some(item) = next else { break };
                if work.work(item, &mut own, &mut list, budget)? {
                    return Ok(());
                }
            }
            if self.over.load(Ordering::Relaxed) {
                return Ok(());
            }
            if list.len() > 1 && self.hungry.load(Ordering::Relaxed) > 0 {
                self.give(&mut list);
            } else if list.len() == 0 && seeds.is_empty() && self.is_taken() && !self.wait(&mut list) {
                return Ok(());
            }
        }
    }

    fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) >= self.seeds.len()
    }

    /// The next seeds, by their places.
    fn take(&self) -> std::ops::Range<usize> {
        if self.is_taken() {
            return 0..0;
        }
        let start = self.taken.fetch_add(self.chunk, Ordering::Relaxed).min(self.seeds.len());
        start..(start + self.chunk).min(self.seeds.len())
    }

    /// The next seed in order.
    #[inline]
    fn first<'s>(&'s self, mine: &mut &'s [T]) -> Option<T> {
        if mine.is_empty() {
            *mine = &self.seeds[self.take()];
        }
        let (&first, rest) = mine.split_first()?;
        *mine = rest;
        Some(first)
    }

    /// The next seed from the end.
    #[inline]
    fn last<'s>(&'s self, mine: &mut &'s [T]) -> Option<T> {
        if mine.is_empty() {
            let places = self.take();
            let count = self.seeds.len();
            *mine = &self.seeds[count - places.end..count - places.start];
        }
        let (&last, rest) = mine.split_last()?;
        *mine = rest;
        Some(last)
    }

    fn given(&self) -> MutexGuard<'_, Given<T>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the older half of a list away: early items often have most work behind them.
    fn give(&self, list: &mut List<T>) {
        let half = list.done + list.len() / 2;
        let given = list.items[list.done..half].to_vec();
        list.items.drain(..half);
        list.done = 0;
        self.given().lists.push(given);
        self.changed.notify_one();
    }

    /// Waits until there is something to do; whether there is.
    fn wait(&self, list: &mut List<T>) -> bool {
        let mut given = self.given();
        given.working -= 1;
        self.hungry.fetch_add(1, Ordering::Relaxed);
        loop {
            if let Some(items) = given.lists.pop() {
                given.working += 1;
                self.hungry.fetch_sub(1, Ordering::Relaxed);
                list.items = items;
                list.done = 0;
                return true;
            }
            if given.working == 0 {
                drop(given);
                self.end();
                return false;
            }
            if self.over.load(Ordering::Relaxed) {
                return false;
            }
            given = self.changed.wait(given).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Shared<'_, T> {
    fn end(&self) {
        // within the lock, so that no thread is between looking and waiting
        let _given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        self.over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }
}
