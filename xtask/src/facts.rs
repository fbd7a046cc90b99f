//! What machine and compiler a run was on; no names of hosts, users or places.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// One line: date, cores, memory, compiler, commit.
pub(crate) fn facts() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = said("rustc", &["--version"]).unwrap_or_else(|| "rustc of unknown version".to_owned());
    let rustc = rustc.split(" (").next().unwrap_or_default().to_owned();
    let commit = said("git", &["rev-parse", "--short=10", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let clean = said("git", &["status", "--porcelain", "--", "crates"]).is_some_and(|text| text.is_empty());
    let changed = if clean { "" } else { " with changes" };
    format!("{}; {cores} cores; {} GiB; {rustc}; commit {commit}{changed}", today(), gibibytes())
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(crate::lab::root()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn gibibytes() -> String {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib: Option<f64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kib.map_or("an unknown number of".to_owned(), |kib| format!("{:.0}", kib / f64::from(1 << 20)))
}

fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// The date some days after 1970-01-01, by eras of 400 years that start in March.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn dates() {
        let days = [0, 59, 364, 11_016, 11_017, 20_772];
        let dates = [(1970, 1, 1), (1970, 3, 1), (1970, 12, 31), (2000, 2, 29), (2000, 3, 1), (2026, 11, 15)];
        assert_eq!(days.map(civil), dates);
    }
}
