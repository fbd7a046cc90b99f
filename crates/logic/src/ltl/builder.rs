//! The arena in which formulas are made: hash-consed, with simplifications of constant time.
//!
//! No rule looks at anything but the shape of the operands, so that the result does not depend on
//! the order in which formulas are made, and making an operator again over the operands it has
//! gives itself.

use super::formula::{Ltl, LtlId, LtlNode};
use loris_base::{Idx, IndexVec};
use rustc_hash::FxHashMap;

/// Makes formulas node by node; equal nodes are one.
#[derive(Clone, Debug, Default)]
pub struct LtlBuilder {
    nodes: IndexVec<LtlId, LtlNode>,
    table: FxHashMap<LtlNode, LtlId>,
    /// per node its negation, if that has been made
    negations: IndexVec<LtlId, Option<LtlId>>,
}

impl LtlBuilder {
    /// The operator of a node that was made here.
    pub fn node(&self, node: LtlId) -> LtlNode {
        self.nodes[node]
    }

    fn make(&mut self, node: LtlNode) -> LtlId {
        if let Some(&known) = self.table.get(&node) {
            return known;
        }
        let new = self.nodes.push(node);
        self.table.insert(node, new);
        // negations are built alike, so that two nodes which negate each other are found to do so
        // when the later one is made
        let negation = self.negation(node).and_then(|negation| self.table.get(&negation).copied());
        self.negations.push(negation);
        if let Some(negation) = negation {
            self.negations[negation] = Some(new);
        }
        new
    }

    /// The operator that negates another, if the negations of its operands have been made.
    fn negation(&self, node: LtlNode) -> Option<LtlNode> {
        let of = |child: LtlId| self.negations[child];
        Some(match node {
            LtlNode::True => LtlNode::False,
            LtlNode::False => LtlNode::True,
            LtlNode::Atom(atom) => LtlNode::NotAtom(atom),
            LtlNode::NotAtom(atom) => LtlNode::Atom(atom),
            LtlNode::And(a, b) => LtlNode::Or(of(a)?, of(b)?),
            LtlNode::Or(a, b) => LtlNode::And(of(a)?, of(b)?),
            LtlNode::X(a) => LtlNode::X(of(a)?),
            LtlNode::U(a, b) => LtlNode::R(of(a)?, of(b)?),
            LtlNode::R(a, b) => LtlNode::U(of(a)?, of(b)?),
        })
    }

    fn negate_each_other(&self, a: LtlId, b: LtlId) -> bool {
        self.negations[a] == Some(b)
    }

    /// `true` or `false`.
    pub fn constant(&mut self, value: bool) -> LtlId {
        self.make(if value { LtlNode::True } else { LtlNode::False })
    }

    /// An atom or its negation.
    pub fn literal(&mut self, atom: u32, positive: bool) -> LtlId {
        self.make(if positive { LtlNode::Atom(atom) } else { LtlNode::NotAtom(atom) })
    }

