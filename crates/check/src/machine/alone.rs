//! Questions that are answered at once, on the thread and within the budget of the caller.
//!
//! Rules over programs ask thousands of machines of a few nodes, one question each. A batch with
//! threads and shares of memory of its own ([`check_all`](crate::check_all)) would cost more than the
//! answers do.

use super::plan::{MachinePlan, MachinePlanner};
use crate::plan::Plan;
use crate::{Options, Question, Refusal, Suggestions};
use loris_base::{BitSet, Budget, Csr, Exhausted};
use loris_evidence::Evidence;
use loris_finite::{Fairness, Kripke, LabelledFormula};
use loris_logic::{Core, CtlCore};
use loris_recursive::{EngineSettings, Explanation, Prepared, Property};
use loris_rsm::Rsm;

/// Plans a question about a machine that is prepared once for many of them.
///
/// # Errors
/// Why it is refused.
pub fn plan_one(machine: &Prepared<'_>, question: &Question, options: &Options) -> Result<Plan, Refusal> {
    MachinePlanner::new(machine, options, &Suggestions::default()).plan(question)
}

/// Whether a planned formula holds and, if it fails, a run that shows it, if there is one.
///
/// # Errors
/// The budget ended.
pub fn check_one(
    machine: &Prepared<'_>,
    plan: &Plan,
    budget: &mut Budget,
) -> Result<Option<(bool, Option<Evidence>)>, Exhausted> {
    let Some(formula) = plan.work().and_then(MachinePlan::shown) else { return Ok(None) };
    let property = formula.property();
    let (_, outcome) = machine.decide(&property, &EngineSettings::default(), budget)?;
    let shown = if outcome.holds { None } else { explained(machine, &property, budget)? };
    Ok(Some((outcome.holds, shown)))
}

/// Whether a formula of CTL holds in the first node of a graph without calls, in which
/// `is_labelled(node, atom)`; `atoms` are the numbers of the formula's atoms there.
///
/// # Errors
/// The budget ended.
pub fn holds_in_graph(
    successors: &Csr,
    is_labelled: impl Fn(u32, u32) -> bool + Sync,
    formula: &CtlCore,
    atoms: &[u32],
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    let rows = successors.rows();
    let predecessors = successors.transposed(rows);
    let kripke = Kripke { successors, predecessors: &predecessors, initial: &[0] };
    let labels = |atom: u32, column: &mut BitSet| {
        for node in (0..rows as u32).filter(|&node| is_labelled(node, atom)) {
            column.insert(node);
        }
    };
    let atoms: Vec<Option<u32>> = atoms.iter().map(|&atom| Some(atom)).collect();
    let property = LabelledFormula { formula, atoms: &atoms };
    let answers = loris_finite::check(&kripke, &labels, &[property], &Fairness::default(), budget)?;
    Ok(answers == [true])
}

/// Whether a formula of CTL, whose atoms are labels, holds in a machine.
///
/// # Errors
/// The budget ended.
pub fn holds_in_machine(machine: &Rsm, formula: &CtlCore, budget: &mut Budget) -> Result<bool, Exhausted> {
    let core = formula.clone().into();
    let property = property(machine, &core);
    Ok(Prepared::new(machine).summary(&property, &EngineSettings::default(), budget)?.holds)
}

/// A run that shows that a formula, whose atoms are labels, fails in a machine, if there is one.
///
/// # Errors
/// The budget ended.
pub fn refutation(
    machine: &Rsm,
    formula: &CtlCore,
    budget: &mut Budget,
) -> Result<Option<Evidence>, Exhausted> {
    let core = formula.clone().into();
    explained(&Prepared::new(machine), &property(machine, &core), budget)
}

fn property<'f>(machine: &Rsm, formula: &'f Core) -> Property<'f> {
    let atoms = formula.atoms().iter().map(|name| machine.label(name)).collect();
    Property { formula, atoms }
}

fn explained(
    machine: &Prepared<'_>,
    property: &Property<'_>,
    budget: &mut Budget,
) -> Result<Option<Evidence>, Exhausted> {
    Ok(match machine.explain(property, false, &EngineSettings::default(), budget)? {
        Explanation::Evidence(evidence) => Some(evidence),
        Explanation::Absence | Explanation::TooLong => None,
    })
}
