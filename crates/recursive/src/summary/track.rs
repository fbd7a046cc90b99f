//! The automaton that an existential formula follows along a run, with its conditions on the
//! states.
//!
//! A run is at a *stage* of the track in each of its states. It may accept there and then, if the
//! stage's `goal` holds; it goes on to a next stage if `along` holds; it accepts if it goes on
//! forever, with accepting stages again and again. E[φ₁ U φ₂] has one stage (φ₁ and φ₂), EG φ one
//! that accepts; any other path formula gets the edges of its Büchi automaton as stages
//! (rsm-analysis, section 9), those into a state that accepts whatever comes as goals. Nothing of
//! this depends on the machine: the engine runs on the product of the two.

use crate::operand::Lanes;
use crate::parts::Parts;
use loris_base::{Budget, Csr, Exhausted};
use loris_logic::automaton::{Buchi, Guard, translate};
use loris_logic::{Core, CoreId, CoreNode};
use rustc_hash::FxHashMap;

/// The automaton of a formula, with guards over its operands.
pub(crate) struct Track {
    pub(crate) stages: Vec<Stage>,
    /// to which stages a stage goes on
    pub(crate) next: Csr,
    pub(crate) initial: Vec<u32>,
    /// per stage, its strongly connected group
    pub(crate) group: Vec<u32>,
}

/// What must hold in a state for a run to go on from this stage, or to accept.
pub(crate) struct Stage {
    pub(crate) along: Guard,
    pub(crate) goal: Guard,
    pub(crate) accepting: bool,
    pub(crate) stays: Stays,
}

/// Whether a run may stay in the group of a stage forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stays {
    /// It may not, or that would not be accepted.
    Never,
    /// However it does.
    Anyhow,
    /// If it comes by accepting stages again and again.
    Again,
}

/// Bytes of a stage in a table that is at least half full, besides its guards.
const STAGE: usize = 2 * size_of::<(Guard, Guard, u32)>() + 32;

impl Track {
    /// The track of an existential formula; nothing for EX, which goes nowhere.
    pub(crate) fn new(formula: &Core, node: CoreId, budget: &mut Budget) -> Result<Option<Self>, Exhausted> {
        let one = |goal: Guard, accepting: bool| {
            let stages = vec![(Guard::Atom(0), goal, accepting)];
            Self::finish(stages, Csr::from_pairs(1, std::iter::once((0, 0))), vec![0])
        };
        Ok(match formula.node(node) {
            CoreNode::Eu(..) => Some(one(Guard::Atom(1), false)),
            CoreNode::Eg(_) => Some(one(Guard::False, true)),
            CoreNode::E(path) => {
                let formula = &formula.paths()[path as usize].formula;
                let buchi = translate(formula, budget)?;
                let track = Self::of(&buchi, budget)?;
                budget.release(buchi.bytes());
                Some(track)
            }
            _ => None,
        })
    }

    /// The edges of an automaton as stages.
    fn of(buchi: &Buchi, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut numbers: FxHashMap<(Guard, Guard, u32), u32> = FxHashMap::default();
        let mut stages: Vec<(Guard, Guard, bool)> = Vec::new();
        let mut leads: Vec<u32> = Vec::new();
        let mut of_state: Vec<Vec<u32>> = Vec::new();
        for state in 0..buchi.states() as u32 {
            let (ends, ways): (Vec<_>, Vec<_>) =
                buchi.edges(state).iter().partition(|edge| buchi.is_universal(edge.to));
            let goal = match ends.len() {
                0 => Guard::False,
                1 => ends[0].guard.clone(),
                _ => Guard::Or(ends.iter().map(|edge| edge.guard.clone()).collect()),
            };
            let mut own = Vec::new();
            let mut add = |along: Guard, goal: &Guard, to: u32, accepting: bool| {
                let number = *numbers.entry((along.clone(), goal.clone(), to)).or_insert_with(|| {
                    stages.push((along, goal.clone(), accepting));
                    leads.push(to);
                    stages.len() as u32 - 1
                });
                if !own.contains(&number) {
                    own.push(number);
                }
            };
            for edge in &ways {
                // in the table and in the list
                budget.charge(2 * (STAGE + edge.guard.bytes() + goal.bytes()))?;
                budget.spend(1 + ways.len())?;
                add(edge.guard.clone(), &goal, edge.to, buchi.is_accepting(edge.to));
            }
            if ways.is_empty() && goal != Guard::False {
                add(Guard::False, &goal, state, false);
            }
            of_state.push(own);
        }
        let mut next = Csr::default();
        for (stage, &to) in stages.iter().zip(&leads) {
            let row: &[u32] = if stage.0 == Guard::False { &[] } else { &of_state[to as usize] };
            budget.charge(4 + 4 * row.len())?;
            budget.spend(1 + row.len())?;
            next.push_row(row.iter().copied());
        }
        let mut initial: Vec<u32> =
            buchi.initial().iter().flat_map(|&state| of_state[state as usize].iter().copied()).collect();
        initial.sort_unstable();
        initial.dedup();
        Ok(Self::finish(stages, next, initial))
    }

