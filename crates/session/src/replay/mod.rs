//! The model and the properties that evidence is about, and the replay of evidence.

mod by_values;
mod circuit;
mod confirmed;
mod smv;
mod strategy;
mod subject;
mod verify;

pub use by_values::ValueSubject;
pub use circuit::CircuitSubject;
pub use confirmed::{Confirmed, Unverified};
pub use loris_load::{Programs, programs};
pub use smv::SmvSubject;
pub use strategy::ProcessSubject;
pub use subject::{Automaton, Subject, automata, evidence, semantics};
pub use verify::Replay;
