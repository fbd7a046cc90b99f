//! Boolean operations: conjunction, difference and choice.
//!
//! All recursion is on a stack in memory, so that an order of many thousand variables does no harm,
//! and so that garbage collection sees all intermediate results. Each operation visits every tuple
//! of nodes once, as far as the cache remembers them.

use super::table::{Edge, FALSE, Frame, NONE, Op, Stop, TRUE, Table};
use loris_base::Budget;

impl Table {
    pub(super) fn or(&mut self, f: Edge, g: Edge, budget: &mut Budget) -> Result<Edge, Stop> {
        Ok(self.and(f ^ 1, g ^ 1, budget)? ^ 1)
    }

    pub(super) fn and(&mut self, f: Edge, g: Edge, budget: &mut Budget) -> Result<Edge, Stop> {
        let base = self.stack.len();
        let (mut f, mut g) = (f, g);
        loop {
            if f > g {
                (f, g) = (g, f);
            }
            // constants are the smallest edges
            let known = if f == TRUE || f == g {
                Some(g)
            } else if f == FALSE || f ^ g == 1 {
                Some(FALSE)
            } else {
                self.recall(Op::And, [f, g, 0])
            };
            let Some(mut result) = known else {
                budget.spend(1)?;
                let level = self.level(f).min(self.level(g));
                let (f1, f0) = self.cofactors(f, level);
                let (g1, g0) = self.cofactors(g, level);
                let var = self.var_at[level as usize];
                self.stack.push(Frame { key: [f, g, 0], low: [f0, g0, 0], var, high: NONE });
                (f, g) = (f1, g1);
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
                    [f, g, _] = frame.low;
                    break;
                }
                let Frame { key, var, high, .. } = *frame;
                result = self.node(var, high, result, budget)?;
                self.stack.pop();
                self.remember(Op::And, key, result);
            }
        }
    }

    pub(super) fn xor(&mut self, f: Edge, g: Edge, budget: &mut Budget) -> Result<Edge, Stop> {
        let base = self.stack.len();
        let (mut f, mut g) = (f, g);
        loop {
            let flip = (f ^ g) & 1;
            (f, g) = (f & !1, g & !1);
            if f > g {
                (f, g) = (g, f);
            }
            let known = if f == g {
                Some(FALSE)
            } else if f == TRUE {
                Some(g ^ 1)
            } else {
                self.recall(Op::Xor, [f, g, 0])
            };
            let mut result = if let Some(known) = known {
                known ^ flip
            } else {
                budget.spend(1)?;
                let level = self.level(f).min(self.level(g));
                let (f1, f0) = self.cofactors(f, level);
                let (g1, g0) = self.cofactors(g, level);
                let var = self.var_at[level as usize];
                // the complement of the result is a constant edge, which marking does not mind
                self.stack.push(Frame { key: [f, g, flip], low: [f0, g0, 0], var, high: NONE });
                (f, g) = (f1, g1);
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
                    [f, g, _] = frame.low;
                    break;
                }
                let Frame { key: [f, g, flip], var, high, .. } = *frame;
                result = self.node(var, high, result, budget)?;
                self.stack.pop();
                self.remember(Op::Xor, [f, g, 0], result);
                result ^= flip;
            }
        }
    }

    /// `g` where `f` holds, else `h`.
    pub(super) fn ite(&mut self, f: Edge, g: Edge, h: Edge, budget: &mut Budget) -> Result<Edge, Stop> {
        let base = self.stack.len();
        let (mut f, mut g, mut h) = (f, g, h);
        loop {
            if f & 1 == 1 {
                (f, g, h) = (f ^ 1, h, g);
            }
            // where f decides an operand, the operand is a constant
            g = if g >> 1 == f >> 1 { g ^ f } else { g };
            h = if h >> 1 == f >> 1 { h ^ f ^ 1 } else { h };
            let flip = g & 1;
            (g, h) = (g ^ flip, h ^ flip);
            let known = if f == TRUE || g == h {
                Some(g)
            } else if g == TRUE {
                Some(self.or(f, h, budget)?)
            } else if h == FALSE {
                Some(self.and(f, g, budget)?)
            } else if h == TRUE {
                Some(self.or(f ^ 1, g, budget)?)
            } else if g ^ h == 1 {
                Some(self.xor(f, h, budget)?)
            } else {
                self.recall(Op::Ite, [f, g, h])
            };
            let mut result = if let Some(known) = known {
                known ^ flip
            } else {
                budget.spend(1)?;
                let level = self.level(f).min(self.level(g)).min(self.level(h));
                let (f1, f0) = self.cofactors(f, level);
                let (g1, g0) = self.cofactors(g, level);
                let (h1, h0) = self.cofactors(h, level);
                // the complement of the result goes to the bottom of the operands' frame
                let var = self.var_at[level as usize] << 1 | flip;
                self.stack.push(Frame { key: [f, g, h], low: [f0, g0, h0], var, high: NONE });
                (f, g, h) = (f1, g1, h1);
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
                    [f, g, h] = frame.low;
                    break;
                }
                let Frame { key, var, high, .. } = *frame;
                result = self.node(var >> 1, high, result, budget)?;
                self.stack.pop();
                self.remember(Op::Ite, key, result);
                result ^= var & 1;
            }
        }
    }
}
