//! The model and the properties that evidence is about, and the replay of evidence.

mod circuit;
mod subject;
mod verify;

pub use circuit::CircuitSubject;
pub use subject::{Automaton, Subject, automata, semantics};
pub use verify::{Confirmed, Replay, Unverified};
