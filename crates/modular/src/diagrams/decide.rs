//! Whether a formula holds in the initial state: forward from there as far as the formula asks
//! whether some, or every, state of a set satisfies a subformula, which needs no more states than
//! the set leads to.

use super::evaluate::{Evaluation, Progress, Turn};
use super::session::Session;
use super::shape::Shape;
use loris_base::{Budget, Exhausted};
use loris_logic::mu::{Extremum, Mu, MuFormula, MuId};
use loris_solvers::mdd::Set;

/// Deeper formulas are evaluated from below.
const DEPTH: usize = 100;

/// The steps of the first turn in each direction.
const TURN: u64 = 1 << 22;

/// Each turn is this many times longer than the last one.
const GROWTH: u64 = 2;

/// Sets of so few states are taken apart.
const FEW: f64 = 12.0;

/// What is asked of the states of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ask {
    /// Does one of them satisfy the formula?
    Some,
    /// Do all of them?
    Every,
}

impl Session {
    /// Whether the formula holds in the initial state. Labels and actions that no process knows
    /// hold nowhere and never happen.
    pub fn decide(&mut self, formula: &MuFormula, budget: &mut Budget) -> Result<bool, Exhausted> {
        self.decide_on(formula, &mut Progress::new(formula), budget)
    }

    /// The same, going on from where limits have ended it before.
    pub fn decide_on(
        &mut self,
        formula: &MuFormula,
        progress: &mut Progress,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        budget.note(self.bytes())?;
        self.reachable(budget)?;
        let start = self.initial(budget)?;
        let mut evaluation = Evaluation::new(self, formula, progress);
        evaluation.judge(Ask::Some, formula.root(), &start, DEPTH, budget)
    }
}

