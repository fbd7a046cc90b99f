//! Control over a running call from outside: signals, the memory of the machine, and the clock.
//!
//! Work that looks at a [`Budget`](loris_base::Budget) ends by itself when the interrupt is raised.
//! A thread that looks at signals and memory a few dozen times a second raises it. Up to the moment
//! when results may exist ([`Control::keep`]) there is nothing to lose, and the same thread ends
//! the process soon afterwards, whatever it is doing: reading a pipe that nobody writes into, say.
//! From then on only a second signal ends it at once.

mod arenas;
mod held;
mod signals;

pub(crate) use arenas::{restrict as restrict_arenas, restrict_within as restrict_arenas_within};

use crate::errors::{Stopped, complain, eprint_line};
use loris_base::{Exhausted, Interrupt, Meter};
use loris_session::{MemoryBounds, MemoryUsage};
use signals::Signals;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a call and the thread that watches it share.
#[derive(Clone)]
pub(crate) struct Control {
    interrupt: Interrupt,
    machine: MemoryBounds,
    /// bytes that were allocated at the start
    held: usize,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// when work that has no results yet is to end
    deadline: Option<Instant>,
    /// how long that may take until then
    limit: Duration,
    /// whether results may exist
    keeps: bool,
    /// how many threads work
    threads: usize,
    /// the bytes that were given to the whole process
    given: Option<usize>,
    /// files that have no name yet
    drafts: Vec<PathBuf>,
}

/// Bytes beyond those that were given that a process always may have in memory.
const SLACK: f64 = 8_388_608.0;

impl Control {
    /// Catches signals and watches the process from now on.
    pub(crate) fn start() -> Self {
        let control = Self {
            interrupt: Interrupt::default(),
            machine: MemoryBounds::find().with_arenas(!arenas::is_one()),
            held: held::held(),
            state: Arc::new(Mutex::new(State::default())),
        };
        let (signals, watched) = (Signals::catch(), control.clone());
        // without the thread nothing is watched, and signals that were caught are ignored: this
        // happens only where the system has no thread left to give
        let _ = std::thread::Builder::new().name("watch".to_owned()).spawn(move || watched.watch(&signals));
        control
    }

    /// Ends budgets when the work is to end.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// The bytes that this many threads may hold together, if something bounds them.
    pub(crate) fn room(&self, threads: usize) -> Option<usize> {
        self.state().threads = threads + 1;
        self.machine.room(threads + 1)
    }

    /// The bytes that this many threads may declare together, where address space or data are
    /// bounded.
    pub(crate) fn reservable(&self, threads: usize) -> Option<usize> {
        self.state().threads = threads + 1;
        self.machine.reservable(threads + 1)
    }

    /// Ends budgets when the work is to end, or the process holds more than was given to it or than
    /// the machine has.
    pub(crate) fn metered(&self, given: Option<usize>) -> Interrupt {
        self.state().given = given;
        let given = given.map(|bytes| bytes - self.fixed(bytes).0);
        let machine = self.machine.available().map(|bytes| bytes.saturating_add(self.held));
        let interrupt = self.interrupt.clone();
        match given.into_iter().chain(machine).min() {
            Some(limit) => interrupt.with_meter(Meter::new(held::held, limit)),
            None => interrupt,
        }
    }

    /// What the process has in memory besides what is allocated, most of it code: the part that
    /// counts as a part of what was given, and the rest, where that is little.
    fn fixed(&self, given: usize) -> (usize, usize) {
        let resident = usize::try_from(self.machine.start().resident()).unwrap_or(usize::MAX);
        let fixed = resident.saturating_sub(self.held);
        let counts = fixed.min(given / 4);
        (counts, fixed - counts)
    }

    /// How much of the memory is used: 1 is all of it. Of what was given, a quarter more counts as
    /// all, and no less than [`SLACK`] more: an allocator keeps what is given back to it, the code
    /// that runs is in memory, too, and budgets count what is allocated. A verdict must depend on
    /// that count, not on the moment at which this one is looked at.
    fn used(&self, usage: MemoryUsage) -> f64 {
        let state = self.state();
        let (threads, given) = (state.threads, state.given);
        drop(state);
        let given = given.map_or(0.0, |given| {
            let all = given as f64 + (given as f64 / 4.0).max(SLACK) + self.fixed(given).1 as f64;
            usage.resident() as f64 / all.max(1.0)
        });
        self.machine.share(usage, threads).max(given)
    }

    /// How many of the wanted threads the process has room for.
    pub(crate) fn threads(&self, wanted: usize) -> usize {
        self.machine.threads(wanted)
    }

    /// Bounds the time until there are results.
    pub(crate) fn limit(&self, time: Option<Duration>) {
        let mut state = self.state();
        state.limit = time.unwrap_or_default();
        state.deadline = time.and_then(|time| Instant::now().checked_add(time));
    }

    /// From now on results may exist: the process is not ended under them.
    pub(crate) fn keep(&self) {
        let mut state = self.state();
        state.keeps = true;
        state.deadline = None;
        self.interrupt.lower(Exhausted::Time);
    }

    /// A file is being written that is to be removed unless it gets its name.
    pub(crate) fn add_draft(&self, path: &Path) {
        self.state().drafts.push(path.to_owned());
    }

