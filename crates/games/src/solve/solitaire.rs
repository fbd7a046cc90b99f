//! Games in which only one player has a choice, and cycles of nodes of one player.
//!
//! The player wins from where a cycle can be reached whose largest priority favours the player.
//! Such a cycle exists in a strongly connected component if and only if it exists in one whose
//! largest priority favours the player after nodes with larger ones were taken out: components are
//! searched, nodes above the largest priority that favours the player are taken out, and what is
//! left is searched again. O(d · m) for d alternations of priorities.
//!
//! In other games, a player wins from where the play can be forced into such a cycle of nodes of
//! the player's own. Where these are many, that spares the solvers small dominions.

use super::components::components;
use super::regions::{ALIVE, Regions, Subgame};
use crate::Player;
use crate::arena::Arena;
use loris_base::{Budget, Exhausted};
use std::ops::Range;

/// The player who alone has a choice among nodes that are alive, if there is one.
pub(super) fn only_player(
    arena: &impl Arena,
    regions: &Regions,
    rest: Range<usize>,
    budget: &mut Budget,
) -> Result<Option<Player>, Exhausted> {
    let mut chooses = [false; 2];
    for &node in &regions.nodes[rest] {
        if chooses[arena.owner(node) as usize] {
            continue;
        }
        let successors = arena.successors(node);
        budget.spend(1 + successors.len())?;
        let mut alive = successors.iter().filter(|&&next| regions.level[next as usize] == ALIVE);
        let first = alive.next();
        chooses[arena.owner(node) as usize] = alive.any(|next| Some(next) != first);
        if chooses == [true, true] {
            return Ok(None);
        }
    }
    Ok(Some(if chooses[1] { Player::Odd } else { Player::Even }))
}

/// Decides nodes that are alive, among which everyone can move and only this player has a choice.
pub(super) fn solitaire(
    arena: &impl Arena,
    regions: &mut Regions,
    rest: Range<usize>,
    player: Player,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    // the player wins wherever these cycles can be reached, the opponent elsewhere
    cycles(arena, regions, rest.clone(), rest.clone(), player, u64::MAX, budget)?;
    let lost = Subgame::at_depth(1, player.opponent());
    for place in rest.clone() {
        let level = &mut regions.level[regions.nodes[place] as usize];
        if *level == ALIVE {
            *level = lost.mark;
        }
    }
    budget.spend(rest.len())?;
    regions.stay(arena, rest, lost);
    Ok(())
}

/// Decides those of the nodes that are alive from which a player can force the play into a cycle of
/// nodes of the player's own whose largest priority favours the player. Returns the places of all
/// others. The search for cycles ends after so many steps that this is linear.
pub(super) fn own_cycles(
    arena: &impl Arena,
    regions: &mut Regions,
    rest: Range<usize>,
    player: Player,
    budget: &mut Budget,
) -> Result<Range<usize>, Exhausted> {
    let mut own = rest.start;
    let mut edges = 0;
    for place in rest.clone() {
        let node = regions.nodes[place];
        if arena.owner(node) == player {
            edges += arena.successors(node).len();
            regions.nodes.swap(place, own);
            own += 1;
        }
    }
    budget.spend(rest.len())?;
    let limit = budget.spent() + 8 * (edges + rest.len()) as u64;
    cycles(arena, regions, rest.clone(), rest.start..own, player, limit, budget)?;
    let mut end = rest.start;
    for place in rest.clone() {
        if regions.level[regions.nodes[place] as usize] == ALIVE {
            regions.nodes.swap(place, end);
            end += 1;
        }
    }
    budget.spend(rest.len())?;
    Ok(rest.start..end)
}

/// Decides the nodes of the rest, all of which are alive, from which a player can force the play
/// into cycles that the player wins among some of them, where the opponent has no choice. Gives up
/// the search for cycles when the budget has counted this many steps.
fn cycles(
    arena: &impl Arena,
    regions: &mut Regions,
    rest: Range<usize>,
    among: Range<usize>,
    player: Player,
    limit: u64,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let won = Subgame::at_depth(1, player);
    let held = 4 * among.len();
    budget.charge(held)?;
    let mut found = Vec::with_capacity(among.len());
    regions.let_wait(rest.clone());
    let mut parts = Vec::new();
    budget.reserve(&mut parts, 1)?;
    parts.push(among);
    while let Some(part) = parts.pop() {
        if budget.spent() > limit {
            break;
        }
        for place in part.clone() {
            regions.level[regions.nodes[place] as usize] = ALIVE;
        }
        found.clear();
        let list = std::mem::take(&mut regions.nodes);
        let ends = components(arena, regions, list[part.clone()].iter().copied(), &mut found, budget);
        regions.nodes = list;
        let ends = ends?;
        regions.nodes[part.clone()].copy_from_slice(&found);
        let mut start = part.start;
        for last in part.clone() {
            if ends.contains((last - part.start) as u32) {
                let component = start..last + 1;
                start = last + 1;
                if let Some(smaller) = winning_cycles(arena, regions, component, won, budget)? {
                    budget.reserve(&mut parts, 1)?;
                    parts.push(smaller);
                }
            }
        }
        budget.release(ends.bytes());
        budget.spend(part.len())?;
    }
    budget.free(parts);
    budget.release(held);
    regions.queue.clear();
    for place in rest.clone() {
        let node = regions.nodes[place];
        if regions.level[node as usize] == won.mark {
            regions.queue.push(node);
        } else {
            regions.level[node as usize] = ALIVE;
        }
    }
    budget.spend(2 * rest.len())?;
    regions.attract(arena, won, 0, budget)
}

/// Looks at the largest priorities of a component, all of whose nodes wait. Where they favour the
/// player, the component is won, and its nodes get the level of that. Else returns the part that is
/// to be searched again, if it may have a cycle that the player wins.
fn winning_cycles(
    arena: &impl Arena,
    regions: &mut Regions,
    component: Range<usize>,
    won: Subgame,
    budget: &mut Budget,
) -> Result<Option<Range<usize>>, Exhausted> {
    let player = Player::of(won.mark);
    budget.spend(component.len())?;
    let members = &mut regions.nodes[component.clone()];
    if let [node] = *members
        && !arena.successors(node).contains(&node)
    {
        return Ok(None);
    }
    let priorities = members.iter().map(|&node| arena.priority(node));
    let Some(limit) = priorities.filter(|&priority| Player::of(priority) == player).max() else {
        return Ok(None);
    };
    let mut kept = 0;
    for place in 0..members.len() {
        if arena.priority(members[place]) <= limit {
            members.swap(place, kept);
            kept += 1;
        }
    }
    if kept < members.len() {
        return Ok(Some(component.start..component.start + kept));
    }
    // within the component, the largest priority can be reached again and again
    regions.queue.clear();
    for place in component.clone() {
        let node = regions.nodes[place];
        if arena.priority(node) == limit {
            regions.seed(node, won);
        } else {
            regions.level[node as usize] = ALIVE;
        }
    }
    regions.attract(arena, won, 0, budget)?;
    // earlier components have the same level, but a move to one of them wins as well
    regions.stay_where(arena, component, won, |node| arena.priority(node) == limit);
    Ok(None)
}
