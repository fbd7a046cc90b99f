//! The mu-calculus on parallel components (*Compositional Verification and 3-Valued Abstractions
//! Join Forces*).
//!
//! A [`System`] is a list of components; a [`Question`] is a formula about it.

pub mod diagrams;
mod question;
mod system;

pub use question::{Question, Unfit};
pub use system::{Action, Misfit, System};
