//! Why a call fails, and messages on standard error.

use loris_base::{Exhausted, shortened, visible};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// The call ended before there was anything to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped {
    /// what was being read
    pub(crate) input: Option<String>,
    pub(crate) why: Exhausted,
}

impl Stopped {
    /// Nothing is wrong, and nothing is known.
    pub(crate) const STATUS: u8 = 3;
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl std::error::Error for Stopped {}

/// The inputs are wrong; standard error has the problems.
#[derive(Debug)]
pub(crate) struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the inputs are wrong")
    }
}

impl std::error::Error for Refused {}

/// Something is wrong with a file as a whole.
#[derive(Debug)]
struct About {
    path: String,
    what: String,
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

impl std::error::Error for About {}

/// An error about a file.
pub(crate) fn about(path: &Path, what: impl Into<String>) -> anyhow::Error {
    About { path: path.display().to_string(), what: what.into() }.into()
}

/// Standard output fails.
pub(crate) fn unprintable(error: &io::Error) -> anyhow::Error {
    unwritable(Path::new("standard output"), error)
}

/// A file cannot be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> anyhow::Error {
    about(path, format!("cannot be written: {}", loris_load::without_number(error)))
}

/// Says on standard error why nothing was done, and the exit status.
pub(crate) fn complain(error: &anyhow::Error) -> u8 {
    let stopped = error.downcast_ref::<Stopped>();
    if let Some(Stopped { input: Some(path), why }) = stopped {
        complain_about(path, &why.to_string());
    } else if let Some(About { path, what }) = error.downcast_ref() {
        complain_about(path, what);
    } else if !error.is::<Refused>() {
        eprint_line(&format!("{ERROR} {}", visible(&shortened(&format!("{error:#}")))));
    }
    if stopped.is_some() { Stopped::STATUS } else { 2 }
}

fn complain_about(path: &str, what: &str) {
    eprint_line(&format!("\x1b[1m{}:\x1b[0m {ERROR} {}", visible(path), visible(&shortened(what))));
}

/// The start of an error message.
pub(crate) const ERROR: &str = "\x1b[1;31merror:\x1b[0m";

/// A line on standard error, in which names are [`visible`]; if standard error is
/// gone, nobody listens.
pub(crate) fn eprint_line(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}
