//! The recursive state machine itself: immutable once built, all of it in flat arrays.
//!
//! Vertices (lazy-rsm, section 3.1) are numbered component by component: first the nodes of a
//! component, then the ports of its boxes. A port `(b, n)` *is* the state of the callee's node `n`
//! with `b` on the stack (Fig. 2): a call port stands for an entry, a return port for an exit.
//! A port of a node that is entry and exit at once (an empty procedure) is both; it has the edges
//! of a return port and needs no call.

use crate::ids::{BoxId, Component, ComponentId, LabelId, NONE, Vertex};
use crate::labelling::Labelling;
use crate::name_table::NameTable;
use crate::node_names::NodeNames;
use crate::source_map::{SourceMap, SourcePlace};
use crate::vertices::{Owners, Vertices};
use loris_base::{Budget, Csr, Exhausted, Idx, IndexVec, Symbol};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

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
    /// shared by machines that differ in where runs start
    pub(crate) body: Arc<Body>,
    pub(crate) initial_component: ComponentId,
    pub(crate) initial: Vec<Vertex>,
}

/// All of a machine but where runs start.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// shared with the products of this machine
    pub(crate) names: Arc<NameTable>,
    pub(crate) components: IndexVec<ComponentId, Component>,
    pub(crate) boxes: IndexVec<BoxId, CallSite>,
    pub(crate) vertices: Vertices,
    pub(crate) owners: Owners,
    pub(crate) node_names: NodeNames,
    /// places of nodes, numbered like their names, and of boxes; shared with the products of this
    /// machine
    pub(crate) source_map: Arc<SourceMap>,
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
    pub(crate) labelling: Labelling,
    pub(crate) edges: usize,
    /// whether runs end at dead ends; else these have loops
    pub(crate) stops: bool,
    pub(crate) dead_ends: Vec<Vertex>,
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

/// The slots of a box that has a port for each entry and each exit: they are its ports, in order.
pub(crate) const ALL: u32 = NONE - 1;

/// The kind of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexKind {
    /// A node of the component.
    Node,
    /// A call port: the callee's entry with this box on the stack.
    Call(BoxId),
    /// A return port: the callee's exit with this box on the stack. Ports of a node that is entry
    /// and exit at once are of this kind, too: their edges are those of the return.
    Return(BoxId),
}

impl Rsm {
    /// How many components there are.
    pub fn component_count(&self) -> usize {
        self.body.components.len()
    }

    /// How many boxes there are.
    pub fn box_count(&self) -> usize {
        self.body.boxes.len()
    }

    /// How many vertices, nodes and ports, there are.
    pub fn vertex_count(&self) -> usize {
        self.body.vertices.len()
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.body.components.iter().map(|component| component.nodes as usize).sum()
    }

    /// How many edges the model lists.
    pub fn edge_count(&self) -> usize {
        self.body.edges
    }

