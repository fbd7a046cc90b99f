//! Global states of processes that run in parallel: their names, and their steps by definition.

use crate::names::StateNames;
use crate::read::NamedValue;
use loris_base::{Budget, Exhausted, Idx, Symbol, Truth};
use loris_logic::mu::MuFormula;
use loris_lts::{Action, GlobalState, ProcessKind, StateId, System};
use std::borrow::Cow;

/// The name in states of the action by which a run leaves them. It stands behind the processes'
/// states, if the run is to show a formula about actions.
const ACTION: &str = "(action)";
/// The action of a state that no step leaves.
const NO_ACTION: &str = "(none)";

impl StateNames<GlobalState> for System {
    fn values(&self, state: &GlobalState) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let names = self.processes().iter().map(|process| Cow::Borrowed(process.name()));
        let local = &state.0[..self.len().min(state.0.len())];
        let values = names.zip(self.state_names(local).into_iter().map(Cow::Owned));
        let action = state.0.get(self.len()).map(|&action| {
            let known = (action as usize) < self.actions().len();
            (ACTION.into(), if known { self.visible_name(action).into() } else { NO_ACTION.into() })
        });
        values.chain(action).collect()
    }
}

/// A state of a run together with the action by which the run leaves it; none if it does not.
pub fn leaving(mut state: GlobalState, action: Option<Action>) -> GlobalState {
    state.0.push(action.unwrap_or(Action::MAX));
    state
}

/// The global state in which the processes of a system have these states, perhaps with the action
/// by which a run [leaves](leaving) it.
///
/// # Errors
/// Why there is none.
pub fn global_state(system: &System, values: &[NamedValue<'_>]) -> Result<GlobalState, String> {
    let mut local = Vec::with_capacity(system.len());
    for process in system.processes() {
        let Some((_, value)) = values.iter().find(|(name, _)| name == process.name()) else {
            return Err(format!("the state of the process \"{}\" is missing", process.name()));
        };
        let state = if process.has_state_names() {
            process.find_state(value)
        } else {
            value.parse().ok().filter(|&state: &usize| state < process.state_count()).map(StateId::new)
        };
        match state {
            Some(state) => local.push(state.index() as u32),
            None => return Err(format!("the process \"{}\" has no state \"{value}\"", process.name())),
        }
    }
    let is_other = |name: &str| system.processes().iter().all(|process| process.name() != name);
    let mut others = values.iter().filter(|(name, _)| is_other(name));
    match others.find(|(name, _)| name != ACTION) {
        Some((name, _)) => return Err(format!("there is no process \"{name}\"")),
        None => local.extend(action(system, values, is_other(ACTION))?),
    }
    Ok(GlobalState(local))
}

/// The number of the action that the values of a state name, if they name one.
fn action(system: &System, values: &[NamedValue<'_>], is_free: bool) -> Result<Option<Action>, String> {
    let Some((_, value)) = values.iter().find(|(name, _)| is_free && name == ACTION) else { return Ok(None) };
    if value == NO_ACTION {
        return Ok(Some(Action::MAX));
    }
    let is_it = |&action: &Action| system.visible_name(action) == value;
    let found = (0..system.actions().len() as Action).find(is_it);
    found.map(Some).ok_or_else(|| format!("no process has the action \"{value}\""))
}

/// The value of a label of a formula; one that no process has is false.
pub(crate) fn label(system: &System, formula: &MuFormula, state: &[u32], atom: Symbol) -> Truth {
    let Some(atom) = system.atoms().find(&formula.atoms()[atom]) else { return Truth::False };
    let (process, own) = system.owners(atom)[0];
    system.process(process).label(StateId::new(state[process as usize] as usize), own)
}

/// The steps of a global state, by the definition of composition: all combinations of local steps.
pub(crate) fn successors(
    system: &System,
    state: &[u32],
    budget: &mut Budget,
) -> Result<Vec<(u32, Vec<u32>, bool)>, Exhausted> {
    let local = |process: u32| StateId::new(state[process as usize] as usize);
    let mut results = Vec::new();
    if system.kind() == ProcessKind::Kripke {
        let mut partial: Vec<(Vec<u32>, bool)> = vec![(Vec::new(), true)];
        for process in 0..system.len() as u32 {
            let mut longer = Vec::new();
            for (prefix, must) in &partial {
                for step in system.process(process).steps(local(process)) {
                    budget.spend(1 + prefix.len())?;
                    let mut next = prefix.clone();
                    next.push(step.target.index() as u32);
                    if agrees(system, &next) {
                        longer.push((next, *must && step.must));
                    }
                }
            }
            partial = longer;
        }
        results.extend(partial.into_iter().map(|(next, must)| (0, next, must)));
        return Ok(results);
    }
    for process in 0..system.len() as u32 {
        for step in system.process(process).steps(local(process)).filter(|step| step.action.index() == 0) {
            let mut next = state.to_vec();
            next[process as usize] = step.target.index() as u32;
            results.push((0, next, step.must));
        }
    }
    for action in 1..system.actions().len() as u32 {
        let mut partial: Vec<(Vec<u32>, bool)> = vec![(state.to_vec(), true)];
        for &(process, own) in system.participants(action) {
            budget.spend(1)?;
            let mut longer = Vec::new();
            for (prefix, must) in &partial {
                for step in system.process(process).steps(local(process)).filter(|step| step.action == own) {
                    budget.spend(1 + prefix.len() / 4)?;
                    let mut next = prefix.clone();
                    next[process as usize] = step.target.index() as u32;
                    longer.push((next, *must && step.must));
                }
            }
            partial = longer;
            if partial.is_empty() {
                break;
            }
        }
        if !system.participants(action).is_empty() {
            results.extend(partial.into_iter().map(|(next, must)| (action, next, must)));
        }
    }
    Ok(results)
}

/// Whether the first processes agree on the labels they share.
fn agrees(system: &System, state: &[u32]) -> bool {
    (0..system.atoms().len()).all(|atom| {
        let owners =
            system.owners(Symbol::new(atom)).iter().filter(|(process, _)| (*process as usize) < state.len());
        let mut values = owners.map(|&(process, own)| {
            system.process(process).label(StateId::new(state[process as usize] as usize), own)
        });
        let first = values.next();
        values.all(|value| Some(value) == first)
    })
}