impl Evaluation<'_> {
    /// Whether some or every state of a set of reachable states satisfies a closed subformula. What
    /// is found out is kept for when a limit has ended something around it.
    fn judge(
        &mut self,
        ask: Ask,
        id: MuId,
        set: &Set,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let question = (ask, id, set.clone());
        if let Some(&verdict) = self.progress.judged.get(&question) {
            return Ok(verdict);
        }
        let verdict = self.judge_anew(ask, id, set, depth, budget)?;
        self.progress.judged.insert(question, verdict);
        Ok(verdict)
    }

    fn judge_anew(
        &mut self,
        ask: Ask,
        id: MuId,
        set: &Set,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        // without any state, nothing is satisfied and everything
        if set.is_empty() {
            return Ok(ask == Ask::Every);
        }
        if depth == 0 || self.is_known(id) {
            return self.judge_states(ask, id, set, budget);
        }
        let node = self.formula.node(id);
        let natural = match node {
            Mu::Or(..) | Mu::And(..) => ask,
            Mu::Diamond(..) => Ask::Some,
            Mu::Box(..) => Ask::Every,
            Mu::Fix(..) => match &self.progress.anatomy.shapes[id] {
                Some(shape) if shape.is_diamond => Ask::Some,
                Some(_) => Ask::Every,
                None => return self.judge_states(ask, id, set, budget),
            },
            _ => return self.judge_states(ask, id, set, budget),
        };
        if natural != ask {
            return self.judge_each(ask, id, set, depth, budget);
        }
        match node {
            Mu::Or(f, g) | Mu::And(f, g) => {
                let is_or = matches!(node, Mu::Or(..));
                let (light, heavy) = if self.progress.anatomy.weights[f] <= self.progress.anatomy.weights[g] {
                    (f, g)
                } else {
                    (g, f)
                };
                if is_or == (ask == Ask::Some) {
                    // one operand settles it
                    return Ok(if self.judge(ask, light, set, depth - 1, budget)? == is_or {
                        is_or
                    } else {
                        self.judge(ask, heavy, set, depth - 1, budget)?
                    });
                }
                if self.session.store.count(set, budget)? < 1.5 {
                    let is_light = self.judge(ask, light, set, depth - 1, budget)?;
                    return if is_light == is_or {
                        Ok(is_or)
                    } else {
                        self.judge(ask, heavy, set, depth - 1, budget)
                    };
                }
                let known = self.states(light, budget)?;
                let rest = if is_or {
                    self.session.store.difference(set, &known, budget)?
                } else {
                    self.session.store.intersection(set, &known, budget)?
                };
                self.judge(ask, heavy, &rest, depth - 1, budget)
            }
            Mu::Diamond(actions, f) | Mu::Box(actions, f) => {
                let actions = self.formula.actions(actions);
                let after = self.session.after(set, actions, budget)?;
                self.judge(ask, f, &after, depth - 1, budget)
            }
            _ => self.judge_by_turns(ask, id, set, depth, budget),
        }
    }

    /// A fixpoint with a shape: forward from the set, or by the states where it holds, by turns,
    /// which are longer and longer. What was found in one is not lost for the next.
    fn judge_by_turns(
        &mut self,
        ask: Ask,
        id: MuId,
        set: &Set,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        loop {
            let first = Turn { is_forward: true, length: TURN, left: TURN };
            let turn = *self.progress.turns.entry(id).or_insert(first);
            let mut part = budget.slice(turn.left);
            let (held, before) = (self.session.bytes(), part.spent());
            let verdict = match &self.progress.anatomy.shapes[id] {
                Some(shape) if turn.is_forward => {
                    let shape = shape.clone();
                    self.judge_shape(ask, &shape, set, depth, &mut part)
                }
                _ => self.judge_states(ask, id, set, &mut part),
            };
            let spent = part.spent() - before;
            budget.note(self.session.bytes().saturating_sub(held))?;
            budget.join(&part)?;
            if verdict != Err(Exhausted::Time) {
                return verdict;
            }
            // a turn that a limit of the whole has cut short goes on when the whole does
            let next = if spent < turn.left {
                Turn { left: turn.left - spent, ..turn }
            } else {
                let grows = if turn.is_forward { 1 } else { GROWTH };
                let length = turn.length.saturating_mul(grows);
                Turn { is_forward: !turn.is_forward, length, left: length }
            };
            self.progress.turns.insert(id, next);
            budget.look()?;
        }
    }

    /// By the states where the subformula holds.
    fn judge_states(
        &mut self,
        ask: Ask,
        id: MuId,
        set: &Set,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let states = self.states(id, budget)?;
        match ask {
            Ask::Some => Ok(!self.session.store.intersection(set, &states, budget)?.is_empty()),
            Ask::Every => Ok(self.session.store.difference(set, &states, budget)?.is_empty()),
        }
    }

    /// The formula is easy to decide for one state, not for the question: state by state if they
    /// are few.
    fn judge_each(
        &mut self,
        ask: Ask,
        id: MuId,
        set: &Set,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        if self.session.store.count(set, budget)? > FEW {
            return self.judge_states(ask, id, set, budget);
        }
        let natural = if ask == Ask::Some { Ask::Every } else { Ask::Some };
        let mut rest = set.clone();
        while let Some(first) = self.session.store.first(&rest) {
            let one = self.session.store.tuple(&first, budget)?;
            let verdict = self.judge(natural, id, &one, depth - 1, budget)?;
            if verdict == (ask == Ask::Some) {
                return Ok(verdict);
            }
            rest = self.session.store.difference(&rest, &one, budget)?;
        }
        Ok(ask == Ask::Every)
    }

    /// Fixpoints over `<K>` for some states, over `[K]` for every state: these are each other's
    /// negation.
    fn judge_shape(
        &mut self,
        ask: Ask,
        shape: &Shape,
        set: &Set,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let actions = self.formula.actions(shape.actions);
        let is_until = (shape.extremum == Extremum::Least) == shape.is_diamond;
        if is_until {
            // along states that satisfy (or not) the inner operands to one that satisfies (or not)
            // the outer ones
            let along = self.stay(shape, budget)?;
            let ends = self.session.reach(set, &along, actions, budget)?;
            return self.judge_list(ask, &shape.outer, &ends, depth, budget);
        }
        // a run that stays in a set for ever, or until it is in the base
        let (stay, base) = self.hull_of(shape, budget)?;
        let start = self.session.store.intersection(set, &stay, budget)?;
        let found = self.session.stays(&start, &stay, &base, actions, budget)?;
        Ok(found == (ask == Ask::Some))
    }

    /// Some of a disjunction, or every one of a conjunction.
    fn judge_list(
        &mut self,
        ask: Ask,
        ids: &[MuId],
        set: &Set,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let mut ids = ids.to_vec();
        ids.sort_by_key(|&id| self.progress.anatomy.weights[id]);
        for id in ids {
            if self.judge(ask, id, set, depth - 1, budget)? == (ask == Ask::Some) {
                return Ok(ask == Ask::Some);
            }
        }
        Ok(ask == Ask::Every)
    }
}
