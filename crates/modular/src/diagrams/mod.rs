//! The mu-calculus on parallel processes by multi-valued decision diagrams: one level for each
//! process, steps as [events](loris_solvers::mdd::Event), reachable states by saturation.
//!
//! A [`Session`] is about one system. The reachable states are computed once, with the first
//! formula, and all sets are sets of reachable states from then on. Fixpoints of the shapes that
//! CTL has are computed by saturation or without iterating over the whole formula; others by nested
//! iteration, in which a fixpoint starts again where a fixpoint of the other kind around it has
//! moved.
//!
//! ```
//! use loris_base::Budget;
//! use loris_modular::diagrams::{Processes, Session};
//! use loris_solvers::mdd::{Event, Kronecker};
//! // two processes that take `a` together, after which the second can take `b` for ever
//! let a = Event { locals: vec![(0, vec![(0, 1)]), (1, vec![(0, 1)])] };
//! let b = Event { locals: vec![(1, vec![(1, 1)])] };
//! let system = Kronecker { sizes: vec![2, 2], initial: vec![0, 0], events: vec![a, b] };
//! let names = vec!["a".into(), "b".into()];
//! let processes = Processes { system, names, ..Processes::default() };
//! let mut session = Session::new(&processes);
//! let formula = loris_logic::mu::parse("<a>(nu X. <b>X)").expect("well-formed");
//! assert_eq!(session.decide(&formula, &mut Budget::unlimited()), Ok(true));
//! ```

mod cycles;
mod decide;
mod evaluate;
mod hull;
mod processes;
mod race;
mod session;
mod shape;
mod size;
mod walk;

pub use evaluate::Progress;
pub use processes::{Owners, Processes};
pub use session::{Session, Statistics};
pub(crate) use shape::Anatomy;
