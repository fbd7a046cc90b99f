//! Rules over Java programs, and their findings.
//!
//! A rule has an identifier, a message and a level, and is decided in one of three ways: by a check
//! that is built in ([`checks`]), as a property of the machine of the whole program, or as a
//! property of each object that is made at some place ([`objects`]). Rules are read from TOML
//! ([`rule`]); those that are shipped are in `data/`.

pub mod checks;
mod config;
mod context;
mod finding;
mod flow;
pub mod objects;
mod path;
pub mod questions;
pub mod rule;
mod run;
pub mod suppress;
pub mod write;

pub use config::Config;
pub use context::{Context, Options, Phase, Place, Progress};
pub use finding::{Finding, Level, Step, Suppression, SuppressionKind, sort};
pub use rule::{Rule, RuleBody, read_rules, shipped_rules};
pub use run::{Outcome, Undecided, UnknownLabel, run};
