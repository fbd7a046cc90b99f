//! Ids of a machine, and the ranges of each component.

use loris_base::Symbol;
use std::ops::Range;

loris_base::id! {
    /// A component: one procedure.
    pub struct ComponentId;
    /// A box: one call site.
    pub struct BoxId;
    /// A node or a port, numbered over the whole machine.
    pub struct Vertex;
    /// A label that some node carries.
    pub struct LabelId;
}

/// No vertex, box or position.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) name: Symbol,
    pub(crate) vertices: Range<u32>,
    pub(crate) nodes: u32,
    /// where the names of its nodes start
    pub(crate) first_name: u32,
    pub(crate) boxes: Range<u32>,
    pub(crate) entries: Range<u32>,
    pub(crate) exits: Range<u32>,
}
