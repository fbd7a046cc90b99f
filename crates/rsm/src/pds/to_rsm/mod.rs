//! From a pushdown system to a machine that no CTL formula tells from it.
//!
//! Heads become nodes; a push becomes a call of the procedure of its top, with a box for the symbol below;
//! heads connected by swaps, and by calls with what follows them, are one component. Five steps, each linear
//! in its output: which heads occur and what they return into (`heads`), how each procedure returns (`exits`),
//! which procedures are copied for whom (`plan`) and what is in each copy (`explore`), and the machine (`emit`). Every
//! step of the system is one step of the machine and no other is added: a bisimulation relates `(q, γ w)` to
//! the state of the node, or of the return port, of `(q, γ)` under the boxes of `w`.
//!
//! The oracle compares both as graphs of configurations: `pds/tests/bisimulation.rs`.

mod emit;
mod exits;
mod explore;
mod heads;
mod labels;
mod names;
mod plan;
mod tails;

use super::Pds;

use crate::{Rsm, Semantics};
use exits::Exits;
use heads::Heads;
use labels::Labels;
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};
use plan::Plan;
use tails::Tails;

/// What becomes a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Recovery {
    /// The procedures that can be told apart.
    #[default]
    Procedures,
    /// All heads together (rsm-analysis, Theorem 1).
    Single,
}

impl Pds {
    /// A machine that does what this system does, step by step, and remarks that are no errors.
    ///
    /// Runs start at the initial configurations. Where the last symbol is popped, an exit with the labels of the
    /// control state is left with an empty stack; a head without rules with nothing below it is such an exit,
    /// too. Other heads without rules are dead ends. Labels of heads that never occur stay known.
    ///
    /// ```
    /// use loris_rsm::{Recovery, Semantics, read_pds};
    /// let pds = read_pds("(q <m>)\nq <m> --> q <f r>\nq <r> --> q <f m>\nq <f> --> q <>\n").unwrap();
    /// let (rsm, _) = pds.to_rsm(&Semantics::default(), &Recovery::Procedures).unwrap();
    /// assert_eq!((rsm.component_count(), rsm.box_count()), (2, 2));
    /// assert_eq!(rsm.vertex_name(rsm.initial()[0]), "m");
    /// ```
    ///
    /// # Errors
    /// Dead ends, unless the semantics takes them, and systems whose machine would be many times as large.
    pub fn to_rsm(
        &self,
        semantics: &Semantics,
        recovery: &Recovery,
    ) -> Result<(Rsm, Diagnostics), Diagnostics> {
        self.to_rsm_within(semantics, *recovery, &mut Budget::unlimited()).map_err(Stopped::into_problems)
    }

    /// The same within a budget, in which the machine stays declared.
    ///
    /// # Errors
    /// Also that the budget is used up.
    pub fn to_rsm_within(
        &self,
        semantics: &Semantics,
        recovery: Recovery,
        budget: &mut Budget,
    ) -> Result<(Rsm, Diagnostics), Stopped> {
        if self.initial.is_empty() {
            let problems = Diagnostics::from(Diagnostic::global("there is no initial configuration"));
            return Err(problems.into());
        }
        let before = budget.used();
        let mut heads = Heads::new(self, budget)?;
        let tails = Tails::met(&mut heads, budget)?;
        let exits = Exits::of(&mut heads, recovery == Recovery::Single, budget)?;
        budget.charge(Labels::bytes(self))?;
        let mut labels = Labels::new(self);
        let plan = Plan::of(&heads, &exits, &mut labels, tails, budget)?;
        let plans = budget.used() - before;
        let builder = emit::machine(&heads, &exits, &plan, labels, budget)?;
        let held = budget.used() - before - plans;
        drop((plan, exits, heads));
        budget.release(plans);
        builder.finish_charged(*semantics, held, budget)
    }
}
