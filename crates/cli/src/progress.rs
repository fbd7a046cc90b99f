//! A progress bar, on a terminal only, and only when the work takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// A bar that shows itself after a second and goes away when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    pub(crate) fn start(wanted: bool, work: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_message(work.to_owned());
        if !wanted || !stderr().is_terminal() {
            return Self { bar, waiting: None };
        }
        let (sender, receiver) = mpsc::channel();
        let shown = bar.clone();
        let wait = std::thread::spawn(move || {
            if receiver.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
            }
        });
        Self { bar, waiting: Some((sender, wait)) }
    }

    /// Goes over to work whose steps are known.
    pub(crate) fn steps(&self, work: &str, steps: usize) {
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {elapsed}") {
            self.bar.set_style(style);
        }
        self.bar.set_message(work.to_owned());
        self.bar.set_length(steps as u64);
    }

    pub(crate) fn step(&self) {
        self.bar.inc(1);
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
            // the thread only waits; if it panicked there is no bar to remove
            let _ = wait.join();
        }
        self.bar.finish_and_clear();
    }
}
