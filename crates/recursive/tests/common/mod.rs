//! Small random machines that shrink, the obvious slow way to decide CTL on them, examples of
//! papers, and all engines.

pub(crate) mod engines;
pub(crate) mod examples;
pub(crate) mod model;
pub(crate) mod oracle;
pub(crate) mod text;
pub(crate) mod thesis;
