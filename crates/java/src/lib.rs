//! Java class files and jars: read, put together to programs, and turned into recursive state
//! machines.
//!
//! ```
//! use loris_base::Budget;
//! use loris_java::calls::{CallGraph, CallOptions};
//! use loris_java::extract::{ExtractOptions, extract};
//! use loris_java::throws::{ThrowOptions, Throws};
//! use loris_java::{ClassInput, LoadOptions, ClassOrigin, Program};
//! let bytes = include_bytes!("../tests/programs/classes/p/Exceptions.class");
//! let class = ClassInput { path: "Exceptions.class".into(), origin: ClassOrigin::Application, bytes: (*bytes).into() };
//! let program = Program::load(vec![class], &LoadOptions::default()).program;
//! let budget = &mut Budget::unlimited();
//! let graph = CallGraph::new(&program, &CallOptions::default(), budget).unwrap();
//! let throws = Throws::new(&program, &graph, &ThrowOptions::default(), budget).unwrap();
//! let machine = extract(&program, &graph, &throws, &ExtractOptions::default(), budget).unwrap();
//! assert!(machine.node_count() > 0);
//! ```

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
pub use program::{ClassId, ClassInput, ClassOrigin, LoadOptions, LoadedProgram, MethodId, Problem, Program};
