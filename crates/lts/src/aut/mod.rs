//! The Aldébaran format of labelled transition systems (`.aut`).
//!
//! ```text
//! des (0, 3, 2)                 the initial state, the number of transitions, the number of states
//! (0, "put(1, true)", 1)        a transition: source, label, target
//! (1, get !1, 0)                a label may stand without quotes
//! (1, tau, 1)                   the silent action is written tau or i
//! ```

mod lexer;
mod read;
mod sink;
mod write;

pub use read::{Transitions, read_aut, read_transitions};
pub use write::{AutError, write_aut};
