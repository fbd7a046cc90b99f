//! Multi-valued decision diagrams: sets of tuples of small numbers as shared graphs, one level for
//! each place of a tuple, and closures of such sets under [events](Event) by saturation (after
//! Ciardo, Lüttgen and Siminiescu; within a set, after Zhao and Ciardo).
//!
//! A [`Store`] holds all nodes; a [`Set`] is a handle of a set in it. Equal sets have equal
//! handles, and nodes that no handle leads to are collected. Every operation takes a [`Budget`]:
//! limits hold inside of it, after which the store is as usable as before. Operations recurse as
//! deep as there are levels.
//!
//! ```
//! use loris_base::Budget;
//! use loris_solvers::mdd::{ImageDirection, Event, Store};
//! let mut budget = Budget::unlimited();
//! // two counters that wrap around, the second counts when the first wraps
//! let tick = Event { locals: vec![(1, vec![(0, 1), (1, 2)])] };
//! let wrap = Event { locals: vec![(0, vec![(0, 1), (1, 2), (2, 0)]), (1, vec![(2, 0)])] };
//! let mut store = Store::new(vec![3, 3]);
//! let steps = store.relation([&tick, &wrap], ImageDirection::Forward, &mut budget).unwrap();
//! let start = store.tuple(&[0, 0], &mut budget).unwrap();
//! let everything = store.all();
//! let reached = store.closure(&start, &everything, &steps, &mut budget).unwrap();
//! assert_eq!(reached, everything);
//! assert_eq!(store.count(&reached, &mut budget).unwrap(), 9.0);
//! ```

mod cache;
mod inspect;
mod order;
mod relation;
mod saturate;
mod sets;
mod sift;
mod step;
mod table;
#[cfg(test)]
mod tests;

pub use self::order::Orders;
pub use self::relation::{Event, ImageDirection, Kronecker, Relation};
use self::table::{ALL, EMPTY, Id, Table};
use loris_base::{Budget, Exhausted};
use std::sync::Arc;

/// A set of tuples, kept alive by this handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Set(Arc<Id>);

impl Set {
    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        *self.0 == EMPTY
    }

    /// Whether all tuples are in it.
    pub fn is_all(&self) -> bool {
        *self.0 == ALL
    }
}

/// The nodes of sets of tuples.
pub struct Store {
    table: Table,
    /// the handles that were given away
    held: Vec<Arc<Id>>,
    empty: Set,
    all: Set,
    relations: u32,
    parts: u32,
}

impl Store {
    /// A store for tuples with this many values on each level.
    pub fn new(sizes: Vec<u32>) -> Self {
        Self {
            table: Table::new(sizes),
            held: Vec::new(),
            empty: Set(Arc::new(EMPTY)),
            all: Set(Arc::new(ALL)),
            relations: 0,
            parts: 1,
        }
    }

    /// The number of values on each level.
    pub fn sizes(&self) -> &[u32] {
        &self.table.sizes
    }

    /// The set of no tuples.
    pub fn empty(&self) -> Set {
        self.empty.clone()
    }

    /// The set of all tuples.
    pub fn all(&self) -> Set {
        self.all.clone()
    }

    /// The bytes that are held: a budget other than the one they were charged to has to be charged
    /// for them first.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// The most nodes that were there at one time.
    pub fn peak_nodes(&self) -> usize {
        self.table.peak()
    }

    /// An operation on the table, with all handles as roots of garbage collection.
    fn run(&mut self, work: impl FnOnce(&mut Table) -> Result<Id, Exhausted>) -> Result<Set, Exhausted> {
        self.held.retain(|held| Arc::strong_count(held) > 1);
        self.table.roots.clear();
        self.table.roots.extend(self.held.iter().map(|held| **held));
        let found = work(&mut self.table);
        self.table.stack.clear();
        let handle = Arc::new(found?);
        self.held.push(Arc::clone(&handle));
        Ok(Set(handle))
    }

    /// The union of some events.
    pub fn relation<'e>(
        &mut self,
        events: impl IntoIterator<Item = &'e Event>,
        direction: ImageDirection,
        budget: &mut Budget,
    ) -> Result<Relation, Exhausted> {
        let numbers = (self.relations, self.parts);
        let relation = relation::compile(&self.table.sizes, events, direction, numbers, budget)?;
        self.relations += 1;
        self.parts += relation.parts() as u32;
        Ok(relation)
    }

    /// The set of one tuple.
    pub fn tuple(&mut self, values: &[u32], budget: &mut Budget) -> Result<Set, Exhausted> {
        let locals: Vec<_> = (0..).zip(values.chunks(1)).collect();
        self.product(&locals, budget)
    }

    /// The tuples whose values on the named levels, in ascending order, are among those listed in
    /// ascending order; on other levels any value will do.
    pub fn product(&mut self, locals: &[(u32, &[u32])], budget: &mut Budget) -> Result<Set, Exhausted> {
        self.run(|table| table.product(locals, budget))
    }

    /// What is in one of two sets.
    pub fn union(&mut self, a: &Set, b: &Set, budget: &mut Budget) -> Result<Set, Exhausted> {
        self.run(|table| table.union(*a.0, *b.0, budget))
    }

    /// What is in both sets.
    pub fn intersection(&mut self, a: &Set, b: &Set, budget: &mut Budget) -> Result<Set, Exhausted> {
        self.run(|table| table.intersection(*a.0, *b.0, budget))
    }

    /// What is in `a` and not in `b`.
    pub fn difference(&mut self, a: &Set, b: &Set, budget: &mut Budget) -> Result<Set, Exhausted> {
        self.run(|table| table.difference(*a.0, *b.0, budget))
    }

    /// What one step leads to from a set, within another.
    pub fn image(
        &mut self,
        set: &Set,
        within: &Set,
        relation: &Relation,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        self.run(|table| table.step(*set.0, *within.0, 0, relation, budget))
    }

    /// What any number of steps leads to from a set if only states of `within` are entered: the
    /// least set that contains `set` and each step from it into `within`. Where a time limit ends
    /// this, it goes on from there when it is asked for again.
    pub fn closure(
        &mut self,
        set: &Set,
        within: &Set,
        relation: &Relation,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        self.run(|table| table.closure(*set.0, *within.0, relation, budget))
    }
}
