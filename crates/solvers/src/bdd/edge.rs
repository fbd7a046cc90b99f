//! Edges of decision diagrams.

/// A node or its complement.
pub(super) type Edge = u32;

pub(super) const TRUE: Edge = 0;
pub(super) const FALSE: Edge = 1;

/// No node, as the end of a chain; no edge, as a result that is still to come.
pub(super) const NONE: u32 = u32::MAX;
