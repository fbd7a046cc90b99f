//! Entries that are called: their callers, and the ways from there to exits.
//!
//! A call of a known entry reads one piece of memory: most components have one exit, so that the
//! first way lies in the gate, and only others are lists.

use super::arena::PlaceId;
use super::frame::{FrameId, Item, NONE};
use loris_base::{Budget, Exhausted, Idx};
use rustc_hash::FxHashMap;

/// An entry that is called.
#[derive(Clone, Copy)]
pub(crate) struct Gate {
    pub(crate) frame: FrameId,
    /// when it was first called
    pub(crate) time: u32,
    /// its first caller
    pub(crate) by: Item,
    /// a way: to which exit, and how long; none before it is known
    exit: u32,
    length: u32,
    /// further ways
    more: u32,
    /// the calls that wait for ways
    pub(super) waiting: u32,
}

/// A way that is not the first.
#[derive(Clone, Copy)]
struct Way {
    exit: u32,
    length: u32,
    next: u32,
}

/// A call that waits for its callee to come back.
#[derive(Clone, Copy)]
struct Waiting {
    caller: Item,
    time: u32,
    next: u32,
}

/// All entries, with the callers and the exits that are known of each.
pub(crate) struct Gates {
    /// per entry, or of those that are called if there are very many
    all: Vec<Gate>,
    /// of very many entries, those that are called
    numbers: Option<FxHashMap<u32, u32>>,
    opened: Vec<u32>,
    ways: Vec<Way>,
    waiting: Vec<Waiting>,
}

/// Where a list of ways starts: in the gate.
const FIRST: u32 = NONE - 1;
/// Room for more entries than this is not taken beforehand; products with large automata have them.
const MOST_ENTRIES: usize = 1 << 22;
/// Bytes of a number in a table that is at least half full.
const ENTRY: usize = 18;
/// An entry that is not called.
const CLOSED: Gate = {
    let by = Item { frame: FrameId::NONE, place: PlaceId::NONE };
    Gate { frame: FrameId::NONE, time: NONE, by, exit: NONE, length: NONE, more: NONE, waiting: NONE }
};

impl Gates {
    /// For this many entries, none of them called yet. If `is_sparse`, few of them will be.
    pub(super) fn new(entries: usize, is_sparse: bool, budget: &mut Budget) -> Result<Self, Exhausted> {
        let is_dense = !is_sparse && entries <= MOST_ENTRIES;
        if is_dense {
            budget.charge(size_of::<Gate>() * entries)?;
        }
        Ok(Self {
            all: if is_dense { vec![CLOSED; entries] } else { Vec::new() },
            numbers: (!is_dense).then(FxHashMap::default),
            opened: Vec::new(),
            ways: Vec::new(),
            waiting: Vec::new(),
        })
    }

    /// Where the gate of an entry is, if it has one.
    #[inline]
    fn slot(&self, entry: u32) -> usize {
        match &self.numbers {
            None => entry as usize,
            Some(numbers) => numbers.get(&entry).map_or(NONE as usize, |&number| number as usize),
        }
    }

    /// Bytes held besides those that [`Gates::new`] declared.
    pub(super) fn bytes(&self) -> usize {
        let sparse = if self.numbers.is_some() { (size_of::<Gate>() + ENTRY) * self.all.len() } else { 0 };
        sparse
            + 4 * self.opened.len()
            + size_of::<Way>() * self.ways.len()
            + size_of::<Waiting>() * self.waiting.len()
    }

    /// The gate of an entry that is called.
    #[inline]
    pub(crate) fn get(&self, entry: u32) -> Option<&Gate> {
        self.all.get(self.slot(entry)).filter(|gate| gate.frame != FrameId::NONE)
    }

    /// All entries that are called.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Gate> {
        self.opened.iter().map(|&slot| &self.all[slot as usize])
    }

    /// Notes by whom an entry is first called, and when.
    pub(super) fn open(&mut self, entry: u32, frame: FrameId, time: u32, by: Item) {
        if let Some(numbers) = &mut self.numbers {
            numbers.insert(entry, self.all.len() as u32);
            self.all.push(CLOSED);
        }
        let slot = self.slot(entry);
        let gate = &mut self.all[slot];
        (gate.frame, gate.time, gate.by) = (frame, time, by);
        self.opened.push(slot as u32);
    }

    /// Lets a call wait at an entry; nothing if that was never called.
    #[inline]
    pub(super) fn wait(&mut self, entry: u32, caller: Item, time: u32) -> Option<Gate> {
        let slot = self.slot(entry);
        let gate = self.all.get_mut(slot).filter(|gate| gate.frame != FrameId::NONE)?;
        let next = std::mem::replace(&mut gate.waiting, self.waiting.len() as u32);
        self.waiting.push(Waiting { caller, time, next });
        Some(*gate)
    }

    /// A call of a list: its place, its time, and the next of the list.
    #[inline]
    pub(super) fn waits(&self, number: u32) -> Option<(Item, u32, u32)> {
        self.waiting.get(number as usize).map(|waiting| (waiting.caller, waiting.time, waiting.next))
    }

    /// A way of a gate: its exit, its length, and the next; the first is that of [`Gate::ways`].
    #[inline]
    pub(super) fn way(&self, gate: &Gate, number: u32) -> Option<(u32, u32, u32)> {
        if number == FIRST {
            return Some((gate.exit, gate.length, gate.more));
        }
        self.ways.get(number as usize).map(|way| (way.exit, way.length, way.next))
    }

    /// All ways of a gate to exits, by their numbers, with their lengths.
    pub(crate) fn ways(&self, gate: &Gate) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        let gate = *gate;
        let mut next = gate.ways();
        std::iter::from_fn(move || {
            let (exit, length, after) = self.way(&gate, next)?;
            next = after;
            Some((exit, length))
        })
    }

    /// There is a way of this length from an entry to an exit. Returns the list of waiting calls,
    /// if the way is new to them.
    pub(super) fn learn(&mut self, entry: u32, exit: u32, length: u32) -> Option<u32> {
        let slot = self.slot(entry);
        let gate = &mut self.all[slot];
        if gate.exit == NONE || gate.exit == exit {
            if gate.exit == exit && gate.length <= length {
                return None;
            }
            (gate.exit, gate.length) = (exit, length);
            return Some(gate.waiting);
        }
        let mut next = gate.more;
        while let Some(way) = self.ways.get_mut(next as usize) {
            if way.exit == exit {
                if way.length <= length {
                    return None;
                }
                way.length = length;
                return Some(gate.waiting);
            }
            next = way.next;
        }
        let next = std::mem::replace(&mut gate.more, self.ways.len() as u32);
        self.ways.push(Way { exit, length, next });
        Some(gate.waiting)
    }

    /// How many calls wait.
    pub(super) fn waiting_count(&self) -> usize {
        self.waiting.len()
    }

    /// Sets when each entry is first called, and by whom, given that of its frame.
    pub(super) fn enter(&mut self, since: &[(u32, Option<Item>)]) {
        for &slot in &self.opened {
            let gate = &mut self.all[slot as usize];
            let (time, by) = since[gate.frame.index()];
            gate.time = time;
            gate.by = by.unwrap_or(gate.by);
        }
    }
}

impl Gate {
    /// Where the list of its ways starts.
    #[inline]
    pub(super) fn ways(&self) -> u32 {
        if self.exit == NONE { NONE } else { FIRST }
    }
}
