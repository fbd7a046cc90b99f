//! Whether a formula holds in the initial state.

use super::evaluate::Evaluation;
use super::session::Session;
use loris_base::{Budget, Exhausted};
use loris_logic::mu::{Mu, MuFormula, MuId};

impl Session {
    /// Whether the formula holds in the initial state. Labels and actions that no part knows hold
    /// nowhere and never happen.
    pub fn decide(&mut self, formula: &MuFormula, budget: &mut Budget) -> Result<bool, Exhausted> {
        budget.charge(self.bytes())?;
        Evaluation::new(self, formula).holds(budget)
    }
}

impl Evaluation<'_> {
    /// Boolean operators at the top are decided one operand after the other.
    fn holds(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
        // operands of a conjunction or disjunction that are still to be decided: if the verdict so
        // far is not the one that decides it, the next one
        let mut open: Vec<(bool, MuId)> = Vec::new();
        let mut next = self.formula.root();
        loop {
            let mut verdict = match self.formula.node(next) {
                Mu::And(f, g) => {
                    open.push((true, g));
                    next = f;
                    continue;
                }
                Mu::Or(f, g) => {
                    open.push((false, g));
                    next = f;
                    continue;
                }
                _ => self.holds_initially(next, budget)?,
            };
            loop {
                match open.pop() {
                    None => return Ok(verdict),
                    // `true & g` and `false | g` are g
                    Some((neutral, operand)) if neutral == verdict => {
                        next = operand;
                        break;
                    }
                    Some((neutral, _)) => verdict = !neutral,
                }
            }
        }
    }

    fn holds_initially(&mut self, id: MuId, budget: &mut Budget) -> Result<bool, Exhausted> {
        let states = self.states(id, budget)?;
        Ok(self.session.store.contains(&states, &self.session.parts.system.initial))
    }
}
