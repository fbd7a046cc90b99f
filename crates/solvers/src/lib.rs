//! The door to what decides Boolean questions: a SAT solver, and decision diagrams.
//!
//! Engines see only the types of this crate, so that a backend can be exchanged in one place. Every
//! call takes a [`Budget`](loris_base::Budget) and ends in time: limits hold inside the solver's
//! search and inside the operations on diagrams.
//!
//! | module | decides |
//! |---|---|
//! | [`bdd`] | equality and quantification of Boolean functions, as decision diagrams |
//! | [`mdd`] | sets of states of parallel parts as multi-valued decision diagrams: images, and closures under steps by saturation |
//! | [`sat`] | satisfiability under assumptions, with models and unsatisfiable cores; gates of an and-inverter graph as clauses |
//!
//! ```
//! use loris_base::Budget;
//! use loris_solvers::sat::Sat;
//! let mut sat = Sat::new();
//! let (a, b) = (sat.variable(), sat.variable());
//! sat.clause(&[a, b]);
//! let mut budget = Budget::unlimited();
//! assert_eq!(sat.solve(&[!a], &mut budget), Ok(true));
//! assert!(sat.value(b));
//! assert_eq!(sat.solve(&[!a, !b], &mut budget), Ok(false));
//! ```

pub mod bdd;
pub mod mdd;
pub mod sat;
