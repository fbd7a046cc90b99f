//! Relations between tuples: unions of events, each a product of local relations, shared where
//! events have the same levels.

use super::cache::NUMBERS;
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A system of parts, one for each level: a step is an event, in which some parts move together and
/// the others stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kronecker {
    /// The number of local states on each level.
    pub sizes: Vec<u32>,
    /// The local state on each level where runs begin.
    pub initial: Vec<u32>,
    /// What can happen.
    pub events: Vec<Event>,
}

/// Steps that some levels take together: each by its own relation, all others stay where they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The levels that know the event, in ascending order, with the pairs of local states before
    /// and after, in ascending order.
    pub locals: Vec<(u32, Vec<(u32, u32)>)>,
}

/// Forward: the image of a set is what can follow. Backward: what can come before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageDirection {
    /// From a state to its successors.
    Forward,
    /// From a state to its predecessors.
    Backward,
}

/// A part of a relation from some level on; 0 moves nothing.
pub(super) type Part = u32;

/// All levels from here on stay.
pub(super) const STAY: Part = 0;

/// A value before, a value after, and what the levels below do.
pub(super) type Move = (u32, u32, Part);

const MOVE: usize = size_of::<Move>();

/// A union of events, ready to be applied to sets of a store. It belongs to the store that made it.
#[derive(Debug)]
pub struct Relation {
    pub(super) number: u32,
    /// parts have numbers from here on; 0 is `STAY`
    first: u32,
    /// per part, its level and where its moves begin
    parts: Vec<(u32, u32)>,
    moves: Vec<Move>,
    /// per level, what events with this as their first level do: moves sorted by value, and where
    /// those of each value begin
    tops: Vec<(Vec<u32>, Vec<Move>)>,
    /// all levels from here on are the first level of no event
    pub(super) end: usize,
}

impl Relation {
    /// What events that begin on a level do with a value.
    #[inline]
    pub(super) fn top(&self, level: usize, value: u32) -> &[Move] {
        let (starts, moves) = &self.tops[level];
        if starts.is_empty() {
            return &[];
        }
        let value = value as usize;
        &moves[starts[value] as usize..starts[value + 1] as usize]
    }

    #[inline]
    pub(super) fn has_top(&self, level: usize) -> bool {
        !self.tops[level].0.is_empty()
    }

    #[inline]
    pub(super) fn level(&self, part: Part) -> usize {
        self.parts[(part - self.first) as usize].0 as usize
    }

    /// The moves of a part, sorted by the value before.
    #[inline]
    pub(super) fn moves(&self, part: Part) -> &[Move] {
        let index = (part - self.first) as usize;
        &self.moves[self.parts[index].1 as usize..self.parts[index + 1].1 as usize]
    }

    /// The number of parts that levels share.
    pub fn parts(&self) -> usize {
        self.parts.len() - 1
    }

    /// The bytes that are held, which were charged to the budget when it was made.
    pub fn bytes(&self) -> usize {
        let tops: usize = self.tops.iter().map(|(starts, moves)| 4 * starts.len() + MOVE * moves.len()).sum();
        8 * self.parts.len() + MOVE * self.moves.len() + tops
    }
}

/// Makes relations, with parts shared.
struct Builder {
    first: u32,
    parts: Vec<(u32, Vec<Move>)>,
    known: FxHashMap<(u32, Vec<Move>), Part>,
    /// unions that were made: without them, events in which many levels take part, most of them in
    /// the same way, would take time exponential in the number of levels
    unions: FxHashMap<(Part, Part), Part>,
}

/// What the table of unions takes for an entry, about.
const UNION: usize = 32;

impl Builder {
    fn part(&mut self, level: u32, moves: Vec<Move>, budget: &mut Budget) -> Result<Part, Exhausted> {
        budget.spend(moves.len() + 1)?;
        if let Some(&part) = self.known.get(&(level, moves.clone())) {
            return Ok(part);
        }
        budget.charge(2 * moves.len() * MOVE + 64)?;
        let part = self.first + self.parts.len() as u32;
        if part >= NUMBERS {
            return Err(Exhausted::Memory);
        }
        self.known.insert((level, moves.clone()), part);
        self.parts.push((level, moves));
        Ok(part)
    }

    /// One event as a chain of parts.
    fn chain(&mut self, locals: &Locals, budget: &mut Budget) -> Result<Part, Exhausted> {
        let mut below = STAY;
        for (level, pairs) in locals.iter().rev() {
            let moves = pairs.iter().map(|&(from, to)| (from, to, below)).collect();
            below = self.part(*level, moves, budget)?;
        }
        Ok(below)
    }

