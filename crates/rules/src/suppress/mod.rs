//! What suppresses findings: annotations in class files and in sources, and filter files as
//! `SpotBugs` has them. Configuration suppresses them, too, and so does a baseline.

mod annotation;
mod classes;
mod filter;
mod scan;
mod sources;
mod spotbugs;

pub use annotation::names_rule;
pub use classes::by_annotation;
pub use filter::Filter;
pub use scan::{Suppressed, suppressed_in};
pub use sources::by_source;
