//! Existential quantification, alone and over a conjunction (the relational product), which never
//! builds the conjunction itself. Variables to quantify are given as the conjunction of them.

use super::table::{Edge, FALSE, Frame, NONE, Op, Stop, TRUE, Table};
use loris_base::Budget;

impl Table {
    /// The variables of a cube that are not above a level.
    #[inline]
    fn cube_from(&self, cube: Edge, level: u32) -> Edge {
        let mut cube = cube;
        while self.level(cube) < level {
            cube = self.nodes[(cube >> 1) as usize].high;
        }
        cube
    }

    /// Whether some values of the variables of a cube make it true.
    pub(super) fn exists(&mut self, f: Edge, cube: Edge, budget: &mut Budget) -> Result<Edge, Stop> {
        let base = self.stack.len();
        let (mut f, mut cube) = (f, cube);
        loop {
            let level = self.level(f);
            cube = self.cube_from(cube, level);
            let known =
                if cube == TRUE || f <= FALSE { Some(f) } else { self.recall(Op::Exists, [f, cube, 0]) };
            let Some(mut result) = known else {
                budget.spend(1)?;
                let (f1, f0) = self.children(f);
                let is_bound = self.level(cube) == level;
                let below = if is_bound { self.nodes[(cube >> 1) as usize].high } else { cube };
                let frame = Frame {
                    key: [f, cube, 0],
                    low: [f0, below, u32::from(is_bound)],
                    var: self.var_at[level as usize],
                    high: NONE,
                };
                self.stack.push(frame);
                (f, cube) = (f1, below);
                continue;
            };
            loop {
                if self.stack.len() == base {
                    return Ok(result);
                }
                let top = self.stack.len() - 1;
                let frame = &mut self.stack[top];
                let is_bound = frame.low[2] == 1;
                // one operand that is true decides a disjunction
                if frame.high == NONE && !(is_bound && result == TRUE) {
                    frame.high = result;
                    [f, cube, _] = frame.low;
                    break;
                }
                let Frame { key, var, high, .. } = *frame;
                result = match (is_bound, high) {
                    (true, NONE) => TRUE,
                    (true, high) => self.or(high, result, budget)?,
                    (false, high) => self.node(var, high, result, budget)?,
                };
                self.stack.pop();
                self.remember(Op::Exists, key, result);
            }
        }
    }

    /// Whether some values of the variables of a cube make both true.
    pub(super) fn and_exists(
        &mut self,
        f: Edge,
        g: Edge,
        cube: Edge,
        budget: &mut Budget,
    ) -> Result<Edge, Stop> {
        let base = self.stack.len();
        let (mut f, mut g, mut cube) = (f, g, cube);
        loop {
            if f > g {
                (f, g) = (g, f);
            }
            let mut level = 0;
            let known = if f == FALSE || f ^ g == 1 {
                Some(FALSE)
            } else if f == TRUE || f == g {
                Some(self.exists(g, cube, budget)?)
            } else {
                level = self.level(f).min(self.level(g));
                cube = self.cube_from(cube, level);
                if cube == TRUE {
                    Some(self.and(f, g, budget)?)
                } else {
                    self.recall(Op::AndExists, [f, g, cube])
                }
            };
            let Some(mut result) = known else {
                budget.spend(1)?;
                let (f1, f0) = self.cofactors(f, level);
                let (g1, g0) = self.cofactors(g, level);
                let is_bound = self.level(cube) == level;
                let below = if is_bound { self.nodes[(cube >> 1) as usize].high } else { cube };
                let var = self.var_at[level as usize] << 1 | u32::from(is_bound);
                self.stack.push(Frame { key: [f, g, cube], low: [f0, g0, below], var, high: NONE });
                (f, g, cube) = (f1, g1, below);
                continue;
            };
            loop {
                if self.stack.len() == base {
                    return Ok(result);
                }
                let top = self.stack.len() - 1;
                let frame = &mut self.stack[top];
                let is_bound = frame.var & 1 == 1;
                if frame.high == NONE && !(is_bound && result == TRUE) {
                    frame.high = result;
                    [f, g, cube] = frame.low;
                    break;
                }
                let Frame { key, var, high, .. } = *frame;
                result = match (is_bound, high) {
                    (true, NONE) => TRUE,
                    (true, high) => self.or(high, result, budget)?,
                    (false, high) => self.node(var >> 1, high, result, budget)?,
                };
                self.stack.pop();
                self.remember(Op::AndExists, key, result);
            }
        }
    }
}
