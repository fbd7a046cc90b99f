//! Petri nets in PNML, with the units of nested-unit Petri nets (NUPN), and their cut into
//! processes: one labelled transition system per unit, which take transitions together.

mod cut;
mod net;
mod nupn;
mod read;
mod safety;

pub use cut::Cut;
pub use net::Net;
pub use read::read_pnml;
