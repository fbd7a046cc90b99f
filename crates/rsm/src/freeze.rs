//! The last step of building: a valid model is laid out in flat arrays.
//!
//! Linear in the size of the machine, but for sorting the ports of each box. Vertices are numbered
//! component by component, nodes first, then the ports of its boxes that an edge touches or that
//! get a loop: for each box those of entries, then those of other exits, each in the order of the
//! callee. The numbering does not depend on the order in which the input mentions ports.

use crate::builder::{DeadEnds, EmptyCalls, RsmBuilder, Semantics};
use crate::ids::{BoxId, Component, ComponentId, LabelId, NONE, Vertex};
use crate::label_rows::LabelRows;
use crate::labelling::Labelling;
use crate::model::{ALL, Body, CallSite, Rsm};
use crate::name_table::NameTable;
use crate::node_names::NodeNames;
use crate::resolve::{ComponentGraph, Resolved, parts, resolve};
use crate::totality::{Loops, loops};
use crate::vertices::{Owners, VertexData, Vertices};
use loris_base::{Budget, Csr, Diagnostic, Diagnostics, Idx, IndexVec, Stopped, Symbol};
use std::sync::Arc;

impl RsmBuilder {
    /// Checks references between components and freezes the machine; returns it with the warnings.
    ///
    /// # Errors
    /// All that is wrong with the model.
    pub fn finish(self, semantics: &Semantics) -> Result<(Rsm, Diagnostics), Diagnostics> {
        self.finish_within(semantics, &mut Budget::unlimited()).map_err(Stopped::into_problems)
    }

    /// The same within a time limit; the caller has declared the memory it takes.
    ///
    /// # Errors
    /// All that is wrong with the model, or that the time is up.
    pub fn finish_within(
        self,
        semantics: &Semantics,
        budget: &mut Budget,
    ) -> Result<(Rsm, Diagnostics), Stopped> {
        freeze(self, *semantics, budget)
    }

    /// The same within a budget in which the builder was declared with `held` bytes. Of the memory
    /// to freeze the machine, only the machine's own stays declared.
    ///
    /// # Errors
    /// All that is wrong with the model, or that the budget is used up.
    pub(crate) fn finish_charged(
        self,
        semantics: Semantics,
        held: usize,
        budget: &mut Budget,
    ) -> Result<(Rsm, Diagnostics), Stopped> {
        let freezing = self.bytes_to_freeze();
        // this is held piece by piece, and not all at once
        budget.note(freezing)?;
        let made = self.finish_within(&semantics, budget)?;
        budget.release(freezing + held);
        budget.charge(made.0.bytes())?;
        Ok(made)
    }
}

