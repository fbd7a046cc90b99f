//! Nodes, the table that makes them unique, and garbage collection.

use super::cache::Cache;
use super::saturate::Pause;
use loris_base::{Budget, Exhausted};

/// A node: 0 is the empty set and 1 all tuples of the levels below, on every level.
pub(super) type Id = u32;

pub(super) const EMPTY: Id = 0;
pub(super) const ALL: Id = 1;

/// The length of a node that is not in use.
const FREE: u32 = u32::MAX;

/// The steps of a look into a large table.
pub(super) const LOOK: usize = 4;

/// This many nodes are made before any are collected.
const FEW: usize = 1 << 21;

#[derive(Clone, Copy)]
struct Node {
    /// where its pairs of a value and a child begin; the word before is the node's id
    start: u32,
    /// the number of pairs
    len: u32,
    hash: u32,
    /// the level, shifted by the mark bit
    level: u32,
}

/// The nodes of all sets. Children of a node are one level deeper or terminals.
pub(super) struct Table {
    pub(super) sizes: Vec<u32>,
    nodes: Vec<Node>,
    arena: Vec<u32>,
    /// an open hash table of ids, 0 where free; its length is a power of two
    slots: Vec<Id>,
    free: Vec<Id>,
    live: usize,
    peak: usize,
    /// a collection is due at this many nodes
    due: usize,
    /// the least number of nodes that are made between two collections
    pause: usize,
    pub(super) cache: Cache,
    /// Operations under way build the children of nodes here. Whatever looks like an id in it is
    /// kept alive.
    pub(super) stack: Vec<u32>,
    /// sets that are held from outside
    pub(super) roots: Vec<Id>,
    /// closures that were cut off, the last one first
    pub(super) paused: Vec<Pause>,
}

impl Table {
    pub(super) fn new(sizes: Vec<u32>) -> Self {
        let terminal = Node { start: 0, len: 0, hash: 0, level: u32::MAX };
        Self {
            sizes,
            nodes: vec![terminal; 2],
            arena: Vec::new(),
            slots: vec![0; 1 << 10],
            free: Vec::new(),
            live: 0,
            peak: 0,
            due: FEW,
            pause: FEW,
            cache: Cache::new(),
            stack: Vec::new(),
            roots: Vec::new(),
            paused: Vec::new(),
        }
    }

    pub(super) fn level(&self, id: Id) -> usize {
        (self.nodes[id as usize].level >> 1) as usize
    }

    /// How many values a set has on a level, which must be its own unless it is a terminal.
    pub(super) fn len(&self, id: Id, level: usize) -> usize {
        if id == ALL { self.sizes[level] as usize } else { self.nodes[id as usize].len as usize }
    }

    /// The `index`-th value and the set below it.
    #[inline]
    pub(super) fn entry(&self, id: Id, index: usize) -> (u32, Id) {
        if id == ALL {
            return (index as u32, ALL);
        }
        let at = self.nodes[id as usize].start as usize + 2 * index;
        (self.arena[at], self.arena[at + 1])
    }

