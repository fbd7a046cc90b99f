//! A run into a fair component of the product and around a cycle in it that meets all recurrence
//! conditions.
//!
//! From the place where the part is reached first, to the nearest place that meets a condition not
//! met yet, and so on, and back: a closed walk, not always the shortest one. O((1 + conditions) ·
//! edges of the part).

use super::product::Product;
use crate::recorder::MOST_STATES;
use loris_base::{BitSet, Budget, Exhausted};
use loris_evidence::{Loop, State};
use loris_finite::Fairness;
use std::collections::VecDeque;

/// States of the structure along a run, and where it repeats.
pub(super) type Lasso = (Vec<u32>, Loop);

/// Nothing if it is too long to be recorded.
pub(super) fn lasso(
    product: &Product,
    fairness: &Fairness,
    part: &[u32],
    budget: &mut Budget,
) -> Result<Option<Lasso>, Exhausted> {
    let first = part.iter().copied().min().expect("a part has places");
    let mut walk = vec![first];
    while let Some(&place) = walk.last().filter(|&&place| product.came[place as usize] != place) {
        walk.push(product.came[place as usize]);
    }
    walk.reverse();
    let from = walk.len() - 1;
    let mut turn = Turn::new(product, part, budget)?;
    let meets = |set: &BitSet| part.iter().any(|&place| set.contains(place));
    // a pair whose second set the part lacks has none of its first there
    let pairs = fairness.compassion.iter().map(|(_, then)| then).filter(|then| meets(then));
    let mut open: Vec<&BitSet> = fairness.justice.iter().chain(pairs).collect();
    open.retain(|set| !set.contains(first));
    while let Some(&set) = open.first() {
        let last = walk.len();
        turn.walk_to(&mut walk, |place| set.contains(place), budget)?;
        open.retain(|set| !walk[last..].iter().any(|&place| set.contains(place)));
        if walk.len() > MOST_STATES {
            return Ok(None);
        }
    }
    turn.walk_to(&mut walk, |place| place == first, budget)?;
    let to = walk.len() - 1;
    let states: Vec<u32> = walk.into_iter().map(|place| product.state(place)).collect();
    Ok((states.len() <= MOST_STATES).then_some((states, Loop { from, to })))
}

/// The same run without steps from a state to itself, but for a loop that is nothing else. Formulas
/// without `X` do not distinguish the two.
pub fn without_stutters((states, repeats): (Vec<State>, Loop)) -> (Vec<State>, Loop) {
    let mut kept: Vec<State> = Vec::with_capacity(states.len());
    let mut from = 0;
    for (i, state) in states.into_iter().enumerate().take(repeats.to + 1) {
        if kept.last() != Some(&state) || (i == repeats.to && from + 1 == kept.len()) {
            kept.push(state);
        }
        if i == repeats.from {
            from = kept.len() - 1;
        }
    }
    let to = kept.len() - 1;
    (kept, Loop { from, to })
}

/// Walks inside a part.
struct Turn<'p> {
    product: &'p Product,
    inside: BitSet,
    /// per place that the present search met, where it came from
    came: Vec<u32>,
    met: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'p> Turn<'p> {
    fn new(product: &'p Product, part: &[u32], budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(5 * product.len())?;
        let inside = BitSet::of(product.len(), part.iter().copied());
        Ok(Self { product, inside, came: vec![NONE; product.len()], met: Vec::new() })
    }

    /// Adds at least one step, up to the nearest place that will do.
    fn walk_to(
        &mut self,
        walk: &mut Vec<u32>,
        is_goal: impl Fn(u32) -> bool,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let start = *walk.last().expect("a walk starts somewhere");
        self.met.drain(..).for_each(|place| self.came[place as usize] = NONE);
        let mut queue = VecDeque::from([start]);
        while let Some(place) = queue.pop_front() {
            let row = self.product.successors.row(place as usize);
            budget.spend(1 + row.len())?;
            for &next in row {
                if !self.inside.contains(next) || self.came[next as usize] != NONE {
                    continue;
                }
                self.came[next as usize] = place;
                self.met.push(next);
                if is_goal(next) {
                    let mut back = vec![next];
                    let mut at = place;
                    while at != start {
                        back.push(at);
                        at = self.came[at as usize];
                    }
                    walk.extend(back.into_iter().rev());
                    return Ok(());
                }
                queue.push_back(next);
            }
        }
        unreachable!("a part is strongly connected and meets all its conditions")
    }
}

#[cfg(test)]
mod tests {
    use super::without_stutters;
    use loris_base::Idx;
    use loris_evidence::{Loop, State};
    use loris_rsm::Vertex;

    fn check(run: &str, (from, to): (usize, usize), expected: &str, at: (usize, usize)) {
        let states = |run: &str| -> Vec<State> {
            let node = |letter: u8| Some(Vertex::new(letter as usize));
            run.bytes().map(|letter| State { stack: Vec::new(), node: node(letter) }).collect()
        };
        let found = without_stutters((states(run), Loop { from, to }));
        assert_eq!(found, (states(expected), Loop { from: at.0, to: at.1 }), "{run}");
    }

    #[test]
    fn steps_to_the_same_state_are_dropped() {
        check("aabca", (1, 4), "abca", (0, 3));
        check("abbccb", (2, 5), "abcb", (1, 3));
        check("abccbb", (1, 5), "abcb", (1, 3));
        check("abbb", (1, 3), "abb", (1, 2));
        check("aa", (0, 1), "aa", (0, 1));
        check("abab", (1, 3), "abab", (1, 3));
    }
}
