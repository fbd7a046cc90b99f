//! What evidence is about, found again in a model, and whether it shows what it says.

mod circuit;
mod subject;
mod verify;

pub use circuit::CircuitSubject;
pub use subject::{Automaton, Subject, automata, semantics};
pub use verify::{Confirmed, Replay, Unverified};
