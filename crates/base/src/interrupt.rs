//! A flag by which one thread asks others to stop.

use crate::{Exhausted, Meter, Pace};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A flag that the thread which started some work may raise to end it. Clones share the flag, and
/// every [`Budget`](crate::Budget) that was made [interruptible](crate::Budget::interruptible) by
/// one of them ends when it is up.
///
/// ```
/// use loris_base::{Budget, Exhausted, Interrupt};
/// let interrupt = Interrupt::default();
/// let mut budget = Budget::unlimited().interruptible(&interrupt);
/// interrupt.raise(Exhausted::Interrupted);
/// assert_eq!(budget.spend(1_000_000), Err(Exhausted::Interrupted));
/// ```
///
/// It may come with a [`Meter`] of what the process holds: too much of that ends the work, too.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicU8>,
    meter: Option<Meter>,
    pace: Option<Pace>,
}

impl Interrupt {
    /// The same flag for work that is also to end where the process holds too much.
    #[must_use]
    pub fn with_meter(self, meter: Meter) -> Self {
        Self { meter: Some(meter), ..self }
    }

    /// The bound on what the process holds, if there is one.
    pub fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }

    /// The same flag for one of two pieces of work that take turns.
    #[must_use]
    pub fn paced(self, pace: Pace) -> Self {
        Self { pace: Some(pace), ..self }
    }

    /// The turns of this piece of work, if it takes turns with another one.
    pub(crate) fn pace(&self) -> Option<&Pace> {
        self.pace.as_ref()
    }

    /// Asks for the end of the work. The first request counts, except that a user's request
    /// outlasts a shortage of memory, which may pass.
    pub fn raise(&self, why: Exhausted) {
        let code = code(why);
        let outlasts = why == Exhausted::Interrupted;
        let _ = self
            .flag
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| (now == 0 || outlasts).then_some(code));
    }

    /// Takes the request back, if it was raised for this reason.
    pub fn lower(&self, why: Exhausted) {
        let _ = self.flag.compare_exchange(code(why), 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the work is to end, and why.
    pub fn raised(&self) -> Option<Exhausted> {
        match self.flag.load(Ordering::Relaxed) {
            0 => None,
            raised => REASONS.into_iter().find(|&why| code(why) == raised),
        }
    }
}

const REASONS: [Exhausted; 4] =
    [Exhausted::Time, Exhausted::Memory, Exhausted::States, Exhausted::Interrupted];

fn code(why: Exhausted) -> u8 {
    match why {
        Exhausted::Time => 1,
        Exhausted::Memory => 2,
        Exhausted::States => 3,
        Exhausted::Interrupted => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::{Exhausted, Interrupt, REASONS};

    #[test]
    fn each_reason_goes_up_and_down() {
        for why in REASONS {
            let interrupt = Interrupt::default();
            interrupt.raise(why);
            assert_eq!(interrupt.clone().raised(), Some(why));
            interrupt.lower(why);
            assert_eq!(interrupt.raised(), None);
        }
    }

    #[test]
    fn a_request_of_the_user_stays() {
        let interrupt = Interrupt::default();
        interrupt.raise(Exhausted::Memory);
        interrupt.raise(Exhausted::Time);
        assert_eq!(interrupt.raised(), Some(Exhausted::Memory));
        interrupt.raise(Exhausted::Interrupted);
        interrupt.raise(Exhausted::Memory);
        interrupt.lower(Exhausted::Memory);
        assert_eq!(interrupt.raised(), Some(Exhausted::Interrupted));
    }
}
