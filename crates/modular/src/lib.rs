//! The mu-calculus on parallel processes (*Compositional Verification and 3-Valued Abstractions
//! Join Forces*).
//!
//! A [`System`](loris_lts::System) is a list of processes; a [`SystemQuestion`] is a formula about it.
//!
//! ```
//! use loris_base::{Budget, Truth};
//! use loris_lts::{System, read_aut};
//! use loris_modular::{SystemQuestion, play};
//! let budget = &mut Budget::unlimited();
//! let (buffer, _) = read_aut(b"des (0, 2, 2)\n(0, put, 1)\n(1, get, 0)\n", "buffer", budget).unwrap();
//! let (reader, _) = read_aut(b"des (0, 1, 1)\n(0, get, 0)\n", "reader", budget).unwrap();
//! let system = System::new(vec![buffer.into(), reader.into()], &[]).unwrap();
//! let formula = loris_logic::mu::parse("nu X. mu Y. <get>X | <put>Y").unwrap();
//! let question = SystemQuestion::new(&system, &formula, false).unwrap();
//! assert_eq!(play(&question, budget).unwrap().value, Truth::True);
//! ```

mod answer;
mod coloured;
mod compositional;
pub mod diagrams;
mod game;
pub mod linear;
mod pace;
mod portfolio;
mod question;
mod refine;
mod relevant;
mod statics;
mod strategy;
mod turns;

pub use answer::{Doubt, ProcessesOutcome, play};
pub use coloured::ColouredGame;
pub use compositional::{Composed, Composing, Stage, check_compositional, whole_game};
pub use game::Unfolding;
pub use portfolio::{Decision, ModularEngine, Portfolio, by_game_alone, by_relevant_alone};
pub use question::{SystemQuestion, Unfit};
pub use refine::{
    Abstract, Refined, Refinement, RefinementRound, UndecidedCause, check_refining, takes_refinement,
};
pub use relevant::{RelevantOutcome, check_relevant, check_relevant_by_turns};
pub use strategy::winning_strategy;
