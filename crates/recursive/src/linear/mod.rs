//! Linear time: reachability, Büchi emptiness and LTL, searching forward from where runs start.
//!
//! Everything here walks an [`Arena`](arena::Arena), which is a machine or its product with an automaton,
//! with one search ([`explore`]): on demand, nearest first, telling runs from the times it
//! leaves behind ([`trace`]).

mod arena;
mod explore;
mod reach;
mod rest;
mod trace;

pub use explore::Direction;
pub(crate) use reach::reach;
pub use reach::{Reachability, Reached};
