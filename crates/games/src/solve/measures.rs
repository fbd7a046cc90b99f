//! Small progress measures (Jurdziński 2000) on the rest of a component.
//!
//! A measure counts, for each priority that favours the opponent, how often it can still occur
//! before a larger one that favours the player; the largest priority counts most. From zero on, the
//! measure of a node is lifted to the least one that is allowed by the best (player) or the worst
//! (opponent) of its successors, until nothing changes. A count above the number of nodes with that
//! priority is the top measure: the player loses there. Where the measure is less, the player wins
//! by moving to a successor with the least measure.
//!
//! `Even` is the player first, which decides all nodes; then `Odd` is, on the nodes that `Odd`
//! wins, for the strategy. Invariant: measures only grow, and never above the least fixpoint. For n
//! nodes, m edges and d priorities, O(d · m · (n / d)^⌈d / 2⌉) time at worst, 4 · ⌈d / 2⌉ + 12
//! bytes more per node. Oracle: `tests/common/mod.rs`.

use super::regions::{ALIVE, OTHER, Regions, Subgame};
use crate::Player;
use crate::arena::Arena;
use crate::solution::NONE;
use loris_base::{BitSet, Budget, Exhausted};
use std::collections::VecDeque;
use std::ops::Range;

/// Decides nodes that are alive, among which everyone can move.
pub(super) fn measures(
    arena: &impl Arena,
    regions: &mut Regions,
    rest: Range<usize>,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    lift_all(arena, regions, rest.clone(), Player::Even, budget)?;
    let mut lost = rest.start;
    for place in rest.clone() {
        if regions.level[regions.nodes[place] as usize] == ALIVE {
            regions.nodes.swap(place, lost);
            lost += 1;
        }
    }
    lift_all(arena, regions, rest.start..lost, Player::Odd, budget)?;
    debug_assert!(regions.nodes[rest].iter().all(|&node| regions.level[node as usize] < OTHER));
    Ok(())
}

/// The top measure has this first count.
const TOP: u32 = u32::MAX;

/// The measures of nodes that are alive, for one player.
struct Measures<'a, A> {
    arena: &'a A,
    player: Player,
    /// the smallest priorities of the counts, descending, and how large the counts can be
    least: Vec<u32>,
    limits: Vec<u32>,
    /// the counts of each node, one after the other
    counts: Vec<u32>,
    /// the measure at hand
    lifted: Vec<u32>,
}

/// Gives the nodes that the player wins a mark and a strategy; others are alive as before.
fn lift_all(
    arena: &impl Arena,
    regions: &mut Regions,
    nodes: Range<usize>,
    player: Player,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    for (number, &node) in regions.nodes[nodes.clone()].iter().enumerate() {
        regions.level[node as usize] = OTHER + number as u32;
    }
    let before = budget.used();
    let mut measures = Measures::new(arena, &regions.nodes[nodes.clone()], player, budget)?;
    measures.run(regions, nodes.clone(), budget)?;
    let won = Subgame::at_depth(1, player).mark;
    for place in nodes.clone() {
        let node = regions.nodes[place];
        budget.spend(1 + arena.successors(node).len())?;
        regions.strategy[node as usize] = NONE;
        if arena.owner(node) == player {
            regions.strategy[node as usize] = measures.best(regions, node).unwrap_or(NONE);
        }
    }
    for place in nodes {
        let level = &mut regions.level[regions.nodes[place] as usize];
        *level = if measures.is_top(*level) { ALIVE } else { won };
    }
    drop(measures);
    budget.release(budget.used() - before);
    Ok(())
}

