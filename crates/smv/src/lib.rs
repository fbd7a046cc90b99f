//! The SMV language with `CALL` and `EXIT`.

pub mod ir;
pub mod syntax;
