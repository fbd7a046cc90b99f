//! A short search among single states for a run that stays in a set: where there is one, it is
//! mostly near.

use super::session::Session;
use loris_base::{Budget, Exhausted};
use loris_logic::mu::ActionSet;
use loris_solvers::mdd::{Event, Set};
use rustc_hash::FxHashMap;

/// This many states are looked at.
const STATES: usize = 3000;

/// An event leads to this many states at most: where many processes move at once, there may be very
/// many.
const SUCCESSORS: usize = 256;

/// A state on the path of the search, with what is still to be tried.
struct Place {
    state: Vec<u32>,
    event: usize,
    successors: Vec<Vec<u32>>,
}

impl Session {
    /// Whether a run by actions of the set from the first state of `start` stays in `stay` for
    /// ever, or until it is in `base`: none if that was not found out.
    pub(super) fn walk(
        &self,
        start: &Set,
        stay: &Set,
        base: &Set,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Option<bool>, Exhausted> {
        let Some(first) = self.store.first(start) else { return Ok(Some(false)) };
        if !self.store.contains(stay, &first) {
            return Ok(Some(false));
        }
        if self.store.contains(base, &first) {
            return Ok(Some(true));
        }
        let events = self.list(actions);
        // what was seen, and whether it is on the path
        let mut seen: FxHashMap<Vec<u32>, bool> = FxHashMap::default();
        seen.insert(first.clone(), true);
        let mut path = vec![Place { state: first, event: 0, successors: Vec::new() }];
        while let Some(place) = path.last_mut() {
            let Some(next) = place.successors.pop() else {
                if let Some(event) = events.get(place.event) {
                    budget.spend(event.locals.len() + 1)?;
                    place.event += 1;
                    let Some(successors) = successors(&place.state, event) else { return Ok(None) };
                    budget.spend(successors.len())?;
                    place.successors = successors;
                } else {
                    seen.insert(std::mem::take(&mut place.state), false);
                    path.pop();
                }
                continue;
            };
            budget.spend(next.len())?;
            match seen.get(&next) {
                Some(true) => return Ok(Some(true)),
                Some(false) => continue,
                None => {}
            }
            if !self.store.contains(stay, &next) {
                continue;
            }
            if self.store.contains(base, &next) {
                return Ok(Some(true));
            }
            if seen.len() >= STATES {
                return Ok(None);
            }
            seen.insert(next.clone(), true);
            path.push(Place { state: next, event: 0, successors: Vec::new() });
        }
        Ok(Some(false))
    }
}

/// Where an event leads from a state; none if that is too many states.
fn successors(state: &[u32], event: &Event) -> Option<Vec<Vec<u32>>> {
    let mut after = vec![state.to_vec()];
    for (level, pairs) in &event.locals {
        let level = *level as usize;
        let start = pairs.partition_point(|&(from, _)| from < state[level]);
        let moves = pairs[start..].iter().take_while(|&&(from, _)| from == state[level]);
        let mut next = Vec::new();
        for &(_, to) in moves {
            for state in &after {
                let mut state = state.clone();
                state[level] = to;
                next.push(state);
            }
        }
        after = next;
        if after.is_empty() {
            break;
        }
        if after.len() > SUCCESSORS {
            return None;
        }
    }
    Some(after)
}
