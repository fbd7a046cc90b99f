//! The labels of nodes, where most nodes may have none: two arrays as long as the list of those
//! that have.
//!
//! A label is asked for by node only where something is printed or replayed; engines go from label
//! to nodes. So a search in O(log nodes) is given for four bytes per vertex.

use loris_base::Csr;

/// For some nodes, in ascending order, a row of labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelRows {
    nodes: Vec<u32>,
    rows: Csr,
}

impl LabelRows {
    /// Adds the labels of a node that comes after all others; nothing is kept for none.
    pub(crate) fn push(&mut self, node: u32, labels: &[u32]) {
        if !labels.is_empty() {
            self.nodes.push(node);
            self.rows.push_row(labels.iter().copied());
        }
    }

    /// The labels of a node.
    pub(crate) fn row(&self, node: u32) -> &[u32] {
        match self.nodes.binary_search(&node) {
            Ok(place) => self.rows.row(place),
            Err(_) => &[],
        }
    }

    /// The same with one more label, the last, on these nodes, in ascending order.
    pub(crate) fn with(&self, label: u32, nodes: &[u32]) -> Self {
        let mut all: Vec<u32> = self.nodes.iter().chain(nodes).copied().collect();
        all.sort_unstable();
        all.dedup();
        let mut rows = Self::default();
        let mut row = Vec::new();
        for node in all {
            row.clear();
            row.extend_from_slice(self.row(node));
            row.extend(nodes.binary_search(&node).is_ok().then_some(label));
            rows.push(node, &row);
        }
        rows
    }

    /// The nodes of each label.
    pub(crate) fn transposed(&self, labels: usize) -> Csr {
        Csr::from_pairs(labels, self.rows.pairs().map(|(place, label)| (label, self.nodes[place as usize])))
    }

    /// Bytes that it may hold after some more rows with some labels.
    pub(crate) fn bytes_ahead(&self, rows: usize, labels: usize) -> usize {
        4 * (self.nodes.len() + rows) + self.rows.bytes_ahead(rows, labels)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        4 * self.nodes.capacity() + self.rows.bytes()
    }
}