    /// That file has its name, or is gone.
    pub(crate) fn forget_draft(&self, path: &Path) {
        self.state().drafts.retain(|draft| draft != path);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, signals: &Signals) {
        let mut asked = Asked::default();
        let mut memory = Pressure::default();
        let mut raised_at: Option<Instant> = None;
        loop {
            std::thread::sleep(PERIOD);
            let now = Instant::now();
            if signals.came() && asked.again(now) {
                self.leave(130);
            }
            if asked.first == Some(now) {
                self.interrupt.raise(Exhausted::Interrupted);
            }
            if let Some(usage) = MemoryUsage::now() {
                memory.look(self.used(usage), &self.interrupt);
            }
            let state = self.state();
            if state.deadline.is_some_and(|deadline| now >= deadline) {
                self.interrupt.raise(Exhausted::Time);
            }
            let (keeps, limit) = (state.keeps, state.limit);
            drop(state);
            let Some(why) = self.interrupt.raised() else {
                raised_at = None;
                continue;
            };
            let waited = now - *raised_at.get_or_insert(now);
            if !keeps && (waited >= grace(why, limit) || memory.is_acute()) {
                let status = complain(&Stopped { input: None, why }.into());
                self.leave(status);
            }
            if keeps && asked.is_worth_a_word(now) {
                eprint_line("interrupted: results so far follow; another Ctrl-C ends at once");
            }
        }
    }

    /// Ends the process without what it was writing.
    fn leave(&self, status: u8) -> ! {
        for draft in &self.state().drafts {
            // nothing more can be done about a draft that cannot be removed
            let _ = std::fs::remove_file(draft);
        }
        std::process::exit(status.into())
    }
}

/// Time between two looks: short against what a process can allocate, long against what a look
/// costs.
const PERIOD: Duration = Duration::from_millis(20);

/// How long work without results may take to end by itself: to give back gigabytes takes a while.
fn grace(why: Exhausted, limit: Duration) -> Duration {
    match why {
        Exhausted::Time => (limit / 15).max(Duration::from_millis(50)),
        _ => Duration::from_millis(500),
    }
}

/// Signals of a user.
#[derive(Default)]
struct Asked {
    first: Option<Instant>,
    announced: bool,
}

impl Asked {
    /// Whether a signal is one more request. Programs like `timeout` send the same signal to a
    /// process and to its group: what comes at the same time is one request.
    fn again(&mut self, now: Instant) -> bool {
        const APART: Duration = Duration::from_millis(100);
        now - *self.first.get_or_insert(now) > APART
    }

    /// Whether the end takes long enough for a message, which comes once.
    fn is_worth_a_word(&mut self, now: Instant) -> bool {
        let waits = self.first.is_some_and(|first| now - first > Duration::from_secs(1));
        waits && !std::mem::replace(&mut self.announced, true)
    }
}

/// A shortage of memory: a net under work that holds more than it accounts for.
///
/// Budgets end first, if they look often enough: they are given four fifths of what there is. An
/// allocator may keep what was given back to it; so the request is also taken back when nothing
/// grows any more.
struct Pressure {
    share: f64,
    ceiling: f64,
    raised: bool,
    /// looks since the share last grew
    still: u32,
}

impl Default for Pressure {
    fn default() -> Self {
        Self { share: 0.0, ceiling: Self::HIGH, raised: false, still: 0 }
    }
}

impl Pressure {
    const HIGH: f64 = 0.9;
    const LOW: f64 = 0.8;
    const ACUTE: f64 = 0.95;
    const STILL: u32 = 10;

    /// Takes in how much of the memory is used, and raises or lowers the interrupt.
    fn look(&mut self, share: f64, interrupt: &Interrupt) {
        self.still = if share > self.share { 0 } else { self.still + 1 };
        self.share = share;
        if share < Self::LOW {
            self.ceiling = Self::HIGH;
        }
        if !self.raised && share > self.ceiling {
            self.raised = true;
            interrupt.raise(Exhausted::Memory);
        } else if self.raised && (share < Self::LOW || self.still >= Self::STILL) {
            self.raised = false;
            self.ceiling = Self::HIGH.max(share + ((1.0 - share) / 4.0).max(0.01));
            interrupt.lower(Exhausted::Memory);
        }
    }

    fn is_acute(&self) -> bool {
        self.raised && self.share > Self::ACUTE
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Exhausted, Interrupt, Pressure};
    use std::time::{Duration, Instant};

    #[test]
    fn the_same_signal_twice_is_one_request() {
        let mut asked = Asked::default();
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        assert_eq!([0, 20, 100, 150].map(|time| asked.again(after(time))), [false, false, false, true]);
        assert_eq!([500, 1500, 2500].map(|time| asked.is_worth_a_word(after(time))), [false, true, false]);
    }

    /// Whether the interrupt is raised after each share that is seen.
    fn check(shares: &[f64], expected: &[bool]) {
        let (mut pressure, interrupt) = (Pressure::default(), Interrupt::default());
        let raised: Vec<bool> = shares
            .iter()
            .map(|&share| {
                pressure.look(share, &interrupt);
                interrupt.raised() == Some(Exhausted::Memory)
            })
            .collect();
        assert_eq!(raised, expected, "{shares:?}");
    }

    #[test]
    fn memory_is_watched() {
        check(&[0.5, 0.89, 0.91, 0.95, 0.85, 0.7, 0.85], &[false, false, true, true, true, false, false]);
        // what stays is not held against who comes next, but what grows is
        let mut stays = vec![0.92; 12];
        let mut expected = vec![true; 12];
        expected[10..].fill(false);
        stays.extend([0.93, 0.95]);
        expected.extend([false, true]);
        check(&stays, &expected);
    }
}
