//! The node table: shared nodes, a unique table per variable, and the cache of results.
//!
//! An edge is twice the number of a node, plus one if it is complemented. The edge to the `high`
//! child is never complemented, so that every function has one node and one edge. Nodes of one
//! variable form a hash table of their own with chains through the nodes: two neighbouring
//! variables can then change places without a look at the others (`sift.rs`).

pub(super) use super::edge::{Edge, FALSE, NONE, TRUE};
use super::policy::Policy;
use super::roots::Roots;
use loris_base::{Budget, Exhausted};
use std::sync::{Arc, Mutex};

/// The variable of nodes that are free.
pub(super) const FREE: u32 = u32::MAX;

/// Edges take 28 bits, so that the cache can hold an operation in the others.
const MOST_NODES: usize = 1 << 27;

/// Entries of the cache: larger ones miss in the processor's caches more often than they help.
const LARGEST_CACHE: usize = 1 << 24;

/// Why an operation ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// There are so many nodes that another order of the variables should be tried first.
    Reorder,
}

impl From<Exhausted> for Stop {
    fn from(why: Exhausted) -> Self {
        Stop::Exhausted(why)
    }
}

/// `var` is one more than the number of the variable that users see; the terminal has variable 0,
/// whose level is below all others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) var: u32,
    pub(super) high: Edge,
    pub(super) low: Edge,
    /// the next in its chain, or the next free one
    pub(super) next: u32,
}

/// The nodes of one variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Subtable {
    pub(super) buckets: Vec<u32>,
    pub(super) count: usize,
}

/// A call that waits for the results of its recursive calls. All but `var` are edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// the operands, which the result is remembered for
    pub(super) key: [Edge; 3],
    /// the operands of the second recursive call
    pub(super) low: [Edge; 3],
    pub(super) var: u32,
    /// the result of the first recursive call, or [`NONE`]
    pub(super) high: Edge,
}

/// Operations, as the cache knows them.
#[derive(Clone, Copy)]
pub(super) enum Op {
    And,
    Xor,
    Ite,
    Exists,
    AndExists,
    Constrain,
    Restrict,
    Substitute,
}

#[derive(Clone, Copy)]
struct Entry {
    key: [u32; 3],
    result: Edge,
}

const EMPTY: Entry = Entry { key: [NONE; 3], result: NONE };

pub(super) struct Table {
    pub(super) nodes: Vec<Node>,
    pub(super) subtables: Vec<Subtable>,
    /// the level of each variable; 0 is the top
    pub(super) level_of: Vec<u32>,
    /// the variable of each level
    pub(super) var_at: Vec<u32>,
    /// the first free node
    pub(super) free: u32,
    /// nodes in use, garbage included
    pub(super) used: usize,
    /// nodes there may be before garbage is collected
    pub(super) limit: usize,
    pub(super) sift_at: usize,
    pub(super) policy: Policy,
    cache: Vec<Entry>,
    pub(super) stack: Vec<Frame>,
    /// the functions by which a running substitution replaces variables
    pub(super) replaced: Vec<Edge>,
    /// variables that must stay neighbours carry the same number
    pub(super) group_of: Vec<u32>,
    /// bytes declared so far
    charged: usize,
    pub(super) roots: Arc<Mutex<Roots>>,
    pub(super) collections: u64,
    pub(super) siftings: u64,
    pub(super) peak: usize,
}

#[inline]
fn pair_hash(high: Edge, low: Edge, buckets: usize) -> usize {
    let mixed = (u64::from(high) << 32 | u64::from(low)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize & (buckets - 1)
}

#[inline]
fn key_hash(key: [u32; 3], entries: usize) -> usize {
    let first = (u64::from(key[0]) << 32 | u64::from(key[1])).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (first ^ (first >> 29) ^ u64::from(key[2])).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed >> 32) as usize & (entries - 1)
}

impl Subtable {
    #[inline]
    pub(super) fn find(&self, nodes: &[Node], high: Edge, low: Edge) -> Option<u32> {
        if self.buckets.is_empty() {
            return None;
        }
        let mut at = self.buckets[pair_hash(high, low, self.buckets.len())];
        while at != NONE {
            let node = nodes[at as usize];
            if node.high == high && node.low == low {
                return Some(at);
            }
            at = node.next;
        }
        None
    }

    /// Adds a node that is not there.
    #[inline]
    pub(super) fn insert(&mut self, nodes: &mut [Node], at: u32) {
        if self.count >= self.buckets.len() {
            self.enlarge(nodes);
        }
        self.count += 1;
        self.link(nodes, at);
    }

