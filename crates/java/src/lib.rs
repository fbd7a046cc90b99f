//! Java class files and jars: read, put together to programs, and turned into recursive state
//! machines.

pub mod api;
pub mod archive;
pub mod calls;
pub mod class;
mod declarations;
pub mod extract;
mod glob;
pub mod objects;
pub mod program;
pub mod throws;

pub use declarations::declarations;
pub use program::{ClassId, Input, LoadOptions, Loaded, MethodId, Origin, Problem, Program};
