//! What evidence is about, found again in a model, and whether it shows what it says.

mod subject;
mod verify;

pub use subject::{Automaton, Subject, automata, semantics};
pub use verify::{Confirmed, Replay, Unverified};
