//! All states that runs get to, and the steps between them (thesis, section 5.2).
//!
//! States are numbered as they are met, breadth first, so that the list of states is the queue,
//! too. Linear in states and steps, given the cost of an equation. A state takes its bits, four
//! bytes for each step and four for their place, and while states are explored five to eleven bytes
//! of the table. All of it is charged to the budget before it is allocated.

use super::classes::Classes;
use super::layout::{Bits, Layout};
use super::limits::Limits;
use super::parts::Parts;
use super::plan::Plans;
use super::step::{Maker, Trouble};
use crate::ir::{EXIT, Structure};
use loris_base::{Budget, Csr, Exhausted, Stopped};
use loris_rsm::DeadEnds;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::Ordering;

/// States and steps.
pub(super) struct Space<B> {
    pub(super) states: Vec<B>,
    pub(super) successors: Csr,
    /// how many states are initial: they are the first
    pub(super) initial: usize,
    /// the state where every variable has left
    pub(super) exit: Option<u32>,
    /// states without successor
    pub(super) dead: Vec<u32>,
    /// whether states were left out
    pub(super) merged: bool,
}

/// The problem, and its state; none for initial states.
pub(super) enum Failed<B> {
    Stopped(Stopped),
    Trouble(Trouble, Option<B>),
}

impl<B> From<Exhausted> for Failed<B> {
    fn from(exhausted: Exhausted) -> Self {
        Failed::Stopped(Stopped::Exhausted(exhausted))
    }
}

/// The model that is explored.
pub(super) struct Model<'a> {
    pub(super) structure: &'a Structure,
    pub(super) layout: &'a Layout,
    pub(super) plans: &'a Plans,
    pub(super) recursive: bool,
    /// the conditions that distinguish states, if the others may be merged
    pub(super) parts: Option<&'a Parts>,
}

pub(super) fn explore<B: Bits>(
    model: &Model<'_>,
    limits: &Limits,
    before: usize,
    budget: &mut Budget,
) -> Result<Space<B>, Failed<B>> {
    let &Model { structure, layout, plans, recursive, .. } = model;
    let most = limits.states.saturating_sub(before);
    let mut maker: Maker<'_, B> = Maker::new(layout, plans, structure.variables.len(), recursive, most);
    let mut found = Found { states: Vec::new(), table: Table::new(layout, budget)? };
    let mut row: Vec<u32> = Vec::new();
    // edges of structures explored earlier
    let edges = limits.explored.edges();
    maker.start(budget).map_err(|trouble| Failed::Trouble(trouble, None))?;
    let mut merging = Merging::new(model, limits);
    if merging.starts(maker.row.len(), budget)? {
        merging.number(&maker.row, &mut found, &mut row, budget)?;
    } else {
        for chunk in maker.row.chunks(CHUNK) {
            row.clear();
            found.number(chunk, &mut row, budget)?;
            limits.explored.set(before + found.states.len(), edges);
        }
    }
    maker.shrink(budget);
    let initial = found.states.len();
    let is_exit = |state: &B| {
        recursive && !layout.fields.is_empty() && layout.fields.iter().all(|field| field.value(state) == EXIT)
    };
    let mut successors = Csr::default();
    let (mut exit, mut dead) = (None, Vec::new());
    let mut at = 0;
    while at < found.states.len() {
        let state = found.states[at];
        row.clear();
        if is_exit(&state) {
            exit = Some(at as u32);
        } else {
            let known = merging.known(&state, budget)?;
            if let Some(known) = known {
                budget.reserve(&mut row, known.len())?;
                row.extend(known);
            } else {
                maker.successors(&state, budget).map_err(|trouble| Failed::Trouble(trouble, Some(state)))?;
                if merging.starts(maker.row.len(), budget)? {
                    merging.number(&maker.row, &mut found, &mut row, budget)?;
                    merging.keep(&state, &row, budget)?;
                } else {
                    found.number(&maker.row, &mut row, budget)?;
                }
            }
            if row.is_empty() {
                budget.reserve(&mut dead, 1)?;
                dead.push(at as u32);
                if limits.dead_ends == DeadEnds::Loop {
                    budget.reserve(&mut row, 1)?;
                    row.push(at as u32);
                }
            }
        }
        successors.push_row_within(&row, budget)?;
        at += 1;
        limits.explored.set(before + found.states.len(), edges + successors.len());
        limits.open.store(found.states.len() - at, Ordering::Relaxed);
        if before + found.states.len() > limits.states || successors.len() >= MOST {
            return Err(Exhausted::States.into());
        }
    }
    maker.close(budget);
    let merged = merging.has_merged;
    merging.close(budget);
    budget.free(row);
    let Found { mut states, table } = found;
    budget.free(table.slots);
    let spare = (states.capacity() - states.len()) * size_of::<B>();
    states.shrink_to_fit();
    budget.release(spare);
    Ok(Space { states, successors, initial, exit, dead, merged })
}

