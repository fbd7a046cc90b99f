//! Compositions: which processes run in parallel, under which names, and how they synchronise.
//!
//! ```text
//! # Two clients of one lock.
//! part left = client.aut
//!   rename take -> take1, release -> release1
//! part right = client.aut
//! part lock = "lock.aut"
//!   extra reset
//! sync right.take | lock.grab -> take2
//! hide release1
//! ```
//!
//! A [`Description`] is what a file states; it names files and reads none.
//! [`Description::assemble`] makes a [`Composition`] of it and of the processes in those files. All
//! processes that know an action take it together, after renaming, unless a rule of `sync` states
//! otherwise.

mod assemble;
mod description;
mod lexer;
mod net;
mod read;
mod rules;
mod write;

pub use assemble::Composition;
pub use description::{Description, LocatedWord, Part, SyncRule};
pub use read::read_composition;
pub use write::write_composition;
