//! Engines on Boolean transition systems ([`TransitionSystem`]): CTL without listing states.
//!
//! Each engine takes a system, a [`Query`] about it and a budget, and returns an [`SystemOutcome`]:
//! whether all initial states satisfy the property, with a [`Witness`] where a run shows why, and
//! an invariant where a closed set of states does. An engine that runs out of its budget returns
//! why, never a verdict.
//!
//! ```
//! use loris_base::Budget;
//! use loris_circuit::{StateVar, TransitionSystem};
//! use loris_logic::{Core, parse};
//! use loris_symbolic::{DiagramOptions, Diagrams, Query};
//! // a bit that toggles
//! let mut system = TransitionSystem::default();
//! let bit = system.aig.variable();
//! system.states.push(StateVar { now: bit, next: !bit });
//! system.init.push(!bit);
//! let budget = &mut Budget::unlimited();
//! let mut diagrams = Diagrams::new(&system, DiagramOptions::default(), budget).unwrap();
//! let core = Core::new(&parse("A G A F bit").unwrap()).unwrap();
//! let outcome = diagrams.check(&Query { core: &core, atoms: &[bit] }, budget).unwrap();
//! assert!(outcome.holds);
//! ```

mod ahead;
pub mod bmc;
mod diagrams;
pub mod omg;
pub mod pdr;
mod portfolio;
mod prepare;
mod query;
mod relation;
mod resume;
mod tableau;
mod target;
mod unrolled;

pub use diagrams::{DiagramError, DiagramOptions, Diagrams, FirstOrder, FixpointDirection};
pub use portfolio::{Portfolio, PortfolioOptions, SymbolicEngine, Undecided};
pub use query::{Clause, Counters, Query, SystemOutcome, Witness};
pub use relation::{Cube, Relation};
pub use resume::Paused;
pub use tableau::seek;
pub use target::ReachProperty;

#[doc(no_inline)]
pub use loris_circuit::TransitionSystem;
