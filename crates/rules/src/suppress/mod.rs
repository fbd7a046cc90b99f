//! What suppresses findings: annotations in class files and in sources. Configuration suppresses
//! them, too, and so does a baseline.

mod annotation;
mod classes;
mod scan;
mod sources;

pub use annotation::names_rule;
pub use classes::by_annotation;
pub use scan::{Suppressed, suppressed_in};
pub use sources::by_source;
