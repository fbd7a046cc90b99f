//! Three-valued games: edges that must exist or only may exist, terminals that may be unknown.
//!
//! A node is *true* if `Even` wins it whatever becomes of the unknown parts, *false* if `Odd` does,
//! else *unknown* (compositional-3valued, A2). [`colour`] decides this by two ordinary parity games
//! over one graph; [`undecided`] cuts out the part that stays unknown (A5), and [`cause`] finds the
//! nearest reason (A9).
//!
//! ```
//! use loris_base::{Budget, Truth};
//! use loris_games::Player;
//! use loris_games::ternary::{Cause, Edge, TernaryBuilder, cause, colour};
//!
//! let mut budget = Budget::unlimited();
//! let mut builder = TernaryBuilder::default();
//! builder.push(Player::Even, 0, &[Edge::may(1)], &mut budget)?;
//! builder.terminal(Truth::True, &mut budget)?;
//! let game = builder.finish(&mut budget)?;
//! let colouring = colour(&game, &mut budget)?;
//! assert_eq!(colouring.colours(), [Truth::Unknown, Truth::True]);
//! assert_eq!(cause(&game, &colouring, 0, &mut budget)?, Some(Cause::MayStep { from: 0, to: 1 }));
//! # Ok::<(), loris_base::Exhausted>(())
//! ```

mod colour;
mod export;
mod game;
mod unknown;

pub use colour::{Colouring, colour, colour_given};
pub use export::{careful, write_dot};
pub use game::{Edge, TernaryBuilder, TernaryGame};
pub use unknown::{Cause, Undecided, cause, undecided};
