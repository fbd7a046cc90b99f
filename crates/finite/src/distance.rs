//! How many steps it takes from some states to others, at least and at most: NuSMV's `COMPUTE MIN`
//! and `MAX`.
//!
//! Both look at states that are reached from the initial ones, within a given set (those where fair
//! runs start).
//!
//! The **shortest** way is found by a search from all sources at once, level by level. Invariant:
//! after level k, the states seen are those at a distance of at most k.
//!
//! The **longest** way leads from a source along states that are not targets for as long as it can,
//! and one step further. It is infinite if it meets a cycle. The states that sources lead to, along
//! such states, are counted once with their predecessors among them; then states whose predecessors
//! are all done are taken off one by one (Kahn 1962), each one later than the latest of its
//! predecessors. Invariant: the level of a state that was taken off is the number of states on the
//! longest way there. A state that is never taken off lies on a cycle or behind one.
//!
//! O(n + m) for n states and m edges; a bit per state for the sets, and 4 bytes for the frontier, 8
//! more for the longest way. Oracle: the iteration of NuSMV's definition in
//! `src/tests/distance.rs`.

use crate::Kripke;
use loris_base::{BitSet, Budget, Exhausted};

/// A number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// This many.
    Steps(u64),
    /// No number is enough: a target is never reached, or need not be.
    Infinite,
    /// There is nothing to measure: no source, or no target.
    Undefined,
}

/// The states that are reached from the initial ones, whatever lies on the way.
pub fn reached(kripke: &Kripke, budget: &mut Budget) -> Result<BitSet, Exhausted> {
    let initial = BitSet::of(kripke.states(), kripke.initial.iter().copied());
    let mut seen = initial.clone();
    let mut everywhere = BitSet::empty(kripke.states());
    everywhere.complement(kripke.states());
    spread(kripke, &everywhere, &mut seen, initial.iter().collect(), budget, |_| false)?;
    Ok(seen)
}

/// The length of a shortest way from a source to a target through states of `within`:
/// [`Distance::Infinite`] if there is none.
pub fn shortest(
    kripke: &Kripke,
    from: &BitSet,
    to: &BitSet,
    within: &BitSet,
    budget: &mut Budget,
) -> Result<Distance, Exhausted> {
    let sources: Vec<u32> = states(kripke, from).filter(|&state| within.contains(state)).collect();
    if sources.iter().any(|&state| to.contains(state)) {
        return Ok(Distance::Steps(0));
    }
    let mut seen = BitSet::of(kripke.states(), sources.iter().copied());
    let found = spread(kripke, within, &mut seen, sources, budget, |state| to.contains(state))?;
    Ok(found.map_or(Distance::Infinite, Distance::Steps))
}

/// The length of a longest way from a source to the first target on it, through states of `within`.
/// [`Distance::Infinite`] if a way need not get to one, [`Distance::Undefined`] if there is no
/// source or no target.
pub fn longest(
    kripke: &Kripke,
    from: &BitSet,
    to: &BitSet,
    within: &BitSet,
    budget: &mut Budget,
) -> Result<Distance, Exhausted> {
    let exists = |set: &BitSet| states(kripke, set).any(|state| within.contains(state));
    if !exists(from) || !exists(to) {
        return Ok(Distance::Undefined);
    }
    let along = BitSet::of(kripke.states(), states(kripke, within).filter(|&state| !to.contains(state)));
    let sources: Vec<u32> = states(kripke, from).filter(|&state| along.contains(state)).collect();
    let mut seen = BitSet::of(kripke.states(), sources.iter().copied());
    spread(kripke, &along, &mut seen, sources, budget, |_| false)?;
    let budget = &mut budget.holding(12 * kripke.states())?;
    // how many predecessors are not done, and how many states the longest way to a state has
    let (mut waits, mut levels) = (vec![0_u32; kripke.states()], vec![0_u32; kripke.states()]);
    let mut ready: Vec<u32> = Vec::new();
    for state in states(kripke, &seen) {
        let row = kripke.successors.row(state as usize);
        budget.spend(1 + row.len())?;
        if row.is_empty() {
            // it loops
            return Ok(Distance::Infinite);
        }
        row.iter().filter(|&&next| seen.contains(next)).for_each(|&next| waits[next as usize] += 1);
    }
    for state in states(kripke, &seen) {
        levels[state as usize] = u32::from(from.contains(state));
        if waits[state as usize] == 0 {
            ready.push(state);
        }
    }
    let (mut done, mut most) = (0, 0);
    while let Some(state) = ready.pop() {
        done += 1;
        let level = levels[state as usize];
        most = most.max(level);
        let row = kripke.successors.row(state as usize);
        budget.spend(1 + row.len())?;
        for &next in row.iter().filter(|&&next| seen.contains(next)) {
            levels[next as usize] = levels[next as usize].max(level + 1);
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    let all = states(kripke, &seen).count();
    Ok(if done < all { Distance::Infinite } else { Distance::Steps(most.into()) })
}

/// The members of a set; bits past the last state does not count.
fn states<'a>(kripke: &Kripke, set: &'a BitSet) -> impl Iterator<Item = u32> + 'a {
    let states = kripke.states() as u32;
    set.iter().take_while(move |&state| state < states)
}

/// Adds the states of `within` that are reached from the frontier, level by level, up to the first
/// that is a goal: at which level.
fn spread(
    kripke: &Kripke,
    within: &BitSet,
    seen: &mut BitSet,
    mut frontier: Vec<u32>,
    budget: &mut Budget,
    goal: impl Fn(u32) -> bool,
) -> Result<Option<u64>, Exhausted> {
    let budget = &mut budget.holding(4 * kripke.states())?;
    let mut next: Vec<u32> = Vec::new();
    let mut level = 0;
    let mut found = None;
    while found.is_none() && !frontier.is_empty() {
        level += 1;
        for &state in &frontier {
            let row = kripke.successors.row(state as usize);
            budget.spend(1 + row.len())?;
            for &to in row {
                if within.contains(to) && !seen.contains(to) {
                    seen.insert(to);
                    next.push(to);
                    found = found.or(goal(to).then_some(level));
                }
            }
        }
        std::mem::swap(&mut frontier, &mut next);
        next.clear();
    }
    Ok(found)
}
