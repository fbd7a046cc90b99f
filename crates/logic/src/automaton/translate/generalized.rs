//! The generalized Büchi automaton with acceptance on transitions (Gastin and Oddoux, CAV 2001,
//! section 4): its states are the conjunctions of formulas that the alternating automaton can be
//! in.
//!
//! A run is accepting if each promise is absent from infinitely many of its transitions. States
//! with the same transitions are one from the start; when all are there, bisimilar ones are merged.
//!
//! Invariant of the search: every state has its row, with targets as states, aliases resolved.
//! There are at most exponentially many states in the size of the formula.

use super::alternating::{Alternating, Move};
use super::sets::{Set, bytes, is_subset};
use crate::ltl::{Ltl, LtlId};
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Transition {
    pub(super) cube: Set,
    pub(super) to: u32,
    pub(super) promises: Set<LtlId>,
}

pub(super) struct Generalized {
    pub(super) initial: u32,
    pub(super) rows: Vec<Vec<Transition>>,
}

impl Generalized {
    pub(super) fn new(formula: &Ltl, budget: &mut Budget) -> Result<Self, Exhausted> {
        let before = budget.used();
        let alternating = Alternating::new(formula, budget)?;
        let mut search = Construction {
            alternating,
            moves: Vec::new(),
            rows: FxHashMap::default(),
            states: FxHashMap::default(),
        };
        let root = search.alternating.conjunction(formula.root(), budget)?;
        let initial = search.state(&root, budget)?;
        let mut rows: Vec<Vec<Transition>> = Vec::new();
        let mut held = 0;
        while rows.len() < search.moves.len() {
            let mut row = Vec::new();
            for number in 0..search.moves[rows.len()].len() {
                let Move { cube, to, promises } = search.moves[rows.len()][number].clone();
                let to = search.state(&to, budget)?;
                row.push(Transition { cube, to, promises });
            }
            let bytes = row_bytes(&row);
            budget.charge(bytes)?;
            held += bytes;
            rows.push(pruned(row, budget)?);
        }
        drop(search);
        // of all that was declared, the rows are left
        budget.release(budget.used().saturating_sub(before + held));
        let mut automaton = Self { initial, rows };
        while automaton.merge_bisimilar(budget)? {}
        Ok(automaton)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.rows.iter().map(|row| row_bytes(row)).sum()
    }

    /// Merges bisimilar states; returns whether there were any.
    ///
    /// Invariant: bisimilar states are in the same class.
    fn merge_bisimilar(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
        // a table of all rows, then the rows that are left
        let budget = &mut budget.holding(self.bytes() + 64 * self.rows.len())?;
        let mut class = vec![0u32; self.rows.len()];
        let mut classes = 1;
        loop {
            let mut found: FxHashMap<Vec<Transition>, u32> = FxHashMap::default();
            let mut finer = Vec::with_capacity(class.len());
            for row in &self.rows {
                budget.spend(1 + row.len())?;
                let next = found.len() as u32;
                finer.push(*found.entry(renamed(row, &class)).or_insert(next));
            }
            let count = found.len();
            class = finer;
            if count == classes {
                break;
            }
            classes = count;
        }
        let before = self.rows.len();
        let mut rows = Vec::with_capacity(classes);
        for (state, row) in self.rows.iter().enumerate() {
            // classes are numbered as they are met
            if class[state] as usize == rows.len() {
                rows.push(pruned(renamed(row, &class), budget)?);
            }
        }
        self.initial = class[self.initial as usize];
        self.rows = rows;
        Ok(classes < before)
    }
}

/// Bytes of a row.
fn row_bytes(row: &[Transition]) -> usize {
    let transition = |edge: &Transition| size_of::<Transition>() + bytes(&edge.cube) + bytes(&edge.promises);
    size_of::<Vec<Transition>>() + row.iter().map(transition).sum::<usize>()
}

fn renamed(row: &[Transition], class: &[u32]) -> Vec<Transition> {
    let to = |edge: &Transition| Transition { to: class[edge.to as usize], ..edge.clone() };
    let mut row: Vec<Transition> = row.iter().map(to).collect();
    row.sort_unstable();
    row.dedup();
    row
}

/// The transitions that no other to the same state implies, sorted.
fn pruned(mut row: Vec<Transition>, budget: &mut Budget) -> Result<Vec<Transition>, Exhausted> {
    let size = |edge: &Transition| edge.cube.len() + edge.promises.len();
    row.sort_unstable_by(|a, b| size(a).cmp(&size(b)).then_with(|| a.cmp(b)));
    // those that are kept, in front
    let mut kept = 0;
    for i in 0..row.len() {
        budget.spend(1 + kept)?;
        let edge = &row[i];
        let implied = |other: &Transition| {
            other.to == edge.to
                && is_subset(&other.cube, &edge.cube)
                && is_subset(&other.promises, &edge.promises)
        };
        if !row[..kept].iter().any(implied) {
            row.swap(kept, i);
            kept += 1;
        }
    }
    row.truncate(kept);
    row.shrink_to_fit();
    row.sort_unstable();
    Ok(row)
}

/// Bytes of an entry in a table that is at least half full, beside its key.
const TABLE: usize = 64;

struct Construction<'f> {
    alternating: Alternating<'f>,
    /// Of each state.
    moves: Vec<Vec<Move>>,
    rows: FxHashMap<Vec<Move>, u32>,
    states: FxHashMap<Set<LtlId>, u32>,
}

impl Construction<'_> {
    /// The state of a conjunction: that of another one with the same moves, if there is one.
    fn state(&mut self, conjunction: &Set<LtlId>, budget: &mut Budget) -> Result<u32, Exhausted> {
        if let Some(&state) = self.states.get(conjunction) {
            return Ok(state);
        }
        let moves = self.alternating.moves(conjunction, budget)?;
        // they are declared once, and kept twice: in the list and in the table
        let again: usize = moves.iter().map(Move::bytes).sum();
        budget.charge(again + size_of::<Set<LtlId>>() + bytes(conjunction) + 2 * TABLE)?;
        let next = self.moves.len() as u32;
        let state = *self.rows.entry(moves.clone()).or_insert(next);
        if state == next {
            self.moves.push(moves);
        } else {
            budget.release(2 * again);
        }
        self.states.insert(conjunction.clone(), state);
        Ok(state)
    }
}
