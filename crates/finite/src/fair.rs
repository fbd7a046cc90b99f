//! `EG` over fair paths: the way into a fair component.
//!
//! A path that stays in a and is fair ends in a component of the a-states that it can walk all of.
//! Such a component is fair if it has an edge, meets every justice set, and for each compassion
//! pair (p, q) meets q or has no p. One that lacks a justice set is of no use, nor is any part of
//! it. One that has p but no q may have fair parts without p: its p-states go and the rest is
//! decomposed again (Emerson and Lei 1987). All components are taken apart in the same round.
//! States that are cut off stay cut off: a component of a round lies in one of the round before,
//! and lacks p for each pair it failed there, so that there are at most 1 + pairs rounds.
//! Invariant: a fair component lies in `part` or in `goal`. The result is `E [ a U goal ]`.
//!
//! O((1 + pairs) · (n + m) + rounds · n · (justice + pairs)); linear with justice alone. Memory as
//! in [`Search`], and three bits per state. Oracle: the nested fixpoint νZ. a ∧ ⋀ EX E [
//! a U Z ∧ f ] and its counterpart for compassion in `src/tests/naive.rs`.

use crate::column::bytes;
use crate::{Fairness, Kripke, single};
use loris_base::{BitSet, Budget, Exhausted, Search};

/// Shrinks the set to where a fair path starts that stays in it.
pub(crate) fn always(
    kripke: &Kripke,
    fairness: &Fairness,
    set: &mut BitSet,
    search: &mut Search,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let budget = &mut budget.holding(bytes(kripke.states()))?;
    let mut goal = BitSet::empty(kripke.states());
    each(kripke, fairness, set, search, budget, |members| {
        for &state in members {
            goal.insert(state);
        }
    })?;
    single::until(kripke, Some(set), &mut goal, budget)?;
    *set = goal;
    Ok(())
}

/// Calls `found` for each component of the states of `set` that a fair path can walk all of.
pub(crate) fn each(
    kripke: &Kripke,
    fairness: &Fairness,
    set: &BitSet,
    search: &mut Search,
    budget: &mut Budget,
    mut found: impl FnMut(&[u32]),
) -> Result<(), Exhausted> {
    let budget = &mut budget.holding(2 * bytes(kripke.states()))?;
    let mut part = set.clone();
    let mut edge = |state: u32, done: usize| kripke.successors.row(state as usize).get(done).copied();
    loop {
        let mut rest = BitSet::empty(kripke.states());
        let mut again = false;
        // all else is closed, from the start or by a search before
        part.iter().for_each(|state| search.low[state as usize] = Search::<u32>::UNSEEN);
        let found = |members: &[u32], _: &mut _| match judge(kripke, fairness, members) {
            Judgement::Fair => found(members),
            Judgement::Unfair => {}
            Judgement::Without(avoided) => {
                let avoids = |state: u32| !avoided.iter().any(|avoided| avoided.contains(state));
                for &state in members.iter().filter(|&&state| avoids(state)) {
                    rest.insert(state);
                    again = true;
                }
            }
        };
        search.each(part.iter(), &mut edge, budget, found)?;
        if !again {
            break;
        }
        part = rest;
    }
    Ok(())
}

enum Judgement<'a> {
    Fair,
    /// And so are all parts.
    Unfair,
    /// Only parts that avoid these sets can be fair.
    Without(Vec<&'a BitSet>),
}

fn judge<'a>(kripke: &Kripke, fairness: &'a Fairness, members: &[u32]) -> Judgement<'a> {
    if let &[state] = members {
        let row = kripke.successors.row(state as usize);
        if !row.is_empty() && !row.contains(&state) {
            return Judgement::Unfair;
        }
    }
    // a component with more members than a set has words is compared word by word
    let numbers = kripke.states();
    let together = (members.len() > numbers / 64).then(|| BitSet::of(numbers, members.iter().copied()));
    let meets = |set: &BitSet| match &together {
        Some(together) => together.words().iter().zip(set.words()).any(|(a, b)| a & b != 0),
        None => members.iter().any(|&state| set.contains(state)),
    };
    if !fairness.justice.iter().all(meets) {
        return Judgement::Unfair;
    }
    let failed = fairness.compassion.iter().filter(|(p, q)| !meets(q) && meets(p));
    let avoided: Vec<&BitSet> = failed.map(|(p, _)| p).collect();
    if avoided.is_empty() { Judgement::Fair } else { Judgement::Without(avoided) }
}
