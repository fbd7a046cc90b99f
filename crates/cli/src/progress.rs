//! A progress bar, on a terminal only, and only when the work takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use loris_base::Explored;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A bar that shows itself after a second and goes away when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts with work whose length is not known: the states that it has explored are shown.
    pub(crate) fn start(wanted: bool, work: &'static str, explored: &Arc<Explored>) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(work);
        if !wanted || !stderr().is_terminal() {
            return Self { bar, waiting: None };
        }
        let (sender, receiver) = mpsc::channel();
        let (shown, explored) = (bar.clone(), Arc::clone(explored));
        let wait = std::thread::spawn(move || show(&shown, work, &explored, &receiver));
        Self { bar, waiting: Some((sender, wait)) }
    }

    /// Goes over to work whose steps are known.
    pub(crate) fn steps(&self, work: &'static str, steps: usize) {
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {elapsed}") {
            self.bar.set_style(style);
        }
        self.bar.set_message(work);
        self.bar.set_length(steps as u64);
    }

    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// A number of steps of some work are done, of those that are known.
    pub(crate) fn done(&self, work: &'static str, done: usize, steps: usize) {
        if self.bar.message() != work {
            self.bar.set_message(work);
        }
        self.bar.set_length(steps as u64);
        self.bar.set_position(done as u64);
    }

    /// Prints while the bar is out of the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, wait)) = self.waiting.take() {
            drop(sender);
            // the thread only draws; if it panicked there is no bar to remove
            let _ = wait.join();
        }
        self.bar.finish_and_clear();
    }
}

/// Draws the bar until the other end of the channel is gone.
fn show(bar: &ProgressBar, work: &'static str, explored: &Explored, ended: &Receiver<()>) {
    const PERIOD: Duration = Duration::from_millis(200);
    let is_over = |wait| ended.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
    if is_over(Duration::from_secs(1)) {
        return;
    }
    bar.set_draw_target(ProgressDrawTarget::stderr());
    let start = Instant::now();
    let mut rate = Rate::default();
    loop {
        let states = explored.states();
        // what comes after the exploration has a message of its own
        if states > 0 && bar.length().is_none() {
            let per_second = rate.per_second(start.elapsed(), states);
            bar.set_message(exploring(work, states, explored.edges(), per_second));
        }
        bar.tick();
        if is_over(PERIOD) {
            return;
        }
    }
}

/// How far an exploration has come.
fn exploring(work: &str, states: usize, edges: usize, per_second: Option<usize>) -> String {
    let rate = per_second.map(|rate| format!(", {} states/s", grouped(rate))).unwrap_or_default();
    format!("{work}: {} states, {} edges{rate},", grouped(states), grouped(edges))
}

/// A number with its digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// How fast a number grows, over the last few seconds.
#[derive(Default)]
struct Rate {
    seen: std::collections::VecDeque<(Duration, usize)>,
}

impl Rate {
    fn per_second(&mut self, now: Duration, number: usize) -> Option<usize> {
        const SPAN: Duration = Duration::from_secs(3);
        self.seen.push_back((now, number));
        while self.seen.len() > 2 && self.seen[1].0 + SPAN < now {
            self.seen.pop_front();
        }
        let (then, before) = *self.seen.front()?;
        let millis =
            usize::try_from(now.saturating_sub(then).as_millis()).ok().filter(|&millis| millis > 0)?;
        Some(number.saturating_sub(before).saturating_mul(1000) / millis)
    }
}

#[cfg(test)]
mod tests {
    use super::{Rate, exploring, grouped};
    use std::time::Duration;

    #[test]
    fn numbers_are_grouped() {
        let numbers = [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")];
        for (number, text) in numbers {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(exploring("reading", 1500, 20, Some(7)), "reading: 1 500 states, 20 edges, 7 states/s,");
        assert_eq!(exploring("reading", 1, 2, None), "reading: 1 states, 2 edges,");
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut rate = Rate::default();
        let mut at = |seconds, number| rate.per_second(Duration::from_secs(seconds), number);
        assert_eq!(at(1, 100), None);
        assert_eq!(at(2, 300), Some(200));
        assert_eq!(at(4, 300), Some(66));
        assert_eq!(at(20, 300), Some(0));
        assert_eq!(at(21, 400), Some(5));
    }
}
