//! Zielonka's algorithm (1998) on the rest of a component, with a stack of its own.
//!
//! Take the player whom the top priority favours, attract to the nodes with it, solve the rest; if
//! the opponent wins nothing there that attracts more, the player wins all else, otherwise the
//! opponent's attractor is taken out and the rest is solved again. All priorities from the top one
//! down to the first that favours the opponent count as one, so priorities are compressed in every
//! subgame.
//!
//! Whether the opponent attracts more can be seen at the attractor to the top priority alone, as
//! all other nodes were in the subgame that was solved. So one way down and up costs O(n + m).
//!
//! Invariant: the subgame of depth k are the nodes of level 2·k and more, all of which are among
//! the nodes of its frame; after a depth is finished, the last bit of each level is the winner of
//! the subgame. Nodes of a frame are sorted by priority from its first node that is alive.
//!
//! The depth is at most the number of alternations of priorities, the time O(m · n^d) at worst for
//! d alternations. Oracle: `tests/common/mod.rs`.

use super::regions::{ALIVE, Regions, Subgame};
use crate::Player;
use crate::arena::Arena;
use loris_base::{Budget, Exhausted};
use std::cmp::Reverse;
use std::ops::Range;

/// A call of the recursion, whose depth is its number on the stack, from 1.
struct Frame {
    /// where its nodes start, and those that favour the opponent or are less important
    start: usize,
    lower: usize,
    /// the player whom the top priority favours
    player: Player,
    /// where the attractor to it starts in the queue
    from: usize,
}

/// Decides nodes that are alive, among which everyone can move.
pub(super) fn zielonka(
    arena: &impl Arena,
    regions: &mut Regions,
    all: Range<usize>,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let mut stack: Vec<Frame> = Vec::new();
    let mut start = all.start;
    regions.queue.clear();
    sort(arena, regions, all.clone(), budget)?;
    loop {
        // down: until nothing is left, attract to the top priority
        while let Some(top) = first_alive(regions, start..all.end) {
            let depth = stack.len() as u32 + 1;
            let player = Player::of(arena.priority(regions.nodes[top]));
            let subgame = Subgame::at_depth(depth, player);
            let from = regions.queue.len();
            let mut lower = top;
            while lower < all.end {
                let node = regions.nodes[lower];
                if regions.level[node as usize] == ALIVE {
                    if Player::of(arena.priority(node)) != player {
                        break;
                    }
                    regions.seed(node, subgame);
                }
                lower += 1;
            }
            budget.spend(1 + lower - start)?;
            budget.charge(size_of::<Frame>())?;
            stack.push(Frame { start: top, lower, player, from });
            regions.attract(arena, subgame, from, budget)?;
            start = lower;
        }
        // up: until a subgame has to be solved again
        start = loop {
            let depth = stack.len() as u32;
            let Some(Frame { start, lower, player, from }) = stack.pop() else { return Ok(()) };
            budget.release(size_of::<Frame>());
            // whether the opponent's region of the rest attracts more is seen from it, or from
            // this frame's attractor, with which the queue ends, if that is much smaller
            let against = Subgame::at_depth(depth, player.opponent()).with_all_won();
            let lost = if 8 * (regions.queue.len() - from) < all.end - lower {
                regions.retain_attracted(arena, against, from, budget)?;
                from
            } else {
                regions.queue.truncate(from);
                for place in lower..all.end {
                    let node = regions.nodes[place];
                    if regions.level[node as usize] >= against.low && regions.winner(node) != player {
                        regions.queue.push(node);
                    }
                }
                budget.spend(all.end - lower)?;
                regions.queue.len()
            };
            regions.attract(arena, against, from, budget)?;
            let attracts_more = regions.queue.len() > lost;
            regions.queue.truncate(from);
            if !attracts_more {
                regions.stay(arena, start..lower, Subgame::at_depth(depth, player));
                budget.spend(1 + lower - start)?;
                continue;
            }
            // what the player can still win comes last and is alive again
            let mut first = start;
            for place in start..all.end {
                let node = regions.nodes[place];
                let level = regions.level[node as usize];
                if level < against.low {
                    regions.nodes.swap(place, first);
                    first += 1;
                } else if Player::of(level) != player {
                    regions.level[node as usize] = against.mark;
                    regions.nodes.swap(place, first);
                    first += 1;
                } else {
                    regions.level[node as usize] = ALIVE;
                }
            }
            sort(arena, regions, first..all.end, budget)?;
            break first;
        };
    }
}

/// The first place of a node that is alive.
fn first_alive(regions: &Regions, places: Range<usize>) -> Option<usize> {
    places.into_iter().find(|&place| regions.level[regions.nodes[place] as usize] == ALIVE)
}

/// Orders nodes by priority, the largest first.
fn sort(
    arena: &impl Arena,
    regions: &mut Regions,
    places: Range<usize>,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    budget.spend(places.len().saturating_mul(2))?;
    regions.nodes[places].sort_unstable_by_key(|&node| Reverse(arena.priority(node)));
    Ok(())
}
