//! The memory growing lists are about to hold, so that a budget is charged before they do.

use crate::{Draft, RsmBuilder};
use loris_base::Names;

/// How much of an input is read between two declarations.
pub(crate) const CHUNK: usize = 1 << 16;

/// Bytes of a list that may get this many more elements. The room that it reserves for even more
/// costs address space, of which the command line keeps half in reserve, but no memory.
pub(crate) fn ahead<T>(list: &[T], more: usize) -> usize {
    size_of::<T>() * (list.len() + more)
}

/// The same of names, of which this many bytes of text may be read.
pub(crate) fn names_ahead(names: &Names, text: usize) -> usize {
    names.bytes_ahead(text / 8, text)
}

impl Draft {
    /// The bytes it may hold after some more elements of each kind.
    pub(crate) fn bytes_ahead(&self, more: usize) -> usize {
        ahead(&self.nodes, more)
            + ahead(&self.labels, more)
            + ahead(&self.boxes, more)
            + ahead(&self.ports, more)
            + ahead(&self.sources, more)
            + ahead(&self.targets, more)
            + ahead(&self.target_sources, more)
            // a place takes more text than anything else
            + self.source_map.bytes_ahead(more / 4)
    }

    /// The bytes a builder adds to its own while it takes this component.
    fn bytes_to_take(&self) -> usize {
        // a source is a number, a port is listed, numbered, hashed and put in order
        4 * self.sources.len() + 64 * (self.ports.len() + self.boxes.len())
    }
}

impl RsmBuilder {
    /// The bytes it may hold after it takes a component.
    pub(crate) fn bytes_ahead(&self, draft: &Draft) -> usize {
        ahead(&self.components, 1)
            + ahead(&self.nodes, draft.nodes.len())
            + self.labels.bytes_ahead(draft.nodes.len(), draft.labels.len())
            + ahead(&self.boxes, draft.boxes.len())
            // an edge names at most one port that no other names
            + ahead(&self.ports, draft.ports.len() + 2 * draft.boxes.len())
            + ahead(&self.edges, draft.targets.len())
            + self.source_map.bytes_ahead(0)
            + draft.source_map.bytes_ahead(0)
            + names_ahead(&self.names, CHUNK)
            // two tables of slots, and components by name
            + 16 * self.names.len()
            + 16 * self.components.len()
            + draft.bytes_to_take()
    }

    /// The bytes freezing holds beyond the builder, the frozen machine included.
    pub(crate) fn bytes_to_freeze(&self) -> usize {
        let vertices = self.nodes.len() + self.ports.len();
        // per vertex: its data, its rows in both directions, places on the way; per edge: one in
        // each direction; names once more, without their table
        36 * vertices
            + 8 * self.edges.len()
            + 40 * self.boxes.len()
            + 120 * self.components.len()
            + 2 * self.labels.bytes()
            + self.names.bytes() / 2
            + 8 * self.names.len()
    }
}
