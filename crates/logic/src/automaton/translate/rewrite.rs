//! Formulas rewritten to equal ones with smaller automata.
//!
//! A pass goes through the arena once and applies one rule at each node, if one matches; passes are
//! repeated until nothing changes or a few were made. Beside rules that come from the meaning of
//! the operators there are those of Etessami and Holzmann (CONCUR 2000) and Somenzi and Bloem
//! (CAV 2000) for formulas that hold of a word whenever they hold of a suffix (*eventual*), or of
//! all suffixes whenever they hold of a word (*universal*). Linear in the formula but for
//! conjunctions and disjunctions, which are compared pairwise, a few dozen operands at most.

use super::implication::implies;
use crate::ltl::{Ltl, LtlBuilder, LtlId, LtlNode, from_some_point_on, infinitely_often};
use loris_base::{Budget, Exhausted, Idx};
use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

const PASSES: usize = 16;
const COMPARED: usize = 40;

pub(super) fn rewrite(formula: &Ltl, budget: &mut Budget) -> Result<Ltl, Exhausted> {
    let mut current = formula.clone();
    for _ in 0..PASSES {
        let next = pass(&current, budget)?;
        if next == current {
            break;
        }
        current = next;
    }
    Ok(current)
}

fn pass(formula: &Ltl, budget: &mut Budget) -> Result<Ltl, Exhausted> {
    let mut rewriter = Rewriter::default();
    // operands of a longer conjunction or disjunction wait for the whole of it
    let mut whole = vec![false; formula.nodes().len()];
    whole[formula.root().index()] = true;
    for &node in formula.nodes() {
        for child in node.children() {
            let same = matches!(
                (node, formula.node(child)),
                (LtlNode::And(..), LtlNode::And(..)) | (LtlNode::Or(..), LtlNode::Or(..))
            );
            whole[child.index()] |= !same;
        }
    }
    let mut ids: Vec<LtlId> = Vec::with_capacity(formula.nodes().len());
    for (&node, whole) in formula.nodes().iter().zip(whole) {
        budget.spend(1)?;
        let of = |child: LtlId| ids[child.index()];
        let id = match node {
            LtlNode::True => rewriter.build.constant(true),
            LtlNode::False => rewriter.build.constant(false),
            LtlNode::Atom(atom) => rewriter.build.literal(atom, true),
            LtlNode::NotAtom(atom) => rewriter.build.literal(atom, false),
            LtlNode::And(a, b) | LtlNode::Or(a, b) => {
                let all = matches!(node, LtlNode::And(..));
                let joined = rewriter.join(all, of(a), of(b));
                if whole { rewriter.joined(all, joined, budget)? } else { joined }
            }
            LtlNode::X(a) => rewriter.next(of(a)),
            LtlNode::U(a, b) => rewriter.until(of(a), of(b)),
            LtlNode::R(a, b) => rewriter.release(of(a), of(b)),
        };
        ids.push(id);
    }
    Ok(rewriter.build.finish(ids[formula.root().index()]))
}

#[derive(Clone, Copy)]
struct Class {
    /// Holds of every word with a suffix of which it holds.
    eventual: bool,
    /// Holds of all suffixes of a word of which it holds.
    universal: bool,
}

#[derive(Default)]
struct Rewriter {
    build: LtlBuilder,
    /// Of the first nodes of the builder.
    classes: Vec<Class>,
}

impl Rewriter {
    fn class(&mut self, id: LtlId) -> Class {
        for i in self.classes.len()..=id.index() {
            let node = self.build.node(LtlId::new(i));
            let both =
                |get: fn(&Class) -> bool| node.children().all(|child| get(&self.classes[child.index()]));
            let (mut eventual, mut universal) = (both(|class| class.eventual), both(|class| class.universal));
            match node {
                LtlNode::Atom(_) | LtlNode::NotAtom(_) => (eventual, universal) = (false, false),
                LtlNode::U(a, b) => {
                    eventual = self.build.node(a) == LtlNode::True || self.classes[b.index()].eventual;
                }
                LtlNode::R(a, b) => {
                    universal = self.build.node(a) == LtlNode::False || self.classes[b.index()].universal;
                }
                _ => {}
            }
            self.classes.push(Class { eventual, universal });
        }
        self.classes[id.index()]
    }

    /// Whether it holds of all suffixes of a word or of none.
    fn is_tail(&mut self, id: LtlId) -> bool {
        let class = self.class(id);
        class.eventual && class.universal
    }

    fn join(&mut self, all: bool, a: LtlId, b: LtlId) -> LtlId {
        if all { self.build.and(a, b) } else { self.build.or(a, b) }
    }

    fn next(&mut self, a: LtlId) -> LtlId {
        // X q = q
        if self.is_tail(a) { a } else { self.build.next(a) }
    }

    fn until(&mut self, a: LtlId, b: LtlId) -> LtlId {
        use LtlNode::{And, Atom, NotAtom, True, U, X};
        // a U e = e for an eventual e; a U b = b if a implies b
        if self.class(b).eventual || implies(&self.build, a, b) {
            return b;
        }
        match (self.build.node(a), self.build.node(b)) {
            // X a U X b = X (a U b), and F X b = X F b
            (X(a), X(b)) => {
                let until = self.build.until(a, b);
                self.build.next(until)
            }
            (True, X(b)) => {
                let eventually = self.build.eventually(b);
                self.build.next(eventually)
            }
            // F (c U d) = F d; a U (c U d) = c U d if a implies c
            (True, U(_, d)) => self.build.until(a, d),
            (_, U(c, _)) if implies(&self.build, a, c) => b,
            // (c U b) U b = c U b
            (U(_, d), _) if d == b => a,
            // !p U p = F p
            (NotAtom(p), Atom(q)) | (Atom(p), NotAtom(q)) if p == q => self.build.eventually(b),
            // a U (q & c) = q & (a U c)
            (_, And(p, q)) if self.is_tail(p) || self.is_tail(q) => {
                let (tail, rest) = if self.is_tail(p) { (p, q) } else { (q, p) };
                let until = self.build.until(a, rest);
                self.build.and(tail, until)
            }
            _ => self.build.until(a, b),
        }
    }

