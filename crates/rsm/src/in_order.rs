//! Blocks of an input, worked on by several threads and taken in order.
//!
//! The calling thread cuts the input into blocks and takes them when they are done, in the order of
//! the input; in between it works on blocks as the others do. The result does not depend on the
//! number of threads. At most [`AHEAD`] blocks for each thread are on their way.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Blocks for each thread that are on their way.
pub(crate) const AHEAD: usize = 4;

/// More threads than this would wait for the one that takes blocks.
pub(crate) const MOST_THREADS: usize = 8;

/// Cuts an input into blocks, and takes them when they are done.
pub(crate) trait Blocks {
    /// A piece of the input with its result.
    type Block: Send;

    /// The next block; none at the end of the input, or when no further block is wanted.
    fn next(&mut self) -> Option<Self::Block>;

    /// Works on a block, in any thread.
    fn work(block: &mut Self::Block);

    /// Takes a block that is done; in the order of the input.
    fn take(&mut self, block: Self::Block);
}

/// Takes all blocks, with this many threads.
pub(crate) fn run<B: Blocks>(blocks: &mut B, threads: usize) {
    let threads = threads.clamp(1, MOST_THREADS);
    let (mut first, mut second) = (blocks.next(), None);
    if threads > 1 && first.is_some() {
        second = blocks.next();
    }
    let Some(second) = second else {
        while let Some(mut block) = first {
            B::work(&mut block);
            blocks.take(block);
            first = blocks.next();
        }
        return;
    };
    let queue = Queue::<B::Block>::default();
    std::thread::scope(|scope| {
        let _guard = Guard(&queue);
        for _ in 1..threads {
            // without another thread, this one does it all
            let spawned = std::thread::Builder::new().spawn_scoped(scope, || queue.help::<B>());
            if spawned.is_err() {
                break;
            }
        }
        let (mut given, mut taken) = (0, 0);
        for block in first.into_iter().chain([second]) {
            queue.give(given, block);
            given += 1;
        }
        let mut is_open = true;
        loop {
            if is_open && given - taken < AHEAD * threads {
                match blocks.next() {
                    Some(block) => {
                        queue.give(given, block);
                        given += 1;
                    }
                    None => is_open = false,
                }
            } else if taken == given {
                return;
            } else if let Some(done) = queue.take(taken) {
                taken += 1;
                blocks.take(done);
            } else if let Some((number, mut block)) = queue.next() {
                B::work(&mut block);
                queue.finish(number, block);
            } else if !queue.wait(taken) {
                // a thread has panicked, and so does this one at the end of the scope
                return;
            }
        }
    });
}

struct State<T> {
    todo: VecDeque<(usize, T)>,
    done: BTreeMap<usize, T>,
    over: bool,
}

struct Queue<T> {
    state: Mutex<State<T>>,
    /// when something is to be done, or all is over
    more: Condvar,
    /// when something is done
    finished: Condvar,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        let state = State { todo: VecDeque::new(), done: BTreeMap::new(), over: false };
        Self { state: Mutex::new(state), more: Condvar::new(), finished: Condvar::new() }
    }
}

/// Ends the work of the other threads, for whatever reason there is no more.
struct Guard<'s, T>(&'s Queue<T>);

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.state().over = true;
        self.0.more.notify_all();
        self.0.finished.notify_all();
    }
}

impl<T> Queue<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, number: usize, block: T) {
        self.state().todo.push_back((number, block));
        self.more.notify_one();
    }

    /// A block that is done, by its number.
    fn take(&self, number: usize) -> Option<T> {
        self.state().done.remove(&number)
    }

    /// A block that no thread works on yet.
    fn next(&self) -> Option<(usize, T)> {
        self.state().todo.pop_front()
    }

    fn finish(&self, number: usize, block: T) {
        self.state().done.insert(number, block);
        self.finished.notify_one();
    }

    /// Waits until a block is done; whether it is.
    fn wait(&self, number: usize) -> bool {
        let mut state = self.state();
        while !state.over && !state.done.contains_key(&number) {
            state = self.finished.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.over
    }

    /// Works on blocks until all is over.
    fn help<B: Blocks<Block = T>>(&self) {
        // should this thread panic, the others do not wait for it
        let _guard = Guard(self);
        let mut state = self.state();
        loop {
            if state.over {
                return;
            }
            if let Some((number, mut block)) = state.todo.pop_front() {
                drop(state);
                B::work(&mut block);
                self.finish(number, block);
                state = self.state();
            } else {
                state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocks, run};

    /// Numbers that are squared, up to a limit, or until one is taken that ends it.
    struct Squares {
        next: usize,
        limit: usize,
        last: usize,
        taken: Vec<usize>,
    }

    impl Blocks for Squares {
        type Block = usize;

        fn next(&mut self) -> Option<usize> {
            let is_open = self.next < self.limit && self.taken.len() <= self.last;
            is_open.then(|| {
                self.next += 1;
                self.next - 1
            })
        }

        fn work(block: &mut usize) {
            *block *= *block;
        }

        fn take(&mut self, block: usize) {
            self.taken.push(block);
        }
    }

    #[test]
    fn blocks_are_taken_in_order() {
        for threads in 0..10 {
            for (limit, last) in [(0, 9), (1, 9), (2, 9), (1000, 2000), (1000, 500)] {
                let mut squares = Squares { next: 0, limit, last, taken: Vec::new() };
                run(&mut squares, threads);
                let expected: Vec<usize> = (0..squares.taken.len()).map(|i| i * i).collect();
                assert_eq!(squares.taken, expected);
                assert_eq!(squares.taken.len(), squares.next);
                assert!(squares.next >= limit.min(last));
            }
        }
    }
}
