//! The frames of a search: each cube that is excluded is kept with the last frame that excludes it.

use crate::relation::{Cube, Relation};
use loris_base::{Budget, Exhausted};
use loris_solvers::sat::SatLit;

/// Frames `1..=len`, each with the cubes it excludes and later ones do not.
#[derive(Default)]
pub(super) struct Frames {
    excluded: Vec<Vec<Cube>>,
    /// assumed where the clauses of a frame are to hold
    active: Vec<SatLit>,
}

impl Frames {
    /// The number of the last frame.
    pub(super) fn len(&self) -> usize {
        self.active.len()
    }

    pub(super) fn push(&mut self, relation: &mut Relation) {
        self.excluded.push(Vec::new());
        self.active.push(relation.sat.variable());
    }

    pub(super) fn release(&self, relation: &mut Relation) {
        self.active.iter().for_each(|&active| relation.sat.release(!active));
    }

    /// What to assume of a state in a frame.
    pub(super) fn assumptions(&self, frame: usize) -> Vec<SatLit> {
        self.active[frame.max(1) - 1..].to_vec()
    }

    /// The cubes whose last frame is this one.
    pub(super) fn of(&self, frame: usize) -> &[Cube] {
        &self.excluded[frame - 1]
    }

    /// Whether a cube of this frame or a later one contains the cube.
    pub(super) fn subsumes(&self, cube: &Cube, frame: usize) -> bool {
        self.excluded[frame - 1..].iter().flatten().any(|larger| contains(larger, cube))
    }

    /// Excludes a cube from all frames up to this one.
    pub(super) fn add(
        &mut self,
        cube: Cube,
        frame: usize,
        relation: &mut Relation,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        budget.charge(cube.len() * size_of::<(u32, bool)>() + size_of::<Cube>())?;
        for earlier in &mut self.excluded[..frame] {
            earlier.retain(|smaller| !contains(&cube, smaller));
        }
        assert_clause(&cube, self.active[frame - 1], relation);
        self.excluded[frame - 1].push(cube);
        Ok(())
    }

    /// Asserts all clauses in a new solver.
    pub(super) fn renew(&mut self, relation: &mut Relation) {
        for (cubes, active) in self.excluded.iter().zip(&mut self.active) {
            *active = relation.sat.variable();
            for cube in cubes {
                assert_clause(cube, *active, relation);
            }
        }
    }

    /// All cubes that this frame and later ones exclude: their negations are its clauses.
    pub(super) fn all_from(&self, frame: usize) -> Vec<Cube> {
        self.excluded[frame - 1..].iter().flatten().cloned().collect()
    }
}

fn assert_clause(cube: &Cube, active: SatLit, relation: &mut Relation) {
    let mut clause: Vec<SatLit> = cube.iter().map(|&lit| !relation.here(lit)).collect();
    clause.push(!active);
    relation.sat.clause(&clause);
}

/// Whether every state of the second cube is in the first: it has all literals of the first.
fn contains(larger: &Cube, smaller: &Cube) -> bool {
    let mut rest = smaller.iter();
    larger.len() <= smaller.len() && larger.iter().all(|lit| rest.any(|other| other == lit))
}
