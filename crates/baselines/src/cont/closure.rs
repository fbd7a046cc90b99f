//! cl(Eρ): the formulas whose values at the exit a context must contain, for Eρ to be known before
//! it.
//!
//! The least set with Eρ that has Eδ for every pair (β, δ) of DECOMP of a member (rsm-analysis,
//! section 5.2). A member is a [conjunction](Delta) of subformulas of ρ, so there are at most
//! 2^|ρ|; `true` is not made a member, for it holds at every exit. Members come with all that
//! depends on the formula alone: the Büchi automaton of δ for N1, the finite automata of the β for
//! N2, each once.

use super::decomp::{Decomp, Delta};
use super::finite;
use super::prefix::Beta;
use super::stages::Stages;
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::automaton::translate;
use loris_logic::{Ltl, LtlBuilder, LtlId, LtlNode};
use rustc_hash::FxHashMap;

/// The closure of a formula, which is its first member.
pub(super) struct Closure {
    pub(super) members: Vec<Member>,
    /// the automata of the prefixes
    pub(super) prefixes: Vec<Stages>,
}

/// A formula of the closure.
pub(super) struct Member {
    /// δ
    pub(super) formula: Ltl,
    /// the automaton of δ
    pub(super) stages: Stages,
    /// DECOMP(δ): which prefix, and then which member, or nothing for `true`
    pub(super) pairs: Vec<(usize, Option<usize>)>,
}

impl Closure {
    /// The closure of Eρ.
    pub(super) fn new(ltl: &Ltl, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut decomp = Decomp::new(ltl, budget)?;
        let mut closure = Self { members: Vec::new(), prefixes: Vec::new() };
        let mut automata: FxHashMap<Beta, Option<usize>> = FxHashMap::default();
        // a formula that simplifies to `true` or `false` has no conjunct to be known by
        let mut deltas: Vec<Delta> = vec![decomp.delta(ltl.root()).unwrap_or_else(|| vec![ltl.root()])];
        let mut numbers: FxHashMap<Delta, usize> = FxHashMap::from_iter([(deltas[0].clone(), 0)]);
        while let Some(delta) = deltas.get(closure.members.len()).cloned() {
            let formula = conjunction(ltl, &delta);
            let stages = Stages::of_buchi(&translate(&formula, budget)?);
            let mut pairs = Vec::new();
            // E over an unsatisfiable path formula is true nowhere
            let decomposed = if stages.is_empty() { Vec::new() } else { decomp.of(&delta, budget)? };
            for pair in decomposed {
                let automaton = if let Some(&automaton) = automata.get(&pair.beta) {
                    automaton
                } else {
                    let stages = finite::automaton(&mut decomp.prefixes, pair.beta, budget)?;
                    let number = stages.map(|stages| {
                        closure.prefixes.push(stages);
                        closure.prefixes.len() - 1
                    });
                    automata.insert(pair.beta, number);
                    number
                };
                let Some(automaton) = automaton else { continue };
                let member = (!pair.delta.is_empty()).then(|| {
                    *numbers.entry(pair.delta.clone()).or_insert_with(|| {
                        deltas.push(pair.delta);
                        deltas.len() - 1
                    })
                });
                pairs.push((automaton, member));
            }
            budget.charge(100 * (1 + pairs.len()))?;
            closure.members.push(Member { formula, stages, pairs });
        }
        Ok(closure)
    }
}

/// A conjunction of subformulas as a formula.
pub(super) fn conjunction(ltl: &Ltl, delta: &[LtlId]) -> Ltl {
    let mut build = LtlBuilder::default();
    let mut made: Vec<LtlId> = Vec::with_capacity(ltl.nodes().len());
    for &node in ltl.nodes() {
        let of = |node: LtlId| made[node.index()];
        let same = match node {
            LtlNode::True => build.constant(true),
            LtlNode::False => build.constant(false),
            LtlNode::Atom(atom) => build.literal(atom, true),
            LtlNode::NotAtom(atom) => build.literal(atom, false),
            LtlNode::And(a, b) => build.and(of(a), of(b)),
            LtlNode::Or(a, b) => build.or(of(a), of(b)),
            LtlNode::X(a) => build.next(of(a)),
            LtlNode::U(a, b) => build.until(of(a), of(b)),
            LtlNode::R(a, b) => build.release(of(a), of(b)),
        };
        made.push(same);
    }
    let always = build.constant(true);
    let root = delta.iter().fold(always, |all, &node| build.and(all, made[node.index()]));
    build.finish(root)
}
