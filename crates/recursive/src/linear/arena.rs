//! What a search walks on: places with edges, calls and returns.
//!
//! A [`Site`] is a component or an instance of one; its places are numbered from 0. A machine alone is
//! [`Machine`]; its product with an automaton has several states a vertex ([`super::product`]).

use crate::instances::{Instances, NONE};
use loris_base::Idx;
use loris_rsm::{ComponentId, Kind, Rsm, Vertex};

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

/// A call: of which component, at which of its places, and that entry's number over all entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) site: Site,
    pub(crate) entry: u32,
    pub(crate) gate: u32,
}

/// See the module. All places are numbers within their site.
pub(crate) trait Arena {
    /// The vertex a place stands for.
    fn vertex(&self, site: Site, place: u32) -> Vertex;
    /// How many places a site has.
    fn size(&self, site: Site) -> usize;
    /// How many entries all sites have together.
    fn gates(&self) -> usize;
    /// How many exits a site has, and how many entries.
    fn sides(&self, site: Site) -> (usize, usize);
    /// The number of an entry over all entries, if the place is one.
    fn gate(&self, site: Site, place: u32) -> Option<u32>;
    /// Where a call port leads.
    fn call(&self, site: Site, place: u32) -> Option<Call>;
    /// Whether runs leave a site here.
    fn is_exit(&self, site: Site, place: u32) -> bool;
    /// The number of an exit among those of its site.
    fn exit_number(&self, site: Site, exit: u32) -> u32;
    /// The exit of a number.
    fn exit(&self, site: Site, number: u32) -> u32;
    /// Where a run is in the caller that called at `port` and comes back from `exit` of the callee.
    fn back(&self, site: Site, port: u32, callee: Site, exit: u32) -> Option<u32>;
    /// Calls `visit` with where the edges of a place lead.
    fn successors(&self, site: Site, place: u32, visit: impl FnMut(u32));
    /// Calls `visit` with where edges into a place come from.
    fn predecessors(&self, site: Site, place: u32, visit: impl FnMut(u32));
    /// Calls `visit` with the call ports a run may have called at when it comes back at a return port.
    fn calls_before(&self, site: Site, back: u32, visit: impl FnMut(u32));
}

/// A machine, or instances of its components, and what a search wants to look up.
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
        let components = (0..graph.len() as u32).map(|instance| graph.component(instance));
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
            Some(graph) => (graph.component(number), Some(graph.first_cell(number) as u32)),
        };
        let first = self.rsm.vertex_range(component).start as u32;
        Site { number, first, cell: cell.unwrap_or(first) }
    }

    /// The number of an entry, or of the entry a call port stands for, over all entries.
    #[inline]
    fn entry_number(&self, site: Site, vertex: Vertex) -> u32 {
        let position = self.rsm.entry_index(vertex).expect("an entry has a position");
        self.first_entry[site.number as usize] + position as u32
    }

    #[inline]
    fn at(site: Site, place: u32) -> Vertex {
        Vertex::new((site.first + place) as usize)
    }

    #[inline]
    fn component(&self, site: Site) -> ComponentId {
        match self.graph {
            None => ComponentId::new(site.number as usize),
            Some(graph) => graph.component(site.number),
        }
    }
}

impl Arena for Machine<'_> {
    #[inline]
    fn vertex(&self, site: Site, place: u32) -> Vertex {
        Self::at(site, place)
    }

    fn size(&self, site: Site) -> usize {
        self.rsm.vertex_range(self.component(site)).len()
    }

    fn gates(&self) -> usize {
        self.gates
    }

    fn sides(&self, site: Site) -> (usize, usize) {
        let component = self.component(site);
        (self.rsm.entries(component).len(), self.rsm.exits(component).len())
    }

    fn gate(&self, site: Site, place: u32) -> Option<u32> {
        let vertex = Self::at(site, place);
        self.rsm.is_entry(vertex).then(|| self.entry_number(site, vertex))
    }

    #[inline]
    fn call(&self, site: Site, place: u32) -> Option<Call> {
        let vertex = Self::at(site, place);
        let Kind::Call(call) = self.rsm.kind(vertex) else { return None };
        let callee = match self.graph {
            None => self.rsm.callee(call).index() as u32,
            // a box that no run calls has no callee
            Some(graph) => Some(graph.callee(site.number, call)).filter(|&callee| callee != NONE)?,
        };
        let callee = self.site(callee);
        let entry = self.rsm.node_of(vertex).index() as u32 - callee.first;
        Some(Call { site: callee, entry, gate: self.entry_number(callee, vertex) })
    }

    #[inline]
    fn is_exit(&self, site: Site, place: u32) -> bool {
        self.rsm.is_exit(Self::at(site, place))
    }

    fn exit_number(&self, site: Site, exit: u32) -> u32 {
        self.rsm.exit_index(Self::at(site, exit)).expect("an exit has a position") as u32
    }

    fn exit(&self, site: Site, number: u32) -> u32 {
        self.rsm.exits(self.component(site))[number as usize].index() as u32 - site.first
    }

    #[inline]
    fn back(&self, site: Site, port: u32, callee: Site, exit: u32) -> Option<u32> {
        let call = self.rsm.box_of(Self::at(site, port)).expect("a call port has a box");
        let exit = self.rsm.exit_index(Self::at(callee, exit)).expect("an exit has a position");
        Some(self.rsm.return_port(call, exit)?.index() as u32 - site.first)
    }

    #[inline]
    fn successors(&self, site: Site, place: u32, mut visit: impl FnMut(u32)) {
        for &successor in self.rsm.successor_rows().row((site.first + place) as usize) {
            visit(successor - site.first);
        }
    }

    fn predecessors(&self, site: Site, place: u32, mut visit: impl FnMut(u32)) {
        for &before in self.rsm.predecessor_rows().row((site.first + place) as usize) {
            visit(before - site.first);
        }
    }

    fn calls_before(&self, site: Site, back: u32, mut visit: impl FnMut(u32)) {
        if let Kind::Return(call) = self.rsm.kind(Self::at(site, back)) {
            for port in self.rsm.ports(call).filter(|&port| self.rsm.kind(port) == Kind::Call(call)) {
                visit(port.index() as u32 - site.first);
            }
        }
    }
}
