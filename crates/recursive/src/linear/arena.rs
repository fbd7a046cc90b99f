//! The graph of a search: places with edges, calls and returns.
//!
//! A [`Site`] is a component or an instance of one; its places are numbered from 0. A machine alone
//! is [`Machine`]; its product with an automaton has several places per vertex
//! ([`super::product`]).

use crate::instances::{InstanceId, Instances, NONE};
use loris_base::Idx;
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex, VertexKind};

/// Vertices whose edges, or whatever else is kept of them, are likely on one line of the cache.
const LINE: usize = 6;

/// A component, or an instance of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// its number
    pub(crate) number: u32,
    /// its component's first vertex
    pub(crate) first: u32,
    /// its first cell; that vertex, of a component
    pub(crate) cell: u32,
}

impl Site {
    /// The place of a vertex, in the machine alone.
    #[inline]
    pub(crate) fn place(self, vertex: Vertex) -> PlaceId {
        PlaceId::new(vertex.index() - self.first as usize)
    }
}

loris_base::id! {
    /// A place within its site.
    pub(crate) struct PlaceId;
}

impl PlaceId {
    /// No place.
    pub(crate) const NONE: PlaceId = PlaceId(u32::MAX);
}

/// A graph to be searched. All places are numbers within their site. Entries are numbered over all
/// sites, exits within theirs.
pub(crate) trait Arena {
    /// The vertex a place stands for.
    fn vertex(&self, site: Site, place: PlaceId) -> Vertex;
    /// How many places a site has.
    fn size(&self, site: Site) -> usize;
    /// How many places all sites have together.
    fn places(&self) -> usize;
    /// How many entries all sites have together.
    fn gates(&self) -> usize;
    /// How many entries a site has, and how many exits.
    fn sides(&self, site: Site) -> (usize, usize);
    /// Reads all of a site that a search will read, and calls `visit` with entries that it likely
    /// calls. Large machines do not fit the cache: memory that is read at once is waited for once.
    fn fetch(&self, site: Site, visit: impl FnMut(u32));
    /// Whether a frame has so many places that runs may meet few of them.
    fn is_sparse(&self) -> bool {
        false
    }
    /// Whether no site has more entries than exits.
    fn is_entry_bound(&self) -> bool;
    /// The number of an entry over all entries, if the place is one.
    fn gate(&self, site: Site, place: PlaceId) -> Option<u32>;
    /// The number of the entry that a call port calls.
    fn call(&self, site: Site, place: PlaceId) -> Option<u32>;
    /// Where a call port leads: a site, and the entry's place in it.
    fn callee(&self, site: Site, port: PlaceId) -> (Site, PlaceId);
    /// Whether runs leave a site here.
    fn is_exit(&self, site: Site, place: PlaceId) -> bool;
    /// The number of an exit among those of its site.
    fn exit_number(&self, site: Site, exit: PlaceId) -> u32;
    /// The exit of a number.
    fn exit(&self, site: Site, number: u32) -> PlaceId;
    /// Where a run is in the caller that called at `port` and comes back by the exit of this
    /// number.
    fn back(&self, site: Site, port: PlaceId, exit: u32) -> Option<PlaceId>;
    /// Calls `visit` with where the edges of a place lead.
    fn successors(&self, site: Site, place: PlaceId, visit: impl FnMut(PlaceId));
    /// Calls `visit` with where edges into a place come from.
    fn predecessors(&self, site: Site, place: PlaceId, visit: impl FnMut(PlaceId));
    /// Calls `visit` with the call ports a run may have called at when it comes back at a return
    /// port.
    fn calls_before(&self, site: Site, back: PlaceId, visit: impl FnMut(PlaceId));
}

/// A machine, or instances of its components, with the tables that a search reads.
pub(crate) struct Machine<'a> {
    pub(crate) rsm: &'a Rsm,
    graph: Option<&'a Instances<'a>>,
    /// per site, the number of its first entry over all entries
    first_entry: Vec<u32>,
    gates: usize,
}

impl<'a> Machine<'a> {
    /// Components are the sites.
    pub(crate) fn new(rsm: &'a Rsm) -> Self {
        Self::with(rsm, None, rsm.components())
    }

    /// Instances are the sites.
    pub(crate) fn of(graph: &'a Instances<'a>) -> Self {
        let components = graph.ids().map(|instance| graph.component(instance));
        Self::with(graph.rsm, Some(graph), components)
    }

    fn with(
        rsm: &'a Rsm,
        graph: Option<&'a Instances<'a>>,
        components: impl ExactSizeIterator<Item = ComponentId>,
    ) -> Self {
        let mut first_entry = Vec::with_capacity(components.len());
        let mut gates = 0;
        for component in components {
            first_entry.push(gates as u32);
            gates += rsm.entries(component).len();
        }
        Self { rsm, graph, first_entry, gates }
    }

    /// The site of a number.
    #[inline]
    pub(crate) fn site(&self, number: u32) -> Site {
        let (component, cell) = match self.graph {
            None => (ComponentId::new(number as usize), None),
            Some(graph) => {
                let instance = InstanceId::new(number as usize);
                (graph.component(instance), Some(graph.first_cell(instance) as u32))
            }
        };
        let first = self.rsm.vertex_range(component).start as u32;
        Site { number, first, cell: cell.unwrap_or(first) }
    }