    fn release(&mut self, a: LtlId, b: LtlId) -> LtlId {
        use LtlNode::{Atom, False, NotAtom, Or, R, X};
        // a R u = u for a universal u; a R b = b if b implies a
        if self.class(b).universal || implies(&self.build, b, a) {
            return b;
        }
        match (self.build.node(a), self.build.node(b)) {
            // X a R X b = X (a R b), and G X b = X G b
            (X(a), X(b)) => {
                let release = self.build.release(a, b);
                self.build.next(release)
            }
            (False, X(b)) => {
                let always = self.build.always(b);
                self.build.next(always)
            }
            // G (c R d) = G d; a R (c R d) = c R d if c implies a
            (False, R(_, d)) => self.build.release(a, d),
            (_, R(c, _)) if implies(&self.build, c, a) => b,
            // (c R b) R b = c R b
            (R(_, d), _) if d == b => a,
            // !p R p = G p
            (NotAtom(p), Atom(q)) | (Atom(p), NotAtom(q)) if p == q => self.build.always(b),
            // a R (q | c) = q | (a R c)
            (_, Or(p, q)) if self.is_tail(p) || self.is_tail(q) => {
                let (tail, rest) = if self.is_tail(p) { (p, q) } else { (q, p) };
                let release = self.build.release(a, rest);
                self.build.or(tail, release)
            }
            _ => self.build.release(a, b),
        }
    }

    /// A whole conjunction, or disjunction, with its operands compared.
    fn joined(&mut self, all: bool, id: LtlId, budget: &mut Budget) -> Result<LtlId, Exhausted> {
        let mut parts: Vec<LtlId> = Vec::new();
        let (mut work, mut seen) = (vec![id], BTreeSet::new());
        while let Some(part) = work.pop() {
            budget.spend(1)?;
            match self.build.node(part) {
                _ if !seen.insert(part) => {}
                LtlNode::And(a, b) if all => work.extend([b, a]),
                LtlNode::Or(a, b) if !all => work.extend([b, a]),
                _ => parts.push(part),
            }
            if parts.len() > COMPARED {
                return Ok(id);
            }
        }
        let mut kept: Vec<LtlId> = Vec::new();
        for mut part in parts {
            while let Some((i, merged)) =
                (0..kept.len()).rev().find_map(|i| self.merged(all, kept[i], part).map(|merged| (i, merged)))
            {
                kept.remove(i);
                part = merged;
            }
            budget.spend(1 + kept.len())?;
            // of a conjunction the stronger part stays, of a disjunction the weaker
            let stays = |a: LtlId, b: LtlId| {
                if all { implies(&self.build, a, b) } else { implies(&self.build, b, a) }
            };
            if !kept.iter().any(|&other| stays(other, part)) {
                kept.retain(|&other| !stays(part, other));
                kept.push(part);
            }
        }
        let mut kept = kept.into_iter();
        let first = kept.next().unwrap_or(id);
        Ok(kept.fold(first, |joined, part| self.join(all, joined, part)))
    }

    /// Two parts of a conjunction or disjunction as one.
    fn merged(&mut self, all: bool, left: LtlId, right: LtlId) -> Option<LtlId> {
        use LtlNode::{Atom, NotAtom, R, U, X};
        let build = &mut self.build;
        match (build.node(left), build.node(right)) {
            // p & !p = false, p | !p = true
            (Atom(p), NotAtom(q)) | (NotAtom(p), Atom(q)) if p == q => Some(build.constant(!all)),
            // X a & X b = X (a & b), and the same with |
            (X(a), X(b)) => {
                let both = self.join(all, a, b);
                Some(self.build.next(both))
            }
            // p R a & p R b = p R (a & b), G among them
            (R(p, a), R(q, b)) if all && p == q => {
                let both = build.and(a, b);
                Some(build.release(p, both))
            }
            // p U a | p U b = p U (a | b), F among them
            (U(p, a), U(q, b)) if !all && p == q => {
                let either = build.or(a, b);
                Some(build.until(p, either))
            }
            // p U a & q U a = (p & q) U a: the first a is the same
            (U(p, a), U(q, b)) if all && a == b => {
                let both = build.and(p, q);
                Some(build.until(both, a))
            }
            // p R a | q R a = (p | q) R a
            (R(p, a), R(q, b)) if !all && a == b => {
                let either = build.or(p, q);
                Some(build.release(either, a))
            }
            // F G a & F G b = F G (a & b): G holds from the later of the two on
            (U(..), U(..)) if all => {
                let both = build.and(from_some_point_on(build, left)?, from_some_point_on(build, right)?);
                let always = build.always(both);
                Some(build.eventually(always))
            }
            // G F a | G F b = G F (a | b): one of the two happens infinitely often
            (R(..), R(..)) if !all => {
                let either = build.or(infinitely_often(build, left)?, infinitely_often(build, right)?);
                let eventually = build.eventually(either);
                Some(build.always(eventually))
            }
            _ => None,
        }
    }
}
