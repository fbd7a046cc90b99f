//! An and-inverter graph with `EX`, `EG` and `EU`: the normal form while it is built.
//!
//! An edge carries the negation, so that a formula and its negation are one node and negating is free.
//! Only [`Gates::freeze`] pushes negations inward and tells `&` from `|`. A node is made once: all
//! simplifications are local and constant time, the table is a hash table.

use super::CoreNode;
use loris_base::{Idx, Symbol};
use rustc_hash::FxHashMap;

/// A node or its negation: twice the node's index, plus one if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lit(u32);

impl Lit {
    pub(super) const TRUE: Lit = Lit(0);
    pub(super) const FALSE: Lit = Lit(1);

    fn is_constant(self) -> bool {
        self.0 <= 1
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    True,
    Atom(Symbol),
    And(Lit, Lit),
    Ex(Lit),
    Eg(Lit),
    Eu(Lit, Lit),
}

pub(super) struct Gates {
    gates: Vec<Gate>,
    table: FxHashMap<Gate, Lit>,
}

impl Default for Gates {
    fn default() -> Self {
        Self { gates: vec![Gate::True], table: FxHashMap::default() }
    }
}

impl Gates {
    fn gate(&mut self, gate: Gate) -> Lit {
        let gates = &mut self.gates;
        *self.table.entry(gate).or_insert_with(|| {
            gates.push(gate);
            Lit(2 * (gates.len() as u32 - 1))
        })
    }

    pub(super) fn atom(&mut self, atom: Symbol) -> Lit {
        self.gate(Gate::Atom(atom))
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::TRUE, _) => b,
            (_, Lit::TRUE) => a,
            (Lit::FALSE, _) | (_, Lit::FALSE) => Lit::FALSE,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => self.gate(Gate::And(a, b)),
        }
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(super) fn ex(&mut self, a: Lit) -> Lit {
        if a.is_constant() { a } else { self.gate(Gate::Ex(a)) }
    }

    pub(super) fn eg(&mut self, a: Lit) -> Lit {
        if a.is_constant() { a } else { self.gate(Gate::Eg(a)) }
    }

    pub(super) fn eu(&mut self, a: Lit, b: Lit) -> Lit {
        if b.is_constant() || a == Lit::FALSE || a == b { b } else { self.gate(Gate::Eu(a, b)) }
    }

    /// The nodes of a formula with negations pushed inward, in the order of a depth-first walk that
    /// takes left before right, and its atoms in the order they are met.
    pub(super) fn freeze(&self, root: Lit) -> (Vec<CoreNode>, Vec<Symbol>) {
        const UNSEEN: u32 = u32::MAX;
        let mut nodes = Vec::new();
        let mut atoms = Vec::new();
        let mut place = vec![UNSEEN; 2 * self.gates.len()];
        let mut walk = vec![root.0];
        while let Some(&lit) = walk.last() {
            let node = self.expand(Lit(lit));
            if let Some(child) = node.children().find(|&child| place[child as usize] == UNSEEN) {
                walk.push(child);
                continue;
            }
            walk.pop();
            // a lit can be on the walk only once: the graph has no cycles
            place[lit as usize] = nodes.len() as u32;
            nodes.push(match node {
                CoreNode::Atom(atom) => {
                    atoms.push(Symbol::new(atom as usize));
                    CoreNode::Atom(atoms.len() as u32 - 1)
                }
                node => node.map(|child| place[child as usize]),
            });
        }
        (nodes, atoms)
    }

    /// A literal as an operator of the normal form; its operands are literals, its atom a symbol.
    fn expand(&self, lit: Lit) -> CoreNode {
        let negative = lit.0 & 1 == 1;
        match self.gates[(lit.0 >> 1) as usize] {
            Gate::And(a, b) if negative => CoreNode::Or((!a).0, (!b).0),
            _ if negative => CoreNode::Not((!lit).0),
            Gate::True => CoreNode::True,
            Gate::Atom(atom) => CoreNode::Atom(atom.index() as u32),
            Gate::And(a, b) => CoreNode::And(a.0, b.0),
            Gate::Ex(a) => CoreNode::Ex(a.0),
            Gate::Eg(a) => CoreNode::Eg(a.0),
            Gate::Eu(a, b) => CoreNode::Eu(a.0, b.0),
        }
    }
}