    /// The set below a value.
    pub(super) fn child(&self, id: Id, value: u32) -> Id {
        if id <= ALL {
            return id;
        }
        let node = self.nodes[id as usize];
        let pairs = &self.arena[node.start as usize..][..2 * node.len as usize];
        let (mut low, mut high) = (0, node.len as usize);
        while low < high {
            let middle = usize::midpoint(low, high);
            if pairs[2 * middle] < value {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low < node.len as usize && pairs[2 * low] == value { pairs[2 * low + 1] } else { EMPTY }
    }

    pub(super) fn peak(&self) -> usize {
        self.peak
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    #[cfg(test)]
    pub(super) fn collect_often(&mut self, pause: usize) {
        (self.due, self.pause) = (self.live + pause, pause);
    }

    /// The bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + 4 * (self.arena.capacity() + self.slots.capacity() + self.free.capacity())
            + self.cache.bytes()
    }

    /// The node whose pairs are on the stack from `base` on; they are taken off.
    pub(super) fn make(&mut self, level: usize, base: usize, budget: &mut Budget) -> Result<Id, Exhausted> {
        budget.spend(LOOK)?;
        if self.cache.is_small() {
            self.cache.grow(budget)?;
        }
        let len = (self.stack.len() - base) / 2;
        if len == 0 {
            return Ok(EMPTY);
        }
        let pairs = &self.stack[base..];
        if len == self.sizes[level] as usize && pairs.iter().skip(1).step_by(2).all(|&child| child == ALL) {
            self.stack.truncate(base);
            return Ok(ALL);
        }
        let hash = hash(level, pairs);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            let id = self.slots[slot];
            let node = self.nodes[id as usize];
            if node.hash == hash
                && node.level >> 1 == level as u32
                && self.arena[node.start as usize..][..2 * node.len as usize] == self.stack[base..]
            {
                self.stack.truncate(base);
                return Ok(id);
            }
            slot = (slot + 1) & mask;
        }
        if self.live >= self.due {
            self.collect(budget)?;
            self.due = self.live + self.live.max(self.pause);
        }
        let id = self.add(level, base, hash, budget)?;
        self.stack.truncate(base);
        Ok(id)
    }

    fn add(&mut self, level: usize, base: usize, hash: u32, budget: &mut Budget) -> Result<Id, Exhausted> {
        if 4 * self.live >= 3 * self.slots.len() {
            self.rehash(2 * self.slots.len(), budget)?;
        }
        let words = self.stack.len() - base;
        self.make_room(words + 1, budget)?;
        let start = u32::try_from(self.arena.len() + 1).map_err(|_| Exhausted::Memory)?;
        let node = Node { start, len: words as u32 / 2, hash, level: (level as u32) << 1 };
        let id = if let Some(id) = self.free.pop() {
            self.nodes[id as usize] = node;
            id
        } else {
            budget.reserve(&mut self.nodes, 1)?;
            // the cache has keys of its own above
            let id = u32::try_from(self.nodes.len()).ok().filter(|&id| id < u32::MAX >> 1);
            let id = id.ok_or(Exhausted::Memory)?;
            self.nodes.push(node);
            id
        };
        self.arena.push(id);
        self.arena.extend_from_slice(&self.stack[base..]);
        self.enter(id);
        self.live += 1;
        self.peak = self.peak.max(self.live);
        Ok(id)
    }

    /// Room for a node; if the arena may not grow, garbage is collected first.
    fn make_room(&mut self, words: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.arena.len() + words <= self.arena.capacity() {
            return Ok(());
        }
        let before = budget.clone();
        let Err(why) = budget.reserve(&mut self.arena, words) else { return Ok(()) };
        *budget = before;
        if why != Exhausted::Memory {
            // a turn ends; to collect garbage at the end of each would take longer than the turns
            return Err(why);
        }
        self.collect(budget)?;
        // too little would soon be too little again
        let is_enough = self.arena.len() + words <= self.arena.capacity() / 8 * 7;
        if is_enough { Ok(()) } else { Err(why) }
    }

    fn enter(&mut self, id: Id) {
        let mask = self.slots.len() - 1;
        let mut slot = self.nodes[id as usize].hash as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = id;
    }

    fn rehash(&mut self, len: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.charge(4 * len)?;
        // a turn shorter than this would never get over it; the next step ends what is to end
        let _ = budget.spend(self.nodes.len());
        let old = std::mem::replace(&mut self.slots, vec![0; len]);
        budget.release(4 * old.len());
        drop(old);
        for id in 2..self.nodes.len() {
            if self.nodes[id].len != FREE {
                self.enter(id as Id);
            }
        }
        Ok(())
    }

    /// Frees the nodes that neither roots nor the stack lead to, and moves the others together.
    /// Limits end it before anything has changed, or not at all.
    fn collect(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        // see `rehash`
        let _ = budget.spend(self.nodes.len());
        let most = self.nodes.len() - self.free.len();
        budget.reserve(&mut self.free, most)?;
        let mut open: Vec<Id> = Vec::new();
        for index in 0..self.roots.len() {
            let id = self.roots[index];
            self.mark(id, &mut open);
        }
        for index in 0..self.stack.len() {
            self.mark_if_node(self.stack[index], &mut open);
        }
        let paused = std::mem::take(&mut self.paused);
        for pause in &paused {
            for id in pause.roots().chain(pause.stack.iter().copied()) {
                self.mark_if_node(id, &mut open);
            }
        }
        self.paused = paused;
        let (mut from, mut to) = (0, 0);
        while from < self.arena.len() {
            let id = self.arena[from] as usize;
            let words = 2 * self.nodes[id].len as usize + 1;
            if self.nodes[id].level & 1 == 1 {
                self.arena.copy_within(from..from + words, to);
                self.nodes[id].start = to as u32 + 1;
                to += words;
            }
            from += words;
        }
        self.arena.truncate(to);
        self.slots.fill(0);
        for id in 2..self.nodes.len() {
            let node = &mut self.nodes[id];
            if node.level & 1 == 1 && node.len != FREE {
                node.level &= !1;
                self.enter(id as Id);
            } else if node.len != FREE {
                node.len = FREE;
                self.free.push(id as Id);
                self.live -= 1;
            }
        }
        let nodes = &self.nodes;
        self.cache.purge(|id| nodes.get(id as usize).is_none_or(|node| node.len != FREE));
        Ok(())
    }

    /// The same for a number that may be something else than a node.
    fn mark_if_node(&mut self, id: Id, open: &mut Vec<Id>) {
        if (id as usize) < self.nodes.len() && self.nodes[id as usize].len != FREE {
            self.mark(id, open);
        }
    }

    /// Marks all nodes that one leads to.
    fn mark(&mut self, id: Id, open: &mut Vec<Id>) {
        open.push(id);
        while let Some(id) = open.pop() {
            let node = &mut self.nodes[id as usize];
            if id <= ALL || node.level & 1 == 1 {
                continue;
            }
            node.level |= 1;
            let pairs = &self.arena[node.start as usize..][..2 * node.len as usize];
            open.extend(pairs.iter().skip(1).step_by(2).filter(|&&child| child > ALL));
        }
    }
}

fn hash(level: usize, words: &[u32]) -> u32 {
    let mut hash = level as u64 + 1;
    for &word in words {
        hash = (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash >> 32) as u32
}
