//! The rows of the components of a machine: of all of them, or of some consecutive ones.

use crate::ids::{NONE, Vertex};
use crate::label_rows::LabelRows;
use crate::model::ALL;
use crate::vertices::{VertexData, Vertices};
use loris_base::{Csr, Diagnostics, Symbol};

/// Rows of vertices, in order. Their numbers are those of the whole machine.
pub(super) struct Rows {
    /// the number of the first vertex
    first: u32,
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
    pub(super) fn new(first: u32, (vertices, nodes, edges): (usize, usize, usize), labels: usize) -> Self {
        Self {
            first,
            vertices: Vertices::starting_at(first, vertices),
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
        self.first + self.vertices.len() as u32
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

    /// Adds the rows of the components that follow.
    pub(super) fn append(&mut self, other: &Rows) {
        self.vertices.append(&other.vertices);
        self.node_names.extend_from_slice(&other.node_names);
        self.successors.append(&other.successors);
        self.entries.extend_from_slice(&other.entries);
        self.exits.extend_from_slice(&other.exits);
        let first = self.port_slots.len();
        // past all numbers, ports are searched
        let fits = first + other.port_slots.len() < ALL as usize;
        self.slots.extend(other.slots.iter().map(|&slots| match slots {
            slots if slots >= ALL => slots,
            slots if fits => first as u32 + slots,
            _ => NONE,
        }));
        if fits {
            self.port_slots.extend_from_slice(&other.port_slots);
        }
        for (node, row) in other.labelled.iter() {
            let row: Vec<u32> = row.iter().map(|&label| other.labels[label as usize]).collect();
            self.add_labels(node, &row);
        }
        self.edges += other.edges;
        self.dead.extend_from_slice(&other.dead);
        self.stuck.extend_from_slice(&other.stuck);
        self.problems.append(&other.problems);
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
