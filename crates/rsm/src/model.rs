//! The recursive state machine itself: immutable once built, all of it in flat arrays.
//!
//! Vertices (lazy-rsm, section 3.1) are numbered component by component: first the nodes of a
//! component, then the ports of its boxes. A port `(b, n)` *is* the state of the callee's node `n`
//! with `b` on the stack (Fig. 2): a call port stands for an entry, a return port for an exit.
//! A port of a node that is entry and exit at once (an empty procedure) is both; it has the edges
//! of a return port and needs no call.

use crate::label_rows::LabelRows;
use crate::name_table::NameTable;
use crate::vertices::{Owners, Vertices};
use loris_base::{Csr, Idx, IndexVec, Symbol};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

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

/// A recursive state machine with labelled nodes.
///
/// ```
/// use loris_rsm::{Draft, RsmBuilder, Semantics};
/// let mut builder = RsmBuilder::default();
/// let mut main = Draft::new(builder.symbol("main"), 0);
/// let (start, end, p) = (builder.symbol("start"), builder.symbol("end"), builder.symbol("p"));
/// main.node(start, 0).entry = true;
/// main.node(end, 0).exit = true;
/// main.label(p);
/// main.edge(loris_rsm::Reference::node(start, 0), loris_rsm::Reference::node(end, 0));
/// builder.component(main);
/// let (rsm, _remarks) = builder.finish(&Semantics::default()).unwrap();
/// assert_eq!(rsm.vertex_name(rsm.initial()[0]), "start");
/// ```
#[derive(Clone, Debug)]
pub struct Rsm {
    /// shared with the products of this machine
    pub(crate) names: Arc<NameTable>,
    pub(crate) components: IndexVec<ComponentId, Component>,
    pub(crate) boxes: IndexVec<BoxId, CallSite>,
    pub(crate) vertices: Vertices,
    pub(crate) owners: Owners,
    /// the names of nodes, component by component
    pub(crate) node_names: Arc<Vec<Symbol>>,
    /// how many nodes in a row have each of these names: one, but for a product
    pub(crate) copies: u32,
    pub(crate) successors: Csr,
    pub(crate) predecessors: Csr,
    pub(crate) entries: Vec<Vertex>,
    pub(crate) exits: Vec<Vertex>,
    /// per box that has them, a slot for each entry of the callee, then one for each exit
    pub(crate) port_slots: Vec<u32>,
    pub(crate) callers: Csr,
    pub(crate) labels: IndexVec<LabelId, Symbol>,
    /// all labels, by name
    pub(crate) labels_by_name: Vec<LabelId>,
    pub(crate) vertex_labels: LabelRows,
    pub(crate) label_vertices: Csr,
    pub(crate) initial_component: ComponentId,
    pub(crate) initial: Vec<Vertex>,
    pub(crate) edges: usize,
    pub(crate) dead_ends: Vec<Vertex>,
}

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

#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) name: Symbol,
    pub(crate) owner: ComponentId,
    pub(crate) callee: ComponentId,
    /// where its slots start, `ALL` if it has every port, `NONE` if its ports are to be searched
    pub(crate) slots: u32,
    /// those of entries, then those of other exits, each in the order of the callee
    pub(crate) ports: Range<u32>,
}

pub(crate) const NONE: u32 = u32::MAX;

/// The slots of a box that has a port for each entry and each exit: they are its ports, in order.
pub(crate) const ALL: u32 = NONE - 1;

/// What a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A node of the component.
    Node,
    /// A call port: the callee's entry with this box on the stack.
    Call(BoxId),
    /// A return port: the callee's exit with this box on the stack. Ports of a node that is entry
    /// and exit at once are of this kind, too: their edges say how it goes on.
    Return(BoxId),
}

impl Rsm {
    /// How many components there are.
    pub fn component_count(&self) -> usize {
        self.components.len()
    }

    /// How many boxes there are.
    pub fn box_count(&self) -> usize {
        self.boxes.len()
    }

