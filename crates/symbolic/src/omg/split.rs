//! Splits of abstract states by what their successors are: around a state, by an unsatisfiable core
//! (quantifier-free splitting), or exactly.
//!
//! | split | the part around the state | of the thesis |
//! |---|---|---|
//! | [`Omg::split_has`] | all have a successor in the set | EX-POS, AX-NEG |
//! | [`Omg::split_lacks`] | none has a successor in the set | EX-NEG, AX-POS |

use super::abstraction::{Abstraction, Cubes, Member, Predicate, Region};
use super::{Omg, Splitting};
use crate::relation::Cube;
use loris_base::Exhausted;
use loris_solvers::sat::SatLit;
use std::sync::Arc;

/// How often a core is asked to be made smaller.
const CORE_ROUNDS: usize = 3;

impl Omg {
    /// A step from a state to a state with the property `to`, a literal after the step: what it
    /// chooses.
    pub(super) fn choice_to(&mut self, state: usize, to: &[SatLit]) -> Result<Option<Vec<bool>>, Exhausted> {
        let mut assumed = vec![self.relation.step];
        assumed.extend(to);
        assumed.extend(self.literals(state));
        Ok(self.relation.solve(&assumed, &mut self.budget)?.then(|| self.relation.choice()))
    }

    /// The literals of a state before a step.
    pub(super) fn literals(&self, state: usize) -> Vec<SatLit> {
        let values = self.states[state].values.iter().enumerate();
        values.map(|(at, &value)| self.relation.before((at as u32, value))).collect()
    }

    /// Splits the abstract state of a state such that all states of its part have a successor in a
    /// set, as the state has by this choice. Returns its part.
    pub(super) fn split_has(
        &mut self,
        state: usize,
        choice: &[bool],
        to: SatLit,
    ) -> Result<Region, Exhausted> {
        let leaf = self.leaf(state);
        if self.options.splitting == Splitting::Exact {
            return self.split_exact(leaf, to, true);
        }
        let cube = self.cube_has(state, leaf, choice, to)?;
        self.split_by(leaf, Cubes::one(cube))
    }

    /// A cube around a state such that all states of the leaf in it step into a set, by this
    /// choice.
    fn cube_has(
        &mut self,
        state: usize,
        leaf: Region,
        choice: &[bool],
        to: SatLit,
    ) -> Result<Cube, Exhausted> {
        let active = self.relation.sat.variable();
        self.relation.sat.clause(&[!active, !self.allowed, !to]);
        let mut given = vec![active, self.abstraction.member(leaf).now];
        given.extend(self.relation.choices.iter().zip(choice).map(|(lit, &value)| lit.negated_if(!value)));
        let cube = self.core(state, &given)?;
        self.relation.sat.release(!active);
        Ok(cube)
    }

    /// Splits the abstract state of a state such that no state of its part has a successor in a
    /// set, as the state has none. Returns its part.
    pub(super) fn split_lacks(&mut self, state: usize, to: SatLit) -> Result<Region, Exhausted> {
        let leaf = self.leaf(state);
        if self.options.splitting == Splitting::Exact {
            return self.split_exact(leaf, to, false);
        }
        let cube = self.cube_lacks(state, leaf, to)?;
        self.split_by(leaf, Cubes::one(cube))
    }

    /// A cube around a state such that no state of the leaf in it steps into a set.
    fn cube_lacks(&mut self, state: usize, leaf: Region, to: SatLit) -> Result<Cube, Exhausted> {
        let given = [self.relation.step, to, self.abstraction.member(leaf).now];
        self.core(state, &given)
    }

    /// The literals of a state that, with what is given, have no model.
    fn core(&mut self, state: usize, given: &[SatLit]) -> Result<Cube, Exhausted> {
        let values = self.states[state].values.clone();
        self.core_of(&values, given)
    }

