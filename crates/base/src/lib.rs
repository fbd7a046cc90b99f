//! The foundation of every Loris crate: typed ids, CSR graphs, truth values, budgets, diagnostics.
//!
//! Nothing here knows a formula, a model or a file format.
//!
//! ```
//! use loris_base::{Budget, Csr, Exhausted};
//! let graph = Csr::from_pairs(3, [(0, 1), (0, 2), (2, 0)].into_iter());
//! assert_eq!(graph.row(0), [1, 2]);
//! // work declares what it is about to hold, and ends when that is too much
//! let mut budget = Budget::new(None, Some(1000));
//! assert_eq!(budget.charge(400), Ok(()));
//! assert_eq!(budget.charge(700), Err(Exhausted::Memory));
//! ```

mod bits;
mod budget;
mod csr;
mod diagnostic;
mod exhausted;
mod explored;
mod ids;
mod interrupt;
mod meter;
mod names;
mod pace;
mod place;
mod rng;
mod stopped;
mod strong;
mod truth;
mod visible;

pub use bits::{BitRows, BitSet, VALUES_IN_64, clear_bit, has_bit, ones, ones_of, set_bit, unite, words_for};
pub use budget::{Budget, Held, StepMark};
pub use csr::Csr;
pub use diagnostic::{Diagnostic, Diagnostics, Remedy, Severity};
pub use exhausted::Exhausted;
pub use explored::Explored;
pub use ids::{Idx, IndexVec};
pub use interrupt::Interrupt;
pub use meter::Meter;
pub use names::{
    LONGEST_NAME, NameKey, NameList, Names, RecentNames, Symbol, TOGETHER, nearest, nearest_match,
};
pub use pace::Pace;
pub use place::{LinePlace, lines, places};
pub use rng::Rng;
pub use stopped::Stopped;
pub use strong::{Graph, Path, Search, strong_components, strong_components_within};
pub use truth::Truth;
pub use visible::{is_hidden, shortened, visible, visible_name};
