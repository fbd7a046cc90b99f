//! Many temporal operators in one fixpoint, a lane each: a row of bits for each state.
//!
//! Decides, for up to 64 · W lanes at once, `E [ a U b ]` as the least set R = b ∪ (a ∩ pre R),
//! grown from b, and `EG a` as the greatest R = a ∩ pre R, shrunk from a. Lanes of both kinds go
//! together: a state takes R := (R ∪ (a ∩ pre R)) ∩ (pre R ∪ growing), with a empty in lanes that
//! shrink.
//!
//! *Sweeps* over all states, from the last to the first as most searches number them, are cheap per
//! state and are used while much changes; once a sweep changes few states, a *worklist* takes over,
//! until it has more to do than expected. Invariant of both: growing lanes are within the least
//! set, shrinking ones contain the greatest. Invariant of the worklist: a state whose equation does
//! not hold is in it. So a sweep must record which states it changed: a state whose equation holds
//! can become wrong only because a successor changes later.
//!
//! Every state changes at most once in each lane: O(64 · W · (n + m)) row operations at worst; on
//! graphs that are not made to be bad it is the longest of the shortest ways that counts, not the
//! lanes. Memory: 16 · W + 5 bytes a state. Oracle: the naive evaluator of `src/tests/naive.rs`.

use crate::Kripke;
use crate::column::Value;
use crate::transpose::{Row, to_columns, to_rows};
use loris_base::{BitSet, Budget, Exhausted};
use std::collections::VecDeque;

/// A sweep that changes fewer than one in this many states is the last.
const FEW: usize = 4;

/// Arrays that are used again and again.
#[derive(Default)]
pub(crate) struct Scratch {
    along: Vec<u64>,
    rows: Vec<u64>,
    changed: Vec<u32>,
    queue: VecDeque<u32>,
}

/// Operators to decide together.
#[derive(Default)]
pub(crate) struct Fixpoints<'a> {
    /// The first operands of untils; nothing for an `EG`.
    pub(crate) along: Vec<Value<'a>>,
    /// The second operands of untils; the operands of `EG`.
    pub(crate) start: Vec<Value<'a>>,
    pub(crate) shrinks: Vec<bool>,
}

/// Bytes for lanes of this many words.
pub(crate) fn bytes(states: usize, words: usize) -> usize {
    states.next_multiple_of(64) * (16 * words + 5)
}

/// `EU` and `EG`, into a column for each lane.
pub(crate) fn fixpoints<const W: usize>(
    kripke: &Kripke,
    lanes: &Fixpoints,
    out: &mut [BitSet],
    scratch: &mut Scratch,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let (states, padded) = (kripke.states(), kripke.states().next_multiple_of(64));
    let Scratch { along, rows, changed, queue } = scratch;
    let (along, rows) = (sized::<W>(along, padded), sized::<W>(rows, padded));
    to_rows(&lanes.along, along);
    to_rows(&lanes.start, rows);
    let mut growing = [u64::MAX; W];
    for (lane, _) in lanes.shrinks.iter().enumerate().filter(|(_, shrinks)| **shrinks) {
        growing[lane / 64] &= !(1 << (lane % 64));
    }
    let mut solver = Solver { kripke, along, rows, growing };
    changed.resize(states / FEW + 2, 0);
    let most = changed.len() - 1;
    let mut allowed = most;
    loop {
        let count = solver.sweep(changed, budget)?;
        if count < most {
            if solver.chase(&changed[..count], allowed, queue, budget)? {
                break;
            }
            allowed *= 2;
        }
    }
    to_columns(rows, out, states);
    Ok(())
}

/// `EX` of each operand: one pass.
pub(crate) fn next<const W: usize>(
    kripke: &Kripke,
    operands: &[Value],
    out: &mut [BitSet],
    scratch: &mut Scratch,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let (states, padded) = (kripke.states(), kripke.states().next_multiple_of(64));
    let (from, to) = (sized::<W>(&mut scratch.along, padded), sized::<W>(&mut scratch.rows, padded));
    to_rows(operands, from);
    for (state, row) in to[..states].iter_mut().enumerate() {
        if state % 64 == 0 {
            budget.spend(64)?;
        }
        *row = before(from, kripke.successors.row(state)).unwrap_or(from[state]);
    }
    to_columns(to, out, states);
    Ok(())
}

fn sized<const W: usize>(words: &mut Vec<u64>, rows: usize) -> &mut [Row<W>] {
    words.resize((rows * W).max(words.len()), 0);
    let (chunks, _) = words[..rows * W].as_chunks_mut();
    for row in &mut *chunks {
        *row = [0; W];
    }
    chunks
}

/// The union over all successors, if there is one.
#[inline]
fn before<const W: usize>(rows: &[Row<W>], successors: &[u32]) -> Option<Row<W>> {
    // without a loop for one or two, whose number could not be foretold
    let (&first, &last) = (successors.first()?, successors.last()?);
    let (mut union, last) = (rows[first as usize], rows[last as usize]);
    for i in 0..W {
        union[i] |= last[i];
    }
    if successors.len() > 2 {
        for &other in &successors[1..successors.len() - 1] {
            for (to, from) in union.iter_mut().zip(&rows[other as usize]) {
                *to |= from;
            }
        }
    }
    Some(union)
}

struct Solver<'s, const W: usize> {
    kripke: &'s Kripke<'s>,
    along: &'s [Row<W>],
    rows: &'s mut [Row<W>],
    growing: Row<W>,
}

impl<const W: usize> Solver<'_, W> {
    /// Makes the equation of a state hold; returns whether it did not.
    ///
    /// A state that has only itself as a successor has the row it starts with.
    #[inline]
    fn update(&mut self, state: usize) -> bool {
        let Some(next) = before(self.rows, self.kripke.successors.row(state)) else { return false };
        let (row, along) = (&mut self.rows[state], &self.along[state]);
        let mut difference = 0;
        for i in 0..W {
            let new = (row[i] | along[i] & next[i]) & (next[i] | self.growing[i]);
            difference |= row[i] ^ new;
            row[i] = new;
        }
        difference != 0
    }

    /// Updates all states, from the last to the first, and lists whom it changed, as far as there
    /// is room for one more.
    fn sweep(&mut self, changed: &mut [u32], budget: &mut Budget) -> Result<usize, Exhausted> {
        let (mut count, most) = (0, changed.len() - 1);
        for state in (0..self.kripke.states()).rev() {
            if state % 64 == 0 {
                budget.spend(64)?;
            }
            changed[count] = state as u32;
            count = (count + usize::from(self.update(state))).min(most);
        }
        Ok(count)
    }

    /// Updates the predecessors of changed states; returns whether nothing changes any more after
    /// this many.
    fn chase(
        &mut self,
        changed: &[u32],
        mut allowed: usize,
        queue: &mut VecDeque<u32>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let mut waiting = BitSet::empty(self.kripke.states());
        queue.clear();
        let predecessors = self.kripke.predecessors;
        let announce = |state: u32, waiting: &mut BitSet, queue: &mut VecDeque<u32>| {
            for &before in predecessors.row(state as usize) {
                if !waiting.contains(before) {
                    waiting.insert(before);
                    queue.push_back(before);
                }
            }
        };
        for &state in changed {
            announce(state, &mut waiting, queue);
        }
        while let Some(state) = queue.pop_front() {
            budget.spend(1)?;
            if allowed == 0 {
                return Ok(false);
            }
            allowed -= 1;
            waiting.remove(state);
            if self.update(state as usize) {
                announce(state, &mut waiting, queue);
            }
        }
        Ok(true)
    }
}
