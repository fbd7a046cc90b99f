//! The facade of Loris: a model, questions and options in, answers out.
//!
//! A [`Model`] is one of several kinds. It plans a [`Question`]: it resolves names, chooses the
//! engine, or refuses. [`check_all`] carries out plans: it decides properties that go together in
//! one pass, shares the work among threads and keeps each property within its budget. Reachability
//! has a door of its own. No file is read and nothing is printed here.
//!
//! ```
//! use loris_check::{Logic, Model, Options, Question, check_all};
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
//! let (model, options) = (Model::machine(rsm), Options::default());
//! let question = Question::new(Logic::Ctl, "A F p", loris_logic::parse("A F p").unwrap());
//! let plans = model.plan_all(&[question], &options).unwrap();
//! let answers = check_all(&model, &plans, &options, |_, _| ()).unwrap();
//! assert!(answers[0].is_ok());
//! ```

mod answer;
mod checkable;
mod engines;
mod machine;
mod model;
mod options;
mod plan;
mod processes;
mod question;
mod refusal;
mod rounds;
mod run;
mod suggestions;
mod symbolic;
mod vacuity;

pub use answer::{Answer, AnyCertificate, Extent, Note, counters};
pub use checkable::{Checkable, Planner, Size};
pub use engines::{AUTO, ENGINES, Engine, EngineName, Logic, ModelKind, Unfit};
pub use loris_modular::Abstract;
pub use loris_recursive::{Distance, ExploreDirection, Peer, Prepared, Runs, compose};
pub use loris_symbolic::FirstOrder;
pub use loris_symbolic::omg::{OmgOptions, OmgSwitch, Splitting, Unwinding};
pub use machine::{
    Goal, GoalNames, Machine, Reachable, SearchOptions, check_one, holds_in_graph, holds_in_machine,
    plan_one, plan_without_machine, reach, reached, refutation,
};
pub use model::Model;
pub use options::{Choice, Options, Shard, UnknownAtoms, UnknownEngine};
pub use plan::Plan;
pub use processes::{NamedGame, Processes, coloured_game};
pub use question::{CountedRuns, Heading, Question, Source, core};
pub use refusal::{Refusal, runs_word, semantics_refusal};
pub use rounds::{NoThreads, Panicked, Round, Run};
pub use run::{check_all, unanswered};
pub use suggestions::Suggestions;
pub use symbolic::{CircuitGoal, SymbolicModel, run_to, run_to_dead_end};
