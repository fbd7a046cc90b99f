//! Blocked cubes made larger, and clauses moved forward.

use super::Pdr;
use crate::relation::Cube;
use loris_base::Exhausted;

/// How many literals in a row may fail to be dropped before a cube is taken as it is.
const FAILURES: usize = 12;

impl Pdr<'_> {
    /// A larger cube that the frame before cannot step into either, and the last frame that
    /// excludes it.
    pub(super) fn generalize(&mut self, cube: Cube, frame: usize) -> Result<(Cube, usize), Exhausted> {
        let mut cube = match self.inductive(&cube, frame)? {
            Some(smaller) => smaller,
            None => cube,
        };
        let mut failures = 0;
        let mut at = 0;
        while at < cube.len() && failures < FAILURES {
            if cube.len() == 1 {
                break;
            }
            let mut candidate = cube.clone();
            candidate.remove(at);
            if let Some(smaller) = self.inductive(&candidate, frame)? {
                cube = smaller;
                failures = 0;
            } else {
                at += 1;
                failures += 1;
            }
        }
        let mut frame = frame;
        while frame < self.memory.frames.len() && self.inductive(&cube, frame + 1)?.is_some() {
            frame += 1;
        }
        Ok((cube, frame))
    }

    /// If no initial state is in the cube and no state of the frame before, outside the cube, steps
    /// into it: the literals of the cube that this needs.
    fn inductive(&mut self, cube: &Cube, frame: usize) -> Result<Option<Cube>, Exhausted> {
        let Err(apart) = self.initial_in(cube)? else { return Ok(None) };
        let outside = self.outside(cube);
        let mut assumed = self.step_from(frame - 1);
        assumed.push(outside);
        let after = self.after(cube);
        assumed.extend(&after);
        let blocked = !self.solve_under(outside, &assumed)?;
        // two cubes may be the same literal after the step: then either is kept
        let needed: Vec<bool> = after.iter().map(|&lit| blocked && self.relation.sat.needed(lit)).collect();
        self.relation.sat.release(!outside);
        if !blocked {
            return Ok(None);
        }
        let with = |keep: &dyn Fn(usize) -> bool| -> Cube {
            (0..cube.len()).filter(|&at| keep(at)).map(|at| cube[at]).collect()
        };
        let smaller = with(&|at| needed[at]);
        // the literals that keep initial states out must stay
        if smaller.is_empty() || self.initial_in(&smaller)?.is_ok() {
            return Ok(Some(with(&|at| needed[at] || apart.binary_search(&at).is_ok())));
        }
        Ok(Some(smaller))
    }

    /// Moves clauses to the next frame where they still hold; an invariant if two frames are equal.
    pub(super) fn propagate(&mut self) -> Result<Option<Vec<Cube>>, Exhausted> {
        for frame in 1..self.memory.frames.len() {
            // the list stays whole meanwhile: a search that a limit ends here may be resumed
            for cube in self.memory.frames.of(frame).to_vec() {
                self.renew();
                if self.moves(&cube, frame)? {
                    self.exclude(cube, frame + 1)?;
                }
            }
            if self.memory.frames.of(frame).is_empty() {
                return Ok(Some(self.memory.frames.all_from(frame + 1)));
            }
        }
        Ok(None)
    }

    /// Whether no step from a frame leads into a cube that it excludes.
    fn moves(&mut self, cube: &Cube, frame: usize) -> Result<bool, Exhausted> {
        let mut assumed = self.memory.frames.assumptions(frame);
        assumed.extend(&self.question.step);
        assumed.extend(self.after(cube));
        Ok(!self.relation.solve(&assumed, self.budget)?)
    }
}
