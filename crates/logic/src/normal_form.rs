//! The core of CTL*: booleans, the existential operators `EX`, `EG` and `EU` of CTL, and `E` over
//! any other path formula.
//!
//! Every engine works on this form. It is hash-consed, so that each distinct subformula is decided
//! once, and numbered by a walk from the root, so that equal formulas have equal nodes. A formula
//! of CTL has the same core whether it is read as CTL or as CTL*, and no `E` in it: a [`CtlCore`]
//! is one that cannot have an `E`, so that engines for CTL need not think of it.

mod core;
mod fragment;
mod gates;
mod node;
mod path;
mod pieces;
mod star;

pub use self::core::{Core, CtlCore};
pub use node::{CoreId, CoreNode, UnderE};
pub use path::PathFormula;
