//! The very weak alternating automaton of a formula (Gastin and Oddoux, CAV 2001, section 3).
//!
//! Its states are the subformulas. A *move* of a state reads the letters of a cube and leads to a
//! conjunction of states. A run is accepting if no `U` is postponed forever: a move that leads from
//! an until back to itself *promises* its second operand, and no operand may be promised always.
//! Keeping promises on moves, as Couvreur (FM 1999) does, lets a move be dropped as soon as another
//! one reads more letters, leads to fewer states and promises less.
//!
//! Invariant of the loop: the moves of all subformulas before the present one are complete.
//! Exponential in the size of the formula where products are; each product is pruned at once.

use super::sets::{Set, bytes, conjunction, contains, is_subset, union};
use crate::ltl::{Ltl, LtlId, LtlNode};
use loris_base::{Budget, Exhausted, Idx, IndexVec};

/// One way to satisfy a conjunction of formulas.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Move {
    /// The literals of the first letter.
    pub(super) cube: Set,
    /// The states that the rest of the word must satisfy.
    pub(super) to: Set<LtlId>,
    /// The untils that are put off.
    pub(super) promises: Set<LtlId>,
}

impl Move {
    fn new(cube: &[u32], to: &[LtlId], promises: &[LtlId]) -> Move {
        Move { cube: cube.into(), to: to.into(), promises: promises.into() }
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Move>() + bytes(&self.cube) + bytes(&self.to) + bytes(&self.promises)
    }

    fn size(&self) -> usize {
        self.cube.len() + self.to.len() + self.promises.len()
    }

    /// Whether whatever this move can do, the other can do.
    pub(super) fn is_implied_by(&self, other: &Move) -> bool {
        is_subset(&other.cube, &self.cube)
            && is_subset(&other.to, &self.to)
            && is_subset(&other.promises, &self.promises)
    }
}

pub(super) struct Alternating<'f> {
    formula: &'f Ltl,
    moves: IndexVec<LtlId, Vec<Move>>,
}

impl<'f> Alternating<'f> {
    pub(super) fn new(formula: &'f Ltl, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut automaton = Self { formula, moves: IndexVec::new() };
        for (id, &node) in (0..).map(LtlId::new).zip(formula.nodes()) {
            let before = budget.used();
            let of = |child: LtlId| &automaton.moves[child][..];
            let moves = match node {
                LtlNode::True => vec![Move::new(&[], &[], &[])],
                LtlNode::False => vec![],
                LtlNode::Atom(atom) => vec![Move::new(&[2 * atom], &[], &[])],
                LtlNode::NotAtom(atom) => vec![Move::new(&[2 * atom + 1], &[], &[])],
                LtlNode::And(a, b) => product(of(a), of(b), budget)?,
                LtlNode::Or(a, b) => {
                    charge_all(of(a), budget)?;
                    charge_all(of(b), budget)?;
                    pruned([of(a), of(b)].concat(), budget)?
                }
                LtlNode::X(a) => match formula.node(a) {
                    LtlNode::False => vec![],
                    _ => vec![Move::new(&[], &automaton.conjuncts(a), &[])],
                },
                LtlNode::U(a, b) => {
                    let mut moves = product(of(a), &[Move::new(&[], &[id], &[id])], budget)?;
                    charge_all(of(b), budget)?;
                    moves.extend_from_slice(of(b));
                    pruned(moves, budget)?
                }
                LtlNode::R(a, b) => {
                    charge_all(of(a), budget)?;
                    let mut moves = of(a).to_vec();
                    moves.push(Move::new(&[], &[id], &[]));
                    product(of(b), &moves, budget)?
                }
            };
            settle(before, &moves, budget)?;
            automaton.moves.push(moves);
        }
        Ok(automaton)
    }

    /// The moves of a conjunction of states. They are declared.
    pub(super) fn moves(&self, states: &[LtlId], budget: &mut Budget) -> Result<Vec<Move>, Exhausted> {
        let before = budget.used();
        let mut all = vec![Move::new(&[], &[], &[])];
        for &state in states {
            all = product(&all, &self.moves[state], budget)?;
            settle(before, &all, budget)?;
        }
        for step in &mut all {
            step.to = self.without_implied(&step.to, budget)?;
        }
        let all = pruned(all, budget)?;
        settle(before, &all, budget)?;
        Ok(all)
    }

    /// A formula as a set of states: its conjuncts, but for those that others imply.
    pub(super) fn conjunction(&self, formula: LtlId, budget: &mut Budget) -> Result<Set<LtlId>, Exhausted> {
        self.without_implied(&self.conjuncts(formula), budget)
    }

