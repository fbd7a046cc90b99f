//! Linear-time formulas in negation normal form, and their evaluation on an ultimately periodic
//! word.
//!
//! A formula is a flat arena as everywhere here. The builder makes each node once and simplifies by
//! rules of constant time only, so that rebuilding a formula from its nodes gives the same formula;
//! rules that search are in [`translate`](crate::automaton::translate). Atoms are numbers, whose
//! meaning the owner of the formula knows.

mod builder;
mod formula;
mod predicate;
mod recurrence;

pub use builder::LtlBuilder;
pub use formula::{Ltl, LtlId, LtlNode};
pub use predicate::Predicate;
pub use recurrence::Recurrence;
pub(crate) use recurrence::{from_some_point_on, infinitely_often};
