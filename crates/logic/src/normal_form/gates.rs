//! An and-inverter graph with `EX`, `EG`, `EU` and `E`: the normal form while it is built.
//!
//! An edge carries the negation, so that a formula and its negation are one node and negating is
//! free. Only [`Gates::freeze`] pushes negations inward and distinguishes `&` from `|`. A node is
//! made once: all simplifications are local and constant time, the table is a hash table.
//!
//! Path formulas lie in an arena of their own whose atoms are gates: atom `g` is gate `g`, its
//! negation the negated edge. Two literals that meet at an `&` or `|` become one gate and so one
//! literal again, which makes the leaves of a path formula its maximal state subformulas.

use super::node::{CoreId, CoreNode};
use super::path::PathFormula;
use crate::ltl::{Ltl, LtlBuilder, LtlId, LtlNode};
use loris_base::{Idx, Symbol};
use rustc_hash::FxHashMap;

/// A node or its negation: twice the node's index, plus one if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lit(u32);

impl Lit {
    pub(super) const TRUE: Lit = Lit(0);
    pub(super) const FALSE: Lit = Lit(1);

    fn index(self) -> usize {
        self.0 as usize
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
    E(LtlId),
}

pub(super) struct Gates {
    nodes: Vec<Gate>,
    table: FxHashMap<Gate, Lit>,
    paths: LtlBuilder,
    /// Whether some path may not count: then an existential operator is false where none starts,
    /// and `E G true` is not a constant.
    pub(super) fair: bool,
}

impl Default for Gates {
    fn default() -> Self {
        Self {
            nodes: vec![Gate::True],
            table: FxHashMap::default(),
            paths: LtlBuilder::default(),
            fair: false,
        }
    }
}

impl Gates {
    /// Without any gate yet; `fair` says whether some paths may not count.
    pub(super) fn new(fair: bool) -> Self {
        Self { fair, ..Self::default() }
    }

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
        if self.folds(a) { a } else { self.gate(Gate::Ex(a)) }
    }

    pub(super) fn eg(&mut self, a: Lit) -> Lit {
        if self.folds(a) { a } else { self.gate(Gate::Eg(a)) }
    }

    pub(super) fn eu(&mut self, a: Lit, b: Lit) -> Lit {
        let is_now = !self.fair && (a == Lit::FALSE || a == b);
        if self.folds(b) || is_now { b } else { self.gate(Gate::Eu(a, b)) }
    }

    /// Whether an existential operator over a constant is that constant.
    fn folds(&self, a: Lit) -> bool {
        a == Lit::FALSE || a == Lit::TRUE && !self.fair
    }

    /// A state formula as a path formula.
    pub(super) fn leaf(&mut self, lit: Lit) -> LtlId {
        match lit {
            Lit::TRUE | Lit::FALSE => self.paths.constant(lit == Lit::TRUE),
            Lit(lit) => self.paths.literal(lit >> 1, lit & 1 == 0),
        }
    }

    /// A path formula as a state formula, if it is one.
    fn state(&self, path: LtlId) -> Option<Lit> {
        match self.paths.node(path) {
            LtlNode::True => Some(Lit::TRUE),
            LtlNode::False => Some(Lit::FALSE),
            LtlNode::Atom(gate) => Some(Lit(2 * gate)),
            LtlNode::NotAtom(gate) => Some(Lit(2 * gate + 1)),
            _ => None,
        }
    }

    pub(super) fn both_paths(&mut self, a: LtlId, b: LtlId) -> LtlId {
        match (self.state(a), self.state(b)) {
            (Some(a), Some(b)) => {
                let both = self.and(a, b);
                self.leaf(both)
            }
            _ => self.paths.and(a, b),
        }
    }

    pub(super) fn either_path(&mut self, a: LtlId, b: LtlId) -> LtlId {
        match (self.state(a), self.state(b)) {
            (Some(a), Some(b)) => {
                let either = self.or(a, b);
                self.leaf(either)
            }
            _ => self.paths.or(a, b),
        }
    }