    fn finish(mut stages: Vec<(Guard, Guard, bool)>, mut next: Csr, initial: Vec<u32>) -> Self {
        if stages.is_empty() {
            // no run accepts: a stage that leads nowhere
            stages.push((Guard::False, Guard::False, false));
            next.push_row(std::iter::empty());
        }
        let parts = Parts::new(&next);
        let mut stays = vec![Stays::Never; stages.len()];
        for (_, members) in parts.iter().filter(|&(part, _)| parts.loops(part)) {
            let accepting = members.iter().filter(|&&stage| stages[stage as usize].2).count();
            let how = match accepting {
                0 => Stays::Never,
                all if all == members.len() => Stays::Anyhow,
                _ => Stays::Again,
            };
            for &stage in members {
                stays[stage as usize] = how;
            }
        }
        let stages = stages
            .into_iter()
            .zip(stays)
            .map(|((along, goal, accepting), stays)| Stage { along, goal, accepting, stays })
            .collect();
        Self { stages, next, initial, group: parts.of }
    }

    /// How many stages there are.
    pub(crate) fn len(&self) -> usize {
        self.stages.len()
    }

    /// Whether runs may have to come by accepting stages again and again.
    pub(crate) fn is_mixed(&self) -> bool {
        self.stages.iter().any(|stage| stage.stays == Stays::Again)
    }

    /// The stages with whether an accepting one was met since the first, that one included.
    pub(crate) fn marked(&self) -> Csr {
        let mark =
            |stage: u32, before: u32| 2 * stage + (before | u32::from(self.stages[stage as usize].accepting));
        let mut next = Csr::default();
        for stage in 0..self.len() {
            for before in 0..2 {
                next.push_row(self.next.row(stage).iter().map(|&stage| mark(stage, before)));
            }
        }
        next
    }

    /// Per stage, the lanes in which a run accepts that stays in one state forever, given the
    /// values of the operands there.
    pub(crate) fn for_ever(&self, active: Lanes, operand: impl Fn(u32) -> Lanes) -> Vec<Lanes> {
        let along = self.lanes(active, &operand, |stage| &stage.along);
        let mut accepts = self.lanes(active, &operand, |stage| &stage.goal);
        let mut left = active;
        while left != 0 {
            let lane = left & left.wrapping_neg();
            left ^= lane;
            let mut edges = Csr::default();
            for (stage, &lanes) in along.iter().enumerate() {
                let row: &[u32] = if lanes & lane != 0 { self.next.row(stage) } else { &[] };
                edges.push_row(row.iter().copied());
            }
            let yes = Parts::new(&edges).accepts(
                &edges,
                |stage| accepts[stage as usize] & lane != 0,
                |stage| self.stages[stage as usize].accepting,
            );
            accepts.iter_mut().zip(yes).filter(|(_, yes)| *yes).for_each(|(accepts, _)| *accepts |= lane);
        }
        accepts
    }

    /// Per stage, the lanes in which a run accepts that is in one state, and then where `after`
    /// holds the lanes that accept.
    pub(crate) fn before(
        &self,
        active: Lanes,
        operand: impl Fn(u32) -> Lanes,
        after: &[Lanes],
    ) -> Vec<Lanes> {
        let along = self.lanes(active, &operand, |stage| &stage.along);
        let mut accepts = self.lanes(active, &operand, |stage| &stage.goal);
        for (stage, accepts) in accepts.iter_mut().enumerate() {
            let next = self.next.row(stage).iter().fold(0, |lanes, &stage| lanes | after[stage as usize]);
            *accepts |= along[stage] & next;
        }
        accepts
    }

    fn lanes(
        &self,
        active: Lanes,
        operand: &impl Fn(u32) -> Lanes,
        guard: impl Fn(&Stage) -> &Guard,
    ) -> Vec<Lanes> {
        self.stages.iter().map(|stage| guard(stage).lanes(active, &mut |atom| operand(atom))).collect()
    }
}