    fn conjuncts(&self, formula: LtlId) -> Set<LtlId> {
        let mut conjuncts = Vec::new();
        let mut work = vec![formula];
        while let Some(id) = work.pop() {
            match self.formula.node(id) {
                LtlNode::And(a, b) => work.extend([a, b]),
                LtlNode::True => {}
                _ => conjuncts.push(id),
            }
        }
        conjuncts.sort_unstable();
        conjuncts.dedup();
        conjuncts.into()
    }

    /// A set of states without those that the others imply, the larger formulas first.
    ///
    /// `a R b` implies `b`, and every move of it is also one of `b`, with its promises: leaving `b`
    /// out loses none. `b` implies `a U b`, and so do both operands of `a R b` and either of
    /// `a | b`: a formula that is left out for the sake of smaller ones holds when these do.
    fn without_implied(&self, states: &[LtlId], budget: &mut Budget) -> Result<Set<LtlId>, Exhausted> {
        let mut kept = states.to_vec();
        for &state in states.iter().rev() {
            budget.spend(4 + 4 * kept.len())?;
            let others = self.closure(kept.iter().copied().filter(|&other| other != state).collect());
            let holds = |formula: LtlId| is_subset(&self.conjuncts(formula), &others);
            let implied = match self.formula.node(state) {
                LtlNode::U(_, b) => holds(b),
                LtlNode::R(a, b) => holds(a) && holds(b),
                LtlNode::Or(a, b) => holds(a) || holds(b),
                _ => false,
            };
            if implied || contains(&others, state) {
                kept.retain(|&other| other != state);
            }
        }
        Ok(kept.into())
    }

    /// Some states, and those that hold now because a release among them holds.
    fn closure(&self, mut all: Vec<LtlId>) -> Set<LtlId> {
        let mut next = 0;
        while let Some(&state) = all.get(next) {
            next += 1;
            if let LtlNode::R(_, b) = self.formula.node(state) {
                let new: Vec<LtlId> =
                    self.conjuncts(b).iter().copied().filter(|b| !all.contains(b)).collect();
                all.extend(new);
            }
        }
        all.sort_unstable();
        all.into()
    }
}

/// Declares copies of moves.
fn charge_all(moves: &[Move], budget: &mut Budget) -> Result<(), Exhausted> {
    budget.charge(moves.iter().map(Move::bytes).sum())
}

/// Gives back all that was declared since `before` but for some moves.
fn settle(before: usize, moves: &[Move], budget: &mut Budget) -> Result<(), Exhausted> {
    budget.release(budget.used().saturating_sub(before));
    charge_all(moves, budget)
}

/// Both at once, in all ways. The moves are declared, with those that were dropped on the way.
///
/// Dropped are implied ones now and then while there are more and more: often most of them.
fn product(left: &[Move], right: &[Move], budget: &mut Budget) -> Result<Vec<Move>, Exhausted> {
    const FEW: usize = 1024;
    let before = budget.used();
    let mut moves: Vec<Move> = Vec::new();
    let mut enough = FEW;
    for a in left {
        budget.spend(1 + right.len())?;
        for b in right {
            if let Some(cube) = conjunction(&a.cube, &b.cube) {
                let (to, promises) = (union(&a.to, &b.to), union(&a.promises, &b.promises));
                let both = Move { cube, to, promises };
                // the list of them doubles when it grows
                budget.charge(both.bytes() + size_of::<Move>())?;
                moves.push(both);
            }
        }
        if moves.len() > enough {
            moves = pruned(moves, budget)?;
            settle(before, &moves, budget)?;
            enough = FEW + 2 * moves.len();
        }
    }
    pruned(moves, budget)
}

/// The moves that no other implies, sorted.
fn pruned(mut moves: Vec<Move>, budget: &mut Budget) -> Result<Vec<Move>, Exhausted> {
    // a state that implies another is no larger than it
    moves.sort_unstable_by(|a, b| a.size().cmp(&b.size()).then_with(|| a.cmp(b)));
    // those that are kept, in front
    let mut kept = 0;
    for i in 0..moves.len() {
        budget.spend(1 + kept)?;
        if !moves[..kept].iter().any(|other| moves[i].is_implied_by(other)) {
            moves.swap(kept, i);
            kept += 1;
        }
    }
    moves.truncate(kept);
    moves.shrink_to_fit();
    Ok(moves)
}
