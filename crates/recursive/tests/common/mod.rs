//! Small random machines that shrink, and the obvious slow way to decide CTL on them.

pub mod model;
pub mod oracle;
