//! Small random machines that shrink, and the obvious slow way to decide CTL on them.

pub(crate) mod model;
pub(crate) mod oracle;
pub(crate) mod text;
pub(crate) mod thesis;
