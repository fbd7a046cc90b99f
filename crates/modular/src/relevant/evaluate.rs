//! Where a formula is true, or false, among the relevant states, by nested iteration
//! (compositional-3valued, A3 and A13). What processes decide alone counts as constants: these are
//! final values, so that every fixpoint, inner ones too, may begin with them.

use super::reach::Relevant;
use super::space::Space;
use crate::diagrams::Anatomy;
use loris_base::{Budget, Exhausted, Idx, IndexVec, Truth};
use loris_logic::mu::{Extremum, Mu, MuFormula, MuId, VarId};
use loris_solvers::mdd::Set;

/// An evaluation under way.
pub(super) struct Evaluation {
    formula: MuFormula,
    anatomy: Anatomy,
    /// whether it looks for where the formula is true, or for where it is false
    side: Truth,
    values: IndexVec<MuId, Option<Set>>,
    /// approximations of the bodies of fixpoints; none at the beginning
    variables: IndexVec<VarId, Option<Set>>,
    dirty: IndexVec<MuId, bool>,
    /// the subformula that is next
    at: usize,
}

impl Evaluation {
    pub(super) fn new(formula: &MuFormula, side: Truth, relevant: &Relevant) -> Self {
        let dirty = formula.nodes().map(|(id, _)| !relevant.of(id).is_empty()).collect::<Vec<_>>();
        Self {
            formula: formula.clone(),
            anatomy: Anatomy::new(formula),
            side,
            values: vec![None; formula.len()].into(),
            variables: vec![None; formula.variables()].into(),
            dirty: dirty.into(),
            at: 0,
        }
    }

    /// The relevant states where the whole formula is true, or false. Where a limit ends this, it
    /// goes on from there the next time.
    pub(super) fn run(
        &mut self,
        space: &mut Space<'_>,
        relevant: &Relevant,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        while self.at < self.formula.len() {
            let id = MuId::new(self.at);
            if self.dirty[id] {
                budget.spend(1)?;
                if let Mu::Fix(_, variable, body) = self.formula.node(id) {
                    let old = self.variable(variable, space, relevant);
                    let new = self.known(body, space);
                    if old != new {
                        self.moved(variable, new, budget)?;
                        self.at = self.dirty.ids().position(|id| self.dirty[id]).unwrap_or(self.at);
                        continue;
                    }
                }
                let value = self.value(id, space, relevant, budget)?;
                self.values[id] = Some(value);
                self.dirty[id] = false;
            }
            self.at += 1;
        }
        Ok(self.known(self.formula.root(), space))
    }

    /// The value of a subformula; nothing where it is not relevant.
    fn known(&self, id: MuId, space: &Space<'_>) -> Set {
        self.values[id].clone().unwrap_or_else(|| space.store.empty())
    }

    /// Where a fixpoint is true, the least one grows and the greatest one shrinks; where it is
    /// false, it is the other way round.
    fn variable(&self, variable: VarId, space: &Space<'_>, relevant: &Relevant) -> Set {
        let grows = (self.formula.extremum(variable) == Extremum::Least) == (self.side == Truth::True);
        match &self.variables[variable] {
            Some(value) => value.clone(),
            None if grows => space.store.empty(),
            None => relevant.of(self.formula.body(variable)).clone(),
        }
    }

    /// The value of a subformula whose operands are known.
    fn value(
        &self,
        id: MuId,
        space: &mut Space<'_>,
        relevant: &Relevant,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let states = relevant.of(id);
        let decided = space.decided(id, budget)?;
        let base = space.store.intersection(states, decided.side(self.side), budget)?;
        let open = space.undecided(id, states, budget)?;
        if open.is_empty() {
            return Ok(base);
        }
        let is_true = self.side == Truth::True;
        let inner = match self.formula.node(id) {
            // labels that no process decides are unknown
            Mu::True | Mu::False | Mu::Atom(_) | Mu::NotAtom(_) => return Ok(base),
            node @ (Mu::And(f, g) | Mu::Or(f, g)) => {
                let (f, g) = (self.known(f, space), self.known(g, space));
                if matches!(node, Mu::And(..)) == is_true {
                    space.store.intersection(&f, &g, budget)?
                } else {
                    space.store.union(&f, &g, budget)?
                }
            }
            node @ (Mu::Diamond(actions, f) | Mu::Box(actions, f)) => {
                let value = self.known(f, space);
                if matches!(node, Mu::Diamond(..)) == is_true {
                    // one step that must be there
                    space.before(&value, &open, (actions, true), budget)?
                } else {
                    // all steps that may be there
                    let rest = space.store.difference(relevant.of(f), &value, budget)?;
                    let before = space.before(&rest, &open, (actions, false), budget)?;
                    space.store.difference(&open, &before, budget)?
                }
            }
            Mu::Var(variable) => self.variable(variable, space, relevant),
            Mu::Fix(_, _, body) => self.known(body, space),
        };
        let inner = space.store.intersection(&inner, &open, budget)?;
        space.store.union(&base, &inner, budget)
    }

    /// Sets a variable, and lets what depends on it be computed again. A limit ends this before
    /// anything has changed, or not at all.
    fn moved(&mut self, variable: VarId, value: Set, budget: &mut Budget) -> Result<(), Exhausted> {
        let moved = self.anatomy.moved(&self.formula, variable, |_| true, |_| true, budget)?;
        self.variables[variable] = Some(value);
        for inner in moved.reset {
            self.variables[inner] = None;
        }
        for id in moved.dirty {
            // nothing is computed where nothing is relevant
            self.dirty[id] = self.dirty[id] || self.values[id].is_some();
        }
        Ok(())
    }
}
