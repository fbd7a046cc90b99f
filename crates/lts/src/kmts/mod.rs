//! Processes in JSON (`.kmts`): Kripke structures and labelled transition systems, and both with
//! may and must steps and unknown labels.
//!
//! ```text
//! {"kind": "kmts",
//!  "name": "door",
//!  "atoms": ["open", "locked"],
//!  "initial": "shut",
//!  "states": [
//!   {"name": "shut", "labels": ["!open"]},
//!   {"name": "ajar", "labels": {"open": true, "locked": false}}],
//!  "may": [["shut", "ajar"]],
//!  "steps": [["ajar", "shut"]]}
//! ```

mod read;
mod write;

pub use read::read_kmts;
pub use write::write_kmts;

use crate::ProcessKind;

/// What a file is, as its key `kind` states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) word: &'static str,
    pub(crate) kind: ProcessKind,
    /// whether steps may be uncertain and labels unknown
    pub(crate) is_partial: bool,
}

pub(crate) const FORMS: [Form; 4] = [
    Form { word: "kripke", kind: ProcessKind::Kripke, is_partial: false },
    Form { word: "kmts", kind: ProcessKind::Kripke, is_partial: true },
    Form { word: "lts", kind: ProcessKind::Lts, is_partial: false },
    Form { word: "mts", kind: ProcessKind::Lts, is_partial: true },
];