    pub(super) fn core_of(&mut self, values: &[bool], given: &[SatLit]) -> Result<Cube, Exhausted> {
        let mut cube: Cube = values.iter().enumerate().map(|(at, &value)| (at as u32, value)).collect();
        for _ in 0..CORE_ROUNDS {
            let mut assumed = given.to_vec();
            // the next round meets the literals in the opposite order
            cube.reverse();
            assumed.extend(cube.iter().map(|&lit| self.relation.before(lit)));
            let found = self.relation.solve(&assumed, &mut self.budget)?;
            debug_assert!(!found, "what a split is about holds in the state it is around");
            let before = cube.len();
            if !found {
                cube.retain(|&lit| self.relation.sat.needed(self.relation.before(lit)));
            }
            if cube.len() == before {
                break;
            }
        }
        cube.sort_unstable();
        Ok(cube)
    }

    /// Splits a leaf by a set of cubes, unless all of it is inside. Returns the part inside.
    pub(super) fn split_by(&mut self, leaf: Region, set: Cubes) -> Result<Region, Exhausted> {
        let member = set.member(&mut self.relation);
        self.split_on(leaf, Predicate::Cubes(Arc::new(set)), member)
    }

    /// Splits a leaf by a set whose membership literals are given, unless all of it is inside.
    /// Returns the part inside.
    pub(super) fn split_on(
        &mut self,
        leaf: Region,
        predicate: Predicate,
        member: Member,
    ) -> Result<Region, Exhausted> {
        // the part that the split is not about may be empty: then the whole leaf has the property
        let assumed = [self.abstraction.member(leaf).now, !member.now];
        if self.options.trivial && !self.relation.solve(&assumed, &mut self.budget)? {
            return Ok(leaf);
        }
        let literals = match &predicate {
            Predicate::Cubes(set) => set.cubes.iter().map(Vec::len).sum(),
            Predicate::Function(_) | Predicate::Known(_) => 0,
        };
        self.budget.charge(Abstraction::bytes_of_split(literals, self.formulas.len()))?;
        let (inside, _) = self.abstraction.split(leaf, predicate, member, &mut self.relation);
        self.proof_splits += 1;
        Ok(inside)
    }

    /// Splits a leaf by all of its states that have a successor in a set, and those that have none.
    fn split_exact(&mut self, leaf: Region, to: SatLit, has: bool) -> Result<Region, Exhausted> {
        let covered = self.relation.sat.variable();
        let member = self.abstraction.member(leaf).now;
        let mut cubes = Vec::new();
        while self.relation.solve(&[member, self.relation.step, to, covered], &mut self.budget)? {
            let (values, choice) = (self.relation.state(), self.relation.choice());
            let found = self.intern(values);
            let cube = self.cube_has(found, leaf, &choice, to)?;
            let mut clause: Vec<SatLit> = cube.iter().map(|&lit| !self.relation.before(lit)).collect();
            clause.push(!covered);
            self.relation.sat.clause(&clause);
            cubes.push(cube);
        }
        self.relation.sat.release(!covered);
        self.split_by(leaf, Cubes { cubes, complement: !has })
    }

    /// Whether every state of a leaf has a successor in a set; else the cube of states that have
    /// none, around one.
    pub(super) fn must(&mut self, leaf: Region, to: SatLit) -> Result<Result<(), Cube>, Exhausted> {
        let covered = self.relation.sat.variable();
        let member = self.abstraction.member(leaf).now;
        // without choices there is one step: a state whose step leads elsewhere is found at once
        let elsewhere = self.relation.choices.is_empty().then_some(!to);
        let violated = loop {
            let assumed = [member, covered, elsewhere.unwrap_or(member)];
            if !self.relation.solve(&assumed, &mut self.budget)? {
                break Ok(());
            }
            let values = self.relation.state();
            let state = self.intern(values);
            let Some(choice) = self.choice_to(state, &[to])? else {
                break Err(self.cube_lacks(state, leaf, to)?);
            };
            let cube = self.cube_has(state, leaf, &choice, to)?;
            let mut clause: Vec<SatLit> = cube.iter().map(|&lit| !self.relation.before(lit)).collect();
            clause.push(!covered);
            self.relation.sat.clause(&clause);
        };
        self.relation.sat.release(!covered);
        Ok(violated)
    }
}