    /// Conjunction.
    pub fn and(&mut self, a: LtlId, b: LtlId) -> LtlId {
        match (self.node(a), self.node(b)) {
            (LtlNode::True, _) | (_, LtlNode::False) => b,
            (LtlNode::False, _) | (_, LtlNode::True) => a,
            _ if self.negate_each_other(a, b) => self.constant(false),
            _ if a == b => a,
            _ => self.make(LtlNode::And(a, b)),
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: LtlId, b: LtlId) -> LtlId {
        match (self.node(a), self.node(b)) {
            (LtlNode::False, _) | (_, LtlNode::True) => b,
            (LtlNode::True, _) | (_, LtlNode::False) => a,
            _ if self.negate_each_other(a, b) => self.constant(true),
            _ if a == b => a,
            _ => self.make(LtlNode::Or(a, b)),
        }
    }

    /// `X a`.
    pub fn next(&mut self, a: LtlId) -> LtlId {
        match self.node(a) {
            LtlNode::True | LtlNode::False => a,
            _ => self.make(LtlNode::X(a)),
        }
    }

    /// `a U b`.
    pub fn until(&mut self, a: LtlId, b: LtlId) -> LtlId {
        match (self.node(a), self.node(b)) {
            (LtlNode::False, _) | (_, LtlNode::True | LtlNode::False) => b,
            (_, LtlNode::U(again, _)) if again == a => b,
            _ if a == b => b,
            _ => self.make(LtlNode::U(a, b)),
        }
    }

    /// `a R b`.
    pub fn release(&mut self, a: LtlId, b: LtlId) -> LtlId {
        match (self.node(a), self.node(b)) {
            (LtlNode::True, _) | (_, LtlNode::True | LtlNode::False) => b,
            (_, LtlNode::R(again, _)) if again == a => b,
            _ if a == b => b,
            _ => self.make(LtlNode::R(a, b)),
        }
    }

    /// `F a`.
    pub fn eventually(&mut self, a: LtlId) -> LtlId {
        let always = self.constant(true);
        self.until(always, a)
    }

    /// `G a`.
    pub fn always(&mut self, a: LtlId) -> LtlId {
        let never = self.constant(false);
        self.release(never, a)
    }

    /// `a W b`: `b R (a | b)`.
    pub fn weak_until(&mut self, a: LtlId, b: LtlId) -> LtlId {
        let either = self.or(a, b);
        self.release(b, either)
    }

    /// An operator over other operands, each given by its place.
    pub(crate) fn again(&mut self, node: LtlNode, to: impl Fn(LtlId) -> LtlId) -> LtlId {
        match node {
            LtlNode::True => self.constant(true),
            LtlNode::False => self.constant(false),
            LtlNode::Atom(atom) => self.literal(atom, true),
            LtlNode::NotAtom(atom) => self.literal(atom, false),
            LtlNode::And(a, b) => self.and(to(a), to(b)),
            LtlNode::Or(a, b) => self.or(to(a), to(b)),
            LtlNode::X(a) => self.next(to(a)),
            LtlNode::U(a, b) => self.until(to(a), to(b)),
            LtlNode::R(a, b) => self.release(to(a), to(b)),
        }
    }

    /// Adds a whole formula; returns the place of each of its nodes.
    pub(crate) fn copy(&mut self, formula: &Ltl) -> Vec<LtlId> {
        let mut ids: Vec<LtlId> = Vec::with_capacity(formula.nodes.len());
        for &node in &formula.nodes {
            let id = self.again(node, |child| ids[child.index()]);
            ids.push(id);
        }
        ids
    }

    /// The negation of a formula that was made here. Linear in the formula.
    pub(crate) fn negated(&mut self, root: LtlId) -> LtlId {
        let formula = self.finish(root);
        let mut ids: Vec<LtlId> = Vec::with_capacity(formula.nodes.len());
        for &node in &formula.nodes {
            let dual = match node {
                LtlNode::True => LtlNode::False,
                LtlNode::False => LtlNode::True,
                LtlNode::Atom(atom) => LtlNode::NotAtom(atom),
                LtlNode::NotAtom(atom) => LtlNode::Atom(atom),
                LtlNode::And(a, b) => LtlNode::Or(a, b),
                LtlNode::Or(a, b) => LtlNode::And(a, b),
                LtlNode::X(a) => LtlNode::X(a),
                LtlNode::U(a, b) => LtlNode::R(a, b),
                LtlNode::R(a, b) => LtlNode::U(a, b),
            };
            let id = self.again(dual, |child| ids[child.index()]);
            ids.push(id);
        }
        ids[formula.root().index()]
    }

    /// The formula with this root.
    pub fn finish(&self, root: LtlId) -> Ltl {
        self.extract(root, |leaf| leaf)
    }

    /// The formula with this root and other leaves, which are met in the order of the formula.
    ///
    /// Cost: linear in the part of the arena below the root.
    pub(crate) fn extract(&self, root: LtlId, mut leaf: impl FnMut(LtlNode) -> LtlNode) -> Ltl {
        let mut place: FxHashMap<LtlId, LtlId> = FxHashMap::default();
        let mut nodes = Vec::new();
        // (node, whether its operands are in place)
        let mut walk = vec![(root, false)];
        while let Some((id, ready)) = walk.pop() {
            if place.contains_key(&id) {
                continue;
            }
            let node = self.node(id);
            if !ready && node.children().next().is_some() {
                walk.push((id, true));
                walk.extend(node.children().rev().map(|child| (child, false)));
                continue;
            }
            let node = if ready { node.map(|child| place[&child]) } else { leaf(node) };
            place.insert(id, LtlId::new(nodes.len()));
            nodes.push(node);
        }
        Ltl { nodes }
    }
}
