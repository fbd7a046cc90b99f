//! Summaries of calls: through which exits they can be left ([`Summaries`]), found by a [`solver`];
//! the consequences for one instance ([`leaving`]), and for the graph H of local, call and summary
//! edges ([`graph_h`]).

mod agenda;
mod graph_h;
mod leaving;
mod relation;
mod solver;

pub(crate) use graph_h::{Condensed, forward, reached};
pub use leaving::{Along, leave};
pub use relation::Summaries;
