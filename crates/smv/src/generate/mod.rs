//! Seeded SMV files for benchmarks and tests: the same seed gives the same text on every platform
//! and in every version.

mod counters;
mod families;
mod properties;
mod random;
mod recursive;

pub use counters::Counters;
pub use families::{FairRing, Free, Guards, Spelling};
pub use random::RandomModule;
pub use recursive::RandomRecursive;

use loris_base::Rng;
use std::io::{self, Write};

/// A few different numbers below `bound`, at least one, in order; `mean` on average.
fn few(bound: usize, mean: f64, rng: &mut Rng) -> Vec<usize> {
    #[expect(clippy::cast_sign_loss, reason = "at least one")]
    let most = (2.0 * mean - 1.0).round().max(1.0) as usize;
    let mut numbers: Vec<usize> = (0..=rng.below(most)).map(|_| rng.below(bound)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// `{s1, s2}`, broken into lines.
fn write_set(names: impl IntoIterator<Item = String>, out: &mut impl Write) -> io::Result<()> {
    let mut column = 24;
    out.write_all(b"{")?;
    for (i, name) in names.into_iter().enumerate() {
        column += name.len() + 2;
        if i > 0 && column > WIDTH {
            out.write_all(b",\n    ")?;
            column = 4 + name.len();
        } else if i > 0 {
            out.write_all(b", ")?;
        }
        out.write_all(name.as_bytes())?;
    }
    out.write_all(b"}")
}

/// One value, or a set of several.
fn write_value(mut names: Vec<String>, out: &mut impl Write) -> io::Result<()> {
    names.dedup();
    match &*names {
        [name] => out.write_all(name.as_bytes()),
        _ => write_set(names, out),
    }
}

const WIDTH: usize = 100;
