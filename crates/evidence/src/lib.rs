//! Why a verdict is what it is: paths and lassos through real states, and the replay that re-checks
//! them with code of its own.
//!
//! This crate never depends on an engine.

mod document;
mod evidence;
mod formulas;
mod json;
mod render;
mod replay;
mod verdict;

pub use evidence::{Claim, Evidence, Loop, Path, PathId, State};
pub use json::{Found, Replayable, read_json, read_results};
pub use render::SHOWN_STATES;
pub use replay::{ReplayError, Replayed, covers_initial, relates, replay};
pub use verdict::{AtExit, Verdict};
