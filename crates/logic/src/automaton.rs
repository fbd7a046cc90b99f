//! Büchi automata, which accept exactly the words of an LTL formula or are read from a file.
//!
//! An automaton reads one letter, a set of atoms, with each edge. It accepts an infinite word if
//! some run over it visits accepting states infinitely often. Acceptance is state-based, edges
//! carry boolean [guards](Guard), and there may be several initial states, or none: then no word is
//! accepted.

mod buchi;
mod guard;
mod hoa;
mod translate;

pub use buchi::{Buchi, Edge};
pub use guard::Guard;
pub use hoa::{Hoa, HoaGraph, parse_hoa, parse_hoa_within, write_hoa};
pub use translate::translate;
