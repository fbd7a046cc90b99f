//! What a search walks on: places with edges, calls and returns.
//!
//! A [`Site`] is a component or an instance of one; its places are numbered from 0. A machine alone is
//! [`Machine`]; its product with an automaton has several states a vertex ([`super::product`]).

use loris_base::Idx;
use loris_rsm::{ComponentId, Kind, Rsm, Vertex};

/// A component, and its first vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) component: u32,
    pub(crate) first: u32,
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
    /// Calls `visit` with the call ports a run may have called at when it comes back at a return port,
    /// and the exit it left through, as a place of the callee.
    fn calls_before(&self, site: Site, back: u32, visit: impl FnMut(u32, u32));
}

/// A machine, and what a search wants to look up.
pub(crate) struct Machine<'a> {
    pub(crate) rsm: &'a Rsm,
    /// per component, the number of its first entry over all entries
    first_entry: Vec<u32>,
    gates: usize,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(rsm: &'a Rsm) -> Self {
        let mut first_entry = Vec::with_capacity(rsm.component_count());
        let mut gates = 0;
        for component in rsm.components() {
            first_entry.push(gates as u32);
            gates += rsm.entries(component).len();
        }
        Self { rsm, first_entry, gates }
    }

    /// The site of a component.
    #[inline]
    pub(crate) fn site(&self, component: ComponentId) -> Site {
        Site { component: component.index() as u32, first: self.rsm.vertex_range(component).start as u32 }
    }

    /// The number of an entry, or of the entry a call port stands for, over all entries.
    #[inline]
    pub(crate) fn entry_number(&self, component: u32, vertex: Vertex) -> u32 {
        let position = self.rsm.entry_index(vertex).expect("an entry has a position");
        self.first_entry[component as usize] + position as u32
    }

    #[inline]
    fn at(site: Site, place: u32) -> Vertex {
        Vertex::new((site.first + place) as usize)
    }

    #[inline]
    pub(crate) fn component(site: Site) -> ComponentId {
        ComponentId::new(site.component as usize)
    }

    /// The component a call port calls.
    #[inline]
    pub(crate) fn callee(&self, vertex: Vertex) -> Option<Site> {
        match self.rsm.kind(vertex) {
            Kind::Call(site) => Some(self.site(self.rsm.callee(site))),
            _ => None,
        }
    }

    /// The return port of the box of a call port for an exit of its callee.
    #[inline]
    pub(crate) fn return_port(&self, port: Vertex, exit: Vertex) -> Option<Vertex> {
        let site = self.rsm.box_of(port).expect("a call port has a box");
        self.rsm.return_port(site, self.rsm.exit_index(exit).expect("an exit has a position"))
    }

    /// Calls `visit` with the call ports of the box of a return port, and the exit that stands for.
    pub(crate) fn ports_before(&self, back: Vertex, mut visit: impl FnMut(Vertex, Vertex)) {
        if let Kind::Return(site) = self.rsm.kind(back) {
            for port in self.rsm.ports(site).filter(|&port| self.rsm.kind(port) == Kind::Call(site)) {
                visit(port, self.rsm.node_of(back));
            }
        }
    }
}

impl Arena for Machine<'_> {
    #[inline]
    fn vertex(&self, site: Site, place: u32) -> Vertex {
        Self::at(site, place)
    }

    fn size(&self, site: Site) -> usize {
        self.rsm.vertex_range(Self::component(site)).len()
    }

    fn gates(&self) -> usize {
        self.gates
    }

    fn sides(&self, site: Site) -> (usize, usize) {
        let component = Self::component(site);
        (self.rsm.entries(component).len(), self.rsm.exits(component).len())
    }

    fn gate(&self, site: Site, place: u32) -> Option<u32> {
        let vertex = Self::at(site, place);
        self.rsm.is_entry(vertex).then(|| self.entry_number(site.component, vertex))
    }

    #[inline]
    fn call(&self, site: Site, place: u32) -> Option<Call> {
        let vertex = Self::at(site, place);
        let callee = self.callee(vertex)?;
        let entry = self.rsm.node_of(vertex).index() as u32 - callee.first;
        Some(Call { site: callee, entry, gate: self.entry_number(callee.component, vertex) })
    }

    #[inline]
    fn is_exit(&self, site: Site, place: u32) -> bool {
        self.rsm.is_exit(Self::at(site, place))
    }

    fn exit_number(&self, site: Site, exit: u32) -> u32 {
        self.rsm.exit_index(Self::at(site, exit)).expect("an exit has a position") as u32
    }

    fn exit(&self, site: Site, number: u32) -> u32 {
        self.rsm.exits(Self::component(site))[number as usize].index() as u32 - site.first
    }

    #[inline]
    fn back(&self, site: Site, port: u32, callee: Site, exit: u32) -> Option<u32> {
        let back = self.return_port(Self::at(site, port), Self::at(callee, exit))?;
        Some(back.index() as u32 - site.first)
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

    fn calls_before(&self, site: Site, back: u32, mut visit: impl FnMut(u32, u32)) {
        self.ports_before(Self::at(site, back), |port, exit| {
            let callee = self.callee(port).expect("a call port calls");
            visit(port.index() as u32 - site.first, exit.index() as u32 - callee.first);
        });
    }
}
