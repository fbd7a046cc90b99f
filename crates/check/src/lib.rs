//! The facade of Loris: a machine, questions and options in, answers out.
//!
//! A [`Question`] is planned by a [`Planner`], which resolves its atoms to labels and chooses the
//! engine, or refuses it. Plans are carried out by [`check_all`], which decides properties of one
//! shape together, shares the work among threads and keeps each property within its budget.
//! Reachability has a door of its own. No file is read and nothing is printed here.
//!
//! ```
//! use loris_check::{Logic, Options, Planner, Prepared, Question, Suggestions, check_all};
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
//! let question = Question::new(Logic::Ctl, "A F p", formula);
//! let (prepared, options, suggestions) = (Prepared::new(&rsm), Options::default(), Suggestions::default());
//! let plan = Planner::new(&prepared, &options, &suggestions).plan(&question).unwrap();
//! let answers = check_all(&prepared, &[plan], &options, |_, _| ()).unwrap();
//! assert!(answers[0].is_ok());
//! ```

mod alone;
mod answer;
mod components;
mod ends;
mod engines;
mod linear;
mod options;
mod plan;
mod question;
mod reach;
mod refusal;
mod resolved;
mod rounds;
mod run;
mod suggestions;
mod symbolic;
mod target;
mod vacuity;

pub use alone::{check_one, holds_in_graph, holds_in_machine, refutation};
pub use answer::{Answer, Note, counters};
pub use components::{ComponentPlan, NamedGame, check_components, coloured_game, plan_components};
pub use engines::{AUTO, ENGINES, Engine, EngineName, Logic, ModelKind, Unfit};
pub use loris_modular::Abstract;
pub use loris_recursive::{Direction, Distance, Peer, Prepared, Runs, compose};
pub use loris_symbolic::omg::{OmgOptions, OmgSwitch, Splitting, Unwinding};
pub use options::{Choice, Options, Shard, UnknownAtoms, UnknownEngine};
pub use plan::{Plan, Planner, engine_without_machine};
pub use question::{Heading, Question, Source, core};
pub use reach::{Reachable, SearchOptions, reach, reached};
pub use refusal::{Refusal, runs_word, semantics_refusal};
pub use run::{NoThreads, Panicked, check_all, unanswered};
pub use suggestions::Suggestions;
pub use symbolic::{
    CircuitGoal, SymbolicModel, SymbolicPlan, check_symbolic, plan_circuit, plan_symbolic, run_to,
    run_to_dead_end,
};
pub use target::{Goal, Names};
