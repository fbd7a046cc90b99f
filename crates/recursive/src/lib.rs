//! CTL, LTL, CTL* and the mu-calculus on recursive state machines: engines that agree on every
//! verdict, reachability, and evidence.
//!
//! | engine | method | source |
//! |---|---|---|
//! | `eager` | all reachable contexts, subformula by subformula | lazy-rsm, Algorithm 4 |
//! | `ternary` | contexts for all boxes that know more, until decided | Algorithm 5, section 7.4 |
//! | `random` | a context for one such box, picked at random | section 7.4.1 |
//! | `lazy` | a context only where it is the reason for not knowing | Algorithms 5 to 7 |
//! | `summary` | summaries of calls, once per operand; contexts top-down on demand; CTL* | `docs/summary.md` |
//! | `fixpoint` | sweeps over all states of machines without calls, fairness | `finite` |
//! | `pushdown` | the mu-calculus, by monotone functions of what holds at exits | `mu` |
//! | `buchi` | the product with an automaton, searched for an accepted run | rsm-analysis, section 2 |
//!
//! The first four are one engine under four [policies](Policy). Published algorithms that are kept
//! for comparison are in `loris-baselines`, and made of the same [building
//! blocks](building_blocks).
//!
//! ```
//! use loris_base::Budget;
//! use loris_logic::{Core, parse};
//! use loris_recursive::{Policy, Prepared, Property, EngineSettings};
//! # use loris_rsm::{Semantics, read_rsm_json};
//! # let model = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [], "transitions": [],
//! #     "nodes": [{"name": "n", "is_entry": true, "is_exit": true, "labels": ["p"]}]}]}"#;
//! # let (rsm, _) = read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap();
//! let formula = Core::new(&parse("A G p").unwrap()).unwrap();
//! let property = Property { formula: &formula, atoms: vec![rsm.label("p")] };
//! let (prepared, mut budget) = (Prepared::new(&rsm), Budget::unlimited());
//! let outcome = prepared.three_valued(Policy::Lazy, &property, &EngineSettings::default(), &mut budget).unwrap();
//! assert!(outcome.holds);
//! ```

mod api;
mod atomic;
mod compose;
mod contexts;
mod fixpoint;
mod in_turns;
mod instances;
mod last_exit;
mod linear;
mod mu;
mod operand;
mod parts;
mod prepared;
mod property;
mod recorder;
mod recurrent;
mod shared;
mod summaries;
mod summary;
mod ternary;
mod threads;
mod witness;

pub use compose::{Peer, compose};
pub use fixpoint::FairLabels;
pub use linear::{Acceptance, Accepted, ExploreDirection, PATIENCE, ReachAnswer, Reachability, Runs};
pub use loris_finite::distance::Distance;
pub use mu::{MuOutcome, MuProperty, mu_of_ctl};
pub use prepared::Prepared;
pub use property::{CtlProperty, Decider, EngineSettings, Explanation, MachineOutcome, Policy, Property};
pub use recurrent::without_stutters;

/// Building blocks for other engines on the same machines: the instance graph, operands of
/// existential formulas at all its cells, summaries of calls, and tables of contexts.
///
/// Shared by `loris-baselines`, and by nothing else outside of this crate; it changes with the
/// engines here.
pub mod building_blocks {
    pub use crate::contexts::{ContextTable, hash_words};
    pub use crate::instances::{CellId, InstanceId, Instances, NONE, Shift};
    pub use crate::last_exit::LastExit;
    pub use crate::operand::{Atoms, Lanes, Operand};
    pub use crate::summaries::{Along, Summaries, leave};
}
