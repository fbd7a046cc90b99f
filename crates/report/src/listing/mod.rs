//! Findings of rules as text and as JSON.

mod count;
mod json;
mod text;

pub use count::Count;
pub use json::{json_finding, json_findings};
pub use text::{text_finding, text_findings};
