//! Time and memory an engine may use for one property.

use std::time::{Duration, Instant};

/// Why an engine stopped without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The time limit passed.
    Time,
    /// The memory limit would have been passed.
    Memory,
    /// The model has more states than it may have, or than can be numbered.
    States,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "the time limit was reached",
            Exhausted::Memory => "the memory limit was reached",
            Exhausted::States => "the model has too many states",
        })
    }
}

impl std::error::Error for Exhausted {}

/// A limit on time and on bytes, asked often and cheaply.
///
/// Memory is what an engine declares by [`Budget::charge`] before it allocates, not what the
/// process holds: the answer is then the same on every run and with any number of threads.
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
    ticks: u32,
}

/// Steps between two looks at the clock: a few microseconds of work.
const TICKS_PER_LOOK: u32 = 4096;

impl Budget {
    /// A budget that starts now.
    pub fn new(time: Option<Duration>, bytes: Option<usize>) -> Self {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Self { deadline, bytes, used: 0, ticks: TICKS_PER_LOOK }
    }

    /// No limit at all.
    pub fn unlimited() -> Self {
        Self::new(None, None)
    }

    /// The same deadline without a limit on bytes: for work that all properties share.
    #[must_use]
    pub fn time_only(&self) -> Self {
        Self { bytes: None, ..self.clone() }
    }

    /// Counts `steps` steps of work and looks at the clock every few thousand.
    #[inline]
    pub fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        if self.ticks > steps {
            self.ticks -= steps;
            return Ok(());
        }
        self.ticks = TICKS_PER_LOOK;
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Exhausted::Time),
            _ => Ok(()),
        }
    }

    /// Declares that `bytes` more bytes are about to be held.
    pub fn charge(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.used = self.used.saturating_add(bytes);
        match self.bytes {
            Some(limit) if self.used > limit => Err(Exhausted::Memory),
            _ => Ok(()),
        }
    }

    /// Declares that `bytes` bytes were given back.
    pub fn release(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes);
    }

    /// Declares that `bytes` bytes are held now, all else given back.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.used = 0;
        self.charge(bytes)
    }
}
