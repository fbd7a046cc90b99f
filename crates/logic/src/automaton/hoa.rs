//! The Hanoi omega-automata format, version 1 (<http://adl.github.io/hoaf/>): reading and writing.
//!
//! Read are Büchi and generalized Büchi automata, with acceptance on states or on edges, with
//! explicit, implicit or state labels; and those that accept every run or none. Universal branching
//! and `Fin` are refused where they stand. A problem does not end the reading: it goes on at the
//! next header item or the next state. Linear in the text, but for counters: an automaton with `n`
//! sets on edges gets up to `n + 1` copies of each state.

mod body;
mod graph;
mod header;
mod label;
mod lexer;
mod read;
mod write;

pub use graph::{Hoa, HoaGraph};
pub use read::{parse_hoa, parse_hoa_within};
pub use write::write_hoa;
