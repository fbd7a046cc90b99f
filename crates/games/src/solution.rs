//! The outcome of a game: who wins where, and how.

use crate::Player;
use loris_base::{BitSet, Budget, Exhausted};

/// No successor is chosen.
pub(crate) const NONE: u32 = u32::MAX;

/// The winner of every node, and for nodes that belong to their winner a move that keeps winning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    odd: BitSet,
    strategy: Vec<u32>,
}

impl Solution {
    /// A solution in which [`Player::Even`] wins everywhere and no move is chosen: to be filled in
    /// by readers of solutions, and by tests.
    pub fn blank(nodes: usize, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(4 * nodes)?;
        budget.spend(nodes)?;
        Ok(Self { odd: BitSet::within(nodes, budget)?, strategy: vec![NONE; nodes] })
    }

    /// A solution with these moves, [`NONE`] for no move.
    pub(crate) fn new(odd: BitSet, strategy: Vec<u32>) -> Self {
        Self { odd, strategy }
    }

    /// The nodes that `Odd` wins, and the moves.
    pub(crate) fn into_parts(self) -> (BitSet, Vec<u32>) {
        (self.odd, self.strategy)
    }

    /// States who wins a node, and the move that its owner makes there.
    pub fn set(&mut self, node: u32, winner: Player, successor: Option<u32>) {
        match winner {
            Player::Even => self.odd.remove(node),
            Player::Odd => _ = self.odd.insert(node),
        }
        self.strategy[node as usize] = successor.unwrap_or(NONE);
    }

    /// How many nodes the game has.
    pub fn len(&self) -> usize {
        self.strategy.len()
    }

    /// Whether the game has no nodes.
    pub fn is_empty(&self) -> bool {
        self.strategy.is_empty()
    }

    /// Who wins from a node.
    #[inline]
    pub fn winner(&self, node: u32) -> Player {
        Player::of(u32::from(self.odd.contains(node)))
    }

    /// The move of the winner at a node that is the winner's own; none at all others.
    #[inline]
    pub fn successor(&self, node: u32) -> Option<u32> {
        Some(self.strategy[node as usize]).filter(|&next| next != NONE)
    }

    /// How many nodes a player wins.
    pub fn won_by(&self, player: Player) -> usize {
        let odd = self.odd.count();
        if player == Player::Odd { odd } else { self.len() - odd }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.odd.bytes() + 4 * self.strategy.capacity()
    }
}
