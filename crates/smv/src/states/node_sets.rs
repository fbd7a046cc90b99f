//! Sets of states: lists where they are small, bits otherwise, and accounted for before they are
//! made.

use loris_base::{BitSet, Budget, Csr, Exhausted, unite, words_for};
use loris_rsm::NodeSet;

/// All states, of which sets are made.
#[derive(Clone, Copy)]
pub(super) struct Universe {
    pub(super) states: usize,
}

impl Universe {
    pub(super) fn words(self) -> usize {
        words_for(self.states)
    }

    /// No state yet, as bits.
    pub(super) fn empty(self, budget: &mut Budget) -> Result<BitSet, Exhausted> {
        budget.spend(self.words())?;
        BitSet::within(self.states, budget)
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
    fn add(to: &mut BitSet, set: &NodeSet) {
        match set {
            NodeSet::Bits { words, .. } => _ = unite(to.words_mut(), words),
            NodeSet::Listed(nodes) => nodes.iter().for_each(|&node| _ = to.insert(node)),
        }
    }

    pub(super) fn complement(self, set: &NodeSet, budget: &mut Budget) -> Result<NodeSet, Exhausted> {
        let mut others = self.empty(budget)?;
        Self::add(&mut others, set);
        others.complement(self.states);
        Ok(NodeSet::bits(others.into_words()))
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
        let mut all = self.empty(budget)?;
        for set in sets {
            budget.spend(set.bytes() / 8)?;
            Self::add(&mut all, set);
        }
        Ok(NodeSet::bits(all.into_words()))
    }

    pub(super) fn intersection(self, sets: &[&NodeSet], budget: &mut Budget) -> Result<NodeSet, Exhausted> {
        let listed = sets.iter().filter(|set| matches!(set, NodeSet::Listed(_))).min_by_key(|set| set.len());
        if let Some(smallest) = listed {
            budget.charge(4 * smallest.len())?;
            budget.spend(smallest.len() * sets.len())?;
            let in_all = |node: &u32| sets.iter().all(|set| set.contains(*node));
            return Ok(self.listed(smallest.iter().filter(in_all).collect()));
        }
        let mut left = self.empty(budget)?;
        left.complement(self.states);
        for set in sets {
            budget.spend(self.words())?;
            if let NodeSet::Bits { words: others, .. } = set {
                left.words_mut().iter_mut().zip(others).for_each(|(word, other)| *word &= other);
            }
        }
        Ok(NodeSet::bits(left.into_words()))
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
        let mut set = self.empty(budget)?;
        all.flatten().for_each(|&node| _ = set.insert(node));
        Ok(NodeSet::bits(set.into_words()))
    }
}
