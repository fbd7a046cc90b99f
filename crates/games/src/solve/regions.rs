//! The regions of a game while it is being solved, and attractors.
//!
//! Every node has a level. Levels 0 and 1 are final: won by `Even` or by `Odd`. The recursion of
//! depth k ≥ 1 gives the nodes that it takes out for a player the level 2·k + player, so the nodes
//! of its subgame are those of at least level 2·k. [`ALIVE`] are the nodes of the current component
//! that are not taken out, [`WAITING`] those of components to come. A solver that does without
//! recursion uses levels from [`OTHER`] on as it likes. When it is done with a component, all its
//! nodes have levels whose last bit is the winner.

use crate::Player;
use crate::arena::Arena;
use crate::solution::{NONE, Solution};
use loris_base::{BitSet, Budget, Exhausted};
use std::ops::Range;

/// A node of the current component that is in no region yet.
pub(super) const ALIVE: u32 = u32::MAX - 1;
/// Levels from here on are free in depth 1; the last bit of this one is 0.
pub(super) const OTHER: u32 = 4;
/// A node of a component to come.
pub(super) const WAITING: u32 = u32::MAX;

/// Whether a level is that of a node of the current component that is not decided, in depth 1.
pub(super) fn is_open(level: u32) -> bool {
    (OTHER..=ALIVE).contains(&level)
}

/// Working memory: 20 bytes per node.
pub(super) struct Regions {
    pub(super) level: Vec<u32>,
    pub(super) strategy: Vec<u32>,
    /// the nodes of an attractor, those whose predecessors were looked at first
    pub(super) queue: Vec<u32>,
    /// where among its successors a node last had an escape
    pub(super) hint: Vec<u32>,
    /// the nodes that are not decided by dead ends, component by component
    pub(super) nodes: Vec<u32>,
}

/// The nodes that an attractor can grow by, and the level it gives them.
#[derive(Clone, Copy)]
pub(super) struct Subgame {
    /// the least level of a node to which the opponent can escape: in the whole game, those that
    /// the opponent has won count
    pub(super) floor: u32,
    /// the least and the largest level of the nodes that can be attracted
    pub(super) low: u32,
    pub(super) high: u32,
    /// the level of the attractor, in or below the subgame
    pub(super) mark: u32,
    /// the bits of a level that show whether a node is in the attractor
    pub(super) compared: u32,
}

impl Subgame {
    /// All that is not decided, attracted for good.
    pub(super) fn whole(winner: Player) -> Self {
        Self { floor: 0, low: 2, high: WAITING, mark: winner.number(), compared: u32::MAX }
    }

    /// The subgame of a depth of the recursion.
    pub(super) fn at_depth(depth: u32, winner: Player) -> Self {
        let low = 2 * depth;
        Self { floor: low, low, high: ALIVE, mark: low + winner.number(), compared: u32::MAX }
    }

    /// The same when no node is alive, for an attractor that contains all nodes that the winner has
    /// won in this depth or below.
    pub(super) fn with_all_won(self) -> Self {
        Self { compared: 1, ..self }
    }

    /// Whether a node of this level is in the attractor, provided it is in the subgame.
    #[inline]
    fn has(self, level: u32) -> bool {
        (level ^ self.mark) & self.compared == 0
    }

    /// Whether a node of this level is in the attractor, which may be below the subgame.
    #[inline]
    fn is_inside(self, level: u32) -> bool {
        if self.compared == u32::MAX {
            return level == self.mark;
        }
        self.low <= level && level <= self.high && self.has(level)
    }

    /// Whether a node of this level is in the subgame but not in the attractor.
    #[inline]
    pub(super) fn is_outside(self, level: u32) -> bool {
        self.low <= level && level <= self.high && !self.has(level)
    }

    /// Whether the opponent escapes the attractor by a move to a node of this level.
    #[inline]
    fn is_escape(self, level: u32) -> bool {
        self.floor <= level && level <= self.high && !self.has(level)
    }
}

/// Bytes of working memory per node.
const BYTES: usize = 20;

impl Regions {
    /// All nodes alive, all lists empty.
    pub(super) fn new(nodes: usize, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(BYTES * nodes)?;
        budget.spend(nodes)?;
        Ok(Self {
            level: vec![ALIVE; nodes],
            strategy: vec![NONE; nodes],
            queue: Vec::with_capacity(nodes),
            hint: vec![0; nodes],
            nodes: Vec::with_capacity(nodes),
        })
    }

    /// The winner of a node that is in a region.
    #[inline]
    pub(super) fn winner(&self, node: u32) -> Player {
        Player::of(self.level[node as usize])
    }

    /// Puts a node into an attractor, whose predecessors are to be looked at.
    #[inline]
    pub(super) fn seed(&mut self, node: u32, subgame: Subgame) {
        self.level[node as usize] = subgame.mark;
        self.queue.push(node);
    }

    /// Decides nodes by dead ends: their owner loses, and so does who cannot avoid them.
    pub(super) fn dead_ends(&mut self, arena: &impl Arena, budget: &mut Budget) -> Result<(), Exhausted> {
        for winner in Player::BOTH {
            let whole = Subgame::whole(winner);
            self.queue.clear();
            for node in 0..arena.len() as u32 {
                if arena.owner(node) != winner && arena.successors(node).is_empty() {
                    self.seed(node, whole);
                }
            }
            budget.spend(arena.len())?;
            self.attract(arena, whole, 0, budget)?;
        }
        Ok(())
    }

