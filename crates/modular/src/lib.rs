//! The mu-calculus on parallel processes (*Compositional Verification and 3-Valued Abstractions
//! Join Forces*).
//!
//! A [`System`](loris_lts::System) is a list of processes; a [`Question`] is a formula about it.

mod answer;
mod coloured;
mod compositional;
pub mod diagrams;
mod game;
mod portfolio;
mod question;
mod refine;
mod statics;
mod strategy;

pub use answer::{Answer, Doubt, play};
pub use coloured::ColouredGame;
pub use compositional::{Composed, Composing, Stage, check_compositional, whole_game};
pub use game::Detail;
pub use portfolio::{Decision, ModularEngine, Portfolio, by_game_alone};
pub use question::{Question, Unfit};
pub use refine::{Abstract, Cause, Refined, Refinement, Round, check_refining, takes_refinement};
pub use strategy::winning_strategy;
