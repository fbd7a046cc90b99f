//! Time, memory and threads of a call.

use loris_base::{Budget, Interrupt};
use loris_load::{Reading, Words};
use loris_session::MemoryBounds;
use std::sync::OnceLock;
use std::time::Duration;

/// The limits of a call; all options have them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) timeout: Option<Duration>,
    pub(crate) memory: Option<usize>,
    pub(crate) jobs: Option<usize>,
    pub(crate) interrupt: Interrupt,
    /// the bytes that the system has for the call, once somebody asks
    room: OnceLock<Option<usize>>,
}

impl Limits {
    /// The memory for each property beside a model of this size.
    pub(crate) fn left(&self, model: usize) -> Option<usize> {
        self.memory.map(|bytes| bytes.saturating_sub(model))
    }

    /// The bytes that the call may hold altogether, by what the system has.
    pub(crate) fn room(&self) -> Option<usize> {
        *self.room.get_or_init(|| MemoryBounds::find().room(self.jobs() + 1))
    }

    /// The memory for one piece of work with nothing else beside it, given the size of the model.
    pub(crate) fn left_alone(&self, model: usize) -> Option<usize> {
        let least = self.memory.into_iter().chain(self.room()).min();
        least.map(|bytes| bytes.saturating_sub(model))
    }

    /// The number of threads.
    pub(crate) fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(cores).clamp(1, 1024)
    }

    /// A reading that starts now.
    pub(crate) fn reading(&self) -> Reading {
        let budget = Budget::new(self.timeout, self.left_alone(0)).interruptible(&self.interrupt);
        Reading::new(budget.with_threads(self.jobs()), Words::default())
    }
}

/// The methods by which options set their limits.
macro_rules! limits {
    ($time:literal, $memory:literal) => {
        #[doc = $time]
        #[must_use]
        pub fn timeout(mut self, time: std::time::Duration) -> Self {
            self.limits.timeout = Some(time);
            self
        }

        #[doc = $memory]
        #[must_use]
        pub fn memory(mut self, bytes: usize) -> Self {
            self.limits.memory = Some(bytes);
            self
        }

        /// How many threads share the work; by default one for each core. Answers do not depend on
        /// it.
        #[must_use]
        pub fn jobs(mut self, threads: usize) -> Self {
            self.limits.jobs = Some(threads);
            self
        }

        /// Ends the work when another thread raises it.
        #[must_use]
        pub fn interrupt(mut self, interrupt: &loris_base::Interrupt) -> Self {
            self.limits.interrupt = interrupt.clone();
            self
        }
    };
}

pub(crate) use limits;
