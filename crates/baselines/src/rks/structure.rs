//! A machine read as a recursive Kripke structure (recursive-kripke, section 2.4): components are
//! sub-structures, nodes are locations, boxes are calls.
//!
//! Nothing is copied. The *cells* of a sub-structure are the vertices of its component, counted
//! from its first: nodes first, then ports. A call port is the state that a call is in the
//! associated Kripke structure K (Definition 3.5.1), without successors. A return port is the exit
//! of the callee, a location over there; only its edges are read, which are the successors of the
//! call (`lsucc`, any number of them). Two kinds of return ports are locations of the caller, for
//! the same state is there under the same successors: that of an empty procedure, whose entry is
//! its exit, so that its call needs no context; and one that leads to itself, as dead ends do if
//! runs stay there forever.
//!
//! Building a view is O(1). The oracle is the unfolding in `tests/common/oracle.rs`, which knows of
//! no sub-structures.

use loris_base::Idx;
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex, VertexKind};

/// Why a machine is not a recursive Kripke structure, if it is not: the engines do not take it
/// then.
pub fn unfit(rsm: &Rsm) -> Option<String> {
    for component in rsm.components() {
        let (entries, exits) = (rsm.entries(component).len(), rsm.exits(component).len());
        let name = rsm.component_name(component);
        let is_called = rsm.callers(component).next().is_some();
        if entries > 1 && is_called {
            return Some(format!("component \"{name}\", which is called, has {entries} entries"));
        }
        if exits > 1 && (is_called || component == rsm.initial_component()) {
            return Some(format!("component \"{name}\" has {exits} exits"));
        }
    }
    for component in rsm.components() {
        let structure = Structure::new(rsm, component);
        for site in rsm.boxes(component) {
            let mut after = structure.after(site);
            if let Some(cell) = after.find(|&cell| !structure.is_location(cell)) {
                let next = rsm.box_of(structure.vertex(cell)).map_or("", |next| rsm.box_name(next));
                return Some(format!(
                    "in component \"{}\" call \"{next}\" follows call \"{}\" without a node between",
                    rsm.component_name(component),
                    rsm.box_name(site)
                ));
            }
        }
    }
    None
}

/// A sub-structure: a component seen from its first vertex.
#[derive(Clone, Copy)]
pub(super) struct Structure<'a> {
    pub(super) rsm: &'a Rsm,
    pub(super) component: ComponentId,
    first: usize,
    nodes: usize,
    cells: usize,
    /// lin, of a component that is entered at one node
    pub(super) entry: Option<usize>,
    /// lout, if there is one
    pub(super) exit: Option<usize>,
}

/// A call c of a sub-structure.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// its number within the sub-structure
    pub(super) place: usize,
    /// the state that it is in K
    pub(super) cell: usize,
    pub(super) site: BoxId,
}

impl<'a> Structure<'a> {
    pub(super) fn new(rsm: &'a Rsm, component: ComponentId) -> Self {
        let range = rsm.vertex_range(component);
        let only = |nodes: &[Vertex]| match nodes {
            [node] => Some(node.index() - range.start),
            _ => None,
        };
        Self {
            rsm,
            component,
            first: range.start,
            nodes: rsm.nodes(component).len(),
            cells: range.len(),
            entry: only(rsm.entries(component)),
            exit: only(rsm.exits(component)),
        }
    }

    /// How many cells there are.
    pub(super) fn len(&self) -> usize {
        self.cells
    }

    /// The vertex of a cell.
    #[inline]
    pub(super) fn vertex(&self, cell: usize) -> Vertex {
        Vertex::new(self.first + cell)
    }

    /// The cell of a vertex.
    #[inline]
    pub(super) fn cell(&self, vertex: Vertex) -> usize {
        vertex.index() - self.first
    }

    /// Whether a cell is a location: a node, or a return port that is one.
    #[inline]
    pub(super) fn is_location(&self, cell: usize) -> bool {
        cell < self.nodes || self.is_location_port(self.vertex(cell))
    }

    fn is_location_port(&self, port: Vertex) -> bool {
        matches!(self.rsm.kind(port), VertexKind::Return(_))
            && (self.rsm.entry_index(port).is_some() || self.rsm.successors(port).any(|after| after == port))
    }

    /// All locations.
    pub(super) fn locations(&self) -> impl Iterator<Item = usize> + use<'a> {
        let this = *self;
        (0..this.cells).filter(move |&cell| this.is_location(cell))
    }

    /// The call of a number, unless nothing leads to that box or its callee is empty.
    #[inline]
    pub(super) fn call(&self, place: usize) -> Option<Call> {
        let site = BoxId::new(self.rsm.first_box(self.component) + place);
        if self.rsm.entries(self.rsm.callee(site)).is_empty() {
            return None;
        }
        let port = self.rsm.call_port(site, 0)?;
        matches!(self.rsm.kind(port), VertexKind::Call(_)).then(|| Call {
            place,
            cell: self.cell(port),
            site,
        })
    }

    /// How many numbers calls have.
    pub(super) fn places(&self) -> usize {
        self.rsm.boxes(self.component).len()
    }

    /// The calls, in the order of their boxes.
    pub(super) fn calls(&self) -> impl Iterator<Item = Call> + use<'a> {
        let this = *self;
        (0..this.places()).filter_map(move |place| this.call(place))
    }

    /// lsucc: where a run goes on after a call.
    #[inline]
    pub(super) fn after(&self, site: BoxId) -> impl Iterator<Item = usize> + use<'a> {
        let this = *self;
        let leaves = !this.rsm.exits(this.rsm.callee(site)).is_empty();
        let port = if leaves { this.rsm.return_port(site, 0) } else { None };
        port.into_iter().flat_map(move |port| this.rsm.successors(port)).map(move |after| this.cell(after))
    }

    /// The successors of a location: locations and call states.
    #[inline]
    pub(super) fn successors(&self, cell: usize) -> impl Iterator<Item = usize> + use<'a> {
        let this = *self;
        this.rsm.successors(this.vertex(cell)).map(move |after| this.cell(after))
    }

    /// Where edges into a location or a call state come from; a return port that is not a location
    /// may be among them.
    #[inline]
    pub(super) fn predecessors(&self, cell: usize) -> impl Iterator<Item = usize> + use<'a> {
        let this = *self;
        this.rsm.predecessors(this.vertex(cell)).map(move |before| this.cell(before))
    }

    /// The calls after which a run may go on at a location.
    pub(super) fn calls_before(&self, cell: usize) -> impl Iterator<Item = Call> + use<'a> {
        let this = *self;
        let ports = this.predecessors(cell).filter(move |&before| before >= this.nodes);
        ports.filter_map(move |port| {
            let site = this.rsm.box_of(this.vertex(port))?;
            this.call(site.index() - this.rsm.first_box(this.component))
        })
    }
}
