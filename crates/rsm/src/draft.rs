//! One component as a front end reads it: names and places, nothing resolved.

use crate::ids::NONE;
use crate::source_map::{RawPlace, SourceMap};
use loris_base::{Idx, Symbol};

/// Bits of a [`Reference`] for the distance between its two names.
const DISTANCE_BITS: u32 = 16;

/// A component on its way into an [`RsmBuilder`](crate::RsmBuilder). Nodes, boxes and edges may
/// come in any order and refer to later ones.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(crate) name: Symbol,
    pub(crate) offset: u64,
    pub(crate) nodes: Vec<DraftNode>,
    pub(crate) labels: Vec<Symbol>,
    pub(crate) boxes: Vec<DraftBox>,
    pub(crate) ports: Vec<ListedPort>,
    pub(crate) sources: Vec<Reference>,
    pub(crate) targets: Vec<Reference>,
    /// for each target, the number of its source
    pub(crate) target_sources: Vec<u32>,
    /// places of its nodes and boxes, by their numbers here
    pub(crate) source_map: SourceMap,
    pub(crate) incomplete: bool,
}

/// A node of a [`Draft`].
#[derive(Clone, Debug)]
pub struct DraftNode {
    pub(crate) name: Symbol,
    pub(crate) offset: u64,
    pub(crate) labels_end: u32,
    /// Whether calls may land here.
    pub entry: bool,
    /// Whether returns leave from here.
    pub exit: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct DraftBox {
    pub(crate) name: Symbol,
    pub(crate) callee: Symbol,
    pub(crate) offset: u64,
    pub(crate) callee_offset: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct ListedPort {
    pub(crate) site: u32,
    pub(crate) node: Symbol,
    pub(crate) offset: u64,
    pub(crate) returns: bool,
}

/// A node or a port, by name, and the place in the input. Millions of them are held at once.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// the number of the box, `NONE` for a node
    site: u32,
    pub(crate) node: Symbol,
    /// 48 bits for the place where the node is named, and 16 for the distance from there to the
    /// name of the box
    places: u64,
}

impl Reference {
    /// A node of the component itself.
    pub fn node(node: Symbol, offset: u64) -> Self {
        Self { site: NONE, node, places: offset << DISTANCE_BITS }
    }

    /// The port of a box for a node of its callee.
    pub fn port(site: Symbol, node: Symbol, offset: u64) -> Self {
        Self { site: site.index() as u32, node, places: offset << DISTANCE_BITS }
    }

    /// Records where the box of a port is named, if not where its node is.
    #[must_use]
    pub fn site_at(mut self, offset: u64) -> Self {
        // too far away, it counts as named where the node is
        let distance = i16::try_from(offset.wrapping_sub(self.offset()).cast_signed()).unwrap_or(0);
        self.places = self.offset() << DISTANCE_BITS | u64::from(distance.cast_unsigned());
        self
    }

    /// The box of a port.
    pub(crate) fn site(&self) -> Option<Symbol> {
        (self.site != NONE).then(|| Symbol::new(self.site as usize))
    }

    /// Where the node is named.
    pub(crate) fn offset(&self) -> u64 {
        self.places >> DISTANCE_BITS
    }

    /// Where the box is named.
    pub(crate) fn site_offset(&self) -> u64 {
        let distance = (self.places as u16).cast_signed();
        self.offset().wrapping_add_signed(i64::from(distance))
    }
}

impl Draft {
    /// An empty component; `offset` is where the input names it.
    pub fn new(name: Symbol, offset: u64) -> Self {
        Self {
            name,
            offset,
            nodes: Vec::new(),
            labels: Vec::new(),
            boxes: Vec::new(),
            ports: Vec::new(),
            sources: Vec::new(),
            targets: Vec::new(),
            target_sources: Vec::new(),
            source_map: SourceMap::default(),
            incomplete: false,
        }
    }

    /// Names the component, where the name is read after its parts.
    pub fn rename(&mut self, name: Symbol, offset: u64) {
        self.name = name;
        self.offset = offset;
    }

    /// Empties the draft and keeps its memory for the next component.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.labels.clear();
        self.boxes.clear();
        self.ports.clear();
        self.sources.clear();
        self.truncate_targets(0);
        self.source_map.clear();
        self.incomplete = false;
    }

    /// Records that some of the component could not be read. Names that seem to be missing in it
    /// are not reported then.
    pub fn incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Adds a node; labels that follow are its labels.
    pub fn node(&mut self, name: Symbol, offset: u64) -> &mut DraftNode {
        let labels_end = self.labels.len() as u32;
        self.nodes.push(DraftNode { name, offset, labels_end, entry: false, exit: false });
        let last = self.nodes.len() - 1;
        &mut self.nodes[last]
    }

    /// Adds a label to the node added last.
    pub fn label(&mut self, label: Symbol) {
        self.labels.push(label);
        if let Some(node) = self.nodes.last_mut() {
            node.labels_end = self.labels.len() as u32;
        }
    }

    /// Gives the node added last its place in a source file; lines and columns count from 1.
    pub fn node_place(&mut self, file: Symbol, line: u32, column: Option<u32>) {
        if let Some(node) = self.nodes.len().checked_sub(1) {
            let place = RawPlace { file, line, column: column.unwrap_or(0) };
            self.source_map.nodes.push(node as u32, place);
        }
    }

    /// Gives the box added last its place in a source file; lines and columns count from 1.
    pub fn box_place(&mut self, file: Symbol, line: u32, column: Option<u32>) {
        if let Some(site) = self.boxes.len().checked_sub(1) {
            let place = RawPlace { file, line, column: column.unwrap_or(0) };
            self.source_map.boxes.push(site as u32, place);
        }
    }

    /// Adds a box that calls `callee`.
    pub fn site(&mut self, name: Symbol, offset: u64, callee: Symbol, callee_offset: u64) {
        self.boxes.push(DraftBox { name, callee, offset, callee_offset });
    }

    /// Lists a port of the box that will be added next.
    pub(crate) fn list_port_of_next(&mut self, node: Symbol, offset: u64, returns: bool) {
        self.ports.push(ListedPort { site: self.boxes.len() as u32, node, offset, returns });
    }

    /// Starts a list of edges from here; a source may come more than once.
    pub fn source(&mut self, source: Reference) {
        self.sources.push(source);
    }

    /// Adds an edge from the source named last.
    pub fn target(&mut self, target: Reference) {
        if let Some(source) = self.sources.len().checked_sub(1) {
            self.targets.push(target);
            self.target_sources.push(source as u32);
        }
    }

    /// Adds an edge from the source that will be named next.
    pub(crate) fn target_of_next(&mut self, target: Reference) {
        self.targets.push(target);
        self.target_sources.push(self.sources.len() as u32);
    }

    /// Takes back all edges but the first this many.
    pub(crate) fn truncate_targets(&mut self, count: usize) {
        self.targets.truncate(count);
        self.target_sources.truncate(count);
    }

    /// Adds an edge.
    pub fn edge(&mut self, source: Reference, target: Reference) {
        self.source(source);
        self.target(target);
    }
}
