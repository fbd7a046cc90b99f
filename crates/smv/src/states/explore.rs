//! All states that runs get to, and the steps between them (thesis, section 5.2).
//!
//! States are numbered as they are met, breadth first, so that the list of states is the queue, too. Linear in states and steps, given the cost of an equation.
//! A state takes its bits, four bytes for each step and four for their place, and while states are made five to eleven bytes of the table.

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
    let mut table = Table::new(layout);
    let mut states: Vec<B> = Vec::new();
    maker.start(budget).map_err(|trouble| Failed::Trouble(trouble, None))?;
    for state in &maker.row {
        table.number(state, &mut states);
    }
    let initial = states.len();
    // edges of structures explored earlier
    let edges = limits.explored.edges();
    let is_exit = |state: &B| {
        recursive && !layout.fields.is_empty() && layout.fields.iter().all(|field| field.value(state) == EXIT)
    };
    let mut successors = Csr::default();
    let (mut exit, mut dead) = (None, Vec::new());
    let mut row: Vec<u32> = Vec::new();
    let mut held = 0;
    let mut at = 0;
    while at < states.len() {
        if at % CHUNK == 0 {
            let now = states.capacity() * size_of::<B>() + successors.bytes() + table.bytes();
            budget.charge(now.saturating_sub(held))?;
            held = held.max(now);
        }
        budget.spend(1)?;
        let state = states[at];
        if is_exit(&state) {
            exit = Some(at as u32);
            successors.push_row([]);
            at += 1;
            continue;
        }
        maker.successors(&state, budget).map_err(|trouble| Failed::Trouble(trouble, Some(state)))?;
        row.clear();
        for next in &maker.row {
            row.push(table.number(next, &mut states));
        }
        if row.is_empty() {
            dead.push(at as u32);
            if limits.dead_ends == DeadEnds::Loop {
                row.push(at as u32);
            }
        }
        successors.push_row(row.iter().copied());
        at += 1;
        limits.explored.set(before + states.len(), edges + successors.len());
        if before + states.len() > limits.states || successors.len() >= MOST {
            return Err(Exhausted::States.into());
        }
    }
    states.shrink_to_fit();
    Ok(Space { states, successors, initial, exit, dead })
}

/// More steps have no numbers.
const MOST: usize = u32::MAX as usize - (1 << 20);

/// How many states are made between looks at the memory.
const CHUNK: usize = 4096;

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
    fn new(layout: &Layout) -> Self {
        let bits = if layout.words == 1 { layout.last } else { u64::BITS };
        let direct = bits <= 12;
        Self { slots: vec![FREE; if direct { 1 << bits } else { 1 << 10 }], used: 0, bits, direct }
    }

    fn bytes(&self) -> usize {
        4 * self.slots.capacity()
    }

    /// The number of a state, which is added if it is new.
    #[inline]
    fn number<B: Bits>(&mut self, state: &B, states: &mut Vec<B>) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot =
            if self.direct { state.word(0) as usize } else { (state.mixed() >> 20) as usize & mask };
        loop {
            match self.slots[slot] {
                FREE => break,
                number if self.direct || states[number as usize] == *state => return number,
                _ => slot = (slot + 1) & mask,
            }
        }
        let number = states.len() as u32;
        states.push(*state);
        self.slots[slot] = number;
        self.used += 1;
        if 4 * self.used > 3 * self.slots.len() && !self.direct {
            self.grow(states);
        }
        number
    }

    #[cold]
    fn grow<B: Bits>(&mut self, states: &[B]) {
        let size = 2 * self.slots.len();
        // the old table is not needed: numbers are those of the states
        self.slots = Vec::new();
        self.direct = self.bits < usize::BITS && size >= 1 << self.bits;
        self.slots = vec![FREE; if self.direct { 1 << self.bits } else { size }];
        for (number, state) in states.iter().enumerate() {
            let mut slot = (state.mixed() >> 20) as usize & (size - 1);
            if self.direct {
                slot = state.word(0) as usize;
            }
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number as u32;
        }
    }
}
