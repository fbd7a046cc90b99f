//! The rows of the components of a machine.

use crate::ids::{NONE, Vertex};
use crate::label_rows::LabelRows;
use crate::model::ALL;
use crate::vertices::{VertexData, Vertices};
use loris_base::{Csr, Diagnostics, Symbol};

/// Rows of vertices, in order.
pub(super) struct Rows {
    pub(super) vertices: Vertices,
    pub(super) node_names: Vec<Symbol>,
    pub(super) successors: Csr,
    pub(super) entries: Vec<Vertex>,
    pub(super) exits: Vec<Vertex>,
    pub(super) port_slots: Vec<u32>,
    /// per box, where its slots start (`CallSite::slots`)
    pub(super) slots: Vec<u32>,
    /// the labels of heads, in the order in which they are met; and their numbers in it, or `NONE`
    pub(super) labels: Vec<u32>,
    label_of: Vec<u32>,
    pub(super) labelled: LabelRows,
    /// edges that rules make
    pub(super) edges: usize,
    /// vertices without an edge that are not exits
    pub(super) dead: Vec<Vertex>,
    /// ports of empty procedures that nothing leads on from
    pub(super) stuck: Vec<u32>,
    pub(super) problems: Diagnostics,
}

impl Rows {
    /// Room for this many vertices, nodes and edges, and for labels of heads below a number. Unused
    /// room costs address space, but no memory; lists that grow would leave holes.
    pub(super) fn new((vertices, nodes, edges): (usize, usize, usize), labels: usize) -> Self {
        Self {
            vertices: Vertices::with_capacity(vertices),
            node_names: Vec::with_capacity(nodes),
            successors: Csr::with_capacity(vertices, edges),
            entries: Vec::new(),
            exits: Vec::new(),
            port_slots: Vec::new(),
            slots: Vec::new(),
            labels: Vec::new(),
            label_of: vec![NONE; labels],
            labelled: LabelRows::default(),
            edges: 0,
            dead: Vec::new(),
            stuck: Vec::new(),
            problems: Diagnostics::default(),
        }
    }

    /// The number of the next vertex.
    #[inline]
    pub(super) fn next(&self) -> u32 {
        self.vertices.len() as u32
    }

    /// Adds a port to the vertices, and to the slots of its box.
    pub(super) fn port(&mut self, data: VertexData, slots: u32, entries: usize) {
        let number = self.next();
        if slots < ALL && data.entry != NONE {
            self.port_slots[(slots + data.entry) as usize] = number;
        }
        if slots < ALL && data.exit != NONE {
            self.port_slots[slots as usize + entries + data.exit as usize] = number;
        }
        self.vertices.push(data);
    }

    /// The number of a label of heads, new or old.
    fn label(&mut self, label: u32) -> u32 {
        let number = &mut self.label_of[label as usize];
        if *number == NONE {
            *number = self.labels.len() as u32;
            self.labels.push(label);
        }
        *number
    }

    /// Gives labels of heads to a node.
    #[inline]
    pub(super) fn add_labels(&mut self, node: u32, row: &[u32]) {
        if row.is_empty() {
            return;
        }
        let mut labels: Vec<u32> = row.iter().map(|&label| self.label(label)).collect();
        labels.sort_unstable();
        self.labelled.push(node, &labels);
    }

    /// The labels of heads that no node has.
    pub(super) fn unused_labels(&self) -> Vec<u32> {
        let labels = self.label_of.iter().enumerate().filter(|(_, number)| **number == NONE);
        labels.map(|(label, _)| label as u32).collect()
    }

    /// The bytes it may hold after some more vertices, with as many edges and labels.
    pub(super) fn bytes_ahead(&self, more: usize) -> usize {
        self.vertices.bytes_ahead(more)
            + 4 * (self.node_names.len() + self.entries.len() + self.exits.len() + 3 * more)
            + self.successors.bytes_ahead(more, more)
            + 4 * (self.port_slots.len() + self.dead.len() + self.stuck.len() + 3 * more)
            + self.labelled.bytes_ahead(more, more)
    }
}
