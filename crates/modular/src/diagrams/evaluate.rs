//! The states where a formula holds, by nested iteration over its subformulas.

use super::decide::Ask;
use super::session::Session;
use super::shape::{Anatomy, Shape};
use loris_base::{Budget, Exhausted, Idx, IndexVec};
use loris_logic::mu::{Extremum, Mu, MuFormula, MuId, VarId};
use loris_solvers::mdd::Set;
use rustc_hash::FxHashMap;

/// What was found out about one formula, kept while the evaluation is paused.
pub struct Progress {
    pub(super) anatomy: Anatomy,
    values: IndexVec<MuId, Option<Set>>,
    variables: IndexVec<VarId, Option<Set>>,
    /// subformulas whose value is asked for and not known
    dirty: IndexVec<MuId, bool>,
    /// subformulas that belong to the one that is being evaluated
    needed: IndexVec<MuId, bool>,
    /// evaluations of subformulas that a limit has cut off
    paused: FxHashMap<MuId, Paused>,
    /// what was found out about sets
    pub(super) judged: FxHashMap<(Ask, MuId, Set), bool>,
    /// fixpoints that are decided in two directions by turns
    pub(super) turns: FxHashMap<MuId, Turn>,
}

/// An evaluation that a limit has cut off: another one would begin with other variables.
struct Paused {
    values: IndexVec<MuId, Option<Set>>,
    variables: IndexVec<VarId, Option<Set>>,
    dirty: IndexVec<MuId, bool>,
    needed: IndexVec<MuId, bool>,
    /// the subformula that is next
    at: usize,
}

/// Whose turn it is of two directions, how long it is, and how much of it is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) is_forward: bool,
    pub(super) length: u64,
    pub(super) left: u64,
}

impl Progress {
    /// Nothing is known of a formula. The sets that are kept belong to the session that decides it.
    pub fn new(formula: &MuFormula) -> Self {
        let count = formula.len();
        Self {
            anatomy: Anatomy::new(formula),
            values: vec![None; count].into(),
            variables: vec![None; formula.variables()].into(),
            dirty: vec![false; count].into(),
            needed: vec![false; count].into(),
            paused: FxHashMap::default(),
            judged: FxHashMap::default(),
            turns: FxHashMap::default(),
        }
    }
}

