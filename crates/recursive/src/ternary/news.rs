//! Ports of instances, values they may know that contexts do not, and hashes of contexts.

use crate::contexts::hash_words;
use crate::instances::InstanceId;
use loris_base::{Idx, Truth};
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
