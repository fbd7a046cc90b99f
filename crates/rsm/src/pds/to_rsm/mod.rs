//! From a pushdown system to a machine that no CTL formula distinguishes from it.
//!
//! Heads become nodes; a push becomes a call of the procedure of its top, with a box for the symbol
//! below; heads connected by swaps, and by calls with the heads after them, are one component. Five
//! steps, each linear in its output: which heads occur and into which they return (`search`), how
//! each procedure returns (`exits`), which procedures are copied for whom (`plan`, `calls`) and the
//! content of each copy (`explore`), and the machine (`layout`, `emit`, `machine`). Each frees the
//! memory that the next does not need. Every step of the system is one step of the machine and no
//! other is added: a bisimulation relates `(q, γ w)` to the state of the node, or of the return
//! port, of `(q, γ)` under the boxes of `w`.
//!
//! The oracle compares both as graphs of configurations: `pds/tests/bisimulation.rs`.

mod calls;
mod copies;
mod emit;
mod exits;
mod explore;
mod heads;
mod labels;
mod layout;
mod machine;
mod names;
mod parts;
mod plan;
mod rows;
mod search;
mod sets;
mod sites;
mod sparse;
mod tails;

use super::Pds;

use crate::{Rsm, Semantics};
use exits::Exits;
use labels::Labels;
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};
use names::{Naming, Texts};
use plan::Plan;
use search::HeadSearch;
use tails::Tails;

/// How heads are grouped into components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Recovery {
    /// The procedures that can be distinguished.
    #[default]
    Procedures,
    /// All heads together (rsm-analysis, Theorem 1).
    Single,
}

impl Pds {
    /// A machine that simulates this system step by step, and warnings.
    ///
    /// Runs start at the initial configurations. Where the last symbol is popped, an exit with the
    /// labels of the control state is left with an empty stack; a head without rules with nothing
    /// below it is such an exit, too. Other heads without rules are dead ends. Labels of heads that
    /// never occur stay known.
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
    /// Dead ends, unless the semantics takes them, and systems whose machine would be many times as
    /// large.
    pub fn to_rsm(
        &self,
        semantics: &Semantics,
        recovery: &Recovery,
    ) -> Result<(Rsm, Diagnostics), Diagnostics> {
        let machine = self.clone().into_rsm_within(semantics, *recovery, &mut Budget::unlimited());
        machine.map_err(Stopped::into_problems)
    }

    /// The same within a budget, in which the system was declared and the machine stays declared.
    /// The system is given back step by step, so that both are never held together.
    ///
    /// # Errors
    /// Also that the budget is used up.
    pub fn into_rsm_within(
        self,
        semantics: &Semantics,
        recovery: Recovery,
        budget: &mut Budget,
    ) -> Result<(Rsm, Diagnostics), Stopped> {
        let Some(initial) = self.initial.first().map(|initial| initial.offset) else {
            let problems = Diagnostics::from(Diagnostic::global("there is no initial configuration"));
            return Err(problems.into());
        };
        let others = budget.used().saturating_sub(self.bytes());
        budget.charge(Labels::bytes(&self))?;
        let mut labels = Labels::new(&self);
        let Pds { controls, symbols, labels: label_names, rules, initial: starts, .. } = self;
        let (count, bytes) = (symbols.len(), symbols.bytes());
        let texts = Texts::of(symbols, &controls, &label_names);
        budget.release(bytes - texts.bytes());
        let mut search = HeadSearch::new(rules, controls.len(), count, budget)?;
        let tails = Tails::met(&mut search, &starts, budget)?;
        let (mut heads, class_of, classes) = search.finish(initial, budget)?;
        let exits = Exits::of(&heads, (class_of, classes), recovery == Recovery::Single, budget)?;
        let plan = Plan::of(&mut heads, exits, &mut labels, tails, budget)?;
        heads.forget_pops(budget);
        let naming = Naming::of(texts, &heads, &controls, &label_names, budget)?;
        let (rsm, remarks) = machine::machine(heads, plan, labels, naming, *semantics, budget)?;
        budget.settle(others + rsm.bytes())?;
        Ok((rsm, remarks))
    }
}
