//! Parity games in frozen arrays, and their builder.

use crate::Player;
use crate::arena::Arena;
use loris_base::{BitSet, Budget, Csr, Exhausted};

/// A parity game. It may have dead ends: their owner loses.
///
/// For n nodes and m edges it holds about 12·n + 8·m bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    priorities: Vec<u32>,
    odd: BitSet,
    successors: Csr,
    predecessors: Csr,
}

impl Game {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.priorities.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.priorities.is_empty()
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.successors.len()
    }

    /// All nodes.
    pub fn nodes(&self) -> std::ops::Range<u32> {
        0..self.len() as u32
    }

    /// Who moves at a node.
    #[inline]
    pub fn owner(&self, node: u32) -> Player {
        Player::of(u32::from(self.odd.contains(node)))
    }

    /// The priority of a node.
    #[inline]
    pub fn priority(&self, node: u32) -> u32 {
        self.priorities[node as usize]
    }

    /// Where the owner of a node can move.
    #[inline]
    pub fn successors(&self, node: u32) -> &[u32] {
        self.successors.row(node as usize)
    }

    /// The nodes from which a node can be reached in one move.
    #[inline]
    pub fn predecessors(&self, node: u32) -> &[u32] {
        self.predecessors.row(node as usize)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.priorities.capacity()
            + self.odd.bytes()
            + self.successors.bytes()
            + self.predecessors.bytes()
    }
}

impl Arena for Game {
    fn len(&self) -> usize {
        self.priorities.len()
    }
    #[inline]
    fn owner(&self, node: u32) -> Player {
        Game::owner(self, node)
    }
    #[inline]
    fn priority(&self, node: u32) -> u32 {
        Game::priority(self, node)
    }
    #[inline]
    fn successors(&self, node: u32) -> &[u32] {
        Game::successors(self, node)
    }
    #[inline]
    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        Game::predecessors(self, node).iter().copied()
    }
}

/// A game under construction, node by node. All memory is charged to the budgets given, where the
/// game stays declared.
#[derive(Clone, Debug, Default)]
pub struct GameBuilder {
    priorities: Vec<u32>,
    odd: BitSet,
    successors: Csr,
}

impl GameBuilder {
    /// Adds the next node, with successors that need not be there yet, and returns its number.
    pub fn push(
        &mut self,
        owner: Player,
        priority: u32,
        successors: &[u32],
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
        let node = self.priorities.len();
        if node + 4 > u32::MAX as usize || self.successors.len() + successors.len() > u32::MAX as usize {
            return Err(Exhausted::States);
        }
        budget.spend(1 + successors.len())?;
        self.odd.push_within(node, owner == Player::Odd, budget)?;
        budget.reserve(&mut self.priorities, 1)?;
        self.priorities.push(priority);
        self.successors.push_row_within(successors, budget)?;
        Ok(node as u32)
    }

    /// How many nodes were added.
    pub fn len(&self) -> usize {
        self.priorities.len()
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.priorities.is_empty()
    }

    /// The successors of a node that was added, to be replaced by others.
    pub(crate) fn successors_mut(&mut self, node: u32) -> &mut [u32] {
        self.successors.row_mut(node as usize)
    }

    /// The game with all nodes that were added.
    ///
    /// # Panics
    /// If a successor was never added.
    pub fn finish(mut self, budget: &mut Budget) -> Result<Game, Exhausted> {
        let before = 4 * self.priorities.capacity() + self.successors.bytes();
        self.priorities.shrink_to_fit();
        self.successors.shrink_to_fit();
        budget.release(before.saturating_sub(4 * self.priorities.capacity() + self.successors.bytes()));
        let predecessors = self.successors.transposed_within(self.priorities.len(), budget)?;
        Ok(Game { priorities: self.priorities, odd: self.odd, successors: self.successors, predecessors })
    }
}