    /// Adds to the nodes that are queued from a place on all from which the winner can force the
    /// play into them, within the subgame. The queue holds the attractor from that place on
    /// afterwards. O(edges into and out of it).
    pub(super) fn attract(
        &mut self,
        arena: &impl Arena,
        subgame: Subgame,
        from: usize,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let winner = Player::of(subgame.mark);
        let mut done = from;
        while let Some(&node) = self.queue.get(done) {
            done += 1;
            let mut steps = 1;
            for before in arena.predecessors(node) {
                steps += 1;
                if !subgame.is_outside(self.level[before as usize]) {
                    continue;
                }
                if arena.owner(before) == winner {
                    self.strategy[before as usize] = node;
                } else if self.can_avoid(before, arena.successors(before), subgame) {
                    continue;
                }
                self.seed(before, subgame);
            }
            budget.spend(steps)?;
        }
        Ok(())
    }

    /// Keeps, of the nodes that are queued from a place on, those from which the winner can move
    /// into the attractor or the opponent cannot avoid it, and puts them into it. The nodes must be
    /// in the subgame but not in the attractor.
    pub(super) fn retain_attracted(
        &mut self,
        arena: &impl Arena,
        subgame: Subgame,
        from: usize,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let winner = Player::of(subgame.mark);
        let mut kept = from;
        for place in from..self.queue.len() {
            let node = self.queue[place];
            let successors = arena.successors(node);
            budget.spend(1 + successors.len())?;
            let is_attracted = if arena.owner(node) == winner {
                let level = &self.level;
                let inside = |next: &&u32| subgame.is_inside(level[**next as usize]);
                let next = successors.iter().find(inside).copied();
                self.strategy[node as usize] = next.unwrap_or(self.strategy[node as usize]);
                next.is_some()
            } else {
                !self.can_avoid(node, successors, subgame)
            };
            if is_attracted {
                self.queue[kept] = node;
                kept += 1;
            }
        }
        self.queue.truncate(kept);
        // marked at the end, so that all were judged by the same attractor
        for place in from..kept {
            self.level[self.queue[place] as usize] = subgame.mark;
        }
        Ok(())
    }

    /// Whether a node has a successor outside the attractor. The search goes on where it found the
    /// last one, so that for each attractor it passes every successor twice at most.
    #[inline]
    pub(super) fn can_avoid(&mut self, node: u32, successors: &[u32], subgame: Subgame) -> bool {
        let hint = self.hint[node as usize] as usize;
        let (first, second) = successors.split_at(hint);
        let level = &self.level;
        let escapes = |next: &u32| subgame.is_escape(level[*next as usize]);
        let found = match second.iter().position(escapes) {
            Some(place) => Some(hint + place),
            None => first.iter().position(escapes),
        };
        self.hint[node as usize] = found.unwrap_or(0) as u32;
        found.is_some()
    }

    /// Lets nodes wait.
    pub(super) fn let_wait(&mut self, nodes: Range<usize>) {
        for &node in &self.nodes[nodes] {
            self.level[node as usize] = WAITING;
        }
    }

    /// Gives every node of these that belongs to the winner and has this mark a move to a node of
    /// the winner's that is in the subgame. No node may be alive.
    pub(super) fn stay(&mut self, arena: &impl Arena, nodes: Range<usize>, subgame: Subgame) {
        self.stay_where(arena, nodes, subgame, |_| true);
    }

    /// The same for some nodes only.
    pub(super) fn stay_where(
        &mut self,
        arena: &impl Arena,
        nodes: Range<usize>,
        subgame: Subgame,
        concerned: impl Fn(u32) -> bool,
    ) {
        let winner = Player::of(subgame.mark);
        for &node in self.nodes[nodes].iter().filter(|&&node| concerned(node)) {
            if self.level[node as usize] != subgame.mark || arena.owner(node) != winner {
                continue;
            }
            let level = &self.level;
            let stays = |next: &&u32| {
                let level = level[**next as usize];
                subgame.low <= level && level <= subgame.high && Player::of(level) == winner
            };
            let next = arena.successors(node).iter().find(stays);
            debug_assert!(next.is_some(), "a winner can stay where they win");
            self.strategy[node as usize] = next.copied().unwrap_or(NONE);
        }
    }

    /// The outcome, when all nodes are decided.
    pub(super) fn finish(mut self, arena: &impl Arena, budget: &mut Budget) -> Result<Solution, Exhausted> {
        let nodes = self.level.len();
        let mut odd = BitSet::within(nodes, budget)?;
        for (node, &level) in self.level.iter().enumerate() {
            debug_assert!(level < 2);
            if level == 1 {
                odd.insert(node as u32);
            }
            // moves of those who lost in the end may be left from subgames
            if arena.owner(node as u32).number() != level {
                self.strategy[node] = NONE;
            }
        }
        budget.spend(nodes)?;
        self.strategy.shrink_to_fit();
        budget.release((BYTES - 4) * nodes);
        Ok(Solution::new(odd, self.strategy))
    }
}
