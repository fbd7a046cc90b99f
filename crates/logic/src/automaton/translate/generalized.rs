//! The generalized Büchi automaton with acceptance on transitions (Gastin and Oddoux, CAV 2001,
//! section 4): its states are the conjunctions of formulas that the alternating automaton can be in.
//!
//! A run is accepting if each promise is absent from infinitely many of its transitions. States with the
//! same transitions are one from the start; when all are there, bisimilar ones are merged.
//!
//! Invariant of the search: every state has its row, with targets as states, aliases resolved. There are
//! at most exponentially many states in the size of the formula.

use super::alternating::{Alternating, Move};
use super::sets::{Set, is_subset};
use crate::Ltl;
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Transition {
    pub(super) cube: Set,
    pub(super) to: u32,
    pub(super) promises: Set,
}

pub(super) struct Generalized {
    pub(super) initial: u32,
    pub(super) rows: Vec<Vec<Transition>>,
}

impl Generalized {
    pub(super) fn new(formula: &Ltl, budget: &mut Budget) -> Result<Self, Exhausted> {
        let alternating = Alternating::new(formula, budget)?;
        let mut search = Search {
            alternating,
            moves: Vec::new(),
            rows: FxHashMap::default(),
            states: FxHashMap::default(),
        };
        let root = search.alternating.conjunction(formula.root());
        let initial = search.state(&root, budget)?;
        let mut rows: Vec<Vec<Transition>> = Vec::new();
        while rows.len() < search.moves.len() {
            let mut row = Vec::new();
            for step in search.moves[rows.len()].clone() {
                let to = search.state(&step.to, budget)?;
                row.push(Transition { cube: step.cube, to, promises: step.promises });
            }
            rows.push(pruned(row, budget)?);
        }
        let mut automaton = Self { initial, rows };
        while automaton.merge_bisimilar(budget)? {}
        Ok(automaton)
    }

    /// Merges states that the other transitions cannot tell apart; whether there were any.
    ///
    /// Invariant: bisimilar states are in the same class.
    fn merge_bisimilar(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
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
    row.sort_by(|a, b| size(a).cmp(&size(b)).then_with(|| a.cmp(b)));
    let mut kept: Vec<Transition> = Vec::with_capacity(row.len());
    for edge in row {
        budget.spend(1 + kept.len())?;
        let implied = |other: &Transition| {
            other.to == edge.to
                && is_subset(&other.cube, &edge.cube)
                && is_subset(&other.promises, &edge.promises)
        };
        if !kept.iter().any(implied) {
            kept.push(edge);
        }
    }
    kept.sort_unstable();
    Ok(kept)
}

struct Search<'f> {
    alternating: Alternating<'f>,
    /// Of each state.
    moves: Vec<Vec<Move>>,
    rows: FxHashMap<Vec<Move>, u32>,
    states: FxHashMap<Set, u32>,
}

impl Search<'_> {
    /// The state of a conjunction: that of another one with the same moves, if there is one.
    fn state(&mut self, conjunction: &Set, budget: &mut Budget) -> Result<u32, Exhausted> {
        if let Some(&state) = self.states.get(conjunction) {
            return Ok(state);
        }
        let moves = self.alternating.moves(conjunction, budget)?;
        // kept twice, in the list and in the table
        budget.charge(2 * moves.iter().map(Move::bytes).sum::<usize>() + 64)?;
        let next = self.moves.len() as u32;
        let state = *self.rows.entry(moves.clone()).or_insert(next);
        if state == next {
            self.moves.push(moves);
        }
        self.states.insert(conjunction.clone(), state);
        Ok(state)
    }
}
