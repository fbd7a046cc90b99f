//! DECOMP: a path formula as conditions on a finite prefix and on the rest (rsm-analysis, Fig. 2).
//!
//! DECOMP(ρ) is a set of pairs (β, δ) such that, for every nonempty finite word π and infinite word
//! γ,
//!
//! > π·γ ⊨ ρ iff π ⊨ β and γ ⊨ δ for some pair  (Theorem 14).
//!
//! Here ρ is in negation normal form, so the paper's rule for negation, which is what makes DECOMP
//! non-elementary, gives way to two rules that follow from it: pairs of a conjunction are pairs of
//! pairs, and a R b is read as "b all along and then a R b again, or b until both". Then every δ is
//! a conjunction of subformulas of ρ: a [`Delta`] is the sorted set of these, and there are
//! finitely many without any further normal form (erratum R7). Pairs with the same δ are one pair,
//! pairs that imply another or cannot hold are dropped.
//!
//! The paper's sum over the subsets A of DECOMP(ρ₁) comes down to one over the δ that are
//! conjunctions of theirs: of all A with the same ∧δ the largest has the weakest β. In (∨β) U β'
//! the set A may be empty, unlike in the paper (erratum R6): here `false` has no pair, and
//! `false U b` is still b.
//!
//! Up to 2^|ρ| pairs with a β that nests as deep as ρ does; [`Exhausted::Memory`] beyond
//! [`MOST_PAIRS`]. The oracle is in `decomp/tests.rs`: words by brute force, and the paper's own
//! definition.

#[cfg(test)]
mod paper;
#[cfg(test)]
mod tests;

use super::prefix::{Beta, Prefix, Prefixes};
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::{Ltl, LtlId, LtlNode};
use std::collections::{BTreeMap, BTreeSet};

/// A conjunction of subformulas of ρ, sorted; the empty one is true.
pub(super) type Delta = Vec<LtlId>;

/// A condition on a finite prefix, and one on the rest of the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) beta: Beta,
    pub(super) delta: Delta,
}

/// Give up beyond this many pairs of one formula.
const MOST_PAIRS: usize = 1 << 11;
/// Give up beyond this many subformulas: functions that walk a formula here recurse.
const MOST_NODES: usize = 1 << 8;

/// The pairs of all subformulas of a path formula.
pub(super) struct Decomp<'l> {
    ltl: &'l Ltl,
    pub(super) prefixes: Prefixes,
    /// per subformula, the subformulas it is seen to imply
    implied: Vec<Vec<bool>>,
    pairs: Vec<Vec<Pair>>,
}

impl<'l> Decomp<'l> {
    /// Decomposes all subformulas, operands first.
    pub(super) fn new(ltl: &'l Ltl, budget: &mut Budget) -> Result<Self, Exhausted> {
        let nodes = ltl.nodes();
        if nodes.len() > MOST_NODES {
            return Err(Exhausted::Memory);
        }
        let mut decomp =
            Self { ltl, prefixes: Prefixes::default(), implied: implications(ltl), pairs: Vec::new() };
        for (number, &node) in (0..).map(LtlId::new).zip(nodes) {
            let pairs = decomp.decompose(number, node, budget)?;
            decomp.pairs.push(pairs);
        }
        Ok(decomp)
    }

    /// The pairs of a conjunction.
    pub(super) fn of(&mut self, delta: &[LtlId], budget: &mut Budget) -> Result<Vec<Pair>, Exhausted> {
        let always = self.prefixes.constant(true);
        let mut pairs = vec![Pair { beta: always, delta: Vec::new() }];
        for &node in delta {
            let more = self.pairs[node.index()].clone();
            pairs = self.both(&pairs, &more, budget)?;
        }
        Ok(pairs)
    }

    /// A subformula as a conjunction; nothing for `false`.
    pub(super) fn delta(&self, node: LtlId) -> Option<Delta> {
        self.conjoin(&[], &[node])
    }

