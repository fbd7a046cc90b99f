//! Reading: from bytes and options to models, with their properties and their problems.
//!
//! [`Reading`] reads files within a budget and collects their problems; [`Format`] is how they are
//! recognised. Machines, circuits, processes, SMV files and Java programs each have their own
//! function. Wording that depends on the front end, such as names of flags, is passed in
//! ([`Words`]). Nothing is asked of models and nothing is printed here.
//!
//! ```
//! use loris_load::{Format, Origin, Reading, Words, machine};
//! let mut reading = Reading::new(loris_base::Budget::unlimited(), Words::default());
//! reading.provide("light.smv".into(), b"MODULE main VAR on : boolean;".as_slice());
//! let model = machine("light.smv".as_ref(), Format::Smv, &Origin::default(), &mut reading).unwrap();
//! assert_eq!(model.rsm.node_count(), 2);
//! ```

mod circuit;
mod convert;
mod format;
mod formula;
mod game;
#[cfg(feature = "java")]
mod java;
#[cfg(not(feature = "java"))]
#[path = "without_java.rs"]
mod java;
mod model;
mod origin;
mod parts;
mod phrasing;
mod processes;
mod reading;
pub mod smv;
mod source;
mod to_circuit;

pub use circuit::{CarriedByCircuit, CircuitModel, carried as carried_by_circuit, circuit};
pub use convert::{Conversion, OutputFormat, TARGETS};
pub use format::{FORMATS, Format, FormatKind, extension};
pub use formula::mu_formula;
pub use game::{parity_game, parity_solution};
pub use java::programs;
#[cfg(feature = "java")]
pub use java::{JavaClasses, JavaFiles, JavaProgram, JavaSources, methods};
pub use model::{ReadMachine, composed, model as machine, peer};
pub use origin::{JavaOptions, Origin, Programs};
pub use phrasing::Words;
pub use processes::{dead_ends, net, one_circuit, parallel, single_process};
pub use reading::{Input, Reading, Rereadable, Stopped, Text, unreadable, without_number};
pub use source::exhausted;
