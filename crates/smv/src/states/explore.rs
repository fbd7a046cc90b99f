//! All states that runs get to, and the steps between them (thesis, section 5.2).
//!
//! States are numbered as they are met, breadth first, so that the list of states is the queue, too.
//! Linear in states and steps, given the cost of an equation. A state takes its bits, four bytes for
//! each step and four for their place, and while states are explored five to eleven bytes of the
//! table. All of it is charged to the budget before it is allocated.

use super::layout::{Bits, Layout};
use super::plan::Plans;
use super::step::{Maker, Trouble};
use super::{Limits, Stopped};
use crate::ir::{EXIT, Structure};
use loris_base::{Budget, Csr, Exhausted};
use loris_rsm::DeadEnds;

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
}

/// What went wrong, and in which state; in none for initial states.
pub(super) enum Failed<B> {
    Stopped(Stopped),
    Trouble(Trouble, Option<B>),
}

impl<B> From<Exhausted> for Failed<B> {
    fn from(exhausted: Exhausted) -> Self {
        Failed::Stopped(Stopped::Exhausted(exhausted))
    }
}

pub(super) fn explore<B: Bits>(
    structure: &Structure,
    layout: &Layout,
    plans: &Plans,
    recursive: bool,
    limits: &Limits,
    before: usize,
    budget: &mut Budget,
) -> Result<Space<B>, Failed<B>> {
    let most = limits.states.saturating_sub(before);
    let mut maker: Maker<'_, B> = Maker::new(layout, plans, structure.variables.len(), recursive, most);
    let mut found = Found { states: Vec::new(), table: Table::new(layout, budget)? };
    let mut row: Vec<u32> = Vec::new();
    // edges of structures explored earlier
    let edges = limits.explored.edges();
    maker.start(budget).map_err(|trouble| Failed::Trouble(trouble, None))?;
    for chunk in maker.row.chunks(CHUNK) {
        row.clear();
        found.number(chunk, &mut row, budget)?;
        limits.explored.set(before + found.states.len(), edges);
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
            maker.successors(&state, budget).map_err(|trouble| Failed::Trouble(trouble, Some(state)))?;
            found.number(&maker.row, &mut row, budget)?;
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
        if before + found.states.len() > limits.states || successors.len() >= MOST {
            return Err(Exhausted::States.into());
        }
    }
    maker.close(budget);
    budget.free(row);
    let Found { mut states, table } = found;
    budget.free(table.slots);
    let spare = (states.capacity() - states.len()) * size_of::<B>();
    states.shrink_to_fit();
    budget.release(spare);
    Ok(Space { states, successors, initial, exit, dead })
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

/// Finds the number of a state: open addressing over numbers, so that bits are kept once; and once there are as many slots as
/// there can be states, a slot for each.
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
