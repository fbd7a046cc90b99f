//! Why a verdict is what it is: paths and lassos through real states, and the replay that re-checks
//! them with code of its own.
//!
//! What a path shows ([`Path::shows`]) is one of these:
//!
//! | text | the path |
//! |---|---|
//! | a boolean combination of labels and claims | one state, with evidence for its claims |
//! | `E X p`, `E [ p U q ]` over state formulas | two states; states up to one with `q` |
//! | `E ρ`, any path formula of CTL* | an endless run: a loop, perhaps with a growing stack, or an exit to stay in |
//! | `reach TARGET` ([`Reach`]) | states up to the target |
//! | `automaton` ([`AUTOMATON`]) | an endless run for an automaton to accept |
//!
//! This crate never depends on an engine.

mod circuit;
mod document;
mod evidence;
mod formulas;
mod json;
mod render;
mod replay;
mod run;
mod steps;
mod values;
mod verdict;
mod word;

pub use evidence::{Claim, Evidence, Loop, Path, PathId, State};
pub use json::{Found, Replayable, read_json, read_properties, read_results};
pub use render::SHOWN_STATES;
pub use replay::{ReplayError, Replayed, covers_initial, relates, relates_formula, replay};
pub use run::{AUTOMATON, Reach, Run, Start, Target, replay_reach, replay_run};
pub use verdict::{AtExit, Verdict};
