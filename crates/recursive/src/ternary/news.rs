//! Ports of instances, values they may know that contexts do not, and hashes of contexts.

use crate::contexts::hash_words;
use crate::instances::{CellId, InstanceId};
use loris_base::{Idx, Truth};
use loris_logic::CoreId;
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex};

/// A call port of an instance.
#[derive(Clone, Copy)]
pub(super) struct Port {
    pub(super) caller: InstanceId,
    pub(super) vertex: Vertex,
}

/// Bytes that the boxes of a component and the entries take, each in its lists, which double.
pub(super) fn bytes_of_calls(rsm: &Rsm, component: ComponentId) -> usize {
    let ports = rsm.vertex_range(component).len() - rsm.nodes(component).len();
    8 * rsm.boxes(component).len() + 20 * ports + size_of::<Vec<Port>>() * rsm.entries(component).len()
}

/// A return port of a box may know a value at this place that the context of its callee does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct News {
    pub(super) instance: InstanceId,
    pub(super) site: BoxId,
    pub(super) place: u32,
}

impl News {
    /// Whether both are of one box.
    pub(super) fn same_box(&self, other: &Self) -> bool {
        (self.instance, self.site) == (other.instance, other.site)
    }
}

/// The share of one known place in the hash of a context; shares are joined by exclusive or.
pub(super) fn share(component: ComponentId, place: u32, value: Truth) -> u64 {
    hash_words(component.index() as u32, std::iter::once(u64::from(place) << 2 | value as u64))
}

/// The hash of a context.
pub(super) fn hash_context(component: ComponentId, context: &[Truth]) -> u64 {
    let known = context.iter().enumerate().filter(|(_, value)| value.is_known());
    let start = hash_words(component.index() as u32, std::iter::empty());
    known.fold(start, |hash, (place, &value)| hash ^ share(component, place as u32, value))
}

/// Why a formula at a cell waits: in the bits above its number.
pub(super) const AFTER_TRUE: u32 = 1 << 31;
pub(super) const AFTER_FALSE: u32 = 1 << 30;

/// A formula at a cell that may be known now, with the reason why.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    /// the number of the formula, with marks above it
    pub(super) marked: u32,
    pub(super) cell: CellId,
}

impl Waiting {
    /// A formula at a cell, after whatever has changed.
    pub(super) fn new(node: CoreId, cell: CellId) -> Self {
        Self::after(node, 0, cell)
    }

    pub(super) fn after(node: CoreId, mark: u32, cell: CellId) -> Self {
        Self { marked: node.index() as u32 | mark, cell }
    }

    pub(super) fn node(self) -> CoreId {
        CoreId::new((self.marked & !(AFTER_TRUE | AFTER_FALSE)) as usize)
    }
}

/// The mark of items that wait for a successor with this value; nothing for those that wait for an
/// operand.
pub(super) fn after(value: Truth) -> u32 {
    match value {
        Truth::True => AFTER_TRUE,
        Truth::False => AFTER_FALSE,
        Truth::Unknown => 0,
    }
}
