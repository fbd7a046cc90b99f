//! `EX f`: a step to a state with `f`, or the proof that no step leads to one.

use super::formulas::Formula;
use super::{Omg, Unwinding};
use loris_base::Exhausted;

impl Omg {
    /// Decides `EX of` in a state, and labels its abstract state (`HandleEX`).
    pub(super) fn decide_ex(
        &mut self,
        state: usize,
        formula: Formula,
        of: Formula,
    ) -> Result<bool, Exhausted> {
        self.examined += 1;
        if self.options.unwinding == Unwinding::Sets {
            return self.decide_ex_by_sets(state, formula, of);
        }
        loop {
            self.budget.spend(1)?;
            let (yes, no) = (self.labelled(of, true).next, self.labelled(of, false).next);
            if let Some(choice) = self.choice_to(state, &[yes])? {
                let part = self.split_has(state, &choice, yes)?;
                self.label(part, formula, true, Some(yes));
                return Ok(true);
            }
            if let Some(choice) = self.choice_to(state, &[!no])? {
                let next = self.successor(state, &choice)?;
                self.classify(next)?;
                self.holds(next, of)?;
            } else {
                let part = self.split_lacks(state, !no)?;
                self.label(part, formula, false, None);
                return Ok(false);
            }
        }
    }
}