    /// E over a path formula; an operator of CTL where it is one.
    pub(super) fn exists(&mut self, path: LtlId) -> Lit {
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
        let mut frozen = Frozen::default();
        let mut place: Vec<Option<CoreId>> = vec![None; 2 * self.nodes.len()];
        let found =
            |place: &[Option<CoreId>], lit: Lit| place[lit.index()].expect("operands come before operators");
        // path formulas whose operands are on the walk, the innermost last
        let mut paths: Vec<(Ltl, Vec<Lit>)> = Vec::new();
        // (literal, whether its operands are in place)
        let mut walk = vec![(root, false)];
        while let Some((lit, ready)) = walk.pop() {
            if place[lit.index()].is_some() {
                continue;
            }
            let node = self.expand(lit);
            if !ready {
                walk.push((lit, true));
                if let CoreNode::E(path) = node {
                    let (formula, operands) = self.path(path);
                    walk.extend(operands.iter().rev().map(|&operand| (operand, false)));
                    paths.push((formula, operands));
                }
                walk.extend(node.operands().rev().map(|operand| (operand, false)));
                continue;
            }
            place[lit.index()] = Some(CoreId::new(frozen.nodes.len()));
            frozen.nodes.push(match node.map(|child| found(&place, child)) {
                CoreNode::Atom(atom) => {
                    frozen.atoms.push(Symbol::new(atom as usize));
                    CoreNode::Atom(frozen.atoms.len() as u32 - 1)
                }
                CoreNode::E(_) => {
                    let (formula, operands) = paths.pop().expect("a path formula waits for each open E");
                    let operands = operands.into_iter().map(|operand| found(&place, operand)).collect();
                    frozen.paths.push(PathFormula { formula, operands });
                    CoreNode::E(frozen.paths.len() as u32 - 1)
                }
                CoreNode::True => CoreNode::True,
                CoreNode::Not(a) => CoreNode::Not(a),
                CoreNode::And(a, b) => CoreNode::And(a, b),
                CoreNode::Or(a, b) => CoreNode::Or(a, b),
                CoreNode::Ex(a) => CoreNode::Ex(a),
                CoreNode::Eg(a) => CoreNode::Eg(a),
                CoreNode::Eu(a, b) => CoreNode::Eu(a, b),
            });
        }
        frozen
    }

    /// A literal as an operator of the normal form over literals; its atom is a symbol.
    fn expand(&self, lit: Lit) -> CoreNode<LtlId, Lit> {
        let negative = lit.0 & 1 == 1;
        match self.nodes[(lit.0 >> 1) as usize] {
            Gate::And(a, b) if negative => CoreNode::Or(!a, !b),
            _ if negative => CoreNode::Not(!lit),
            Gate::True => CoreNode::True,
            Gate::Atom(atom) => CoreNode::Atom(atom.index() as u32),
            Gate::And(a, b) => CoreNode::And(a, b),
            Gate::Ex(a) => CoreNode::Ex(a),
            Gate::Eg(a) => CoreNode::Eg(a),
            Gate::Eu(a, b) => CoreNode::Eu(a, b),
            Gate::E(path) => CoreNode::E(path),
        }
    }

    /// A path formula over operands of its own, which are still literals.
    ///
    /// A conjunction or disjunction is an operand as it is first met; all else without its
    /// negation.
    fn path(&self, path: LtlId) -> (Ltl, Vec<Lit>) {
        let mut operands: Vec<Lit> = Vec::new();
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let formula = self.paths.extract(path, |leaf| {
            let (LtlNode::Atom(gate) | LtlNode::NotAtom(gate)) = leaf else { return leaf };
            let lit = Lit(2 * gate + u32::from(leaf == LtlNode::NotAtom(gate)));
            let number = *numbers.entry(gate).or_insert_with(|| {
                let joins = matches!(self.nodes[gate as usize], Gate::And(..));
                operands.push(if joins { lit } else { Lit(2 * gate) });
                operands.len() as u32 - 1
            });
            if operands[number as usize] == lit { LtlNode::Atom(number) } else { LtlNode::NotAtom(number) }
        });
        (formula, operands)
    }
}

/// A normal form with symbols for atoms.
#[derive(Default)]
pub(super) struct Frozen {
    pub(super) nodes: Vec<CoreNode>,
    pub(super) paths: Vec<PathFormula>,
    pub(super) atoms: Vec<Symbol>,
}

/// The arena of path formulas, for operators other than `&` and `|`: these know about state
/// formulas.
impl AsMut<LtlBuilder> for Gates {
    fn as_mut(&mut self) -> &mut LtlBuilder {
        &mut self.paths
    }
}
