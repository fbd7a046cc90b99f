//! The model and the properties that evidence is about, and the replay of evidence.

mod by_values;
mod circuit;
mod confirmed;
mod file;
mod smv;
mod strategy;
mod subject;
mod verify;

pub use by_values::ValueSubject;
pub use confirmed::{Confirmed, Unverified};
pub use file::{EvidenceFile, ReplayRequest};
pub use smv::SmvSubject;
