//! The product of a finite structure and an automaton, as far as it is reached from given states.
//!
//! Breadth first, so that the number of a place is the order in which it is found, and the place it
//! came from lies on a shortest path to it. A place without successors ends a run of the automaton.
//! O(n · m) for n states and edges of the structure and m of the automaton; 12 bytes per place, 4
//! per edge, and a table of 4 bytes per pair.

use super::condition::Condition;
use crate::linear::Steps;
use hashbrown::HashMap;
use loris_base::{BitSet, Budget, Csr, Exhausted};
use loris_finite::{Fairness, Kripke};

/// The places of a product that are reached, with their successors.
pub(super) struct Product {
    /// per place, the state of the structure
    states: Vec<u32>,
    /// per place, the state of the automaton
    automaton: Vec<u32>,
    /// per place, the one it was found from; of a start, itself
    pub(super) came: Vec<u32>,
    pub(super) successors: Csr,
}

/// Tables up to this size are dense.
const DENSE: usize = 1 << 26;

/// The place of each pair that was met.
enum Table {
    Dense(Vec<u32>),
    Sparse(HashMap<u64, u32>),
}

const NONE: u32 = u32::MAX;

impl Table {
    fn new(pairs: usize, budget: &mut Budget) -> Result<Self, Exhausted> {
        if pairs > DENSE {
            return Ok(Table::Sparse(HashMap::new()));
        }
        budget.charge(4 * pairs)?;
        Ok(Table::Dense(vec![NONE; pairs]))
    }

    /// The place of a pair, which is `next` if it is new.
    fn place(&mut self, pair: usize, next: u32) -> u32 {
        match self {
            Table::Dense(places) => {
                let place = &mut places[pair];
                if *place == NONE {
                    *place = next;
                }
                *place
            }
            Table::Sparse(places) => *places.entry(pair as u64).or_insert(next),
        }
    }
}

/// Bytes of a place: itself, its entry in a sparse table or the room that a growing vector has
/// left.
const PLACE_BYTES: usize = 40;

impl Product {
    /// Explores from states of the structure, with the automaton in its initial states; `class` is
    /// the letter of a state.
    pub(super) fn explore(
        kripke: &Kripke<'_>,
        class: impl Fn(u32) -> u32,
        steps: &Steps,
        starts: impl Iterator<Item = u32>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut product =
            Self { states: Vec::new(), automaton: Vec::new(), came: Vec::new(), successors: Csr::default() };
        let pairs = kripke.states().checked_mul(steps.states).ok_or(Exhausted::Memory)?;
        let mut table = Table::new(pairs, budget)?;
        let mut add = |product: &mut Self, state: u32, automaton: u32, from: Option<u32>| {
            let next = product.states.len() as u32;
            let place = table.place(state as usize * steps.states + automaton as usize, next);
            if place == next {
                product.states.push(state);
                product.automaton.push(automaton);
                product.came.push(from.unwrap_or(next));
            }
            place
        };
        for state in starts {
            for &initial in &steps.initial {
                add(&mut product, state, initial, None);
            }
        }
        let mut row: Vec<u32> = Vec::new();
        let mut place = 0;
        while let Some(&state) = product.states.get(place) {
            if product.states.len() >= NONE as usize - 1 {
                return Err(Exhausted::Memory);
            }
            let letter = class(state) as usize * steps.states + product.automaton[place] as usize;
            let targets = steps.next.row(letter);
            let mut next = kripke.successors.row(state as usize);
            let itself = [state];
            if next.is_empty() {
                next = &itself;
            }
            row.clear();
            if !targets.is_empty() {
                for &next in next {
                    row.extend(targets.iter().map(|&to| add(&mut product, next, to, Some(place as u32))));
                }
            }
            budget.spend(1 + row.len())?;
            budget.charge(PLACE_BYTES + 8 * row.len())?;
            product.successors.push_row(row.iter().copied());
            place += 1;
        }
        Ok(product)
    }

    /// How many places there are.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The state of the structure at a place.
    pub(super) fn state(&self, place: u32) -> u32 {
        self.states[place as usize]
    }

    /// The places in which the automaton is in an initial state.
    pub(super) fn starts<'p>(&'p self, steps: &'p Steps) -> impl Iterator<Item = u32> + 'p {
        (0..self.len() as u32).filter(|&place| steps.initial.contains(&self.automaton[place as usize]))
    }

    /// The conditions on states, and that the automaton accepts, as fairness of the product. Takes
    /// time linear in the places, and in each set of states and its places.
    pub(super) fn fairness(
        &self,
        steps: &Steps,
        conditions: &[Condition],
        budget: &mut Budget,
    ) -> Result<Fairness, Exhausted> {
        budget.charge(self.len().div_ceil(8) * (1 + 2 * conditions.len()))?;
        let mut fairness = Fairness::default();
        if !steps.accepting.iter().all(|&accepting| accepting) {
            let accepts = |place: &u32| steps.accepting[self.automaton[*place as usize] as usize];
            fairness.justice.push(BitSet::of(self.len(), (0..self.len() as u32).filter(accepts)));
        }
        if conditions.is_empty() {
            return Ok(fairness);
        }
        let states = self.states.iter().max().map_or(0, |&last| last as usize + 1);
        let pairs = self.states.iter().zip(0..).map(|(&state, place)| (state, place));
        let places = Csr::from_pairs_within(states, pairs, budget)?;
        let lifted = |set: &BitSet, budget: &mut Budget| {
            let known = set.iter().take_while(|&state| (state as usize) < states);
            let lifted = BitSet::of(self.len(), known.flat_map(|state| places.row(state as usize)).copied());
            budget.spend(lifted.count() + lifted.words().len()).map(|()| lifted)
        };
        for condition in conditions {
            let then = lifted(&condition.then, budget)?;
            match &condition.often {
                Some(often) => fairness.compassion.push((lifted(often, budget)?, then)),
                None => fairness.justice.push(then),
            }
        }
        budget.release(places.bytes());
        Ok(fairness)
    }

    /// Calls `found` for each set of places that an accepted run can walk all of forever.
    pub(super) fn fair(
        &self,
        steps: &Steps,
        fairness: &Fairness,
        budget: &mut Budget,
        found: impl FnMut(&[u32]),
    ) -> Result<(), Exhausted> {
        let goes_on = |place: &u32| {
            !self.successors.row(*place as usize).is_empty()
                && steps.is_live[self.automaton[*place as usize] as usize]
        };
        let within = BitSet::of(self.len(), (0..self.len() as u32).filter(goes_on));
        // nothing here goes backwards
        let none = Csr::default();
        let kripke = Kripke { successors: &self.successors, predecessors: &none, initial: &[] };
        loris_finite::fair_components(&kripke, fairness, &within, budget, found)
    }

    /// Of these sets, the one that is reached first.
    pub(super) fn nearest_fair(
        &self,
        steps: &Steps,
        fairness: &Fairness,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let mut best: Option<(u32, Vec<u32>)> = None;
        self.fair(steps, fairness, budget, |members| {
            let nearest = members.iter().copied().min().unwrap_or(NONE);
            if best.as_ref().is_none_or(|&(sooner, _)| nearest < sooner) {
                best = Some((nearest, members.to_vec()));
            }
        })?;
        Ok(best.map(|(_, members)| members))
    }
}
