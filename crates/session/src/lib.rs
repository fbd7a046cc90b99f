//! Read a model, ask, answer, replay: what every front end calls.
//!
//! [`inquire`] makes of files and a [`Request`] an [`Inquiry`]: the models that questions are asked
//! of, with a plan for each question. [`Loaded`] is a model that is read once and asked many times.
//! [`Inquiry::answers`] answers, each question in its context, which `report` renders. [`seek`]
//! finds where a path is to lead, and [`replay`] checks evidence. Nothing is printed here.
//!
//! ```
//! use loris_check::Options;
//! use loris_load::{Format, Origin, Reading, Words};
//! use loris_session::{Request, inquire};
//! let mut reading = Reading::new(loris_base::Budget::unlimited(), Words::default());
//! reading.provide("light.smv".into(), b"MODULE main VAR on : boolean; SPEC EF on".as_slice());
//! let (origin, options) = (Origin::default(), Options::default());
//! let request = Request::new(&options);
//! let inquiry = inquire(&["light.smv".into()], Format::Smv, &origin, &request, &mut reading).unwrap();
//! assert_eq!(inquiry.cases[0].questions[0].text, "EF on");
//! ```

mod answers;
mod asked;
mod inquire;
mod inquiry;
#[cfg(feature = "java")]
mod java;
#[cfg(not(feature = "java"))]
#[path = "without_java.rs"]
mod java;
mod limits;
mod loaded;
mod located;
mod memory;
pub mod replay;
mod request;
mod smv;
mod sought;
mod witness;

pub use answers::{Answered, Answers, Setting};
pub use inquire::inquire;
pub use inquiry::{Case, Inquiry, QuestionPlace};
pub use limits::CallLimits;
pub use loaded::Loaded;
pub use located::{Located, located};
pub use memory::{MemoryBounds, MemoryUsage};
pub use request::Request;
pub use sought::{Destination, Found, Sought, seek};
pub use witness::Witnesses;
