//! Lassos without needless turns: the loop starts as early on the run as it may.
//!
//! As long as the step before the loop is also its last step, the loop may as well start with it:
//! the endless run stays the same. Not every such start closes, though. A loop of evidence must end
//! in a stack that extends the one it starts with, and never drop below it (`docs/formats.md`): a
//! loop that grows may start at `[outer] x` or at `[outer, k] y`, but not between the call of `k`
//! and its return if the calls that make it grow go through another box.
//!
//! Only nodes are compared, so a run must be accepted for the labels of its nodes alone. Claims of
//! CTL* may differ where the stacks do.
//!
//! Linear in the states of the run and the boxes on their stacks.

use loris_evidence::{Loop, State};
use loris_rsm::Vertex;
use std::cmp::Ordering;

/// The same endless run, with the loop started as early as it closes.
pub(crate) fn unwound(
    mut states: Vec<State>,
    repeats: Loop,
    is_exit: impl Fn(Vertex) -> bool,
) -> (Vec<State>, Loop) {
    let Loop { from, to } = repeats;
    let height = |state: usize| states[state].stack.len();
    let leaves = |state: usize| states[state].node.is_some_and(&is_exit);
    if from >= to || height(to) < height(from) {
        return (states, repeats);
    }
    let grown = height(to) - height(from);
    let is_same = |&back: &usize| {
        let (before, last) = (from - back, to - back);
        if grown == 0 {
            return states[before] == states[last];
        }
        states[before].node == states[last].node
            && height(before) + grown == height(last)
            && is_same_step((&states[before], &states[before + 1]), (&states[last], &states[last + 1]))
    };
    let mut lowest = (from..to).map(height).min().unwrap_or(0);
    // states of the loop that leave its lowest frame; one that goes round to the front gets lower
    // by the growth of the loop, so none of the others need be looked at again
    let mut leaving = (from..to).filter(|&state| height(state) == lowest && leaves(state)).count();
    let mut best = 0;
    for back in (1..=from).take_while(is_same) {
        let (first, last) = (from - back, to - back);
        if height(first) < lowest {
            (lowest, leaving) = (height(first), 0);
        }
        if height(first) > lowest {
            continue;
        }
        leaving += usize::from(grown > 0 && leaves(first));
        let (first, last) = (&states[first].stack, &states[last].stack);
        // a state that leaves the frame the loop starts in must find the same box there in the next
        // round
        let repeats = || leaving == 0 || first.last() == last.last();
        if grown == 0 || last.starts_with(first) && repeats() {
            best = back;
        }
    }
    states.truncate(to - best + 1);
    (states, Loop { from: from - best, to: to - best })
}

/// Whether two steps between the same nodes do the same to the stack: whatever lies below.
fn is_same_step(one: (&State, &State), other: (&State, &State)) -> bool {
    let kind = |(before, after): (&State, &State)| {
        let (before, after) = (&before.stack, &after.stack);
        let (popped, pushed) = match after.len().cmp(&before.len()) {
            Ordering::Less => (before.last().copied(), None),
            Ordering::Greater => (None, after.last().copied()),
            Ordering::Equal if before == after => (None, None),
            Ordering::Equal => (before.last().copied(), after.last().copied()),
        };
        (popped, pushed)
    };
    kind(one) == kind(other)
}

#[cfg(test)]
mod tests {
    use super::unwound;
    use loris_base::Idx;
    use loris_evidence::{Loop, State};
    use loris_rsm::{BoxId, Vertex};

    /// States as `x` or `kkj`: a node, the last letter, under boxes. Node `j` is an exit.
    fn states(run: &str) -> Vec<State> {
        let state = |word: &str| {
            let (node, boxes) = word.as_bytes().split_last().expect("a word has a letter");
            let stack = boxes.iter().map(|&site| BoxId::new(site as usize)).collect();
            State { stack, node: Some(Vertex::new(*node as usize)) }
        };
        run.split_whitespace().map(state).collect()
    }

    fn check(run: &str, (from, to): (usize, usize), expected: &str, at: (usize, usize)) {
        let is_exit = |node: Vertex| node.index() == usize::from(b'j');
        let found = unwound(states(run), Loop { from, to }, is_exit);
        assert_eq!(found, (states(expected), Loop { from: at.0, to: at.1 }), "{run}");
    }

    #[test]
    fn a_loop_starts_as_early_as_it_can() {
        check("a b c b c b", (3, 5), "a b c b", (1, 3));
        check("a b c d b", (1, 4), "a b c d b", (1, 4));
        check("b b b", (1, 2), "b b", (0, 1));
        check("a b a b a b a", (4, 6), "a b a", (0, 2));
        // half a turn
        check("a c b c b", (2, 4), "a c b c", (1, 3));
        // states after the loop do not belong to the run
        check("a b b c", (1, 2), "a b b", (1, 2));
        // a loop starts under the lowest stack of its states
        check("x kA b c kA b", (2, 5), "x kA b c kA b", (2, 5));
        check("x c kA b c kA b", (3, 6), "x c kA b c", (1, 4));
    }

    #[test]
    fn a_loop_that_grows_starts_as_early_as_it_closes() {
        check("ka kka kkka", (1, 2), "ka kka", (0, 1));
        check("x ka kkb kka kkkb kkka", (3, 5), "x ka kkb kka", (1, 3));
        check("a ka kka kkka", (2, 3), "a ka", (0, 1));
        check("ka kb kka kkb", (1, 3), "ka kb kka", (0, 2));
        // another box leads to the same node
        check("la ka kka", (1, 2), "la ka kka", (1, 2));
        // a call that comes back, through another box than the one that makes the stack grow
        check("m kj gi gkj ggi", (2, 4), "m kj gi gkj ggi", (2, 4));
        check("i kj gi gkj ggi", (2, 4), "i kj gi", (0, 2));
        // through the same box, its return is part of every round
        check("m kj ki kkj kki", (2, 4), "m kj ki kkj", (1, 3));
    }
}
