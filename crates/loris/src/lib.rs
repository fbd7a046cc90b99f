#![doc = include_str!("../README.md")]

mod answer;
mod error;
#[cfg(feature = "java")]
mod java;
mod limits;
mod model;
mod options;
mod reach;
mod replay;

pub use answer::{Answer, Answers, Evidence};
pub use error::{Error, Problem};
#[cfg(feature = "java")]
pub use java::{JavaOptions, java, java_with};
pub use loris_base::{Exhausted, Interrupt, Severity};
pub use loris_check::{Choice, Distance, ENGINES, Engine, EngineName, Logic, ModelKind, Runs, UnknownAtoms};
pub use loris_evidence::{AtExit, Reason, Verdict};
/// Findings of rules over Java programs, as plain data.
#[cfg(feature = "java")]
pub use loris_findings as findings;
pub use loris_load::Format;
pub use loris_rsm::{DeadEnds, EmptyCalls};
pub use model::Model;
pub use options::{CheckOptions, ReadOptions};
pub use reach::{ReachOptions, Reached};
pub use replay::{ReplayOutcome, Replayed};
