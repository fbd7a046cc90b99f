//! Parity games and three-valued games.
//!
//! A [`Game`] is a parity game in frozen arrays. Two players move a token along edges; the owner of
//! the node chooses. The largest priority that occurs infinitely often decides an infinite play:
//! even for [`Player::Even`], odd for [`Player::Odd`]. A player who cannot move loses. [`solve`]
//! computes the winner of every node and a positional strategy, and [`verify`] checks both with
//! code of its own.
//!
//! A [`ternary::TernaryGame`] has edges that may or may not exist and terminals that may be
//! unknown. Colouring it decides which nodes are true, false or unknown.
//!
//! This crate has neither formulas nor models.
//!
//! ```
//! use loris_base::Budget;
//! use loris_games::{GameBuilder, Player, Solver, solve, verify};
//!
//! let mut budget = Budget::unlimited();
//! let mut builder = GameBuilder::default();
//! builder.push(Player::Even, 1, &[0, 1], &mut budget)?;
//! builder.push(Player::Odd, 2, &[0], &mut budget)?;
//! let game = builder.finish(&mut budget)?;
//! let solution = solve(&game, Solver::default(), &mut budget)?;
//! assert_eq!(solution.winner(0), Player::Even);
//! assert_eq!(solution.successor(0), Some(1));
//! assert_eq!(verify(&game, &solution, &mut budget)?, Ok(()));
//! # Ok::<(), loris_base::Exhausted>(())
//! ```

mod arena;
mod flaw;
mod game;
pub mod generate;
pub mod pgsolver;
mod player;
mod solution;
mod solve;
pub mod ternary;
mod verify;

pub use flaw::Flaw;
pub use game::{Game, GameBuilder};
pub use player::Player;
pub use solution::Solution;
pub use solve::{Solver, solve};
pub use verify::{verify, verify_colouring};
