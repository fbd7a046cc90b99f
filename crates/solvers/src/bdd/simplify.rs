//! Simplification by a care set, after Coudert and Madre: a function that agrees with the given one
//! wherever the care set holds, and is often smaller.
//!
//! `constrain` maps each valuation outside the care set to a nearest one inside; for a care set
//! that is a cube it is the cofactor. `restrict` first drops variables that only the care set
//! depends on, so that the result depends on no new ones.

use super::table::{Edge, FALSE, Frame, NONE, Op, Stop, TRUE, Table};
use loris_base::Budget;

impl Table {
    /// `op` is [`Op::Constrain`] or [`Op::Restrict`]; the care set is not empty.
    pub(super) fn simplify(
        &mut self,
        op: Op,
        f: Edge,
        care: Edge,
        budget: &mut Budget,
    ) -> Result<Edge, Stop> {
        let base = self.stack.len();
        let (mut f, mut care) = (f, care);
        loop {
            let known = if care == TRUE || f <= FALSE {
                Some(f)
            } else if f == care {
                Some(TRUE)
            } else if f ^ care == 1 {
                Some(FALSE)
            } else {
                self.recall(op, [f, care, 0])
            };
            let Some(mut result) = known else {
                budget.spend(1)?;
                let (of_f, of_care) = (self.level(f), self.level(care));
                let level = of_f.min(of_care);
                let (c1, c0) = self.cofactors(care, level);
                let (f1, f0) = self.cofactors(f, level);
                if of_care < of_f && matches!(op, Op::Restrict) {
                    care = self.or(c1, c0, budget)?;
                } else if c1 == FALSE {
                    (f, care) = (f0, c0);
                } else if c0 == FALSE {
                    (f, care) = (f1, c1);
                } else {
                    let var = self.var_at[level as usize];
                    self.stack.push(Frame { key: [f, care, 0], low: [f0, c0, 0], var, high: NONE });
                    (f, care) = (f1, c1);
                }
                continue;
            };
            loop {
                if self.stack.len() == base {
                    return Ok(result);
                }
                let top = self.stack.len() - 1;
                let frame = &mut self.stack[top];
                if frame.high == NONE {
                    frame.high = result;
                    [f, care, _] = frame.low;
                    break;
                }
                let Frame { key, var, high, .. } = *frame;
                result = self.node(var, high, result, budget)?;
                self.stack.pop();
                self.remember(op, key, result);
            }
        }
    }
}
