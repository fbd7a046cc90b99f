//! Rules over Java programs, and their findings.
//!
//! A rule has an identifier, a message and a level, and is decided in one of three ways: by a check
//! that is built in ([`checks`]), as a property of the machine of the whole program, or as a
//! property of each object that is made at some place ([`objects`]). Rules are read from TOML
//! ([`rule`]); those that are shipped are in `data/`.
//!
//! A [`JavaRequest`] names a program and what is asked about it; [`Asked`] has read the files
//! beside the program, [`Opened`] the program, and [`Judged`] has the findings; [`judge`] does it
//! all. Nothing is printed here.
//!
//! ```
//! use loris_load::{Reading, Words};
//! use loris_rules::{JavaRequest, judge};
//! let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/classes/Leaks.class");
//! let request = JavaRequest {
//!     program: vec![program.into()],
//!     rules: vec!["leak".to_owned()],
//!     ..JavaRequest::default()
//! };
//! let mut reading = Reading::new(loris_base::Budget::unlimited(), Words::default());
//! let judged = judge(request, 2, &mut reading).unwrap();
//! assert!(judged.report.findings.iter().any(|finding| finding.class() == "Leaks"));
//! ```

mod ask;
mod asked;
mod cache;
mod changed;
pub mod checks;
mod config;
mod context;
mod flow;
mod judged;
pub mod objects;
mod path;
pub mod questions;
pub mod rule;
mod run;
pub mod suppress;
mod toml_text;

pub use asked::{Asked, JavaRequest, Refused, configuration_of};
pub use cache::CacheOptions;
pub use changed::Changed;
pub use config::Config;
pub use context::{JudgeOptions, Phase, ProgramContext, Progress};
pub use judged::{Judged, Opened, judge};
pub use questions::UnknownLabel;
pub use rule::{Rule, RuleBody, read_rules, shipped_rules};
pub use run::{Judgement, run};
pub use toml_text::toml_problem;
