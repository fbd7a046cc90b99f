//! What rules about objects found.

use loris_base::Exhausted;
use loris_findings::Finding;
use loris_java::MethodId;

/// What rules about objects found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The findings, in no particular order.
    pub(crate) findings: Vec<Finding>,
    /// How many resources went where they cannot be followed.
    pub(crate) escaped: usize,
    /// Rules, by their places in the list, that are not decided for the objects of a method, and
    /// why.
    pub(crate) left: Vec<(usize, MethodId, Exhausted)>,
    /// The limit that was reached before callers were looked at of all methods that return objects
    /// they made.
    pub(crate) callers_left: Option<Exhausted>,
    /// The limit that was reached before any object was judged.
    pub(crate) stopped: Option<Exhausted>,
}
