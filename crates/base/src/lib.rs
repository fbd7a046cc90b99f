//! What every Loris crate stands on: typed ids, CSR graphs, truth values, budgets, diagnostics.
//!
//! Nothing here knows a formula, a model or a file format.

mod budget;
mod csr;
mod diagnostic;
mod explored;
mod ids;
mod interrupt;
mod names;
mod place;
mod rng;
mod stopped;
mod truth;
mod visible;

pub use budget::{Budget, Exhausted};
pub use csr::Csr;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use explored::Explored;
pub use ids::{Idx, IndexVec};
pub use interrupt::Interrupt;
pub use names::{LONGEST_NAME, NameKey, NameList, Names, RecentNames, Symbol, TOGETHER, nearest};
pub use place::{Place, lines, places};
pub use rng::Rng;
pub use stopped::Stopped;
pub use truth::Truth;
pub use visible::{is_hidden, json_quoted, shortened, visible, visible_name};