impl<'a, A: Arena> Measures<'a, A> {
    /// All measures are zero.
    fn new(arena: &'a A, nodes: &[u32], player: Player, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(4 * nodes.len())?;
        budget.spend(3 * nodes.len())?;
        let mut priorities: Vec<u32> = nodes.iter().map(|&node| arena.priority(node)).collect();
        priorities.sort_unstable();
        let (mut least, mut limits) = (Vec::new(), Vec::new());
        // neighbours that favour the opponent have one count
        for run in priorities.chunk_by(|left, right| Player::of(*left) == Player::of(*right)) {
            if Player::of(run[0]) != player {
                budget.charge(8)?;
                least.push(run[0]);
                limits.push(run.len() as u32);
            }
        }
        least.reverse();
        limits.reverse();
        let size = least.len().saturating_mul(nodes.len());
        budget.charge(size.saturating_mul(4))?;
        budget.spend(size)?;
        let (mut counts, lifted) = (Vec::new(), vec![0; least.len()]);
        counts.try_reserve_exact(size).map_err(|_| Exhausted::Memory)?;
        counts.resize(size, 0);
        Ok(Self { arena, player, least, limits, counts, lifted })
    }

    /// The measure of a node with this level.
    fn measure(&self, level: u32) -> &[u32] {
        let start = (level - OTHER) as usize * self.least.len();
        &self.counts[start..start + self.least.len()]
    }

    fn is_top(&self, level: u32) -> bool {
        self.measure(level).first() == Some(&TOP)
    }

    /// How many counts a node of this priority keeps: those of priorities that are not smaller.
    fn kept(&self, priority: u32) -> usize {
        let above = self.least.partition_point(|&least| least > priority);
        above + usize::from(Player::of(priority) != self.player && above < self.least.len())
    }

    /// The successor of a node that is best for its owner, if one is among the nodes.
    fn best(&self, regions: &Regions, node: u32) -> Option<u32> {
        let kept = self.kept(self.arena.priority(node));
        let successors = self.arena.successors(node).iter().copied();
        let among = successors.filter(|&next| (OTHER..ALIVE).contains(&regions.level[next as usize]));
        let key = |next: &u32| {
            let level = regions.level[*next as usize];
            (self.is_top(level), &self.measure(level)[..kept])
        };
        if self.arena.owner(node) == self.player { among.min_by_key(key) } else { among.max_by_key(key) }
    }

    /// Lifts the measure of a node. Whether it grew.
    fn lift(&mut self, regions: &Regions, node: u32) -> bool {
        let Some(next) = self.best(regions, node) else { return false };
        let priority = self.arena.priority(node);
        let kept = self.kept(priority);
        let mut lifted = std::mem::take(&mut self.lifted);
        lifted.fill(0);
        let next = regions.level[next as usize];
        if self.is_top(next) {
            lifted[0] = TOP;
        } else {
            lifted[..kept].copy_from_slice(&self.measure(next)[..kept]);
        }
        if Player::of(priority) != self.player && !self.is_top(next) {
            // one more, with carry; above all limits is the top
            if let Some(place) = (0..kept).rev().find(|&place| lifted[place] < self.limits[place]) {
                lifted[place] += 1;
                lifted[place + 1..].fill(0);
            } else {
                lifted.fill(0);
                lifted[0] = TOP;
            }
        }
        let start = (regions.level[node as usize] - OTHER) as usize * lifted.len();
        let old = &mut self.counts[start..start + lifted.len()];
        let grew = *old < *lifted;
        if grew {
            old.copy_from_slice(&lifted);
        }
        self.lifted = lifted;
        grew
    }

    /// Lifts until nothing changes.
    fn run(&mut self, regions: &Regions, nodes: Range<usize>, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.charge(4 * nodes.len())?;
        let mut work: VecDeque<u32> = regions.nodes[nodes.clone()].iter().copied().collect();
        // by number of the node
        let mut listed = BitSet::within(nodes.len(), budget)?;
        (0..nodes.len() as u32).for_each(|number| _ = listed.insert(number));
        while let Some(node) = work.pop_front() {
            listed.remove(regions.level[node as usize] - OTHER);
            budget.spend((1 + self.arena.successors(node).len()) * self.least.len().max(1))?;
            if !self.lift(regions, node) {
                continue;
            }
            for before in self.arena.predecessors(node) {
                budget.spend(1)?;
                let level = regions.level[before as usize];
                if (OTHER..ALIVE).contains(&level) && !listed.contains(level - OTHER) {
                    listed.insert(level - OTHER);
                    work.push_back(before);
                }
            }
        }
        Ok(())
    }
}