    fn link(&mut self, nodes: &mut [Node], at: u32) {
        let size = self.buckets.len();
        let node = &mut nodes[at as usize];
        let bucket = &mut self.buckets[pair_hash(node.high, node.low, size)];
        node.next = *bucket;
        *bucket = at;
    }

    #[cold]
    fn enlarge(&mut self, nodes: &mut [Node]) {
        let size = (2 * self.buckets.len()).max(4);
        let old = std::mem::replace(&mut self.buckets, vec![NONE; size]);
        for mut at in old {
            while at != NONE {
                let next = nodes[at as usize].next;
                self.link(nodes, at);
                at = next;
            }
        }
    }

    /// Takes a node out.
    pub(super) fn remove(&mut self, nodes: &mut [Node], at: u32) {
        let node = nodes[at as usize];
        let bucket = pair_hash(node.high, node.low, self.buckets.len());
        let mut before = self.buckets[bucket];
        if before == at {
            self.buckets[bucket] = node.next;
        } else {
            while nodes[before as usize].next != at {
                before = nodes[before as usize].next;
            }
            nodes[before as usize].next = node.next;
        }
        self.count -= 1;
    }

    /// Takes all nodes out.
    pub(super) fn clear(&mut self) {
        self.buckets.fill(NONE);
        self.count = 0;
    }
}

impl Table {
    pub(super) fn new(policy: Policy) -> Self {
        let terminal = Node { var: 0, high: TRUE, low: TRUE, next: NONE };
        Self {
            nodes: vec![terminal],
            subtables: vec![Subtable::default()],
            level_of: vec![u32::MAX],
            var_at: Vec::new(),
            free: NONE,
            used: 1,
            limit: policy.collect_at.max(16),
            sift_at: policy.sift_at.unwrap_or(usize::MAX),
            policy,
            cache: vec![EMPTY; policy.collect_at.clamp(16, LARGEST_CACHE).next_power_of_two()],
            stack: Vec::new(),
            replaced: Vec::new(),
            group_of: vec![0],
            charged: 0,
            roots: Arc::new(Mutex::new(Roots::default())),
            collections: 0,
            siftings: 0,
            peak: 1,
        }
    }

    /// The level of the top variable.
    #[inline]
    pub(super) fn level(&self, edge: Edge) -> u32 {
        self.level_of[self.nodes[(edge >> 1) as usize].var as usize]
    }

    /// The variable at the top.
    #[inline]
    pub(super) fn var(&self, edge: Edge) -> u32 {
        self.nodes[(edge >> 1) as usize].var
    }

    /// The function where its top variable is true, and where it is false.
    #[inline]
    pub(super) fn children(&self, edge: Edge) -> (Edge, Edge) {
        let node = self.nodes[(edge >> 1) as usize];
        (node.high ^ (edge & 1), node.low ^ (edge & 1))
    }

    /// The function where the variable of a level, not below its top, is true, and where it is
    /// false.
    #[inline]
    pub(super) fn cofactors(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        let node = self.nodes[(edge >> 1) as usize];
        if self.level_of[node.var as usize] == level {
            (node.high ^ (edge & 1), node.low ^ (edge & 1))
        } else {
            (edge, edge)
        }
    }

    /// The node of a variable over two functions that depend on lower ones only.
    #[inline]
    pub(super) fn node(
        &mut self,
        var: u32,
        high: Edge,
        low: Edge,
        budget: &mut Budget,
    ) -> Result<Edge, Stop> {
        if high == low {
            return Ok(high);
        }
        let flip = high & 1;
        let (high, low) = (high ^ flip, low ^ flip);
        if let Some(found) = self.subtables[var as usize].find(&self.nodes, high, low) {
            return Ok(found << 1 | flip);
        }
        if self.free == NONE && self.nodes.len() >= self.limit {
            self.make_room([high, low], budget)?;
        }
        let at = self.allocate(Node { var, high, low, next: NONE });
        self.subtables[var as usize].insert(&mut self.nodes, at);
        Ok(at << 1 | flip)
    }

    /// The function that a variable is.
    pub(super) fn literal(&mut self, var: u32) -> Edge {
        if let Some(found) = self.subtables[var as usize].find(&self.nodes, TRUE, FALSE) {
            return found << 1;
        }
        let at = self.allocate(Node { var, high: TRUE, low: FALSE, next: NONE });
        self.subtables[var as usize].insert(&mut self.nodes, at);
        at << 1
    }