    /// All components.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = ComponentId> + ExactSizeIterator + use<> {
        self.body.components.ids()
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
        let range = &self.body.components[component].vertices;
        range.start as usize..range.end as usize
    }

    /// The nodes of a component.
    pub fn nodes(
        &self,
        component: ComponentId,
    ) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator + use<> {
        let start = self.body.components[component].vertices.start as usize;
        (start..start + self.body.components[component].nodes as usize).map(Vertex::new)
    }

    /// The boxes of a component.
    pub fn boxes(
        &self,
        component: ComponentId,
    ) -> impl DoubleEndedIterator<Item = BoxId> + ExactSizeIterator + use<> {
        let range = self.body.components[component].boxes.clone();
        (range.start as usize..range.end as usize).map(BoxId::new)
    }

    /// The number of a component's first box; its others follow.
    #[inline]
    pub fn first_box(&self, component: ComponentId) -> usize {
        self.body.components[component].boxes.start as usize
    }

    /// The entries of a component (En).
    #[inline]
    pub fn entries(&self, component: ComponentId) -> &[Vertex] {
        let range = &self.body.components[component].entries;
        &self.body.entries[range.start as usize..range.end as usize]
    }

    /// The exits of a component (Ex).
    #[inline]
    pub fn exits(&self, component: ComponentId) -> &[Vertex] {
        let range = &self.body.components[component].exits;
        &self.body.exits[range.start as usize..range.end as usize]
    }

    /// The component a vertex lies in, after a few steps: to be asked once for many vertices of one
    /// component.
    #[inline]
    pub fn component_of(&self, vertex: Vertex) -> ComponentId {
        self.body.owners.get(&self.body.components, vertex)
    }

    /// The component a box lies in.
    #[inline]
    pub fn owner(&self, site: BoxId) -> ComponentId {
        self.body.boxes[site].owner
    }

    /// The component a box calls (Y).
    #[inline]
    pub fn callee(&self, site: BoxId) -> ComponentId {
        self.body.boxes[site].callee
    }

    /// The kind of a vertex.
    #[inline]
    pub fn kind(&self, vertex: Vertex) -> VertexKind {
        let data = self.body.vertices.get(vertex);
        if data.site == NONE {
            VertexKind::Node
        } else if data.exit == NONE {
            VertexKind::Call(BoxId::new(data.site as usize))
        } else {
            VertexKind::Return(BoxId::new(data.site as usize))
        }
    }

    /// The node a vertex stands for: itself, or the callee's entry or exit.
    #[inline]
    pub fn node_of(&self, vertex: Vertex) -> Vertex {
        Vertex::new(self.body.vertices.get(vertex).node as usize)
    }

    /// The box of a port.
    #[inline]
    pub fn box_of(&self, vertex: Vertex) -> Option<BoxId> {
        let site = self.body.vertices.get(vertex).site;
        (site != NONE).then(|| BoxId::new(site as usize))
    }

    /// The position of an exit among the exits of its component; for a return port that of the exit
    /// it stands for.
    #[inline]
    pub fn exit_index(&self, vertex: Vertex) -> Option<usize> {
        let exit = self.body.vertices.get(vertex).exit;
        (exit != NONE).then_some(exit as usize)
    }

    /// The position of an entry among the entries of its component; for a call port that of the
    /// entry it stands for.
    #[inline]
    pub fn entry_index(&self, vertex: Vertex) -> Option<usize> {
        let entry = self.body.vertices.get(vertex).entry;
        (entry != NONE).then_some(entry as usize)
    }

    /// Whether a vertex is a node where a run leaves its component.
    #[inline]
    pub fn is_exit(&self, vertex: Vertex) -> bool {
        let data = self.body.vertices.get(vertex);
        data.exit != NONE && data.site == NONE
    }

    /// Whether a vertex is a node where a run enters its component.
    #[inline]
    pub fn is_entry(&self, vertex: Vertex) -> bool {
        let data = self.body.vertices.get(vertex);
        data.entry != NONE && data.site == NONE
    }

    /// The ports of a box that are vertices: those of entries, then those of other exits, each in
    /// the order of the callee.
    pub fn ports(&self, site: BoxId) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator + use<> {
        let range = &self.body.boxes[site].ports;
        (range.start as usize..range.end as usize).map(Vertex::new)
    }

    /// The port of a box for the callee's entry of this position, if it is a vertex. O(1), or
    /// O(log) in the ports of a box that has few of many.
    #[inline]
    pub fn call_port(&self, site: BoxId, entry: usize) -> Option<Vertex> {
        let data = &self.body.boxes[site];
        match data.slots {
            NONE => self.search_port(data, self.entries(data.callee)[entry]),
            ALL => Some(Vertex::new(data.ports.start as usize + entry)),
            slots => self.slot(slots as usize + entry),
        }
    }

    /// The port of a box for the callee's exit of this position, if it is a vertex. Without one,
    /// the callee cannot leave through that exit when called from here. O(1), or O(log) in the
    /// ports of a box that has few of many.
    #[inline]
    pub fn return_port(&self, site: BoxId, exit: usize) -> Option<Vertex> {
        let data = &self.body.boxes[site];
        match data.slots {
            NONE => self.search_port(data, self.exits(data.callee)[exit]),
            ALL => Some(Vertex::new(data.ports.start as usize + self.entries(data.callee).len() + exit)),
            slots => self.slot(slots as usize + self.body.components[data.callee].entries.len() + exit),
        }
    }

    #[inline]
    fn slot(&self, index: usize) -> Option<Vertex> {
        let port = self.body.port_slots[index];
        (port != NONE).then(|| Vertex::new(port as usize))
    }

    /// The port of a box that stands for this node of its callee.
    #[cold]
    fn search_port(&self, site: &CallSite, node: Vertex) -> Option<Vertex> {
        let place = |vertex: Vertex| {
            let data = self.body.vertices.get(vertex);
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
        self.body.callers.row(component.index()).iter().map(|&site| BoxId::new(site as usize))
    }

    /// Where the edges of a vertex lead. None for an exit and for a call port: the one goes on at
    /// the caller's return port, the other in the callee.
    #[inline]
    pub fn successors(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.body.successors.row(vertex.index()).iter().map(|&target| Vertex::new(target as usize))
    }

    /// Where edges into a vertex come from.
    #[inline]
    pub fn predecessors(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.body.predecessors.row(vertex.index()).iter().map(|&source| Vertex::new(source as usize))
    }

    /// All edges out of all vertices, as rows of vertex numbers.
    pub fn successor_rows(&self) -> &Csr {
        &self.body.successors
    }

    /// All edges into all vertices, as rows of vertex numbers.
    pub fn predecessor_rows(&self) -> &Csr {
        &self.body.predecessors
    }

    /// The initial nodes, all in one component, met with an empty stack.
    pub fn initial(&self) -> &[Vertex] {
        &self.initial
    }

    /// The component of the initial nodes.
    pub fn initial_component(&self) -> ComponentId {
        self.initial_component
    }

    /// The same machine, with runs that start at the entries of another component; large tables are
    /// shared.
    #[must_use]
    pub fn rooted(&self, component: ComponentId) -> Rsm {
        let initial = self.entries(component).to_vec();
        Rsm { body: Arc::clone(&self.body), initial_component: component, initial }
    }

    /// How many labels there are.
    pub fn label_count(&self) -> usize {
        self.body.labels.len()
    }

    /// The names of all labels.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.body.labels.iter().map(|&symbol| &self.body.names[symbol])
    }

    /// The label of this name. O(log) in the number of labels.
    pub fn label(&self, name: &str) -> Option<LabelId> {
        let place =
            self.body.labels_by_name.binary_search_by(|&label| self.label_name(label).cmp(name)).ok()?;
        Some(self.body.labels_by_name[place])
    }

    /// The name of a label.
    pub fn label_name(&self, label: LabelId) -> &str {
        &self.body.names[self.body.labels[label]]
    }

    /// The labels of a vertex; a port has those of the node it stands for. O(log) in the number of
    /// nodes.
    pub fn labels_of(&self, vertex: Vertex) -> impl Iterator<Item = LabelId> + '_ {
        let labels = self.body.labelling.of_node(self.body.vertices.get(vertex).node);
        labels.map(|label| LabelId::new(label as usize))
    }

    /// The nodes that carry a label.
    pub fn labelled(&self, label: LabelId) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.body.labelling.nodes(label.index()).map(|node| Vertex::new(node as usize))
    }

    /// Sets the bits of the nodes that carry a label.
    pub fn mark(&self, label: LabelId, words: &mut [u64]) {
        self.body.labelling.mark(label.index(), words);
    }

    /// The name of a component.
    pub fn component_name(&self, component: ComponentId) -> &str {
        &self.body.names[self.body.components[component].name]
    }

    /// The name of a box.
    pub fn box_name(&self, site: BoxId) -> &str {
        &self.body.names[self.body.boxes[site].name]
    }

    /// The name of a node, or of the node a port stands for.
    pub fn vertex_name(&self, vertex: Vertex) -> Cow<'_, str> {
        let (owner, place) = self.place_of_name(vertex);
        let first = self.body.components[owner].first_name;
        self.body.node_names.name(&self.body.names, owner, first, place)
    }

    /// The values of a node's variables, if its front end provides them; for a port, those of the
    /// node it stands for.
    pub fn values(&self, vertex: Vertex) -> Vec<(&str, String)> {
        match &self.body.node_names {
            NodeNames::Listed(_) => Vec::new(),
            NodeNames::Computed(names) => {
                let (owner, place) = self.place_of_name(vertex);
                names.values(owner, place as usize)
            }
        }
    }

    /// The place in a source file of a node, or of the node a port stands for, if the model has
    /// one. O(log) in the number of nodes that have one.
    pub fn place(&self, vertex: Vertex) -> Option<SourcePlace<'_>> {
        let (owner, node) = self.place_of_name(vertex);
        match &self.body.node_names {
            NodeNames::Listed(_) => {
                let number = self.body.components[owner].first_name + node;
                self.body.source_map.nodes.get(number, &self.body.names)
            }
            NodeNames::Computed(names) => names.place(owner, node as usize),
        }
    }

    /// The place in a source file of a box, if the model has one. O(log) in the number of boxes
    /// that have one.
    pub fn box_place(&self, site: BoxId) -> Option<SourcePlace<'_>> {
        self.body.source_map.boxes.get(site.index() as u32, &self.body.names)
    }

    /// The component of the node that a vertex stands for, and the place of its name there.
    fn place_of_name(&self, vertex: Vertex) -> (ComponentId, u32) {
        let node = self.node_of(vertex);
        let owner = self.component_of(node);
        let start = self.body.components[owner].vertices.start;
        (owner, (node.index() as u32 - start) / self.body.copies)
    }

    /// Whether the names of nodes are those of a file, not computed.
    pub fn has_listed_names(&self) -> bool {
        matches!(self.body.node_names, NodeNames::Listed(_))
    }

    /// The component of this name. Linear in the number of components.
    pub fn find_component(&self, name: &str) -> Option<ComponentId> {
        self.components().find(|&component| self.component_name(component) == name)
    }

    /// The node of this name in a component. Linear in its number of nodes, where names are listed.
    pub fn find_node(&self, component: ComponentId, name: &str) -> Option<Vertex> {
        if let (NodeNames::Computed(names), 1) = (&self.body.node_names, self.body.copies) {
            let start = self.vertex_range(component).start;
            return names.find(component, name).map(|node| Vertex::new(start + node));
        }
        self.nodes(component).find(|&node| self.vertex_name(node) == name)
    }

    /// The box of this name in a component. Linear in its number of boxes.
    pub fn find_box(&self, component: ComponentId, name: &str) -> Option<BoxId> {
        self.boxes(component).find(|&site| self.box_name(site) == name)
    }

    /// θ: the largest, over all components, of the smaller of its numbers of entries and exits
    /// (rsm-analysis, section 2).
    pub fn theta(&self) -> usize {
        self.body
            .components
            .iter()
            .map(|component| component.entries.len().min(component.exits.len()))
            .max()
            .unwrap_or(0)
    }

    /// Vertices that are not exits and had no successor: they have a loop
    /// ([`DeadEnds::Loop`](crate::DeadEnds::Loop)), or runs end there
    /// ([`DeadEnds::Stop`](crate::DeadEnds::Stop)).
    pub fn dead_ends(&self) -> &[Vertex] {
        &self.body.dead_ends
    }

    /// Those of them that were given a loop.
    pub fn looped_dead_ends(&self) -> &[Vertex] {
        if self.body.stops { &[] } else { &self.body.dead_ends }
    }

    /// Those of them where runs end.
    pub fn stops(&self) -> &[Vertex] {
        if self.body.stops { &self.body.dead_ends } else { &[] }
    }

    /// The same machine with a loop wherever runs [stop](Self::stops), and one more label, the
    /// last, on the nodes where they do: a machine in which every state has a successor, for
    /// engines that need this. Vertices and other labels keep their numbers. Linear in the machine.
    /// The budget stays charged for the copy.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn looped(&self, label: &str, budget: &mut Budget) -> Result<Rsm, Exhausted> {
        let before = budget.used();
        budget.charge(self.bytes() + 16 * self.stops().len())?;
        let mut body = (*self.body).clone();
        let stops = self.stops();
        let loops = stops.iter().map(|vertex| (vertex.index() as u32, vertex.index() as u32));
        let edges = || body.successors.pairs().chain(loops.clone());
        body.successors = Csr::from_pairs_within(body.vertices.len(), edges(), budget)?;
        body.predecessors = body.successors.transposed_within(body.vertices.len(), budget)?;
        let nodes = stops.iter().filter(|&&vertex| self.kind(vertex) == VertexKind::Node);
        let mut nodes: Vec<u32> = nodes.map(|vertex| vertex.index() as u32).collect();
        nodes.sort_unstable();
        let number = body.labels.len() as u32;
        body.labelling = body.labelling.with(number, &nodes);
        let (names, symbol) = body.names.with(label);
        body.names = Arc::new(names);
        let number = body.labels.push(symbol);
        let place = body.labels_by_name.partition_point(|&other| self.label_name(other) < label);
        body.labels_by_name.insert(place, number);
        body.stops = false;
        let looped = Rsm { body: Arc::new(body), ..self.clone() };
        budget.settle(before + looped.bytes())?;
        Ok(looped)
    }

    /// Bytes that the machine holds, names included.
    pub fn bytes(&self) -> usize {
        let rows = self.body.successors.bytes() + self.body.predecessors.bytes() + self.body.callers.bytes();
        let labels = self.body.labelling.bytes() + 8 * self.body.labels.len();
        let vertices = self.body.vertices.bytes() + self.body.owners.bytes() + self.body.node_names.bytes();
        let lists =
            self.body.entries.capacity() + self.body.exits.capacity() + self.body.port_slots.capacity();
        self.body.components.len() * size_of::<Component>()
            + self.body.boxes.len() * size_of::<CallSite>()
            + 4 * (lists + self.body.dead_ends.len())
            + rows
            + labels
            + vertices
            + self.body.names.bytes()
            + self.body.source_map.bytes_ahead(0)
    }
}
