//! Linear time on machines without calls, with recurrence conditions (fairness) in the acceptance
//! of the search.
//!
//! A path formula is split (`Ltl::recurrences`) into conditions `G F p -> G F q` and the rest; only
//! the rest becomes an automaton. The [`product`] of the machine with it is a finite structure, on
//! which the conditions and the automaton's own acceptance are one fairness (generalized Büchi and
//! Streett, `loris_finite`). [`star`] decides CTL* with it, path formula by path formula, [`lasso`]
//! finds the run that shows one.
//!
//! Cost: O(|machine| · |automaton of the rest| · (1 + pairs with a premise)), plus O(states of the
//! product) for each condition. Without the split the automaton alone has a state for each
//! condition `G F p`, and one for each *set* of conditions with a premise. Oracles: the engines
//! that take the formula whole, in `check/tests/fair.rs`, and replay.

mod accepted;
mod condition;
mod lasso;
mod product;
mod star;

pub(crate) use accepted::accepted;
pub use lasso::without_stutters;
pub(crate) use star::{Values, decide, run};