    fn decompose(
        &mut self,
        number: LtlId,
        node: LtlNode,
        budget: &mut Budget,
    ) -> Result<Vec<Pair>, Exhausted> {
        let of = |node: LtlId| self.pairs[node.index()].clone();
        let prefixes = &mut self.prefixes;
        let pairs = match node {
            LtlNode::True => vec![Pair { beta: prefixes.constant(true), delta: Vec::new() }],
            LtlNode::False => Vec::new(),
            LtlNode::Atom(atom) => vec![Pair { beta: prefixes.literal(atom, true), delta: Vec::new() }],
            LtlNode::NotAtom(atom) => vec![Pair { beta: prefixes.literal(atom, false), delta: Vec::new() }],
            LtlNode::And(a, b) => return self.both(&of(a), &of(b), budget),
            LtlNode::Or(a, b) => [of(a), of(b)].concat(),
            LtlNode::X(a) => {
                let mut pairs = of(a);
                for pair in &mut pairs {
                    pair.beta = prefixes.next(pair.beta);
                }
                let exit = prefixes.exit();
                pairs.extend(self.delta(a).map(|delta| Pair { beta: exit, delta }));
                pairs
            }
            LtlNode::U(a, b) => self.along(&of(a), &of(b), number, budget)?,
            LtlNode::R(a, b) => {
                let (along, both) = (of(b), self.both(&of(a), &of(b), budget)?);
                self.along(&along, &both, number, budget)?
            }
        };
        self.normal(pairs, budget)
    }

    /// The pairs of a conjunction of two formulas, given theirs.
    fn both(&mut self, a: &[Pair], b: &[Pair], budget: &mut Budget) -> Result<Vec<Pair>, Exhausted> {
        let mut pairs = Vec::new();
        for a in a {
            for b in b {
                budget.spend(1 + a.delta.len() + b.delta.len())?;
                if let Some(delta) = self.conjoin(&a.delta, &b.delta) {
                    pairs.push(Pair { beta: self.prefixes.and([a.beta, b.beta]), delta });
                }
            }
        }
        self.normal(pairs, budget)
    }

    /// The pairs of the formula `again`: the first all along the prefix and then `again` once more,
    /// or the first until the second comes, in the prefix.
    fn along(
        &mut self,
        first: &[Pair],
        second: &[Pair],
        again: LtlId,
        budget: &mut Budget,
    ) -> Result<Vec<Pair>, Exhausted> {
        let mut chosen: BTreeSet<Delta> = BTreeSet::from([Vec::new()]);
        for pair in first {
            let more: Vec<Delta> =
                chosen.iter().filter_map(|delta| self.conjoin(delta, &pair.delta)).collect();
            budget.spend(more.len())?;
            chosen.extend(more);
            few_enough(chosen.len())?;
        }
        let mut pairs = Vec::new();
        for delta in chosen {
            let of_chosen = first.iter().filter(|pair| self.all_implied(&delta, &pair.delta));
            let betas: Vec<Beta> = of_chosen.map(|pair| pair.beta).collect();
            let beta = self.prefixes.or(betas);
            if let Some(delta) = self.conjoin(&delta, &[again]) {
                pairs.push(Pair { beta: self.prefixes.always(beta), delta });
            }
            for end in second {
                budget.spend(1 + delta.len() + end.delta.len())?;
                if let Some(delta) = self.conjoin(&delta, &end.delta) {
                    pairs.push(Pair { beta: self.prefixes.until(beta, end.beta), delta });
                }
            }
        }
        Ok(pairs)
    }

