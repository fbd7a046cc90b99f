//! The SMV language with `CALL` and `EXIT`.

pub mod ir;
mod resolve;
mod states;
pub mod syntax;

pub use resolve::{Smv, read_smv};
pub use states::{Built, Labels, Limits, Stopped, build};
