//! Types of exceptions, numbered, with the ones that each catches as sets of bits.

use super::bound::{BROAD, UNCHECKED};
use crate::program::Program;
use loris_base::{BitRows, Symbol, Truth, has_bit, words_for};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a handler catches of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Catches {
    /// Every exception of the type.
    All,
    /// Those of a subtype.
    Some(Symbol),
    None,
}

/// Types of exceptions.
#[derive(Debug, Default)]
pub(super) struct Types {
    pub(super) list: Vec<Symbol>,
    numbers: FxHashMap<Symbol, u32>,
    /// For each type, the types that are its subtypes, itself included.
    below: BitRows,
    /// For each type, those that it is a proper subtype of, and those whose ancestors are not
    /// known.
    above: BitRows,
    /// Types whose ancestors are not all known.
    vague: FxHashSet<Symbol>,
    pub(super) throwable: Option<Symbol>,
    /// Types that unchecked exceptions may hide behind, and the unchecked types.
    pub(super) broad: Vec<u32>,
    pub(super) unchecked: Vec<u32>,
    /// What is known already of classes: whether they may be exceptions.
    throwables: FxHashMap<Symbol, bool>,
}

impl Types {
    pub(super) fn number(&mut self, name: Symbol) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.list.push(name);
            self.list.len() as u32 - 1
        })
    }

    /// Whether objects of a class may be exceptions, as far as its ancestors are known.
    pub(super) fn is_throwable(&mut self, program: &Program, name: Symbol) -> bool {
        *self.throwables.entry(name).or_insert_with(|| {
            let throwable = program.names.find("java/lang/Throwable");
            throwable.is_some_and(|throwable| program.is_subtype(name, throwable)) || program.is_vague(name)
        })
    }

    /// How many words a set of types has.
    pub(super) fn words(&self) -> usize {
        words_for(self.list.len())
    }

    /// Relates all types to each other; none may be added afterwards.
    pub(super) fn relate(&mut self, program: &Program) {
        self.throwable = program.names.find("java/lang/Throwable");
        let found = BROAD.iter().filter_map(|name| self.numbers.get(&program.names.find(name)?).copied());
        self.broad = found.collect();
        if !self.broad.is_empty() {
            let unchecked = UNCHECKED.iter().filter_map(|name| program.names.find(name));
            self.unchecked = unchecked.map(|name| self.number(name)).collect();
        }
        for &name in &self.list {
            if program.is_vague(name) {
                self.vague.insert(name);
            }
        }
        self.below = BitRows::new(self.list.len(), self.list.len());
        self.above = self.below.clone();
        for (number, &name) in self.list.iter().enumerate() {
            // one walk up from each type meets all its ancestors
            self.below.insert(number, number);
            for ancestor in ancestors(program, name) {
                if let Some(&other) = self.numbers.get(&ancestor)
                    && other as usize != number
                {
                    self.below.insert(other as usize, number);
                    self.above.insert(number, other as usize);
                }
            }
            if self.vague.contains(&name) {
                for other in 0..self.list.len() {
                    if Some(self.list[other]) == self.throwable {
                        self.below.insert(other, number);
                    } else if other != number {
                        self.above.insert(other, number);
                    }
                }
            }
        }
    }

    /// The types that a handler for this one catches in any case, and those it may catch.
    pub(super) fn masks(&self, number: u32) -> (&[u64], &[u64]) {
        (self.below.row(number as usize), self.above.row(number as usize))
    }

    /// Whether an exception of one type is always one of the other, or may be, as ancestors are not
    /// known.
    pub(super) fn may_be(&self, number: u32, other: u32) -> bool {
        has_bit(self.below.row(other as usize), number as usize)
            || self.vague.contains(&self.list[number as usize])
    }

    /// What a handler catches of a type.
    pub(super) fn catches(&self, program: &Program, caught: Symbol, thrown: Symbol) -> Catches {
        let number = |name: Symbol| self.numbers.get(&name).copied();
        if let (Some(caught_number), Some(thrown_number)) = (number(caught), number(thrown)) {
            let (below, above) = self.masks(caught_number);
            return if has_bit(below, thrown_number as usize) {
                Catches::All
            } else if has_bit(above, thrown_number as usize) {
                Catches::Some(caught)
            } else {
                Catches::None
            };
        }
        // a type that nothing reachable throws
        match program.catches(caught, thrown) {
            Truth::True => Catches::All,
            Truth::Unknown => Catches::Some(caught),
            Truth::False => Catches::None,
        }
    }
}

/// The names of all ancestors of a class that are known by name.
fn ancestors(program: &Program, name: Symbol) -> Vec<Symbol> {
    let Some(class) = program.find_class(name) else { return Vec::new() };
    let mut found = Vec::new();
    for ancestor in program.supertypes(class) {
        let ancestor = program.class(ancestor);
        found.push(ancestor.name);
        found.extend(ancestor.superclass);
    }
    found
}