/// Keeps only one of the states that nothing distinguishes, where there are many successors.
struct Merging<'a, B> {
    model: &'a Model<'a>,
    /// from this many successors on
    from: usize,
    classes: Option<Classes<'a, B>>,
    /// rows of successors, by residue
    rows: FxHashMap<u32, Vec<u32>>,
    held: usize,
    /// whether states were left out
    has_merged: bool,
}

impl<'a, B: Bits> Merging<'a, B> {
    fn new(model: &'a Model<'a>, limits: &Limits) -> Self {
        let from = limits.merge.filter(|_| !model.recursive).unwrap_or(usize::MAX);
        Self { model, from, classes: None, rows: FxHashMap::default(), held: 0, has_merged: false }
    }

    /// Whether states with this many successors are merged.
    fn starts(&mut self, successors: usize, budget: &mut Budget) -> Result<bool, Exhausted> {
        if self.classes.as_ref().is_some_and(Classes::is_useless) {
            self.from = usize::MAX;
            self.stop(budget);
        }
        if let (None, Some(parts)) = (&self.classes, self.model.parts)
            && successors >= self.from
        {
            let Model { structure, layout, .. } = self.model;
            self.classes = Some(Classes::new(structure, layout, parts, budget)?);
        }
        Ok(self.classes.is_some())
    }

    /// The successors of a state, if a state with the same ones was explored.
    fn known(&mut self, state: &B, budget: &mut Budget) -> Result<Option<&[u32]>, Exhausted> {
        let Some(classes) = &mut self.classes else { return Ok(None) };
        let class = classes.of(state, budget)?;
        Ok(self.rows.get(&classes.row(class)).map(|row| &**row))
    }

    /// Remembers the successors of a state.
    fn keep(&mut self, state: &B, row: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        let Some(classes) = &mut self.classes else { return Ok(()) };
        let class = classes.of(state, budget)?;
        let bytes = 4 * row.len() + 48;
        budget.charge(bytes)?;
        self.held += bytes;
        self.rows.insert(classes.row(class), row.to_vec());
        Ok(())
    }

    /// The numbers of states, one of each class; of those that were found before, if there are
    /// such.
    fn number(
        &mut self,
        states: &[B],
        found: &mut Found<B>,
        row: &mut Vec<u32>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let Some(classes) = &mut self.classes else { return found.number(states, row, budget) };
        let mut has_one: FxHashSet<u32> = FxHashSet::default();
        let before = row.len();
        for is_found in [true, false] {
            for state in states {
                budget.spend(1)?;
                if found.table.has(state, &found.states) != is_found {
                    continue;
                }
                let class = classes.of(state, budget)?;
                if classes.is_useless() {
                    self.from = usize::MAX;
                    self.stop(budget);
                    row.truncate(before);
                    return found.number(states, row, budget);
                }
                if has_one.insert(class) {
                    found.number(std::slice::from_ref(state), row, budget)?;
                }
            }
        }
        self.has_merged |= row.len() < states.len();
        Ok(())
    }