    /// One pair for each δ, none that cannot hold, none that implies another.
    fn normal(&mut self, pairs: Vec<Pair>, budget: &mut Budget) -> Result<Vec<Pair>, Exhausted> {
        let before = self.prefixes.len();
        let mut by_delta: BTreeMap<Delta, Vec<Beta>> = BTreeMap::new();
        for Pair { beta, delta } in pairs {
            by_delta.entry(delta).or_default().push(beta);
        }
        few_enough(by_delta.len())?;
        let mut pairs: Vec<Pair> = Vec::with_capacity(by_delta.len());
        for (delta, betas) in by_delta {
            budget.spend(betas.len() * betas.len())?;
            let beta = self.prefixes.or(betas);
            if *self.prefixes.node(beta) != Prefix::False {
                pairs.push(Pair { beta, delta });
            }
        }
        let mut at = 0;
        while at < pairs.len() {
            budget.spend(pairs.len())?;
            let pair = pairs[at].clone();
            let weaker = |decomp: &mut Self, other: &Pair| {
                *other != pair
                    && decomp.all_implied(&pair.delta, &other.delta)
                    && decomp.prefixes.implies(pair.beta, other.beta)
            };
            if pairs.iter().any(|other| weaker(self, other)) {
                pairs.remove(at);
            } else {
                at += 1;
            }
        }
        let bytes = |pair: &Pair| 32 + 4 * pair.delta.len();
        budget.charge(64 * (self.prefixes.len() - before) + pairs.iter().map(bytes).sum::<usize>())?;
        Ok(pairs)
    }

    /// The conjunction of two; nothing if an operand and its negation are in it.
    fn conjoin(&self, a: &[LtlId], b: &[LtlId]) -> Option<Delta> {
        let mut left = [a, b].concat();
        let mut delta = BTreeSet::new();
        while let Some(node) = left.pop() {
            match self.ltl.node(node) {
                LtlNode::True => {}
                LtlNode::False => return None,
                LtlNode::And(a, b) => left.extend([a, b]),
                _ => _ = delta.insert(node),
            }
        }
        let clash = |&node: &LtlId| match self.ltl.node(node) {
            LtlNode::Atom(atom) => delta.iter().any(|&other| self.ltl.node(other) == LtlNode::NotAtom(atom)),
            _ => false,
        };
        if delta.iter().any(clash) {
            return None;
        }
        let mut delta: Delta = delta.into_iter().collect();
        let mut at = 0;
        while at < delta.len() {
            let node = delta[at];
            if delta.iter().any(|&other| other != node && self.implied[other.index()][node.index()]) {
                delta.remove(at);
            } else {
                at += 1;
            }
        }
        Some(delta)
    }

    /// Whether one conjunction is seen to imply another.
    fn all_implied(&self, a: &[LtlId], b: &[LtlId]) -> bool {
        b.iter().all(|&b| a.iter().any(|&a| self.implied[a.index()][b.index()]))
    }
}

fn few_enough(pairs: usize) -> Result<(), Exhausted> {
    if pairs > MOST_PAIRS { Err(Exhausted::Memory) } else { Ok(()) }
}

/// Which subformulas are seen to imply which, on infinite words: by syntax, operands first.
fn implications(ltl: &Ltl) -> Vec<Vec<bool>> {
    let count = ltl.nodes().len();
    let mut implied = vec![vec![false; count]; count];
    for a in 0..count {
        for b in 0..count {
            implied[a][b] = implies(ltl, &implied, LtlId::new(a), LtlId::new(b));
        }
    }
    implied
}

/// Whether `a` implies `b`, where that is known for all pairs with an operand of either in its
/// place.
fn implies(ltl: &Ltl, known: &[Vec<bool>], a: LtlId, b: LtlId) -> bool {
    use LtlNode::{And, False, Or, R, True, U, X};
    let is = |a: LtlId, b: LtlId| known[a.index()][b.index()];
    let (left, right) = (ltl.node(a), ltl.node(b));
    let by_left = match left {
        False => true,
        And(x, y) => is(x, b) || is(y, b),
        Or(x, y) | U(x, y) => is(x, b) && is(y, b),
        R(_, y) => is(y, b),
        _ => false,
    };
    let by_right = match right {
        True => true,
        And(x, y) | R(x, y) => is(a, x) && is(a, y),
        Or(x, y) => is(a, x) || is(a, y),
        U(_, y) => is(a, y),
        _ => false,
    };
    let by_both = match (left, right) {
        (X(x), X(y)) => is(x, y),
        (U(x, y), U(other, _)) => is(x, other) && is(y, b),
        // whatever G implies once, it implies always
        (R(x, y), R(other, end)) => is(x, other) && is(y, end) || ltl.node(x) == False && is(a, end),
        _ => false,
    };
    a == b || by_left || by_right || by_both
}
