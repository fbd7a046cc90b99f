//! Which node carries which label: by rows, as files list them, or by sets, as front ends compute
//! them.

use crate::label_rows::LabelRows;
use loris_base::{Csr, has_bit, set_bit, unite};

/// A set of nodes, by number: a list where they are few, bits where they are many.
///
/// ```
/// use loris_rsm::NodeSet;
/// let few = NodeSet::listed(vec![3, 70]);
/// let many = NodeSet::bits(vec![0b1000, 1 << 6]);
/// assert_eq!(few.iter().collect::<Vec<_>>(), many.iter().collect::<Vec<_>>());
/// assert!(many.contains(70) && !few.contains(4) && many.len() == 2);
/// ```
#[derive(Clone, Debug)]
pub enum NodeSet {
    /// In ascending order.
    Listed(Box<[u32]>),
    /// A bit for each.
    Bits {
        /// The bits, 64 in a word.
        words: Box<[u64]>,
        /// How many of them are set.
        count: usize,
    },
}

impl NodeSet {
    /// These nodes, in ascending order.
    pub fn listed(nodes: Vec<u32>) -> Self {
        NodeSet::Listed(nodes.into())
    }

    /// The nodes whose bit is set.
    pub fn bits(words: Vec<u64>) -> Self {
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        NodeSet::Bits { words: words.into(), count }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        match self {
            NodeSet::Listed(nodes) => nodes.len(),
            NodeSet::Bits { count, .. } => *count,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a node is in the set.
    pub fn contains(&self, node: u32) -> bool {
        match self {
            NodeSet::Listed(nodes) => nodes.binary_search(&node).is_ok(),
            NodeSet::Bits { words, .. } => has_bit(words, node as usize),
        }
    }

    /// All nodes, in ascending order.
    pub fn iter(&self) -> Nodes<'_> {
        match self {
            NodeSet::Listed(nodes) => Nodes::Listed(nodes.iter()),
            NodeSet::Bits { words, count } => Nodes::Bits { words, at: 0, word: 0, left: *count },
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        match self {
            NodeSet::Listed(nodes) => 4 * nodes.len(),
            NodeSet::Bits { words, .. } => 8 * words.len(),
        }
    }
}

impl<'a> IntoIterator for &'a NodeSet {
    type Item = u32;
    type IntoIter = Nodes<'a>;
    fn into_iter(self) -> Nodes<'a> {
        self.iter()
    }
}

/// The nodes of a set.
#[derive(Clone, Debug)]
pub enum Nodes<'a> {
    /// As they are listed.
    Listed(std::slice::Iter<'a, u32>),
    /// From bits.
    Bits {
        /// all bits
        words: &'a [u64],
        /// the number of the next word
        at: usize,
        /// the rest of the word before
        word: u64,
        /// how many nodes are left
        left: usize,
    },
}

impl Iterator for Nodes<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Nodes::Listed(nodes) => nodes.next().copied(),
            Nodes::Bits { words, at, word, left } => {
                if *left == 0 {
                    return None;
                }
                *left -= 1;
                while *word == 0 {
                    *word = words[*at];
                    *at += 1;
                }
                let bit = word.trailing_zeros();
                *word &= *word - 1;
                Some((*at as u32 - 1) * 64 + bit)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match self {
            Nodes::Listed(nodes) => nodes.len(),
            Nodes::Bits { left, .. } => *left,
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Nodes<'_> {}

/// Which node carries which label.
#[derive(Clone, Debug)]
pub(crate) enum Labelling {
    /// both ways
    Rows { rows: LabelRows, nodes: Csr },
    /// a set for each label
    Sets(Vec<NodeSet>),
}

impl Labelling {
    pub(crate) fn of(rows: LabelRows, labels: usize) -> Self {
        let nodes = rows.transposed(labels);
        Labelling::Rows { rows, nodes }
    }

    /// The same with one more label, the last, on these nodes, in ascending order.
    pub(crate) fn with(&self, label: u32, nodes: &[u32]) -> Self {
        match self {
            Labelling::Rows { rows, .. } => Labelling::of(rows.with(label, nodes), label as usize + 1),
            Labelling::Sets(sets) => {
                Labelling::Sets(sets.iter().cloned().chain([NodeSet::listed(nodes.to_vec())]).collect())
            }
        }
    }

    /// The labels of a node: O(log) in the number of nodes, for sets times their number.
    pub(crate) fn of_node(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let (row, sets) = match self {
            Labelling::Rows { rows, .. } => (rows.row(node), &[][..]),
            Labelling::Sets(sets) => (&[][..], &sets[..]),
        };
        let of_sets = sets.iter().enumerate().filter(move |(_, set)| set.contains(node));
        row.iter().copied().chain(of_sets.map(|(label, _)| label as u32))
    }

    /// The nodes of a label.
    #[inline]
    pub(crate) fn nodes(&self, label: usize) -> Nodes<'_> {
        match self {
            Labelling::Rows { nodes, .. } => Nodes::Listed(nodes.row(label).iter()),
            Labelling::Sets(sets) => sets[label].iter(),
        }
    }

    /// Sets the bits of the nodes of a label.
    pub(crate) fn mark(&self, label: usize, words: &mut [u64]) {
        if let Labelling::Sets(sets) = self
            && let NodeSet::Bits { words: of_label, .. } = &sets[label]
        {
            unite(words, of_label);
            return;
        }
        self.nodes(label).for_each(|node| _ = set_bit(words, node as usize));
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Labelling::Rows { rows, nodes } => rows.bytes() + nodes.bytes(),
            Labelling::Sets(sets) => sets.iter().map(NodeSet::bytes).sum(),
        }
    }
}
