//! The SMV language with `CALL` and `EXIT`.

pub mod ir;
mod states;
pub mod syntax;

pub use states::{Built, Labels, Limits, Stopped, build};
