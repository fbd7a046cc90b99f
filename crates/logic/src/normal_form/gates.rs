//! An and-inverter graph with `EX`, `EG`, `EU` and `E`: the normal form while it is built.
//!
//! An edge carries the negation, so that a formula and its negation are one node and negating is
//! free. Only [`Gates::freeze`] pushes negations inward and distinguishes `&` from `|`. A node is
//! made once: all simplifications are local and constant time, the table is a hash table.
//!
//! Path formulas lie in an arena of their own whose atoms are gates: atom `g` is gate `g`, its
//! negation the negated edge. Two literals that meet at an `&` or `|` become one gate and so one
//! literal again, which makes the leaves of a path formula its maximal state subformulas.

use super::{CoreNode, Path};
use crate::{LtlBuilder, LtlNode};
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
    /// Over a node of the arena of path formulas.
    E(u32),
}

pub(super) struct Gates {
    nodes: Vec<Gate>,
    table: FxHashMap<Gate, Lit>,
    paths: LtlBuilder,
}

impl Default for Gates {
    fn default() -> Self {
        Self { nodes: vec![Gate::True], table: FxHashMap::default(), paths: LtlBuilder::default() }
    }
}

impl Gates {
    fn gate(&mut self, gate: Gate) -> Lit {
        let gates = &mut self.nodes;
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

    /// A state formula as a path formula.
    pub(super) fn leaf(&mut self, lit: Lit) -> u32 {
        match lit {
            Lit::TRUE | Lit::FALSE => self.paths.constant(lit == Lit::TRUE),
            Lit(lit) => self.paths.literal(lit >> 1, lit & 1 == 0),
        }
    }

    /// A path formula as a state formula, if it is one.
    fn state(&self, path: u32) -> Option<Lit> {
        match self.paths.node(path) {
            LtlNode::True => Some(Lit::TRUE),
            LtlNode::False => Some(Lit::FALSE),
            LtlNode::Atom(gate) => Some(Lit(2 * gate)),
            LtlNode::NotAtom(gate) => Some(Lit(2 * gate + 1)),
            _ => None,
        }
    }

    pub(super) fn both_paths(&mut self, a: u32, b: u32) -> u32 {
        match (self.state(a), self.state(b)) {
            (Some(a), Some(b)) => {
                let both = self.and(a, b);
                self.leaf(both)
            }
            _ => self.paths.and(a, b),
        }
    }

    pub(super) fn either_path(&mut self, a: u32, b: u32) -> u32 {
        match (self.state(a), self.state(b)) {
            (Some(a), Some(b)) => {
                let either = self.or(a, b);
                self.leaf(either)
            }
            _ => self.paths.or(a, b),
        }
    }

    /// E over a path formula; an operator of CTL where it is one.
    pub(super) fn exists(&mut self, path: u32) -> Lit {
        if let Some(lit) = self.state(path) {
            return lit;
        }
        let node = self.paths.node(path);
        let mut operands = node.children().map(|child| self.state(child));
        match (node, operands.next().flatten(), operands.next().flatten()) {
            (LtlNode::X(_), Some(a), _) => self.ex(a),
            (LtlNode::U(..), Some(a), Some(b)) => self.eu(a, b),
            (LtlNode::R(..), Some(Lit::FALSE), Some(b)) => self.eg(b),
            (LtlNode::R(..), Some(a), Some(b)) => self.release(a, b),
            _ => self.gate(Gate::E(path)),
        }
    }

    /// E [ p R q ]: q holds up to and including where p comes, or forever.
    pub(super) fn release(&mut self, p: Lit, q: Lit) -> Lit {
        let both = self.and(p, q);
        let (until, always) = (self.eu(q, both), self.eg(q));
        self.or(until, always)
    }

    /// The nodes of a formula with negations pushed inward, in the order of a depth-first walk that
    /// takes left before right, and its atoms and path formulas in the order they are met.
    pub(super) fn freeze(&self, root: Lit) -> Frozen {
        const UNSEEN: u32 = u32::MAX;
        let mut frozen = Frozen::default();
        let mut place = vec![UNSEEN; 2 * self.nodes.len()];
        // path formulas whose operands are on the walk, the innermost last
        let mut paths: Vec<Path> = Vec::new();
        // (literal, whether its operands are in place)
        let mut walk = vec![(root.0, false)];
        while let Some((lit, ready)) = walk.pop() {
            if place[lit as usize] != UNSEEN {
                continue;
            }
            let node = self.expand(Lit(lit));
            if !ready {
                walk.push((lit, true));
                if let CoreNode::E(path) = node {
                    let path = self.path(path);
                    walk.extend(path.operands.iter().rev().map(|&operand| (operand, false)));
                    paths.push(path);
                }
                walk.extend(node.operands().rev().map(|operand| (operand, false)));
                continue;
            }
            place[lit as usize] = frozen.nodes.len() as u32;
            frozen.nodes.push(match node {
                CoreNode::Atom(atom) => {
                    frozen.atoms.push(Symbol::new(atom as usize));
                    CoreNode::Atom(frozen.atoms.len() as u32 - 1)
                }
                CoreNode::E(_) => {
                    let mut path = paths.pop().expect("a path formula waits for each open E");
                    path.operands.iter_mut().for_each(|operand| *operand = place[*operand as usize]);
                    frozen.paths.push(path);
                    CoreNode::E(frozen.paths.len() as u32 - 1)
                }
                node => node.map(|child| place[child as usize]),
            });
        }
        frozen
    }

    /// A literal as an operator of the normal form; its operands are literals, its atom a symbol.
    fn expand(&self, lit: Lit) -> CoreNode {
        let negative = lit.0 & 1 == 1;
        match self.nodes[(lit.0 >> 1) as usize] {
            Gate::And(a, b) if negative => CoreNode::Or((!a).0, (!b).0),
            _ if negative => CoreNode::Not((!lit).0),
            Gate::True => CoreNode::True,
            Gate::Atom(atom) => CoreNode::Atom(atom.index() as u32),
            Gate::And(a, b) => CoreNode::And(a.0, b.0),
            Gate::Ex(a) => CoreNode::Ex(a.0),
            Gate::Eg(a) => CoreNode::Eg(a.0),
            Gate::Eu(a, b) => CoreNode::Eu(a.0, b.0),
            Gate::E(path) => CoreNode::E(path),
        }
    }

    /// A path formula over operands of its own, which are literals yet.
    ///
    /// A conjunction or disjunction is an operand as it is first met; all else without its
    /// negation.
    fn path(&self, path: u32) -> Path {
        let mut operands: Vec<u32> = Vec::new();
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let formula = self.paths.extract(path, |leaf| {
            let (LtlNode::Atom(gate) | LtlNode::NotAtom(gate)) = leaf else { return leaf };
            let lit = 2 * gate + u32::from(leaf == LtlNode::NotAtom(gate));
            let number = *numbers.entry(gate).or_insert_with(|| {
                let joins = matches!(self.nodes[gate as usize], Gate::And(..));
                operands.push(if joins { lit } else { 2 * gate });
                operands.len() as u32 - 1
            });
            if operands[number as usize] == lit { LtlNode::Atom(number) } else { LtlNode::NotAtom(number) }
        });
        Path { formula, operands }
    }
}

/// A normal form with symbols for atoms.
#[derive(Default)]
pub(super) struct Frozen {
    pub(super) nodes: Vec<CoreNode>,
    pub(super) paths: Vec<Path>,
    pub(super) atoms: Vec<Symbol>,
}

/// The arena of path formulas, for operators other than `&` and `|`: these know about state
/// formulas.
impl AsMut<LtlBuilder> for Gates {
    fn as_mut(&mut self) -> &mut LtlBuilder {
        &mut self.paths
    }
}
