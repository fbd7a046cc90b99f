//! One temporal operator at a time, on bit sets.
//!
//! `E [ a U b ]` grows b backwards. From a small frontier it goes along predecessors, each state
//! once; from a large one, or after a long walk, it *sweeps*: it asks every candidate, in the order
//! of memory, for a successor inside (the two directions of Beamer, Asanović and Patterson 2012, in
//! place). Invariant: a candidate with a successor inside stands before a state of the frontier.
//! `EG a` shrinks a in sweeps, too, while much changes; then it counts for each state the
//! successors inside and goes backwards from those with none. A sweep is made only after a fixed
//! share of the states was changed, so that all are linear, O(n + m).
//!
//! Memory besides the result: 4 bytes per state are charged for the frontier, and mostly far less
//! is held; `EG` takes as much and a counter of a byte, or of four if some state has more than 255
//! successors. Oracle: `src/tests/naive.rs`.

use crate::Kripke;
use loris_base::{BitSet, Budget, Exhausted, ones_of};

/// A frontier of more than one in this many states is swept.
const FEW: usize = 16;

/// Whether some successor is inside; a state without successors has itself.
#[inline]
fn leads_into(kripke: &Kripke, state: u32, set: &BitSet) -> bool {
    let successors = kripke.successors.row(state as usize);
    successors.iter().any(|&next| set.contains(next)) || (successors.is_empty() && set.contains(state))
}

/// `EX`: where one can step into the set.
pub fn next(kripke: &Kripke, set: &BitSet, out: &mut BitSet, budget: &mut Budget) -> Result<(), Exhausted> {
    let states = kripke.states() as u32;
    for (word, first) in out.words_mut().iter_mut().zip((0..states).step_by(64)) {
        budget.spend(64)?;
        *word = 0;
        for state in first..states.min(first + 64) {
            *word |= u64::from(leads_into(kripke, state, set)) << (state % 64);
        }
    }
    Ok(())
}

/// `EU`: grows the set by the states of `along` that lead into it. Without `along`, by all.
pub fn until(
    kripke: &Kripke,
    along: Option<&BitSet>,
    set: &mut BitSet,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let most = kripke.states() / FEW + 8;
    let budget = &mut budget.holding(4 * kripke.states())?;
    let (mut frontier, mut next): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut sweep = set.count() > most;
    if !sweep {
        frontier.extend(set.iter());
    }
    // how many states may be walked backwards before the next sweep
    let (mut allowed, mut walked) = (most, 0);
    loop {
        while sweep {
            frontier.clear();
            sweep = !grow(kripke, along, set, &mut frontier, most, budget)?;
            (allowed, walked) = if sweep { (most, 0) } else { (2 * allowed, 0) };
        }
        for &state in &frontier {
            let row = kripke.predecessors.row(state as usize);
            budget.spend(1 + row.len())?;
            for &before in row {
                if !set.contains(before) && along.is_none_or(|along| along.contains(before)) {
                    set.insert(before);
                    next.push(before);
                }
            }
        }
        if next.is_empty() {
            return Ok(());
        }
        walked += frontier.len();
        std::mem::swap(&mut frontier, &mut next);
        next.clear();
        sweep = frontier.len() > most || walked > allowed;
    }
}

/// A sweep, from the last state to the first. Lists whom it added, if that are few.
fn grow(
    kripke: &Kripke,
    along: Option<&BitSet>,
    set: &mut BitSet,
    added: &mut Vec<u32>,
    most: usize,
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    for word in (0..set.words().len()).rev() {
        let mut candidates = !set.words()[word] & along.map_or(u64::MAX, |along| along.words()[word]);
        let first = 64 * word as u32;
        if word + 1 == set.words().len() {
            // bits past the last state are not states
            candidates &= u64::MAX >> (64 * set.words().len() - kripke.states());
        }
        budget.spend(1 + candidates.count_ones() as usize)?;
        while candidates != 0 {
            let bit = candidates.ilog2();
            candidates ^= 1 << bit;
            if leads_into(kripke, first + bit, set) {
                set.insert(first + bit);
                if added.len() <= most {
                    added.push(first + bit);
                }
            }
        }
    }
    Ok(added.len() <= most)
}

/// `EG`: shrinks the set to where one can stay in it forever.
pub fn always(kripke: &Kripke, set: &mut BitSet, budget: &mut Budget) -> Result<(), Exhausted> {
    let most = kripke.states() / FEW;
    loop {
        let removed = shrink(kripke, set, budget)?;
        if removed == 0 {
            return Ok(());
        }
        if removed <= most {
            break;
        }
    }
    let widest = set.iter().map(|state| kripke.successors.row(state as usize).len()).max().unwrap_or(0);
    if u8::try_from(widest).is_ok() {
        drain::<u8>(kripke, set, |count| count as u8, |count| *count -= 1, budget)
    } else {
        drain::<u32>(kripke, set, |count| count as u32, |count| *count -= 1, budget)
    }
}

/// A sweep that removes states without a successor inside; returns how many.
fn shrink(kripke: &Kripke, set: &mut BitSet, budget: &mut Budget) -> Result<usize, Exhausted> {
    let mut removed = 0;
    for word in (0..set.words().len()).rev() {
        let mut members = set.words()[word];
        budget.spend(1 + members.count_ones() as usize)?;
        while members != 0 {
            let bit = members.ilog2();
            members ^= 1 << bit;
            let state = 64 * word as u32 + bit;
            if !leads_into(kripke, state, set) {
                set.remove(state);
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// Takes states away by counting the successors that are left to each.
fn drain<Count: Copy + Default + PartialEq>(
    kripke: &Kripke,
    set: &mut BitSet,
    count: impl Fn(usize) -> Count,
    less: impl Fn(&mut Count),
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let budget = &mut budget.holding(kripke.states() * (4 + size_of::<Count>()))?;
    let mut left = vec![Count::default(); kripke.states()];
    let mut stack: Vec<u32> = Vec::new();
    for (word, &members) in set.words().iter().enumerate() {
        budget.spend(1 + members.count_ones() as usize)?;
        for state in ones_of(members).map(|bit| 64 * word as u32 + bit) {
            let row = kripke.successors.row(state as usize);
            // a state without successors stays, as nothing removes it
            let inside = row.iter().filter(|&&next| set.contains(next)).count() + usize::from(row.is_empty());
            left[state as usize] = count(inside);
            if inside == 0 {
                stack.push(state);
            }
        }
    }
    for &state in &stack {
        set.remove(state);
    }
    while let Some(state) = stack.pop() {
        let row = kripke.predecessors.row(state as usize);
        budget.spend(1 + row.len())?;
        for &before in row {
            if set.contains(before) {
                let left = &mut left[before as usize];
                less(left);
                if *left == Count::default() {
                    set.remove(before);
                    stack.push(before);
                }
            }
        }
    }
    Ok(())
}
