//! Through which exits calls come back, and which callees have to be written out in their callers.
//!
//! A module has one exit. A component that can be left through several when it is called becomes
//! part of its callers instead, which is possible unless it calls itself on the way.
//!
//! This computes reachability from the initial nodes, once for the stack that is empty and once for
//! those that are not, but otherwise whatever the stack: a call makes the callee's entry reachable;
//! an exit makes the return ports of all boxes that were entered reachable. Each vertex is looked
//! at twice at most: O(vertices + edges + return ports).

use loris_base::{Csr, Idx, strong_components};
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex, VertexKind};

/// How the components of a machine are left.
pub(super) struct Exits {
    /// per component, its exits that calls come back through
    used: Vec<Vec<Vertex>>,
    /// per box, whether its callee would have to be written out in itself
    endless: Vec<bool>,
}

impl Exits {
    pub(super) fn of(rsm: &Rsm) -> Self {
        let reached = Reached::of(rsm);
        let used: Vec<Vec<Vertex>> = rsm
            .components()
            .map(|component| {
                let exits = rsm.exits(component).iter().copied();
                exits.filter(|exit| reached.vertices[exit.index()] & CALLED != 0).collect()
            })
            .collect();
        let endless = endless(rsm, &reached, &used);
        Self { used, endless }
    }

    /// The exits of a component that calls come back through.
    pub(super) fn used(&self, component: ComponentId) -> &[Vertex] {
        &self.used[component.index()]
    }

    /// Whether calls of a component are written out in the caller.
    pub(super) fn inlined(&self, component: ComponentId) -> bool {
        self.used(component).len() > 1
    }

    /// Whether writing out this call would never end.
    pub(super) fn endless(&self, site: BoxId) -> bool {
        self.endless[site.index()]
    }

    /// The return port of a call that is not written out: where its one exit leads.
    pub(super) fn return_port(&self, rsm: &Rsm, site: BoxId) -> Option<Vertex> {
        let exit = *self.used(rsm.callee(site)).first()?;
        rsm.return_port(site, rsm.exit_index(exit)?)
    }
}

/// Calls of components with several exits that lead back to a call of themselves.
fn endless(rsm: &Rsm, reached: &Reached, used: &[Vec<Vertex>]) -> Vec<bool> {
    let components = rsm.component_count();
    let inlined = |component: ComponentId| used[component.index()].len() > 1;
    let sites = || (0..rsm.box_count()).map(BoxId::new);
    let relevant = |site: &BoxId| {
        reached.sites[site.index()] & CALLED != 0 && inlined(rsm.owner(*site)) && inlined(rsm.callee(*site))
    };
    let edge = |site: BoxId| (rsm.owner(site).index() as u32, rsm.callee(site).index() as u32);
    let groups = strong_components(&Csr::from_pairs(components, sites().filter(relevant).map(edge)));
    let mut group = vec![0; components];
    groups.pairs().for_each(|(number, component)| group[component as usize] = number);
    sites()
        .map(|site| relevant(&site) && group[rsm.owner(site).index()] == group[rsm.callee(site).index()])
        .collect()
}

/// Met with an empty stack.
const TOP: u8 = 1;
/// Met with a call on the stack.
const CALLED: u8 = 2;

struct Reached {
    vertices: Vec<u8>,
    /// how the call ports of each box were met
    sites: Vec<u8>,
    queue: Vec<Vertex>,
}

impl Reached {
    fn of(rsm: &Rsm) -> Self {
        let (vertices, sites) = (vec![0; rsm.vertex_count()], vec![0; rsm.box_count()]);
        let mut reached = Self { vertices, sites, queue: Vec::new() };
        rsm.initial().iter().for_each(|&node| reached.add(node, TOP));
        while let Some(vertex) = reached.queue.pop() {
            let how = reached.vertices[vertex.index()];
            match rsm.kind(vertex) {
                VertexKind::Call(site) => reached.call(rsm, vertex, site, how),
                VertexKind::Node if rsm.is_exit(vertex) => {
                    if how & CALLED != 0 {
                        reached.leave(rsm, vertex);
                    }
                }
                _ => rsm.successors(vertex).for_each(|next| reached.add(next, how)),
            }
        }
        reached
    }

    fn add(&mut self, vertex: Vertex, how: u8) {
        let known = &mut self.vertices[vertex.index()];
        if *known | how != *known {
            *known |= how;
            self.queue.push(vertex);
        }
    }

    fn call(&mut self, rsm: &Rsm, port: Vertex, site: BoxId, how: u8) {
        self.add(rsm.node_of(port), CALLED);
        if self.sites[site.index()] | how == self.sites[site.index()] {
            return;
        }
        self.sites[site.index()] |= how;
        for exit in 0..rsm.exits(rsm.callee(site)).len() {
            let left = self.vertices[rsm.exits(rsm.callee(site))[exit].index()] & CALLED != 0;
            if let Some(port) = rsm.return_port(site, exit).filter(|_| left) {
                self.add(port, self.sites[site.index()]);
            }
        }
    }

    fn leave(&mut self, rsm: &Rsm, exit: Vertex) {
        let Some(index) = rsm.exit_index(exit) else { return };
        for site in rsm.callers(rsm.component_of(exit)) {
            if let Some(port) = rsm.return_port(site, index).filter(|_| self.sites[site.index()] != 0) {
                self.add(port, self.sites[site.index()]);
            }
        }
    }
}
