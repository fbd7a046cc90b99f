//! The arrays of a machine while it is made, and the frozen machine of them.

use super::layout::Layout;
use super::names::Naming;
use crate::builder::{DeadEnds, Semantics};
use crate::label_rows::LabelRows;
use crate::labelling::Labelling;
use crate::model::{ALL, Body, LabelId, NONE, Vertex};
use crate::node_names::NodeNames;
use crate::vertices::{Owners, VertexData, Vertices};
use loris_base::{Budget, Csr, Exhausted, Idx, IndexVec, Symbol};
use std::sync::Arc;

/// What is made row by row.
pub(super) struct Parts {
    pub(super) layout: Layout,
    pub(super) naming: Naming,
    pub(super) vertices: Vertices,
    pub(super) node_names: Vec<Symbol>,
    pub(super) successors: Csr,
    pub(super) entries: Vec<Vertex>,
    pub(super) exits: Vec<Vertex>,
    pub(super) port_slots: Vec<u32>,
    pub(super) label_symbols: IndexVec<LabelId, Symbol>,
    pub(super) label_rows: LabelRows,
    /// edges that rules make
    pub(super) edges: usize,
    /// vertices without an edge that are no exits
    pub(super) dead: Vec<Vertex>,
    /// ports of empty procedures that nothing leads on from
    pub(super) stuck: Vec<u32>,
}

impl Parts {
    /// Room for the machine of a layout, whose nodes have so many edges. What is not used costs address space, but no
    /// memory; lists that grow would leave holes.
    pub(super) fn new(layout: Layout, naming: Naming, edges: usize) -> Self {
        let vertices = layout.vertices as usize;
        let nodes = layout.components.iter().map(|component| component.nodes as usize).sum();
        Self {
            vertices: Vertices::with_capacity(vertices),
            layout,
            naming,
            node_names: Vec::with_capacity(nodes),
            successors: Csr::with_capacity(vertices, edges + vertices - nodes),
            entries: Vec::new(),
            exits: Vec::new(),
            port_slots: Vec::new(),
            label_symbols: IndexVec::new(),
            label_rows: LabelRows::default(),
            edges: 0,
            dead: Vec::new(),
            stuck: Vec::new(),
        }
    }

    /// Adds a port to the vertices, and to the slots of its box.
    pub(super) fn port(&mut self, data: VertexData, slots: u32, entries: usize) {
        let number = self.vertices.len() as u32;
        if slots < ALL && data.entry != NONE {
            self.port_slots[(slots + data.entry) as usize] = number;
        }
        if slots < ALL && data.exit != NONE {
            self.port_slots[slots as usize + entries + data.exit as usize] = number;
        }
        self.vertices.push(data);
    }

    /// Gives labels of heads to a node.
    #[inline]
    pub(super) fn add_labels(&mut self, node: u32, row: &[u32], label_of: &mut [Option<LabelId>]) {
        if row.is_empty() {
            return;
        }
        let names = &self.naming.of_label;
        let mut labels: Vec<u32> = Vec::with_capacity(row.len());
        for &label in row {
            let number = label_of[label as usize]
                .get_or_insert_with(|| self.label_symbols.push(names[label as usize]));
            labels.push(number.index() as u32);
        }
        labels.sort_unstable();
        self.label_rows.push(node, &labels);
    }

    /// What it may hold after some more vertices, with as many edges and labels.
    pub(super) fn bytes_ahead(&self, more: usize) -> usize {
        self.vertices.bytes_ahead(more)
            + 4 * (self.node_names.len() + self.entries.len() + self.exits.len() + 3 * more)
            + self.successors.bytes_ahead(more, more)
            + 4 * (self.port_slots.len() + self.dead.len() + self.stuck.len() + 3 * more)
            + self.label_rows.bytes_ahead(more, more)
    }

    /// The frozen machine but for where runs start.
    pub(super) fn into_body(mut self, semantics: Semantics, budget: &mut Budget) -> Result<Body, Exhausted> {
        self.vertices.shrink_to_fit();
        self.successors.shrink_to_fit();
        self.node_names.shrink_to_fit();
        self.entries.shrink_to_fit();
        self.exits.shrink_to_fit();
        self.port_slots.shrink_to_fit();
        let predecessors = self.predecessors(semantics, budget)?;
        let Layout { components, boxes, .. } = self.layout;
        let names = self.naming.into_table();
        let mut labels_by_name: Vec<LabelId> = self.label_symbols.ids().collect();
        labels_by_name.sort_unstable_by_key(|&label| &names[self.label_symbols[label]]);
        let callees = boxes.iter().enumerate().map(|(site, data)| (data.callee.index() as u32, site as u32));
        let callers = Csr::from_pairs_within(components.len(), callees, budget)?;
        Ok(Body {
            names: Arc::new(names),
            owners: Owners::of(&components),
            components,
            boxes,
            vertices: self.vertices,
            node_names: NodeNames::Listed(Arc::new(self.node_names)),
            source_map: Arc::default(),
            copies: 1,
            successors: self.successors,
            predecessors,
            entries: self.entries,
            exits: self.exits,
            port_slots: self.port_slots,
            callers,
            labelling: Labelling::of(self.label_rows, self.label_symbols.len()),
            labels: self.label_symbols,
            labels_by_name,
            edges: self.edges,
            stops: semantics.dead_ends == DeadEnds::Stop,
            dead_ends: self.dead,
        })
    }

    /// Edges by target; loops that were added come after all edges of rules.
    fn predecessors(&self, semantics: Semantics, budget: &mut Budget) -> Result<Csr, Exhausted> {
        let vertices = self.vertices.len();
        let loops = semantics.dead_ends == DeadEnds::Loop && !self.dead.is_empty();
        if !loops && self.stuck.is_empty() {
            return self.successors.transposed_within(vertices, budget);
        }
        let dead = if loops { &self.dead[..] } else { &[] };
        let mut added = self.stuck.clone();
        added.extend(dead.iter().map(|vertex| vertex.index() as u32));
        let mut is_added = vec![false; vertices];
        for &vertex in &added {
            is_added[vertex as usize] = true;
        }
        let of_rules = self.successors.pairs().filter(|&(source, _)| !is_added[source as usize]);
        let edges = of_rules.map(|(source, target)| (target, source));
        Csr::from_pairs_within(vertices, edges.chain(added.iter().map(|&vertex| (vertex, vertex))), budget)
    }
}
