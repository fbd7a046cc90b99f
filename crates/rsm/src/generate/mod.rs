//! Seeded models for benchmarks and tests: the same seed gives the same machine on every platform
//! and in every version.

mod chain;
mod large;
mod pds;
mod random;
mod scaling;

#[cfg(test)]
mod tests;

pub use chain::{ContextChain, exponential};
pub use large::LargeRsm;
pub use pds::LargePds;
pub use random::RandomRsm;
pub use scaling::{Choices, Ladder, Sequence, StaggeredExits};

use crate::{Draft, Reference, Rsm, RsmBuilder, Semantics};
use loris_base::{Rng, Symbol};

/// A label and the share of nodes that carry it.
pub type LabelRate = (String, f64);

/// The labels of the random benchmarks (lazy-rsm, section 7.2).
fn paper_labels() -> Vec<LabelRate> {
    [("a", 0.4), ("b", 0.6), ("c", 0.5)].map(|(label, rate)| (label.to_owned(), rate)).to_vec()
}

fn label_symbols(builder: &mut RsmBuilder, labels: &[LabelRate]) -> Vec<(Symbol, f64)> {
    labels.iter().map(|(label, rate)| (builder.symbol(label), *rate)).collect()
}

fn add_labels(draft: &mut Draft, labels: &[(Symbol, f64)], rng: &mut Rng) {
    for &(label, rate) in labels {
        if rng.chance(rate) {
            draft.label(label);
        }
    }
}

/// The symbols `{prefix}0`, `{prefix}1`, …
fn numbered(builder: &mut RsmBuilder, prefix: &str, count: usize) -> Vec<Symbol> {
    (0..count).map(|i| builder.symbol(&format!("{prefix}{i}"))).collect()
}

/// The next whole number, at least one.
#[expect(clippy::cast_sign_loss, reason = "at least one")]
fn rounded_up(number: f64) -> usize {
    number.ceil().max(1.0) as usize
}

fn node(name: Symbol) -> Reference {
    Reference::node(name, 0)
}

fn port(site: Symbol, name: Symbol) -> Reference {
    Reference::port(site, name, 0)
}

fn finish(builder: RsmBuilder) -> Rsm {
    match builder.finish(&Semantics::default()) {
        Ok((rsm, _)) => rsm,
        Err(problems) => unreachable!("generated models are valid by construction: {problems:?}"),
    }
}