    /// How many vertices, nodes and ports, there are.
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.components.iter().map(|component| component.nodes as usize).sum()
    }

    /// How many edges the model lists.
    pub fn edge_count(&self) -> usize {
        self.edges
    }

    /// All components.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = ComponentId> + ExactSizeIterator + use<> {
        self.components.ids()
    }

    /// All vertices of a component: its nodes, then its ports.
    pub fn vertices(
        &self,
        component: ComponentId,
    ) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator + use<> {
        self.vertex_range(component).map(Vertex::new)
    }

    /// The numbers of a component's vertices.
    #[inline]
    pub fn vertex_range(&self, component: ComponentId) -> Range<usize> {
        let range = &self.components[component].vertices;
        range.start as usize..range.end as usize
    }

    /// The nodes of a component.
    pub fn nodes(
        &self,
        component: ComponentId,
    ) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator + use<> {
        let start = self.components[component].vertices.start as usize;
        (start..start + self.components[component].nodes as usize).map(Vertex::new)
    }

    /// The boxes of a component.
    pub fn boxes(
        &self,
        component: ComponentId,
    ) -> impl DoubleEndedIterator<Item = BoxId> + ExactSizeIterator + use<> {
        let range = self.components[component].boxes.clone();
        (range.start as usize..range.end as usize).map(BoxId::new)
    }

    /// The number of a component's first box; its others follow.
    #[inline]
    pub fn first_box(&self, component: ComponentId) -> usize {
        self.components[component].boxes.start as usize
    }

    /// The entries of a component (En).
    #[inline]
    pub fn entries(&self, component: ComponentId) -> &[Vertex] {
        let range = &self.components[component].entries;
        &self.entries[range.start as usize..range.end as usize]
    }

    /// The exits of a component (Ex).
    #[inline]
    pub fn exits(&self, component: ComponentId) -> &[Vertex] {
        let range = &self.components[component].exits;
        &self.exits[range.start as usize..range.end as usize]
    }

    /// The component a vertex lies in, after a few steps: to be asked once for many vertices of one component.
    #[inline]
    pub fn component_of(&self, vertex: Vertex) -> ComponentId {
        self.owners.get(&self.components, vertex)
    }

    /// The component a box lies in.
    #[inline]
    pub fn owner(&self, site: BoxId) -> ComponentId {
        self.boxes[site].owner
    }

    /// The component a box calls (Y).
    #[inline]
    pub fn callee(&self, site: BoxId) -> ComponentId {
        self.boxes[site].callee
    }

    /// What a vertex is.
    #[inline]
    pub fn kind(&self, vertex: Vertex) -> Kind {
        let data = self.vertices.get(vertex);
        if data.site == NONE {
            Kind::Node
        } else if data.exit == NONE {
            Kind::Call(BoxId::new(data.site as usize))
        } else {
            Kind::Return(BoxId::new(data.site as usize))
        }
    }

    /// The node a vertex stands for: itself, or the callee's entry or exit.
    #[inline]
    pub fn node_of(&self, vertex: Vertex) -> Vertex {
        Vertex::new(self.vertices.get(vertex).node as usize)
    }

    /// The box of a port.
    #[inline]
    pub fn box_of(&self, vertex: Vertex) -> Option<BoxId> {
        let site = self.vertices.get(vertex).site;
        (site != NONE).then(|| BoxId::new(site as usize))
    }

    /// The position of an exit among the exits of its component; for a return port that of the exit
    /// it stands for.
    #[inline]
    pub fn exit_index(&self, vertex: Vertex) -> Option<usize> {
        let exit = self.vertices.get(vertex).exit;
        (exit != NONE).then_some(exit as usize)
    }

    /// The position of an entry among the entries of its component; for a call port that of the
    /// entry it stands for.
    #[inline]
    pub fn entry_index(&self, vertex: Vertex) -> Option<usize> {
        let entry = self.vertices.get(vertex).entry;
        (entry != NONE).then_some(entry as usize)
    }

    /// Whether a vertex is a node where a run leaves its component.
    #[inline]
    pub fn is_exit(&self, vertex: Vertex) -> bool {
        let data = self.vertices.get(vertex);
        data.exit != NONE && data.site == NONE
    }

    /// Whether a vertex is a node where a run enters its component.
    #[inline]
    pub fn is_entry(&self, vertex: Vertex) -> bool {
        let data = self.vertices.get(vertex);
        data.entry != NONE && data.site == NONE
    }

    /// The ports of a box that are vertices: those of entries, then those of other exits, each in the
    /// order of the callee.
    pub fn ports(&self, site: BoxId) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator + use<> {
        let range = &self.boxes[site].ports;
        (range.start as usize..range.end as usize).map(Vertex::new)
    }

    /// The port of a box for the callee's entry of this position, if it is a vertex. O(1), or O(log) in
    /// the ports of a box that has few of many.
    #[inline]
    pub fn call_port(&self, site: BoxId, entry: usize) -> Option<Vertex> {
        let data = &self.boxes[site];
        match data.slots {
            NONE => self.search_port(data, self.entries(data.callee)[entry]),
            ALL => Some(Vertex::new(data.ports.start as usize + entry)),
            slots => self.slot(slots as usize + entry),
        }
    }

    /// The port of a box for the callee's exit of this position, if it is a vertex. Without one, the
    /// callee cannot leave through that exit when called from here. O(1), or O(log) in the ports of a box
    /// that has few of many.
    #[inline]
    pub fn return_port(&self, site: BoxId, exit: usize) -> Option<Vertex> {
        let data = &self.boxes[site];
        match data.slots {
            NONE => self.search_port(data, self.exits(data.callee)[exit]),
            ALL => Some(Vertex::new(data.ports.start as usize + self.entries(data.callee).len() + exit)),
            slots => self.slot(slots as usize + self.components[data.callee].entries.len() + exit),
        }
    }

    #[inline]
    fn slot(&self, index: usize) -> Option<Vertex> {
        let port = self.port_slots[index];
        (port != NONE).then(|| Vertex::new(port as usize))
    }

    /// The port of a box that stands for this node of its callee.
    #[cold]
    fn search_port(&self, site: &CallSite, node: Vertex) -> Option<Vertex> {
        let place = |vertex: Vertex| {
            let data = self.vertices.get(vertex);
            (data.entry == NONE, data.node)
        };
        let (wanted, mut ports) = (place(node), site.ports.clone());
        while ports.start < ports.end {
            let middle = ports.start.midpoint(ports.end);
            match place(Vertex::new(middle as usize)).cmp(&wanted) {
                Ordering::Equal => return Some(Vertex::new(middle as usize)),
                Ordering::Less => ports.start = middle + 1,
                Ordering::Greater => ports.end = middle,
            }
        }
        None
    }

    /// The boxes that call a component.
    pub fn callers(&self, component: ComponentId) -> impl Iterator<Item = BoxId> + '_ {
        self.callers.row(component.index()).iter().map(|&site| BoxId::new(site as usize))
    }

    /// Where the edges of a vertex lead. None for an exit and for a call port: the one goes on at the
    /// caller's return port, the other in the callee.
    #[inline]
    pub fn successors(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.successors.row(vertex.index()).iter().map(|&target| Vertex::new(target as usize))
    }

    /// Where edges into a vertex come from.
    #[inline]
    pub fn predecessors(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.predecessors.row(vertex.index()).iter().map(|&source| Vertex::new(source as usize))
    }

    /// All edges out of all vertices, as rows of vertex numbers.
    pub fn successor_rows(&self) -> &Csr {
        &self.successors
    }

    /// All edges into all vertices, as rows of vertex numbers.
    pub fn predecessor_rows(&self) -> &Csr {
        &self.predecessors
    }

    /// The initial nodes, all in one component, met with an empty stack.
    pub fn initial(&self) -> &[Vertex] {
        &self.initial
    }

    /// The component of the initial nodes.
    pub fn initial_component(&self) -> ComponentId {
        self.initial_component
    }

    /// How many labels there are.
    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// The names of all labels.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(|&symbol| &self.names[symbol])
    }

    /// The label of this name. O(log) in the number of labels.
    pub fn label(&self, name: &str) -> Option<LabelId> {
        let place = self.labels_by_name.binary_search_by(|&label| self.label_name(label).cmp(name)).ok()?;
        Some(self.labels_by_name[place])
    }

    /// The name of a label.
    pub fn label_name(&self, label: LabelId) -> &str {
        &self.names[self.labels[label]]
    }

    /// The labels of a vertex; a port has those of the node it stands for. O(log) in the number of nodes.
    pub fn labels_of(&self, vertex: Vertex) -> impl Iterator<Item = LabelId> + '_ {
        self.vertex_labels
            .row(self.vertices.get(vertex).node)
            .iter()
            .map(|&label| LabelId::new(label as usize))
    }

    /// The nodes that carry a label.
    pub fn labelled(&self, label: LabelId) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.label_vertices.row(label.index()).iter().map(|&node| Vertex::new(node as usize))
    }

    /// The name of a component.
    pub fn component_name(&self, component: ComponentId) -> &str {
        &self.names[self.components[component].name]
    }

    /// The name of a box.
    pub fn box_name(&self, site: BoxId) -> &str {
        &self.names[self.boxes[site].name]
    }

    /// The name of a node, or of the node a port stands for.
    pub fn vertex_name(&self, vertex: Vertex) -> &str {
        let node = self.node_of(vertex);
        let component = &self.components[self.component_of(node)];
        let place = (node.index() as u32 - component.vertices.start) / self.copies;
        &self.names[self.node_names[(component.first_name + place) as usize]]
    }

    /// The component of this name. Linear in the number of components.
    pub fn find_component(&self, name: &str) -> Option<ComponentId> {
        self.components().find(|&component| self.component_name(component) == name)
    }

    /// The node of this name in a component. Linear in its number of nodes.
    pub fn find_node(&self, component: ComponentId, name: &str) -> Option<Vertex> {
        self.nodes(component).find(|&node| self.vertex_name(node) == name)
    }

    /// The box of this name in a component. Linear in its number of boxes.
    pub fn find_box(&self, component: ComponentId, name: &str) -> Option<BoxId> {
        self.boxes(component).find(|&site| self.box_name(site) == name)
    }

    /// θ: the largest, over all components, of the smaller of its numbers of entries and exits
    /// (rsm-analysis, section 2).
    pub fn theta(&self) -> usize {
        self.components
            .iter()
            .map(|component| component.entries.len().min(component.exits.len()))
            .max()
            .unwrap_or(0)
    }

    /// Vertices without a successor that were given a loop ([`DeadEnds::Loop`](crate::DeadEnds::Loop)).
    pub fn looped_dead_ends(&self) -> &[Vertex] {
        &self.dead_ends
    }

    /// Bytes that the machine holds, names included.
    pub fn bytes(&self) -> usize {
        let rows = self.successors.bytes() + self.predecessors.bytes() + self.callers.bytes();
        let labels = self.vertex_labels.bytes() + self.label_vertices.bytes() + 8 * self.labels.len();
        let vertices = self.vertices.bytes() + self.owners.bytes() + 4 * self.node_names.capacity();
        let lists = self.entries.capacity() + self.exits.capacity() + self.port_slots.capacity();
        self.components.len() * size_of::<Component>()
            + self.boxes.len() * size_of::<CallSite>()
            + 4 * (lists + self.dead_ends.len())
            + rows
            + labels
            + vertices
            + self.names.bytes()
    }
}
