//! Limits on time and memory: how they are written, and the budgets they make.

use crate::control::Control;
use loris_base::{Budget, Interrupt};
use std::time::Duration;

/// Bounds on the work.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Limits {
    /// Bounds the time, for reading the model and then for each property or search: seconds, or as
    /// in 500ms, 2m, 1h; past it, the verdict is `unknown`
    #[arg(
        long,
        value_name = "TIME",
        value_parser = time,
        allow_negative_numbers = true,
        help_heading = "Work"
    )]
    timeout: Option<Duration>,
    /// Bounds the memory of the process: MiB, or as in 500K, 200M, 2G; past it, the verdict is
    /// `unknown` [default: what the machine has]
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = size,
        allow_negative_numbers = true,
        help_heading = "Work"
    )]
    memory: Option<usize>,
}

/// Threads for the work.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Threads {
    /// How many threads share the work [default: all cores]
    #[arg(
        short,
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = "Work"
    )]
    jobs: Option<u16>,
}

impl Threads {
    /// How many of the wanted threads the process has room for.
    pub(crate) fn count(self, control: &Control) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        control.threads(self.jobs.map_or_else(cores, usize::from))
    }
}

/// The limits of a call, as they apply to each piece of its work.
#[derive(Clone)]
pub(crate) struct Bounds {
    /// Time for one piece of work.
    pub(crate) time: Option<Duration>,
    /// Bytes that all pieces together may declare, where address space is bounded. All other bounds
    /// on memory are those of the interrupt, which measures what the process holds.
    pub(crate) shared: Option<usize>,
    /// How many threads there are.
    pub(crate) jobs: usize,
    pub(crate) interrupt: Interrupt,
}

impl Limits {
    /// The time that was given.
    pub(crate) fn time(self) -> Option<Duration> {
        self.timeout
    }

    /// The bytes that were given.
    pub(crate) fn memory(self) -> Option<usize> {
        self.memory
    }

    /// The bounds of a call with this many threads, whose first piece of work starts now.
    pub(crate) fn bounds(self, control: &Control, jobs: usize) -> Bounds {
        control.limit(self.timeout);
        Bounds {
            time: self.timeout,
            shared: control.reservable(jobs),
            jobs,
            interrupt: control.metered(self.memory),
        }
    }
}

impl Bounds {
    /// A budget that starts now, for work that nothing else goes on beside.
    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.time, self.shared).interruptible(&self.interrupt).with_threads(self.jobs)
    }
}

impl Bounds {
    /// The memory for one piece of work beside a model of this size.
    pub(crate) fn left(&self, model: usize) -> Option<usize> {
        self.shared.map(|bytes| bytes.saturating_sub(model))
    }
}

/// A time: numbers with units, or of seconds.
fn time(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "expected a time, as in 90, 1.5, 500ms, 2m or 1h30m";
    if text.starts_with('-') {
        return Err(format!("{EXPECTED}, not below zero"));
    }
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, unit, after) = quantity(rest).ok_or(EXPECTED)?;
        total += match unit.to_ascii_lowercase().as_str() {
            "" if rest.len() < text.len() => return Err(EXPECTED.to_owned()),
            "" | "s" | "sec" => number,
            "ms" => number / 1000.0,
            "m" | "min" => 60.0 * number,
            "h" => 3600.0 * number,
            "d" => 86_400.0 * number,
            _ => return Err(EXPECTED.to_owned()),
        };
        rest = after;
    }
    // a limit that no clock reaches is none
    let total = if text.is_empty() { return Err(EXPECTED.to_owned()) } else { total };
    Ok(Duration::try_from_secs_f64(total).unwrap_or(Duration::MAX))
}

/// A size in bytes: a number with a unit, or of MiB.
#[expect(clippy::cast_sign_loss, reason = "quantities have no sign")]
fn size(text: &str) -> Result<usize, String> {
    const EXPECTED: &str = "expected a size, as in 200 (MiB), 500K, 200M or 1.5G";
    let (number, unit, rest) = quantity(text).ok_or(EXPECTED)?;
    let bytes: f64 = match unit.to_ascii_lowercase().as_str() {
        "b" => 1.0,
        "k" | "kb" | "kib" => 1024.0,
        "" | "m" | "mb" | "mib" => 1_048_576.0,
        "g" | "gb" | "gib" => 1_073_741_824.0,
        "t" | "tb" | "tib" => 1_099_511_627_776.0,
        _ => return Err(EXPECTED.to_owned()),
    };
    if rest.is_empty() { Ok((number * bytes) as usize) } else { Err(EXPECTED.to_owned()) }
}

/// The number at the front of a text, its unit, and the rest.
fn quantity(text: &str) -> Option<(f64, &str, &str)> {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let (number, rest) = text.split_at(text.find(|c| !is_digit(c)).unwrap_or(text.len()));
    let (unit, rest) = rest.split_at(rest.find(is_digit).unwrap_or(rest.len()));
    Some((number.parse().ok()?, unit, rest))
}

#[cfg(test)]
mod tests {
    use super::{size, time};

    fn check_time(text: &str, millis: Option<u128>) {
        assert_eq!(time(text).ok().map(|time| time.as_millis()), millis, "{text}");
    }

    fn check_size(text: &str, bytes: Option<usize>) {
        assert_eq!(size(text).ok(), bytes, "{text}");
    }

    #[test]
    fn times() {
        check_time("60", Some(60_000));
        check_time("1.5", Some(1500));
        check_time(".5", Some(500));
        check_time("500ms", Some(500));
        check_time("0", Some(0));
        check_time("2m", Some(120_000));
        check_time("1h30m", Some(5_400_000));
        check_time("1H", Some(3_600_000));
        check_time("1m30", None);
        for wrong in ["", "s", "-1", "1 m", "1x", "1.2.3", "nan", "inf", "1e3", "m1", "1ms ", "ä"] {
            check_time(wrong, None);
        }
        assert_eq!(time(&"9".repeat(400)), Ok(std::time::Duration::MAX));
    }

    #[test]
    fn sizes() {
        check_size("200", Some(200 << 20));
        check_size("200M", Some(200 << 20));
        check_size("200MiB", Some(200 << 20));
        check_size("512k", Some(512 << 10));
        check_size("1.5G", Some(3 << 29));
        check_size("1t", Some(1 << 40));
        check_size("17B", Some(17));
        check_size("0", Some(0));
        check_size(&"9".repeat(400), Some(usize::MAX));
        for wrong in ["", "M", "-1", "2 G", "2GG", "2G3", "1..5", "inf", "ä"] {
            check_size(wrong, None);
        }
    }
}
