//! Signals that ask the program to end.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// A flag that signals set.
pub(super) struct Signals(Arc<AtomicBool>);

impl Signals {
    /// Catches the signals from now on, except those that whoever started the program has it
    /// ignore, as `nohup` does with `SIGHUP`. Signals that cannot be caught act as they always do.
    pub(super) fn catch() -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        let ignored = ignored(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
        for signal in SIGNALS.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0) {
            let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
        }
        Self(flag)
    }

    /// Whether one came since the last call.
    pub(super) fn came(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// The signals that a process ignores, one bit each, as Linux lists them.
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::ignored;

    #[test]
    fn ignored_signals_are_listed() {
        assert_eq!(ignored("Name:\tloris\nSigIgn:\t0000000000000003\nSigCgt:\tff\n"), 3);
        assert_eq!(ignored(""), 0);
    }
}
