//! Time, memory and threads of a call.

use crate::MemoryBounds;
use loris_base::{Budget, Interrupt};
use loris_load::{Reading, Words};
use std::sync::OnceLock;
use std::time::Duration;

/// The limits of a call by a program that has models in memory. (The command line measures the
/// memory of its process, too.)
#[derive(Clone, Debug, Default)]
pub struct CallLimits {
    /// The time for one piece of work.
    pub timeout: Option<Duration>,
    /// The bytes for each property, with the model.
    pub memory: Option<usize>,
    /// How many threads share the work; by default one for each core.
    pub jobs: Option<usize>,
    /// Ends the work.
    pub interrupt: Interrupt,
    /// the bytes that the system has for the call, once somebody asks
    room: OnceLock<Option<usize>>,
}

impl CallLimits {
    /// Limits on time, bytes and threads.
    pub fn new(
        timeout: Option<Duration>,
        memory: Option<usize>,
        jobs: Option<usize>,
        interrupt: Interrupt,
    ) -> Self {
        Self { timeout, memory, jobs, interrupt, room: OnceLock::new() }
    }

    /// The memory for each property beside a model of this size.
    pub fn left(&self, model: usize) -> Option<usize> {
        self.memory.map(|bytes| bytes.saturating_sub(model))
    }

    /// The memory for all properties together beside a model of this size, by what the system has.
    pub fn left_for_all(&self, model: usize) -> Option<usize> {
        self.room().map(|bytes| bytes.saturating_sub(model))
    }

    /// The memory for one piece of work with nothing else beside it, given the size of the model.
    pub fn left_alone(&self, model: usize) -> Option<usize> {
        let least = self.memory.into_iter().chain(self.room()).min();
        least.map(|bytes| bytes.saturating_sub(model))
    }

    fn room(&self) -> Option<usize> {
        *self.room.get_or_init(|| MemoryBounds::find().room(self.jobs() + 1))
    }

    /// The number of threads.
    pub fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(cores).clamp(1, 1024)
    }

    /// A reading that starts now.
    ///
    /// ```
    /// use loris_base::Interrupt;
    /// use loris_load::Words;
    /// use loris_session::CallLimits;
    /// let limits = CallLimits::new(None, Some(1 << 20), Some(1), Interrupt::default());
    /// assert!(limits.reading(Words::default()).budget.charge(2 << 20).is_err());
    /// ```
    pub fn reading(&self, words: Words) -> Reading {
        let budget = Budget::new(self.timeout, self.left_alone(0)).interruptible(&self.interrupt);
        Reading::new(budget.with_threads(self.jobs()), words)
    }
}
