//! Runs of a Boolean transition system to a state in which a function holds, and runs that end.

use loris_base::{Budget, Exhausted};
use loris_circuit::{SystemRun, TransitionSystem};
use loris_logic::{Core, CtlCore, parse};
use loris_symbolic::{FirstOrder, Portfolio, PortfolioOptions, Query, SymbolicEngine, Undecided};

/// A run to a state in which the one function that a system observes holds, if there is one.
/// Fairness does not matter, nor whether runs can end.
///
/// # Errors
/// The limit that was reached.
///
/// ```
/// use loris_base::Budget;
/// use loris_check::run_to;
/// use loris_circuit::{StateVar, TransitionSystem};
/// let mut system = TransitionSystem::default();
/// let bit = system.aig.variable();
/// system.states.push(StateVar { now: bit, next: !bit });
/// system.init.push(!bit);
/// system.observed.push(bit);
/// let run = run_to(&system, &mut Budget::unlimited()).unwrap().unwrap();
/// assert_eq!(run.steps.len(), 2);
/// ```
pub fn run_to(system: &TransitionSystem, budget: &mut Budget) -> Result<Option<SystemRun>, Exhausted> {
    let system = any_run(system);
    let cone = system.reduced_within(budget)?;
    let core: CtlCore = Core::new(&parse("A G !bad").expect("a formula")).expect("of CTL");
    let query = Query { core: &core, atoms: &cone.system.observed };
    let options = PortfolioOptions { total: true, ..PortfolioOptions::default() };
    let engines = [SymbolicEngine::Pdr, SymbolicEngine::Bdd, SymbolicEngine::Bmc];
    let found = Portfolio::new(&cone.system, options).decide_among(&engines, &query, budget);
    match limited(found)?.map(|(_, outcome)| outcome) {
        Some(outcome) if outcome.holds => Ok(None),
        // a run was found, and memory did not suffice to write it down
        found => {
            let witness = found.and_then(|outcome| outcome.witness).ok_or(Exhausted::Memory)?;
            Ok(Some(cone.extend(&system, &witness.trace)))
        }
    }
}

/// A run that ends in a state without a step, if there is one. Fairness does not matter. Decision
/// diagrams have this order to begin with.
///
/// # Errors
/// The limit that was reached.
pub fn run_to_dead_end(
    system: &TransitionSystem,
    order: FirstOrder,
    budget: &mut Budget,
) -> Result<Option<SystemRun>, Exhausted> {
    let system = TransitionSystem { observed: Vec::new(), ..any_run(system) };
    let cone = system.reduced_within(budget)?;
    let options = PortfolioOptions { order, ..PortfolioOptions::default() };
    match Portfolio::new(&cone.system, options).ensure_total(budget) {
        Err(Undecided::DeadEnd(trace)) => Ok(Some(cone.extend(&system, &trace))),
        other => limited(other).map(|_| None),
    }
}

fn any_run(system: &TransitionSystem) -> TransitionSystem {
    let mut system = system.clone();
    system.justice.clear();
    system.compassion.clear();
    system
}

/// What was found, if anything was.
fn limited<T>(found: Result<T, Undecided>) -> Result<Option<T>, Exhausted> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Undecided::Exhausted(why)) => Err(why),
        Err(Undecided::DeadEnd(_) | Undecided::Unfit(_)) => Ok(None),
    }
}