    fn stop(&mut self, budget: &mut Budget) {
        if let Some(classes) = self.classes.take() {
            classes.close(budget);
        }
        self.rows = FxHashMap::default();
        budget.release(std::mem::take(&mut self.held));
    }

    /// Gives back all.
    fn close(mut self, budget: &mut Budget) {
        self.stop(budget);
    }
}

/// More steps have no numbers.
const MOST: usize = u32::MAX as usize - (1 << 20);

/// How many initial states are numbered between two reports of progress.
const CHUNK: usize = 1 << 16;

/// The states found so far, by their numbers.
struct Found<B> {
    states: Vec<B>,
    table: Table,
}

impl<B: Bits> Found<B> {
    /// Finds the numbers of states, of which new ones are added.
    fn number(&mut self, states: &[B], row: &mut Vec<u32>, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.reserve(row, states.len())?;
        for state in states {
            budget.spend(1)?;
            row.push(self.table.number(state, &mut self.states, budget)?);
        }
        Ok(())
    }
}

/// Finds the number of a state: open addressing over numbers, so that bits are kept once; and once
/// there are as many slots as there can be states, a slot for each.
struct Table {
    slots: Vec<u32>,
    used: usize,
    /// how many bits a state has, if that is few
    bits: u32,
    /// whether every state has its slot
    direct: bool,
}

const FREE: u32 = u32::MAX;

impl Table {
    fn new(layout: &Layout, budget: &mut Budget) -> Result<Self, Exhausted> {
        let bits = if layout.words == 1 { layout.last } else { u64::BITS };
        let direct = bits <= 12;
        let slots = free_slots(if direct { 1 << bits } else { 1 << 10 }, budget)?;
        Ok(Self { slots, used: 0, bits, direct })
    }

    /// Whether a state has a number.
    fn has<B: Bits>(&self, state: &B, states: &[B]) -> bool {
        let mask = self.slots.len() - 1;
        let mut slot =
            if self.direct { state.word(0) as usize } else { (state.mixed() >> 20) as usize & mask };
        loop {
            match self.slots[slot] {
                FREE => return false,
                number if self.direct || states[number as usize] == *state => return true,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The number of a state, which is added if it is new.
    #[inline]
    fn number<B: Bits>(
        &mut self,
        state: &B,
        states: &mut Vec<B>,
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
        let mask = self.slots.len() - 1;
        let mut slot =
            if self.direct { state.word(0) as usize } else { (state.mixed() >> 20) as usize & mask };
        loop {
            match self.slots[slot] {
                FREE => break,
                number if self.direct || states[number as usize] == *state => return Ok(number),
                _ => slot = (slot + 1) & mask,
            }
        }
        let number = states.len() as u32;
        budget.reserve(states, 1)?;
        states.push(*state);
        self.slots[slot] = number;
        self.used += 1;
        if 4 * self.used > 3 * self.slots.len() && !self.direct {
            self.grow(states, budget)?;
        }
        Ok(number)
    }

    #[cold]
    fn grow<B: Bits>(&mut self, states: &[B], budget: &mut Budget) -> Result<(), Exhausted> {
        let size = 2 * self.slots.len();
        // the old table is not needed: numbers are those of the states
        budget.free(std::mem::take(&mut self.slots));
        self.direct = self.bits < usize::BITS && size >= 1 << self.bits;
        self.slots = free_slots(if self.direct { 1 << self.bits } else { size }, budget)?;
        for (number, state) in states.iter().enumerate() {
            budget.spend(1)?;
            let mut slot = (state.mixed() >> 20) as usize & (size - 1);
            if self.direct {
                slot = state.word(0) as usize;
            }
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number as u32;
        }
        Ok(())
    }
}

/// A table of free slots.
fn free_slots(size: usize, budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
    let mut slots = Vec::new();
    budget.reserve(&mut slots, size)?;
    budget.spend(size)?;
    slots.resize(size, FREE);
    Ok(slots)
}
