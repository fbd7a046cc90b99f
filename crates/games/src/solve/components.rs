//! Strongly connected components of the nodes that are alive, successors first.
//!
//! Tarjan's algorithm (1972) with one number per node, as low as is known (Pearce 2016). The path
//! of the search is kept in the arrays of [`Regions`], which are free at that time: the parent of a
//! node in `strategy`, the next successor in `hint`, the open nodes in `queue`. O(n + m).

use super::regions::{ALIVE, OTHER, Regions, WAITING};
use crate::arena::Arena;
use crate::bits::Bits;
use crate::solution::NONE;
use loris_base::{Budget, Exhausted};

/// Appends to a list the nodes that are alive and reachable from the roots, component by component,
/// and lets them wait. Returns the set of the places where a component ends: that of its last node.
///
/// No other node may have a level of [`OTHER`] or more that is less than [`ALIVE`]. The list must
/// have room for all of them.
pub(super) fn components(
    arena: &impl Arena,
    regions: &mut Regions,
    roots: impl Iterator<Item = u32>,
    found: &mut Vec<u32>,
    budget: &mut Budget,
) -> Result<Bits, Exhausted> {
    let mut ends = Bits::within(found.capacity(), budget)?;
    // nodes from which one was reached that is open and was entered earlier
    let mut lowered = Bits::within(arena.len(), budget)?;
    let Regions { level, strategy: parent, queue: open, hint: done, .. } = regions;
    open.clear();
    let mut number = OTHER;
    for root in roots {
        if level[root as usize] != ALIVE {
            continue;
        }
        let mut node = root;
        parent[root as usize] = NONE;
        done[root as usize] = 0;
        level[root as usize] = number;
        number += 1;
        open.push(root);
        loop {
            let successors = arena.successors(node);
            if let Some(&next) = successors.get(done[node as usize] as usize) {
                done[node as usize] += 1;
                match level[next as usize] {
                    ALIVE => {
                        parent[next as usize] = node;
                        done[next as usize] = 0;
                        level[next as usize] = number;
                        number += 1;
                        open.push(next);
                        node = next;
                    }
                    // closed nodes have the largest number
                    low if low >= OTHER && low < level[node as usize] => {
                        level[node as usize] = low;
                        lowered.insert(node);
                    }
                    _ => {}
                }
                continue;
            }
            budget.spend(1 + successors.len())?;
            done[node as usize] = 0;
            let above = std::mem::replace(&mut parent[node as usize], NONE);
            if lowered.contains(node) {
                let low = level[node as usize];
                if low < level[above as usize] {
                    level[above as usize] = low;
                    lowered.insert(above);
                }
            } else {
                loop {
                    let member = open.pop().expect("the first node of a component is open");
                    level[member as usize] = WAITING;
                    found.push(member);
                    if member == node {
                        break;
                    }
                }
                ends.insert(found.len() as u32 - 1);
            }
            if above == NONE {
                break;
            }
            node = above;
        }
    }
    budget.release(lowered.bytes());
    Ok(ends)
}
