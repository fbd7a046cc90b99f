//! Functions in place of variables, all at once.

use super::table::{Edge, FALSE, Frame, NONE, Op, Stop, TRUE, Table};
use loris_base::Budget;

impl Table {
    /// Replaces variables by `replaced` ([`NONE`] if a variable stays); `number` identifies the
    /// substitution in the cache. Nothing below `lowest` is replaced.
    pub(super) fn substitute(
        &mut self,
        f: Edge,
        number: u32,
        lowest: u32,
        budget: &mut Budget,
    ) -> Result<Edge, Stop> {
        let base = self.stack.len();
        let mut f = f;
        loop {
            let flip = f & 1;
            f ^= flip;
            let known = if f <= FALSE || self.level(f) > lowest {
                Some(f)
            } else {
                self.recall(Op::Substitute, [f, f, number])
            };
            let mut result = if let Some(known) = known {
                known ^ flip
            } else {
                budget.spend(1)?;
                let (f1, f0) = self.children(f);
                let frame = Frame { key: [f, flip, 0], low: [f0, 0, 0], var: self.var(f), high: NONE };
                self.stack.push(frame);
                f = f1;
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
                    f = frame.low[0];
                    break;
                }
                let Frame { key: [key, flip, _], var, high, .. } = *frame;
                // a table that collects garbage finds it there
                frame.low[0] = result;
                let by = self.replaced[var as usize];
                let top = if by == NONE {
                    Some(var)
                } else {
                    (self.children(by) == (TRUE, FALSE)).then(|| self.var(by))
                };
                let below = self.level(high).min(self.level(result));
                result = match top {
                    Some(top) if self.level_of[top as usize] < below => {
                        self.node(top, high, result, budget)?
                    }
                    _ => {
                        let by = if by == NONE { self.node(var, TRUE, FALSE, budget)? } else { by };
                        self.ite(by, high, result, budget)?
                    }
                };
                self.stack.pop();
                self.remember(Op::Substitute, [key, key, number], result);
                result ^= flip;
            }
        }
    }
}
