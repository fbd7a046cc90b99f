//! Recursive state machines: the model, its builder and validation, its file formats.
//!
//! A machine is a set of components; a component has nodes, and boxes that call components
//! (lazy-rsm, section 3.1). [`Rsm`] is immutable; [`RsmBuilder`] makes one from [`Draft`]s and
//! reports everything that is wrong with them.

mod builder;
mod draft;
mod model;

pub use builder::{DeadEnds, EmptyCalls, RsmBuilder, Semantics};
pub use draft::{Draft, DraftNode, Reference};
pub use model::{BoxId, ComponentId, Kind, LabelId, Rsm, Vertex};