    /// A free place for a node.
    #[inline]
    pub(super) fn allocate(&mut self, node: Node) -> u32 {
        self.used += 1;
        if self.free == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let at = self.free;
        self.free = self.nodes[at as usize].next;
        self.nodes[at as usize] = node;
        at
    }

    /// Collects garbage; lets the table grow if that yields too little; asks for another order if
    /// many nodes are live.
    #[cold]
    fn make_room(&mut self, kept: [Edge; 2], budget: &mut Budget) -> Result<(), Stop> {
        self.peak = self.peak.max(self.used);
        let before = self.used;
        self.collect(kept);
        budget.spend(before)?;
        if self.used >= self.sift_at {
            return Err(Stop::Reorder);
        }
        if 2 * self.used <= self.limit {
            return Ok(());
        }
        match self.enlarge(2 * self.limit, budget) {
            // a table that may not grow goes on as long as collecting pays
            Err(Exhausted::Memory) if before - self.used >= self.limit / 8 => Ok(()),
            other => Ok(other?),
        }
    }

    fn enlarge(&mut self, limit: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.limit >= MOST_NODES {
            return Err(Exhausted::Memory);
        }
        let limit = limit.min(MOST_NODES);
        let entries = limit.next_power_of_two().clamp(self.cache.len(), LARGEST_CACHE.max(self.cache.len()));
        // a node has a bucket
        let bytes = limit * (size_of::<Node>() + 4) + entries * size_of::<Entry>();
        budget.grow(&mut self.charged, bytes)?;
        self.nodes.try_reserve_exact(limit - self.nodes.len()).map_err(|_| Exhausted::Memory)?;
        if entries > self.cache.len() {
            let mut larger = Vec::new();
            larger.try_reserve_exact(entries).map_err(|_| Exhausted::Memory)?;
            larger.resize(entries, EMPTY);
            let old = std::mem::replace(&mut self.cache, larger);
            for entry in old {
                if entry.result != NONE {
                    self.cache[key_hash(entry.key, entries)] = entry;
                }
            }
        }
        self.limit = limit;
        Ok(())
    }

    /// The known result of an operation.
    #[inline]
    pub(super) fn recall(&self, op: Op, key: [Edge; 3]) -> Option<Edge> {
        let key = [key[0] | (op as u32) << 28, key[1], key[2]];
        let entry = self.cache[key_hash(key, self.cache.len())];
        (entry.key == key).then_some(entry.result)
    }

    #[inline]
    pub(super) fn remember(&mut self, op: Op, key: [Edge; 3], result: Edge) {
        let key = [key[0] | (op as u32) << 28, key[1], key[2]];
        let at = key_hash(key, self.cache.len());
        self.cache[at] = Entry { key, result };
    }

    /// Forgets results about nodes that are no longer in use.
    pub(super) fn forget(&mut self, is_live: impl Fn(Edge) -> bool) {
        for entry in &mut self.cache {
            if entry.result == NONE {
                continue;
            }
            let key = [entry.key[0] & ((1 << 28) - 1), entry.key[1], entry.key[2]];
            if !is_live(entry.result) || key.iter().any(|&edge| !is_live(edge)) {
                *entry = EMPTY;
            }
        }
    }

    /// Forgets all results.
    pub(super) fn forget_all(&mut self) {
        self.cache.fill(EMPTY);
    }

    /// A new variable, below all others, on its own.
    pub(super) fn new_variable(&mut self) -> u32 {
        let var = self.subtables.len() as u32;
        self.subtables.push(Subtable::default());
        self.level_of.push(self.var_at.len() as u32);
        self.var_at.push(var);
        self.group_of.push(var);
        var
    }

    /// A new variable above another and all that is grouped with it.
    pub(super) fn new_variable_above(&mut self, var: u32) -> u32 {
        let new = self.new_variable();
        let group = self.group_of[var as usize];
        let level = self.var_at.iter().position(|&var| self.group_of[var as usize] == group);
        let level = level.expect("the variable has a level");
        self.var_at.pop();
        self.var_at.insert(level, new);
        for (level, &var) in self.var_at.iter().enumerate().skip(level) {
            self.level_of[var as usize] = level as u32;
        }
        new
    }

    /// The bytes it holds, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * (size_of::<Node>() + 4)
            + self.cache.len() * size_of::<Entry>()
            + self.subtables.len() * (size_of::<Subtable>() + 12)
    }
}
