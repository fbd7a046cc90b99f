//! Small random machines that shrink, the obvious slow way to decide CTL on them, examples of
//! papers, and all engines.

pub mod engines;
pub mod examples;
pub mod model;
pub mod oracle;
pub mod text;
pub mod thesis;
