//! Formulas in the operators of the thesis: predicates, `and`, `or`, `EX`, `AV` and `EV`, with `V`
//! for release.
//!
//! They are hash-consed, with negation as a sign, so that labels are keyed by the formula whatever
//! property it comes from. `E [f U g]` is `!A [!f V !g]`, and `E G g` is `E [false V g]`. Boolean
//! combinations of atoms become one predicate.

use crate::query::Query;
use loris_base::Idx;
use loris_circuit::{Aig, Lit};
use loris_logic::{CoreId, CoreNode};
use rustc_hash::FxHashMap;

/// A formula or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Formula(u32);

impl Formula {
    pub(super) const FALSE: Formula = Formula(0);

    pub(super) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        Formula(self.0 ^ 1)
    }
}

/// An operator with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// A function of states, not negated.
    Predicate(Lit),
    And(Formula, Formula),
    Ex(Formula),
    /// On all paths, the second up to and including where the first holds, if it ever does.
    Av(Formula, Formula),
    /// The same on some path.
    Ev(Formula, Formula),
}

/// All formulas of a run.
pub(super) struct Formulas {
    ops: Vec<Op>,
    known: FxHashMap<Op, u32>,
    /// nested temporal operators
    depth: Vec<u32>,
}

impl Formulas {
    pub(super) fn new() -> Self {
        let mut formulas = Self { ops: Vec::new(), known: FxHashMap::default(), depth: Vec::new() };
        formulas.predicate(Lit::FALSE);
        formulas
    }

    pub(super) fn op(&self, formula: Formula) -> Op {
        self.ops[formula.index()]
    }

    pub(super) fn depth(&self, formula: Formula) -> u32 {
        self.depth[formula.index()]
    }

    /// Whether a formula has no temporal operator.
    pub(super) fn is_propositional(&self, formula: Formula) -> bool {
        let mut stack = vec![formula];
        while let Some(formula) = stack.pop() {
            match self.op(formula) {
                Op::Predicate(_) => {}
                Op::And(a, b) => stack.extend([a, b]),
                Op::Ex(_) | Op::Av(..) | Op::Ev(..) => return false,
            }
        }
        true
    }

    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    fn intern(&mut self, op: Op) -> Formula {
        let ops = &mut self.ops;
        let at = *self.known.entry(op).or_insert_with(|| {
            ops.push(op);
            ops.len() as u32 - 1
        });
        if self.depth.len() < self.ops.len() {
            let depth = match op {
                Op::Predicate(_) => 0,
                Op::Ex(a) => self.depth(a) + 1,
                Op::And(a, b) | Op::Av(a, b) | Op::Ev(a, b) => self.depth(a).max(self.depth(b)) + 1,
            };
            self.depth.push(depth);
        }
        Formula(at << 1)
    }

    pub(super) fn predicate(&mut self, lit: Lit) -> Formula {
        let formula = self.intern(Op::Predicate(lit.negated_if(lit.is_negated())));
        if lit.is_negated() { !formula } else { formula }
    }

    fn as_predicate(&self, formula: Formula) -> Option<Lit> {
        match self.op(formula) {
            Op::Predicate(lit) => Some(lit.negated_if(formula.is_negated())),
            _ => None,
        }
    }

    fn and(&mut self, a: Formula, b: Formula, merge: Option<&mut Aig>) -> Formula {
        match (self.as_predicate(a), self.as_predicate(b), merge) {
            (Some(x), Some(y), Some(aig)) => {
                let both = aig.and(x, y);
                self.predicate(both)
            }
            // the cheaper operand is decided first
            _ if self.depth(b) < self.depth(a) => self.intern(Op::And(b, a)),
            _ => self.intern(Op::And(a, b)),
        }
    }

    fn release(&mut self, universal: bool, p: Formula, q: Formula) -> Formula {
        if p == q || p == !Formula::FALSE {
            return q;
        }
        self.intern(if universal { Op::Av(p, q) } else { Op::Ev(p, q) })
    }

    /// The formula of each node of a query; `merge` makes predicates of boolean combinations.
    pub(super) fn of_query(&mut self, query: &Query<'_>, aig: &mut Aig, merge: bool) -> Vec<Formula> {
        let mut of: Vec<Formula> = Vec::with_capacity(query.core.nodes().len());
        for &node in query.core.nodes() {
            let at = |child: CoreId| of[child.index()];
            let merged = merge.then_some(&mut *aig);
            let formula = match node {
                CoreNode::True => !Formula::FALSE,
                CoreNode::Atom(atom) => self.predicate(query.atoms[atom as usize]),
                CoreNode::Not(a) => !at(a),
                CoreNode::And(a, b) => self.and(at(a), at(b), merged),
                CoreNode::Or(a, b) => !self.and(!at(a), !at(b), merged),
                CoreNode::Ex(a) => self.intern(Op::Ex(at(a))),
                CoreNode::Eg(a) => self.release(false, Formula::FALSE, at(a)),
                CoreNode::Eu(a, b) => !self.release(true, !at(a), !at(b)),
            };
            of.push(formula);
        }
        of
    }
}
