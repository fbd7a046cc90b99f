//! Linear time: reachability, Büchi emptiness and LTL, searching forward from where runs start.
//!
//! Everything here walks an [`Arena`](arena::Arena), which is a machine or its product with an
//! automaton, with one search ([`explore`]): on demand, nearest first; runs are reconstructed from
//! the times it leaves behind ([`trace`]).

mod arena;
mod bundles;
mod cycles;
mod exit_lengths;
mod explore;
mod frame;
mod gates;
mod lasso;
mod letters;
mod ltl;
mod places;
mod product;
mod reach;
mod relax;
mod sweep;
mod times;
mod trace;
mod unwound;

pub(crate) use arena::{Arena, Machine};
pub use cycles::Runs;
pub use explore::ExploreDirection;
pub(crate) use explore::{Start, explore};
pub(crate) use frame::Item;
pub(crate) use letters::{Letters, Steps};
pub use ltl::{Acceptance, Accepted};
pub(crate) use ltl::{RunSearch, accepted, has_infinite_run};
pub(crate) use product::Product;
pub(crate) use reach::reach;
pub use reach::{PATIENCE, ReachAnswer, Reachability};
pub(crate) use unwound::unwound;