fn freeze(
    mut raw: RsmBuilder,
    semantics: Semantics,
    budget: &mut Budget,
) -> Result<(Rsm, Diagnostics), Stopped> {
    if raw.components.is_empty() {
        if !raw.problems.has_errors() {
            raw.problems.push(Diagnostic::global("the model has no component"));
        }
        return Err(raw.problems.into());
    }
    // each pass looks at everything once, in less time than it took to get it here
    let pass = (raw.nodes.len() + raw.ports.len() + raw.edges.len()) / 4;
    let parts = parts(&raw.components);
    let resolved = resolve(&mut raw, &parts);
    budget.spend(pass)?;
    let loops = loops(&mut raw, &parts, &resolved, semantics.dead_ends);
    if raw.problems.has_errors() {
        return Err(raw.problems.into());
    }
    budget.spend(pass)?;
    let Some((initial_component, initial)) = &resolved.initial else {
        raw.problems.push(Diagnostic::global("some of the model could not be read"));
        return Err(raw.problems.into());
    };
    let problems = std::mem::take(&mut raw.problems);
    let mut source_map = std::mem::take(&mut raw.source_map);
    source_map.shrink_to_fit();
    let layout = Layout::of(&raw, &parts, &resolved, &loops);
    let calls = Calls::of(&raw, &parts, &resolved, &layout);
    budget.spend(pass)?;
    let edges = Edges::of(&mut raw, &parts, &loops, &layout, &calls, semantics);
    budget.spend(pass)?;
    let labels = Labels::of(&raw, &parts, &layout);
    let callee_of_box = resolved.callees.iter().enumerate().map(|(site, &callee)| (callee, site as u32));
    let callers = Csr::from_pairs(parts.len(), callee_of_box);
    let initial_component = ComponentId::new(*initial_component as usize);
    let first = layout.components[initial_component].vertices.start;
    let mut labels_by_name: Vec<LabelId> = labels.symbols.ids().collect();
    labels_by_name.sort_unstable_by_key(|&label| &raw.names[labels.symbols[label]]);
    let body = Body {
        names: Arc::new(NameTable::of(&raw.names)),
        owners: Owners::of(&layout.components),
        components: layout.components,
        boxes: calls.boxes,
        vertices: calls.vertices,
        node_names: NodeNames::Listed(Arc::new(raw.nodes.iter().map(|node| node.name).collect())),
        source_map: Arc::new(source_map),
        copies: 1,
        successors: edges.successors,
        predecessors: edges.predecessors,
        entries: layout.entries,
        exits: layout.exits,
        port_slots: calls.port_slots,
        callers,
        labelling: Labelling::of(labels.of_vertex, labels.symbols.len()),
        labels: labels.symbols,
        labels_by_name,
        edges: edges.listed,
        stops: semantics.dead_ends == DeadEnds::Stop,
        dead_ends: edges.dead,
    };
    let initial = initial.iter().map(|&node| Vertex::new((first + node) as usize)).collect();
    let rsm = Rsm { body: Arc::new(body), initial_component, initial };
    Ok((rsm, problems))
}

/// Which vertex is where.
struct Layout {
    components: IndexVec<ComponentId, Component>,
    entries: Vec<Vertex>,
    exits: Vec<Vertex>,
    /// per node, its position among the entries and among the exits
    positions: Vec<(u32, u32)>,
    vertex_of_port: Vec<u32>,
    /// the callee's node that each vertex which is a port stands for, counted within the callee
    port_nodes: Vec<u32>,
    /// where the ports of each box end in `port_nodes`
    port_ends: Vec<u32>,
    /// return ports that nothing mentions
    extra: Vec<u32>,
    vertices: u32,
}

/// A port on its way to its number.
struct Port {
    /// whether it is not an entry; the callee's node
    place: (bool, u32),
    /// the port of the input it is, `NONE` for one that nothing mentions
    raw: u32,
}

impl Layout {
    fn of(raw: &RsmBuilder, parts: &[ComponentGraph], resolved: &Resolved, loops: &Loops) -> Self {
        let mut layout = Self {
            components: IndexVec::new(),
            entries: Vec::new(),
            exits: Vec::new(),
            positions: Vec::with_capacity(raw.nodes.len()),
            vertex_of_port: vec![NONE; raw.ports.len()],
            port_nodes: Vec::with_capacity(raw.ports.len() + loops.missing.len()),
            port_ends: Vec::with_capacity(raw.boxes.len()),
            extra: Vec::with_capacity(loops.missing.len()),
            vertices: 0,
        };
        let mut missing = loops.missing.iter().peekable();
        let mut ports: Vec<Port> = Vec::new();
        for (c, part) in parts.iter().enumerate() {
            let start = layout.vertices;
            let (entries, exits) = (layout.entries.len() as u32, layout.exits.len() as u32);
            layout.nodes(raw, part);
            let mut looped = loops.vertices.row(c).iter().peekable();
            let mut port = part.ports.start;
            for site in part.boxes.clone() {
                let first = parts[resolved.callees[site] as usize].nodes.start;
                let place = |node: u32| (!raw.nodes[first + node as usize].entry, node);
                while port < part.ports.end && part.boxes.start + raw.ports[port].site as usize == site {
                    let local = (part.nodes.len() + port - part.ports.start) as u32;
                    while looped.next_if(|&&vertex| vertex < local).is_some() {}
                    let data = &raw.ports[port];
                    if data.source || data.target || looped.peek() == Some(&&local) {
                        ports.push(Port { place: place(resolved.ports[port]), raw: port as u32 });
                    }
                    port += 1;
                }
                while let Some(&(_, exit)) = missing.next_if(|(at, _)| *at as usize == site) {
                    ports.push(Port { place: place(exit), raw: NONE });
                }
                layout.ports(&mut ports);
            }
            layout.components.push(Component {
                name: raw.components[c].name,
                vertices: start..layout.vertices,
                nodes: part.nodes.len() as u32,
                first_name: part.nodes.start as u32,
                boxes: part.boxes.start as u32..part.boxes.end as u32,
                entries: entries..layout.entries.len() as u32,
                exits: exits..layout.exits.len() as u32,
            });
        }
        layout.entries.shrink_to_fit();
        layout.exits.shrink_to_fit();
        layout
    }

