//! What the tests of several crates share; nothing but tests depends on it.
//!
//! [`cases`] says how many random cases a test tries, [`golden`] compares with files, and
//! [`benchmarks`] finds published models. [`models`] and [`formulas`] make random models of every
//! kind and formulas of every logic as text. With the feature `recursion` there are machines that
//! shrink and an oracle for them.

// a test that panics has failed, and what a test says of itself is printed
#![allow(missing_docs, clippy::unwrap_used, reason = "as in tests")]

pub mod formulas;
pub mod models;
#[cfg(feature = "recursion")]
pub mod recursion;
pub mod smv;

use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How many random cases a test tries: `LORIS_CASES`, or the usual number.
///
/// # Panics
/// If the variable is set to something else than a number.
pub fn cases<T: FromStr>(usual: T) -> T {
    match std::env::var("LORIS_CASES") {
        Ok(number) => number.parse().ok().expect("LORIS_CASES is a number"),
        Err(_) => usual,
    }
}

/// Whether expected output is written anew: with `LORIS_BLESS=1`.
pub fn blesses() -> bool {
    std::env::var_os("LORIS_BLESS").is_some_and(|word| word == "1")
}

/// Compares texts with the files that hold what is expected, or writes these anew ([`blesses`]).
///
/// # Panics
/// If a text differs from its file: with the first line that does, of each.
pub fn golden<P: AsRef<Path>>(found: impl IntoIterator<Item = (P, String)>) {
    let mut wrong = Vec::new();
    for (file, found) in found {
        let file = file.as_ref();
        if blesses() {
            std::fs::write(file, found).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(file).unwrap_or_default();
        if found != expected {
            wrong.push(format!("{}: {}", file.display(), difference(&expected, &found)));
        }
    }
    assert!(wrong.is_empty(), "{}\nLORIS_BLESS=1 writes what is expected anew", wrong.join("\n"));
}

/// The first line that is not as expected.
fn difference(expected: &str, found: &str) -> String {
    let mut lines = expected.lines().zip(found.lines()).zip(1..);
    match lines.find(|((expected, found), _)| expected != found) {
        Some(((expected, found), line)) => {
            format!("line {line} was expected to be\n  {expected}\nand is\n  {found}")
        }
        None => format!("{} lines became {}", expected.lines().count(), found.lines().count()),
    }
}

/// A folder of published models, beside this repository and not ours to copy; if it is not there,
/// says that a test is skipped.
pub fn benchmarks(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks").join(folder);
    if !path.is_dir() {
        eprintln!("SKIPPED: {} is missing", path.display());
        return None;
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_first_difference_is_told() {
        assert_eq!(difference("a\nb\nc", "a\nx\nc"), "line 2 was expected to be\n  b\nand is\n  x");
        assert_eq!(difference("a\nb", "a"), "2 lines became 1");
    }
}
