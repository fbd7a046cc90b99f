//! Sets of states: lists where they are small, bits otherwise, and accounted for before they are
//! made.

use loris_base::{Budget, Csr, Exhausted};
use loris_rsm::NodeSet;

/// All states, of which sets are made.
#[derive(Clone, Copy)]
pub(super) struct Universe {
    pub(super) states: usize,
}

impl Universe {
    pub(super) fn words(self) -> usize {
        self.states.div_ceil(64)
    }

    /// The bytes of a set of bits.
    pub(super) fn bytes(self) -> usize {
        8 * self.words()
    }

    /// No state yet, as bits.
    pub(super) fn empty(self, budget: &mut Budget) -> Result<Vec<u64>, Exhausted> {
        budget.charge(self.bytes())?;
        budget.spend(self.words())?;
        Ok(vec![0; self.words()])
    }

    fn listed(self, nodes: Vec<u32>) -> NodeSet {
        debug_assert!(nodes.is_sorted() && nodes.last().is_none_or(|&last| (last as usize) < self.states));
        NodeSet::listed(nodes)
    }

    /// Whether a list of this many is smaller than bits.
    fn is_small(self, count: usize) -> bool {
        count < 2 || count * 32 < self.states
    }

    /// Adds a set to others.
    fn add(words: &mut [u64], set: &NodeSet) {
        match set {
            NodeSet::Bits { words: others, .. } => {
                words.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
            }
            NodeSet::Listed(nodes) => {
                nodes.iter().for_each(|&node| words[node as usize / 64] |= 1 << (node % 64));
            }
        }
    }

    /// Clears bits beyond the last state.
    fn trim(self, words: &mut [u64]) {
        if let (Some(last), rest @ 1..) = (words.last_mut(), self.states % 64) {
            *last &= (1 << rest) - 1;
        }
    }

    pub(super) fn complement(self, set: &NodeSet, budget: &mut Budget) -> Result<NodeSet, Exhausted> {
        let mut words = self.empty(budget)?;
        Self::add(&mut words, set);
        for word in &mut words {
            *word = !*word;
        }
        self.trim(&mut words);
        Ok(NodeSet::bits(words))
    }

    pub(super) fn union(self, sets: &[&NodeSet], budget: &mut Budget) -> Result<NodeSet, Exhausted> {
        let total: usize = sets.iter().map(|set| set.len()).sum();
        if self.is_small(total) {
            budget.charge(4 * total)?;
            budget.spend(total)?;
            let mut nodes: Vec<u32> = sets.iter().flat_map(|set| set.iter()).collect();
            nodes.sort_unstable();
            nodes.dedup();
            return Ok(self.listed(nodes));
        }
        let mut words = self.empty(budget)?;
        for set in sets {
            budget.spend(set.bytes() / 8)?;
            Self::add(&mut words, set);
        }
        Ok(NodeSet::bits(words))
    }

    pub(super) fn intersection(self, sets: &[&NodeSet], budget: &mut Budget) -> Result<NodeSet, Exhausted> {
        let listed = sets.iter().filter(|set| matches!(set, NodeSet::Listed(_))).min_by_key(|set| set.len());
        if let Some(smallest) = listed {
            budget.charge(4 * smallest.len())?;
            budget.spend(smallest.len() * sets.len())?;
            let in_all = |node: &u32| sets.iter().all(|set| set.contains(*node));
            return Ok(self.listed(smallest.iter().filter(in_all).collect()));
        }
        let mut words = self.empty(budget)?;
        words.fill(u64::MAX);
        self.trim(&mut words);
        for set in sets {
            budget.spend(self.words())?;
            if let NodeSet::Bits { words: others, .. } = set {
                words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
            }
        }
        Ok(NodeSet::bits(words))
    }

    /// All states of some rows of an index.
    pub(super) fn rows(self, index: &Csr, rows: &[u64], budget: &mut Budget) -> Result<NodeSet, Exhausted> {
        let all = rows.iter().map(|&row| index.row(row as usize));
        let total: usize = all.clone().map(<[u32]>::len).sum();
        budget.spend(rows.len() + total)?;
        if self.is_small(total) {
            budget.charge(4 * total)?;
            let mut nodes: Vec<u32> = all.flatten().copied().collect();
            nodes.sort_unstable();
            return Ok(self.listed(nodes));
        }
        let mut words = self.empty(budget)?;
        all.flatten().for_each(|&node| words[node as usize / 64] |= 1 << (node % 64));
        Ok(NodeSet::bits(words))
    }
}
