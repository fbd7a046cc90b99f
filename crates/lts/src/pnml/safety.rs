//! Whether each unit of a net holds at most one token at a time.
//!
//! A unit whose transitions all take as many of its tokens as they put in, or more, holds at most
//! one if it starts so. If that does not settle all units, markings are explored breadth first, up
//! to a bound; the first that breaks a unit is an error, whatever the file states. The cost is that
//! of the exploration: markings times transitions.

use super::net::Net;
use loris_base::{BitSet, Budget, Exhausted};
use rustc_hash::FxHashSet;

/// What is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Safety {
    /// Every unit holds at most one token.
    Proved,
    /// After this transition, this unit holds two.
    Broken { transition: usize, unit: usize },
    /// Nothing was found within the bound, for this unit and perhaps others.
    Open { unit: usize },
}

/// How many markings are explored at most, and how many transitions are tried in them.
const MARKINGS: usize = 50_000;
const TRIES: usize = 20_000_000;

/// Decides it for units given as a number for each place.
pub(super) fn safety(net: &Net, unit_of: &[u32], budget: &mut Budget) -> Result<Safety, Exhausted> {
    let Some(unit) = unproved(net, unit_of, budget)? else { return Ok(Safety::Proved) };
    let marked = (0..).zip(&net.marked).filter(|(_, marked)| **marked).map(|(place, _)| place);
    let start = BitSet::of(net.marked.len(), marked);
    let units = unit_of.iter().map(|&unit| unit as usize + 1).max().unwrap_or(0);
    // a marking, in the table and in the queue
    let bytes = 2 * (start.bytes() + 32);
    let mut held = 0;
    let mut seen: FxHashSet<BitSet> = FxHashSet::default();
    let mut queue = vec![start.clone()];
    seen.insert(start);
    let mut counts = vec![0u32; units];
    let (mut next, mut tries) = (0, 0);
    let result = loop {
        let Some(marking) = queue.get(next).cloned() else { break Safety::Proved };
        next += 1;
        tries += net.before.len();
        if queue.len() > MARKINGS || tries > TRIES {
            break Safety::Open { unit };
        }
        budget.spend(1 + net.before.len() / 4)?;
        counts.fill(0);
        for (place, &unit) in unit_of.iter().enumerate() {
            counts[unit as usize] += u32::from(marking.contains(place as u32));
        }
        let mut broken = None;
        for (transition, (before, after)) in net.before.iter().zip(&net.after).enumerate() {
            if !before.iter().all(|&place| marking.contains(place)) {
                continue;
            }
            let mut target = marking.clone();
            for &place in before {
                target.remove(place);
                counts[unit_of[place as usize] as usize] -= 1;
            }
            for &place in after {
                target.insert(place);
                let unit = unit_of[place as usize];
                counts[unit as usize] += 1;
                if counts[unit as usize] > 1 && broken.is_none() {
                    broken = Some(Safety::Broken { transition, unit: unit as usize });
                }
            }
            for &place in after {
                counts[unit_of[place as usize] as usize] -= 1;
            }
            for &place in before {
                counts[unit_of[place as usize] as usize] += 1;
            }
            if broken.is_some() {
                break;
            }
            if !seen.contains(&target) {
                budget.charge(bytes)?;
                held += bytes;
                seen.insert(target.clone());
                queue.push(target);
            }
        }
        if let Some(broken) = broken {
            break broken;
        }
    };
    budget.release(held);
    Ok(result)
}

/// A unit into which a transition puts more tokens than it takes out.
fn unproved(net: &Net, unit_of: &[u32], budget: &mut Budget) -> Result<Option<usize>, Exhausted> {
    let units = unit_of.iter().map(|&unit| unit as usize + 1).max().unwrap_or(0);
    let mut growth = vec![0i64; units];
    for (before, after) in net.before.iter().zip(&net.after) {
        budget.spend(1 + before.len() + after.len())?;
        for &place in before {
            growth[unit_of[place as usize] as usize] -= 1;
        }
        for &place in after {
            growth[unit_of[place as usize] as usize] += 1;
        }
        let found =
            after.iter().map(|&place| unit_of[place as usize] as usize).find(|&unit| growth[unit] > 0);
        if found.is_some() {
            return Ok(found);
        }
        for &place in before.iter().chain(after) {
            growth[unit_of[place as usize] as usize] = 0;
        }
    }
    Ok(None)
}