    /// Whether every component has at most this many entries for each of its exits.
    pub(crate) fn has_few_entries(&self, for_each_exit: usize) -> bool {
        let rsm = self.rsm;
        rsm.components().all(|component| {
            rsm.entries(component).len() <= for_each_exit * rsm.exits(component).len().max(1)
        })
    }

    /// How many vertices the largest component has.
    pub(crate) fn largest(&self) -> usize {
        let rsm = self.rsm;
        rsm.components().map(|component| rsm.vertex_range(component).len()).max().unwrap_or(0)
    }

    /// The number of an entry of a site, or of the entry a call port of it stands for.
    #[inline]
    fn entry_number(&self, site: u32, vertex: Vertex) -> u32 {
        let position = self.rsm.entry_index(vertex).expect("an entry has a position");
        self.first_entry[site as usize] + position as u32
    }

    /// The site a box calls; nothing if no run does.
    #[inline]
    fn called(&self, site: Site, call: BoxId) -> Option<u32> {
        match self.graph {
            None => Some(self.rsm.callee(call).index() as u32),
            Some(graph) => {
                let callee = graph.callee(InstanceId::new(site.number as usize), call);
                (callee != NONE).then(|| callee.index() as u32)
            }
        }
    }

    #[inline]
    fn at(site: Site, place: PlaceId) -> Vertex {
        Vertex::new(site.first as usize + place.index())
    }

    #[inline]
    fn component(&self, site: Site) -> ComponentId {
        match self.graph {
            None => ComponentId::new(site.number as usize),
            Some(graph) => graph.component(InstanceId::new(site.number as usize)),
        }
    }
}

impl Arena for Machine<'_> {
    #[inline]
    fn vertex(&self, site: Site, place: PlaceId) -> Vertex {
        Self::at(site, place)
    }

    fn size(&self, site: Site) -> usize {
        self.rsm.vertex_range(self.component(site)).len()
    }

    fn places(&self) -> usize {
        self.graph.map_or(self.rsm.vertex_count(), Instances::cell_count)
    }

    fn gates(&self) -> usize {
        self.gates
    }

    fn sides(&self, site: Site) -> (usize, usize) {
        let component = self.component(site);
        (self.rsm.entries(component).len(), self.rsm.exits(component).len())
    }

    fn fetch(&self, site: Site, mut visit: impl FnMut(u32)) {
        let component = self.component(site);
        let mut sum = 0;
        for vertex in self.rsm.vertex_range(component).step_by(LINE) {
            sum ^= self.rsm.successor_rows().row(vertex).first().copied().unwrap_or(0);
            sum ^= u32::from(self.rsm.is_exit(Vertex::new(vertex)));
        }
        std::hint::black_box(sum);
        for call in self.rsm.boxes(component) {
            if let Some(callee) = self.called(site, call) {
                visit(self.first_entry[callee as usize]);
            }
        }
    }

    fn is_entry_bound(&self) -> bool {
        self.has_few_entries(1)
    }

    fn gate(&self, site: Site, place: PlaceId) -> Option<u32> {
        let vertex = Self::at(site, place);
        self.rsm.is_entry(vertex).then(|| self.entry_number(site.number, vertex))
    }

    #[inline]
    fn call(&self, site: Site, place: PlaceId) -> Option<u32> {
        let vertex = Self::at(site, place);
        let VertexKind::Call(call) = self.rsm.kind(vertex) else { return None };
        Some(self.entry_number(self.called(site, call)?, vertex))
    }

    fn callee(&self, site: Site, port: PlaceId) -> (Site, PlaceId) {
        let vertex = Self::at(site, port);
        let call = self.rsm.box_of(vertex).expect("a call port has a box");
        let callee = self.site(self.called(site, call).expect("a call port that is met calls"));
        (callee, callee.place(self.rsm.node_of(vertex)))
    }

    #[inline]
    fn is_exit(&self, site: Site, place: PlaceId) -> bool {
        self.rsm.is_exit(Self::at(site, place))
    }

    fn exit_number(&self, site: Site, exit: PlaceId) -> u32 {
        self.rsm.exit_index(Self::at(site, exit)).expect("an exit has a position") as u32
    }

    fn exit(&self, site: Site, number: u32) -> PlaceId {
        site.place(self.rsm.exits(self.component(site))[number as usize])
    }

    #[inline]
    fn back(&self, site: Site, port: PlaceId, exit: u32) -> Option<PlaceId> {
        let call = self.rsm.box_of(Self::at(site, port)).expect("a call port has a box");
        Some(site.place(self.rsm.return_port(call, exit as usize)?))
    }

    #[inline]
    fn successors(&self, site: Site, place: PlaceId, mut visit: impl FnMut(PlaceId)) {
        for &successor in self.rsm.successor_rows().row(site.first as usize + place.index()) {
            visit(PlaceId::new((successor - site.first) as usize));
        }
    }

    fn predecessors(&self, site: Site, place: PlaceId, mut visit: impl FnMut(PlaceId)) {
        for &before in self.rsm.predecessor_rows().row(site.first as usize + place.index()) {
            visit(PlaceId::new((before - site.first) as usize));
        }
    }

    fn calls_before(&self, site: Site, back: PlaceId, mut visit: impl FnMut(PlaceId)) {
        if let VertexKind::Return(call) = self.rsm.kind(Self::at(site, back)) {
            for port in self.rsm.ports(call).filter(|&port| self.rsm.kind(port) == VertexKind::Call(call)) {
                visit(site.place(port));
            }
        }
    }
}
