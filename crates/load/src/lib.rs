//! Turns inputs and requests into models, questions and plans: the way in for every front end.
//!
//! RSM JSON, pushdown systems and SMV go the same way. [`Reading`] reads files within a budget and
//! collects their problems; [`inquire`] makes of a model and a [`Request`] an [`Inquiry`]: the
//! machines that questions are asked of, with a plan for each question. [`replay`] finds the model
//! that evidence is about. Wording that depends on the front end, such as names of flags, is passed
//! in ([`Words`]). Nothing is printed here.
//!
//! ```
//! use loris_check::Options;
//! use loris_load::{Format, Origin, Reading, Request, Words, inquire};
//! # let folder = std::env::temp_dir().join(format!("loris-load-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let path = folder.join("light.smv");
//! std::fs::write(&path, "MODULE main VAR on : boolean; SPEC EF on").unwrap();
//! let mut reading = Reading::new(loris_base::Budget::unlimited(), Words::default());
//! let (origin, options) = (Origin::default(), Options::default());
//! let request = Request::new(&options);
//! let inquiry = inquire(&[path], Format::Smv, &origin, &request, &mut reading).unwrap();
//! assert_eq!(inquiry.cases[0].questions[0].text, "EF on");
//! # std::fs::remove_dir_all(&folder).unwrap();
//! ```

mod asked;
mod circuit;
mod circuit_part;
mod components;
mod convert;
mod format;
mod game;
mod inquire;
mod inquiry;
mod java;
mod loaded;
mod memory;
mod model;
mod parts;
mod reading;
pub mod replay;
mod request;
mod smv;
mod sought;
mod source;
mod to_circuit;
mod words;

pub use circuit::{CircuitModel, circuit};
pub use components::{ParallelModel, net, parallel, single_component};
pub use convert::{Conversion, TARGETS, Target};
pub use format::{FORMATS, Format, Kind, extension};
pub use game::{parity_game, parity_solution};
pub use inquire::inquire;
pub use inquiry::{Case, Inquiry, Place, Plans, Symbolic};
pub use java::{JavaClasses, JavaOptions, JavaProgram, JavaSources, methods};
pub use loaded::Loaded;
pub use memory::{MemoryBounds, MemoryUsage};
pub use model::{Model, Origin, model};
pub use reading::{Input, Reading, Source, Stopped, Text, without_number};
pub use request::Request;
pub use smv::SmvStates;
pub use sought::{Sought, seek, seek_in_circuit};
pub use source::exhausted;
pub use words::Words;
