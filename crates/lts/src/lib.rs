//! Finite processes: Kripke structures and labelled transition systems, with may and must steps
//! and three-valued labels; their files; and their reduction modulo bisimulation.
//!
//! | type or function | purpose |
//! |---|---|
//! | [`Process`], [`ProcessBuilder`] | a process, immutable once it is built |
//! | [`read_aut`], [`read_transitions`], [`write_aut`] | the Aldébaran format of labelled transition systems |
//! | [`reduce`] | a process modulo strong or branching bisimulation |
//! | [`partition`], [`quotient`] | the same for any [`Graph`] with labels at edges |
//! | [`read_kmts`], [`write_kmts`] | processes in JSON, with may and must steps and unknown labels |
//! | [`read_composition`], [`Description`] | the language of compositions |
//! | [`families`] | compositions for tests and benchmarks |
//! | [`read_pnml`], [`Net::cut`] | Petri nets with units, and their cut into processes |
//! | [`circuit_process`], [`ListedMachine`], [`run_together`] | circuits and machines as processes |
//! | [`System`], [`Product`] | processes put together; their global states and steps, made on demand |
//!
//! Nothing here knows a formula.
//!
//! ```
//! use loris_base::{Budget, Idx};
//! use loris_lts::{StateId, read_aut};
//! let text = b"des (0, 2, 2)\n(0, \"put(1, true)\", 1)\n(1, tau, 0)\n";
//! let (buffer, _) = read_aut(text, "buffer", &mut Budget::unlimited()).expect("well-formed");
//! let step = buffer.steps(StateId::new(0)).next().expect("one step");
//! assert_eq!(buffer.action_name(step.action), "put(1, true)");
//! assert!(step.must && buffer.is_concrete());
//! ```

// for test modules that integration tests share
#[cfg(test)]
extern crate self as loris_lts;

mod aut;
mod builder;
mod composition;
pub mod families;
mod from_circuit;
mod from_machine;
mod graph;
mod kmts;
mod pnml;
mod process;
mod product;
mod reduce;
mod start;
mod system;
mod together;

pub use aut::{AutError, Transitions, read_aut, read_transitions, write_aut};
pub use builder::{Modality, ProcessBuilder};
pub use composition::{
    Composition, Description, LocatedWord, Part, SyncRule, read_composition, write_composition,
};
pub use from_circuit::{StateInputs, circuit_process};
pub use from_machine::ListedMachine;
pub use graph::{Edge, Graph, SILENT};
pub use kmts::{read_kmts, write_kmts};
pub use pnml::{Cut, Net, read_pnml};
pub use process::{ActionId, AtomId, Process, ProcessKind, StateId, Steps, TAU, Transition};
pub use product::{GlobalStep, Product};
pub use reduce::{Equivalence, Hiding, Partition, Reduced, partition, quotient, reduce};
pub use start::Started;
pub use system::{Action, GlobalState, Misfit, System};
pub use together::{ProcessSource, run_together};