    /// The union of two parts with the same levels below.
    fn union(&mut self, a: Part, b: Part, budget: &mut Budget) -> Result<Part, Exhausted> {
        if a == b {
            return Ok(a);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&made) = self.unions.get(&(a, b)) {
            return Ok(made);
        }
        let take = |part: Part| (part - self.first) as usize;
        let (level, moves_a) = self.parts[take(a)].clone();
        let moves_b = self.parts[take(b)].1.clone();
        budget.spend(moves_a.len() + moves_b.len())?;
        let (mut moves, mut i, mut j) = (Vec::new(), 0, 0);
        while i < moves_a.len() || j < moves_b.len() {
            let key = |moves: &[Move], at: usize| moves.get(at).map_or((u32::MAX, u32::MAX), |m| (m.0, m.1));
            let (key_a, key_b) = (key(&moves_a, i), key(&moves_b, j));
            let below = match key_a.cmp(&key_b) {
                Ordering::Less => moves_a[i].2,
                Ordering::Greater => moves_b[j].2,
                Ordering::Equal => self.union(moves_a[i].2, moves_b[j].2, budget)?,
            };
            let (from, to) = key_a.min(key_b);
            moves.push((from, to, below));
            i += usize::from(key_a <= key_b);
            j += usize::from(key_b <= key_a);
        }
        let made = self.part(level, moves, budget)?;
        budget.charge(UNION)?;
        self.unions.insert((a, b), made);
        Ok(made)
    }
}

type Locals = Vec<(u32, Vec<(u32, u32)>)>;

/// The locals of an event, in a direction, without those that do nothing; none if it never happens.
fn locals(event: &Event, sizes: &[u32], direction: ImageDirection) -> Option<Locals> {
    let mut locals = Locals::new();
    for (level, pairs) in &event.locals {
        if pairs.is_empty() {
            return None;
        }
        let stays =
            pairs.len() == sizes[*level as usize] as usize && pairs.iter().all(|(from, to)| from == to);
        if !stays {
            let mut pairs = pairs.clone();
            if direction == ImageDirection::Backward {
                pairs = pairs.into_iter().map(|(from, to)| (to, from)).collect();
            }
            pairs.sort_unstable();
            pairs.dedup();
            locals.push((*level, pairs));
        }
    }
    if locals.is_empty() {
        // nothing moves, yet it is a step
        let level = sizes.len().checked_sub(1)?;
        locals.push((level as u32, (0..sizes[level]).map(|value| (value, value)).collect()));
    }
    Some(locals)
}

/// The union of some events. `number` and `first` are not used by another relation of the store.
pub(super) fn compile<'e>(
    sizes: &[u32],
    events: impl IntoIterator<Item = &'e Event>,
    direction: ImageDirection,
    (number, first): (u32, u32),
    budget: &mut Budget,
) -> Result<Relation, Exhausted> {
    let used = budget.used();
    let mut groups: BTreeMap<Vec<u32>, Vec<Locals>> = BTreeMap::new();
    for event in events {
        if let Some(locals) = locals(event, sizes, direction) {
            budget.spend(locals.iter().map(|(_, pairs)| pairs.len()).sum())?;
            groups.entry(locals.iter().map(|&(level, _)| level).collect()).or_default().push(locals);
        }
    }
    let mut builder =
        Builder { first, parts: Vec::new(), known: FxHashMap::default(), unions: FxHashMap::default() };
    let mut tops: Vec<Vec<Move>> = vec![Vec::new(); sizes.len()];
    for (levels, group) in &groups {
        let mut parts = Vec::with_capacity(group.len());
        for locals in group {
            parts.push(builder.chain(locals, budget)?);
        }
        while parts.len() > 1 {
            let mut halved = Vec::with_capacity(parts.len().div_ceil(2));
            for pair in parts.chunks(2) {
                halved.push(if let [a, b] = *pair { builder.union(a, b, budget)? } else { pair[0] });
            }
            parts = halved;
        }
        let top = (parts[0] - first) as usize;
        tops[levels[0] as usize].extend_from_slice(&builder.parts[top].1);
    }
    let end = tops.iter().rposition(|moves| !moves.is_empty()).map_or(0, |level| level + 1);
    let tops = tops.into_iter().zip(sizes).map(|(moves, &size)| index(moves, size)).collect();
    let (mut parts, mut moves) = (Vec::with_capacity(builder.parts.len() + 1), Vec::new());
    for (level, its) in &builder.parts {
        parts.push((*level, moves.len() as u32));
        moves.extend_from_slice(its);
    }
    parts.push((u32::MAX, moves.len() as u32));
    let relation = Relation { number, first, parts, moves, tops, end };
    // what the builder was charged for is given back
    budget.release(budget.used() - used);
    budget.charge(relation.bytes())?;
    Ok(relation)
}

/// Moves sorted by value, and where those of each value begin.
fn index(mut moves: Vec<Move>, size: u32) -> (Vec<u32>, Vec<Move>) {
    if moves.is_empty() {
        return (Vec::new(), moves);
    }
    moves.sort_unstable();
    let starts = (0..=size).map(|value| moves.partition_point(|m| m.0 < value) as u32).collect();
    (starts, moves)
}
