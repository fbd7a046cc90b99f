//! The facade of Loris: a machine, questions and options in, answers out.
//!
//! Resolves the atoms of formulas to labels, chooses the engine, decides properties of one shape
//! together, shares the work among threads and keeps each property within its budget. No file is
//! read and nothing is printed here.
//!
//! ```
//! use loris_check::{Options, Question, UnknownAtoms, check_all};
//! # use loris_rsm::{Draft, RsmBuilder, Reference, Semantics};
//! # let mut builder = RsmBuilder::default();
//! # let mut main = Draft::new(builder.symbol("main"), 0);
//! # let (start, end, p) = (builder.symbol("start"), builder.symbol("end"), builder.symbol("p"));
//! # main.node(start, 0).entry = true;
//! # main.node(end, 0).exit = true;
//! # main.label(p);
//! # main.edge(Reference::node(start, 0), Reference::node(end, 0));
//! # builder.component(main);
//! # let (rsm, _) = builder.finish(&Semantics::default()).unwrap();
//! let formula = loris_logic::parse("A F p").unwrap();
//! let question = Question::new(&rsm, "A F p", &formula, UnknownAtoms::Error).unwrap();
//! let answers = check_all(&rsm, &[question], &Options::default(), |_, _| ()).unwrap();
//! assert!(answers[0].is_ok());
//! ```

mod options;
mod question;
mod run;

pub use loris_recursive::{ENGINES, EngineName};
pub use options::{Choice, Options, Shard, UnknownAtoms};
pub use question::{Question, Source};
pub use run::{Answer, NoThreads, Panicked, check_all};