    /// The ports of a box, in order.
    fn ports(&mut self, ports: &mut Vec<Port>) {
        ports.sort_unstable_by_key(|port| port.place);
        for port in ports.drain(..) {
            let vertex = self.vertex();
            self.port_nodes.push(port.place.1);
            match self.vertex_of_port.get_mut(port.raw as usize) {
                Some(number) => *number = vertex,
                None => self.extra.push(vertex),
            }
        }
        self.port_ends.push(self.port_nodes.len() as u32);
    }

    fn vertex(&mut self) -> u32 {
        self.vertices += 1;
        self.vertices - 1
    }

    /// The nodes of a component, and each one's position among its entries and exits.
    fn nodes(&mut self, raw: &RsmBuilder, part: &ComponentGraph) {
        let (first_entry, first_exit) = (self.entries.len(), self.exits.len());
        for node in &raw.nodes[part.nodes.clone()] {
            let vertex = Vertex::new(self.vertex() as usize);
            let mut position = (NONE, NONE);
            if node.entry {
                position.0 = (self.entries.len() - first_entry) as u32;
                self.entries.push(vertex);
            }
            if node.exit {
                position.1 = (self.exits.len() - first_exit) as u32;
                self.exits.push(vertex);
            }
            self.positions.push(position);
        }
    }
}

/// The kind of each vertex and each box.
struct Calls {
    vertices: Vertices,
    boxes: IndexVec<BoxId, CallSite>,
    port_slots: Vec<u32>,
}

impl Calls {
    fn of(raw: &RsmBuilder, parts: &[ComponentGraph], resolved: &Resolved, layout: &Layout) -> Self {
        let mut calls = Self {
            vertices: Vertices::with_capacity(layout.vertices as usize),
            boxes: Vec::with_capacity(raw.boxes.len()).into(),
            port_slots: Vec::new(),
        };
        let mut next = 0;
        for (c, part) in parts.iter().enumerate() {
            for &(entry, exit) in &layout.positions[part.nodes.clone()] {
                let number = calls.vertices.len() as u32;
                calls.vertices.push(VertexData { node: number, site: NONE, entry, exit });
            }
            for site in part.boxes.clone() {
                let callee = ComponentId::new(resolved.callees[site] as usize);
                let data = &layout.components[callee];
                let nodes = &layout.port_nodes[next..layout.port_ends[site] as usize];
                next += nodes.len();
                let slots = slots(&mut calls.port_slots, data, nodes.len());
                let first = calls.vertices.len() as u32;
                for &node in nodes {
                    let raw_node = parts[callee.index()].nodes.start + node as usize;
                    let (entry, exit) = layout.positions[raw_node];
                    let node = data.vertices.start + node;
                    let number = calls.vertices.len() as u32;
                    calls.vertices.push(VertexData { node, site: site as u32, entry, exit });
                    if slots < ALL && entry != NONE {
                        calls.port_slots[(slots + entry) as usize] = number;
                    }
                    if slots < ALL && exit != NONE {
                        calls.port_slots[slots as usize + data.entries.len() + exit as usize] = number;
                    }
                }
                let ports = first..calls.vertices.len() as u32;
                let (name, owner) = (raw.boxes[site].name, ComponentId::new(c));
                calls.boxes.push(CallSite { name, owner, callee, slots, ports });
            }
        }
        debug_assert_eq!(calls.vertices.len(), layout.vertices as usize);
        calls.vertices.shrink_to_fit();
        calls.port_slots.shrink_to_fit();
        calls
    }