/// The evaluation of one formula.
pub(super) struct Evaluation<'a> {
    pub(super) session: &'a mut Session,
    pub(super) formula: &'a MuFormula,
    pub(super) progress: &'a mut Progress,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(session: &'a mut Session, formula: &'a MuFormula, progress: &'a mut Progress) -> Self {
        Self { session, formula, progress }
    }

    /// Whether the states where a subformula holds are known.
    pub(super) fn is_known(&self, id: MuId) -> bool {
        self.progress.values[id].is_some()
    }

    /// The states where a closed subformula holds. Where a limit ends this, it goes on from there
    /// the next time.
    pub(super) fn states(&mut self, target: MuId, budget: &mut Budget) -> Result<Set, Exhausted> {
        if let Some(known) = &self.progress.values[target] {
            return Ok(known.clone());
        }
        let mut at = if let Some(paused) = self.progress.paused.remove(&target) {
            self.take_up(paused)
        } else {
            self.prepare(target);
            0
        };
        let ended = self.evaluate(target, &mut at, budget);
        if ended == Err(Exhausted::Time) {
            let Progress { values, variables, dirty, needed, .. } = &*self.progress;
            let (values, variables) = (values.clone(), variables.clone());
            let (dirty, needed) = (dirty.clone(), needed.clone());
            self.progress.paused.insert(target, Paused { values, variables, dirty, needed, at });
        }
        ended.map(|()| self.known(target))
    }

    fn evaluate(&mut self, target: MuId, at: &mut usize, budget: &mut Budget) -> Result<(), Exhausted> {
        loop {
            let id = MuId::new(*at);
            if self.progress.dirty[id] {
                budget.spend(1)?;
                if let Some(value) = self.value(id, budget)? {
                    self.progress.values[id] = Some(value);
                    self.progress.dirty[id] = false;
                    if id == target {
                        return Ok(());
                    }
                } else {
                    // a variable has moved: again from the first subformula that depends on it
                    *at = self.progress.dirty.ids().position(|id| self.progress.dirty[id]).unwrap_or(*at);
                    continue;
                }
            }
            *at += 1;
        }
    }

    /// Goes back to where an evaluation was cut off, with the closed subformulas that are known
    /// now.
    fn take_up(&mut self, paused: Paused) -> usize {
        let Paused { mut values, variables, dirty, needed, at } = paused;
        for id in values.ids() {
            let is_closed = self.progress.anatomy.is_closed(id);
            if !is_closed || self.progress.values[id].is_none() {
                self.progress.values[id] = values[id].take();
            }
            self.progress.dirty[id] = dirty[id] && !(is_closed && self.progress.values[id].is_some());
        }
        (self.progress.variables, self.progress.needed) = (variables, needed);
        at
    }

    /// Marks what a subformula needs that is not known, with all its variables at the beginning.
    /// Values of open subformulas belong to one evaluation only.
    fn prepare(&mut self, target: MuId) {
        for id in self.progress.values.ids() {
            (self.progress.needed[id], self.progress.dirty[id]) = (false, false);
            if !self.progress.anatomy.is_closed(id) {
                self.progress.values[id] = None;
            }
        }
        self.progress.needed[target] = true;
        for id in self.formula.nodes().rev().map(|(id, _)| id) {
            if !self.progress.needed[id] {
                continue;
            }
            self.progress.dirty[id] = true;
            for operand in self.progress.anatomy.operands(self.formula, id) {
                self.progress.needed[operand] |= self.progress.values[operand].is_none();
            }
            if let Mu::Fix(_, variable, _) = self.formula.node(id) {
                self.progress.variables[variable] = None;
            }
        }
    }

    /// The value of a subformula whose operands are known; none if it is a fixpoint that has not
    /// been reached.
    fn value(&mut self, id: MuId, budget: &mut Budget) -> Result<Option<Set>, Exhausted> {
        let value = match self.formula.node(id) {
            Mu::True => self.session.reachable(budget)?,
            Mu::False => self.session.store.empty(),
            Mu::Atom(atom) => {
                let name = &self.formula.atoms()[atom];
                self.session.labelled(name, budget)?
            }
            Mu::NotAtom(atom) => {
                let name = &self.formula.atoms()[atom];
                let labelled = self.session.labelled(name, budget)?;
                self.session.complement(&labelled, budget)?
            }
            Mu::And(f, g) => self.conjunction(&[f, g], budget)?,
            Mu::Or(f, g) => self.disjunction(&[f, g], budget)?,
            Mu::Diamond(actions, f) => {
                let target = self.known(f);
                self.session.before(&target, self.formula.actions(actions), budget)?
            }
            Mu::Box(actions, f) => {
                let safe = self.known(f);
                let target = self.session.complement(&safe, budget)?;
                let before = self.session.before(&target, self.formula.actions(actions), budget)?;
                self.session.complement(&before, budget)?
            }
            Mu::Var(variable) => self.variable(variable, budget)?,
            Mu::Fix(_, variable, body) => {
                if let Some(shape) = self.progress.anatomy.shapes[id].clone() {
                    return self.fixpoint(&shape, budget).map(Some);
                }
                let old = self.variable(variable, budget)?;
                let new = self.known(body);
                if old != new {
                    self.moved(variable, new, budget)?;
                    return Ok(None);
                }
                new
            }
        };
        Ok(Some(value))
    }

    fn known(&self, id: MuId) -> Set {
        self.progress.values[id].clone().expect("operands come first")
    }

    fn variable(&mut self, variable: VarId, budget: &mut Budget) -> Result<Set, Exhausted> {
        match (&self.progress.variables[variable], self.formula.extremum(variable)) {
            (Some(value), _) => Ok(value.clone()),
            (None, Extremum::Least) => Ok(self.session.store.empty()),
            (None, Extremum::Greatest) => self.session.reachable(budget),
        }
    }

    fn conjunction(&mut self, ids: &[MuId], budget: &mut Budget) -> Result<Set, Exhausted> {
        let mut all = match ids.first() {
            Some(&id) => self.known(id),
            None => self.session.reachable(budget)?,
        };
        for &id in ids.iter().skip(1) {
            let other = self.known(id);
            all = self.session.store.intersection(&all, &other, budget)?;
        }
        Ok(all)
    }

    fn disjunction(&mut self, ids: &[MuId], budget: &mut Budget) -> Result<Set, Exhausted> {
        let sets = ids.iter().map(|&id| self.known(id)).collect();
        self.session.unite(sets, budget)
    }

    /// The value of a fixpoint that has a shape and whose operands are known. Those over `[K]` are
    /// the complements of those over `<K>`.
    fn fixpoint(&mut self, shape: &Shape, budget: &mut Budget) -> Result<Set, Exhausted> {
        let actions = self.formula.actions(shape.actions);
        let is_until = (shape.extremum == Extremum::Least) == shape.is_diamond;
        let found = if is_until {
            let along = self.stay(shape, budget)?;
            let target = self.outer(shape, budget)?;
            self.session.until(&along, &target, actions, budget)?
        } else {
            let (stay, base) = self.hull_of(shape, budget)?;
            self.session.hull(&stay, &base, actions, budget)?
        };
        if shape.is_diamond { Ok(found) } else { self.session.complement(&found, budget) }
    }

    /// The outer operands of a shape together; complemented for `[K]`.
    fn outer(&mut self, shape: &Shape, budget: &mut Budget) -> Result<Set, Exhausted> {
        self.together(&shape.outer, shape.extremum == Extremum::Least, !shape.is_diamond, budget)
    }

    /// The inner operands of a shape together; complemented for `[K]`.
    pub(super) fn stay(&mut self, shape: &Shape, budget: &mut Budget) -> Result<Set, Exhausted> {
        self.together(&shape.inner, shape.extremum == Extremum::Greatest, !shape.is_diamond, budget)
    }

    /// For a shape that asks for runs within a set for ever or until they are in a base: both.
    pub(super) fn hull_of(&mut self, shape: &Shape, budget: &mut Budget) -> Result<(Set, Set), Exhausted> {
        let (stay, base) = (self.outer(shape, budget)?, self.stay(shape, budget)?);
        let base = self.session.store.intersection(&stay, &base, budget)?;
        Ok((stay, base))
    }

    /// A disjunction or conjunction, or its complement.
    fn together(
        &mut self,
        ids: &[MuId],
        is_or: bool,
        is_negated: bool,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        for &id in ids {
            if self.progress.values[id].is_none() {
                self.states(id, budget)?;
            }
        }
        let set = if is_or { self.disjunction(ids, budget)? } else { self.conjunction(ids, budget)? };
        if is_negated { self.session.complement(&set, budget) } else { Ok(set) }
    }

    /// Sets a variable, and lets what depends on it be computed again. A limit ends this before
    /// anything has changed, or not at all.
    fn moved(&mut self, variable: VarId, value: Set, budget: &mut Budget) -> Result<(), Exhausted> {
        let Progress { anatomy, needed, .. } = &*self.progress;
        // fixpoints with a shape are computed at once
        let iterates = |id: MuId| anatomy.shapes[id].is_none();
        let moved = anatomy.moved(self.formula, variable, |id| needed[id], iterates, budget)?;
        self.progress.variables[variable] = Some(value);
        for inner in moved.reset {
            self.progress.variables[inner] = None;
        }
        for id in moved.dirty {
            self.progress.dirty[id] = true;
        }
        Ok(())
    }
}
