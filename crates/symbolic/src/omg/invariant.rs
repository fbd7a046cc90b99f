//! The closed set of states that proves `A [p V q]`, as clauses.
//!
//! All states labelled with the formula have `q`, and no step from those without `p` leaves them:
//! what closes a proof is a set of abstract states together with those labelled before. So their
//! union is an invariant. Its complement is covered by cubes, whose negations are the clauses.

use super::Omg;
use super::formulas::{Formula, Op};
use crate::query::Clause;
use loris_base::Exhausted;
use loris_solvers::sat::SatLit;

/// An invariant with more clauses than this is not given.
const MAX_CLAUSES: usize = 5_000;

impl Omg {
    /// The invariant that a property which holds in all initial states is shown by, if it is
    /// `A [p V q]` without temporal operators in `p` and `q`.
    pub(super) fn invariant(&mut self, root: Formula) -> Result<Option<Vec<Clause>>, Exhausted> {
        let Op::Av(p, q) = self.formulas.op(root) else { return Ok(None) };
        let mut operands = [p, q].into_iter();
        if root.is_negated() || !operands.all(|operand| self.formulas.is_propositional(operand)) {
            return Ok(None);
        }
        // a set that needs no other
        for at in 0..self.sets.len() {
            let set = &self.sets[at];
            if set.formula != root.index() || !set.is_closed {
                continue;
            }
            let outside = [self.relation.initial, !set.member.now];
            if !self.relation.solve(&outside, &mut self.budget)? {
                return Ok(Some(self.sets[at].cubes.cubes.iter().map(|cube| negated(cube)).collect()));
            }
        }
        let proved = self.labelled(root, true).now;
        let uncovered = self.relation.sat.variable();
        let clauses = self.cover(proved, uncovered);
        self.relation.sat.release(!uncovered);
        clauses
    }

    /// Clauses that describe a set of states exactly.
    fn cover(&mut self, set: SatLit, uncovered: SatLit) -> Result<Option<Vec<Clause>>, Exhausted> {
        let mut clauses = Vec::new();
        while self.relation.solve(&[uncovered, !set], &mut self.budget)? {
            if clauses.len() == MAX_CLAUSES {
                return Ok(None);
            }
            let values = self.relation.state();
            let cube = self.core_of(&values, &[set])?;
            self.budget.charge(cube.len() * size_of::<(u32, bool)>())?;
            let mut excluded: Vec<SatLit> = cube.iter().map(|&lit| !self.relation.before(lit)).collect();
            excluded.push(!uncovered);
            self.relation.sat.clause(&excluded);
            clauses.push(negated(&cube));
        }
        Ok(Some(clauses))
    }
}

fn negated(cube: &[(u32, bool)]) -> Clause {
    cube.iter().map(|&(var, value)| (var, !value)).collect()
}