    /// Whether a vertex is the port of an empty procedure.
    fn is_empty_call(&self, vertex: u32) -> bool {
        let data = self.vertices.get(Vertex::new(vertex as usize));
        data.site != NONE && data.entry != NONE && data.exit != NONE
    }
}

/// Room for the ports of a box, by entry and exit of its callee. A box with every port needs none,
/// `ALL`; one with few of many gets none, `NONE`, and they are searched: all slots stay linear in
/// the ports.
pub(crate) fn slots(port_slots: &mut Vec<u32>, callee: &Component, ports: usize) -> u32 {
    let wanted = callee.entries.len() + callee.exits.len();
    let end = port_slots.len() + wanted;
    if wanted == ports {
        return ALL;
    }
    if wanted > 8 * ports + 16 || end >= ALL as usize {
        return NONE;
    }
    let start = port_slots.len() as u32;
    port_slots.resize(end, NONE);
    start
}

struct Edges {
    successors: Csr,
    predecessors: Csr,
    listed: usize,
    dead: Vec<Vertex>,
}

impl Edges {
    /// The listed edges, and loops where a run would be stuck, unless it ends there.
    fn of(
        raw: &mut RsmBuilder,
        parts: &[ComponentGraph],
        loops: &Loops,
        layout: &Layout,
        calls: &Calls,
        semantics: Semantics,
    ) -> Self {
        let mut edges = std::mem::take(&mut raw.edges);
        let listed = edges.len();
        let mut dead: Vec<u32> = Vec::new();
        for (c, part) in parts.iter().enumerate() {
            let start = layout.components[ComponentId::new(c)].vertices.start;
            let global = |local: u32| match local.checked_sub(part.nodes.len() as u32) {
                None => start + local,
                Some(port) => layout.vertex_of_port[part.ports.start + port as usize],
            };
            for (source, target) in &mut edges[part.edges.clone()] {
                (*source, *target) = (global(*source), global(*target));
            }
            dead.extend(loops.vertices.row(c).iter().map(|&local| global(local)));
        }
        dead.extend(&layout.extra);
        dead.sort_unstable();
        if semantics.empty_calls == EmptyCalls::Stuck {
            let stuck = |vertex: u32| calls.is_empty_call(vertex);
            edges.retain(|&(source, _)| !stuck(source));
            edges.extend((0..layout.vertices).filter(|&vertex| stuck(vertex)).map(|vertex| (vertex, vertex)));
            dead.retain(|&vertex| !stuck(vertex));
        }
        if semantics.dead_ends != DeadEnds::Stop {
            edges.extend(dead.iter().map(|&vertex| (vertex, vertex)));
        }
        let total = layout.vertices as usize;
        let successors = Csr::from_pairs(total, edges.iter().copied());
        let predecessors = Csr::from_pairs(total, edges.iter().map(|&(source, target)| (target, source)));
        let dead = dead.into_iter().map(|vertex| Vertex::new(vertex as usize)).collect();
        Self { successors, predecessors, listed, dead }
    }
}

struct Labels {
    symbols: IndexVec<LabelId, Symbol>,
    of_vertex: LabelRows,
}

impl Labels {
    fn of(raw: &RsmBuilder, parts: &[ComponentGraph], layout: &Layout) -> Self {
        let mut symbols = IndexVec::new();
        let mut of_symbol: Vec<Option<LabelId>> = vec![None; raw.names.len()];
        let mut of_vertex = LabelRows::default();
        let mut row: Vec<u32> = Vec::new();
        for (part, component) in parts.iter().zip(&layout.components) {
            for (node, vertex) in part.nodes.clone().zip(component.vertices.clone()) {
                row.clear();
                for &symbol in raw.labels.row(node) {
                    let label = of_symbol[symbol as usize]
                        .get_or_insert_with(|| symbols.push(Symbol::new(symbol as usize)));
                    row.push(label.index() as u32);
                }
                row.sort_unstable();
                row.dedup();
                of_vertex.push(vertex, &row);
            }
        }
        Self { symbols, of_vertex }
    }
}
