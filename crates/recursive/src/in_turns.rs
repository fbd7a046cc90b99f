//! Two engines in turns on one property: `summary`, and `lazy` where `summary` makes many contexts.
//!
//! Either may need exponentially many contexts where the other needs a few, which cannot be
//! predicted. So `lazy` gets a turn each time the instance graph of `summary` has grown by half,
//! and works until it has spent as many steps as `summary`. Nothing is begun again: the cost is at
//! most a constant times that of the better one, and as long as contexts are few it is that of
//! `summary` alone. Turns are counted in steps, so that the same engine decides on every machine.
//!
//! Each holds half of the memory at most. If that is too little for `summary`, each gets all of it,
//! one after the other.

use crate::prepared::Prepared;
use crate::property::{CtlProperty, Decider, EngineSettings, MachineOutcome, Property};
use crate::summary::{self, Growth, Mode, Rival, Stopped};
use crate::ternary::Rounds;
use loris_base::{Budget, Exhausted};
use std::cell::RefCell;

/// With this many existential subformulas, one three-valued look that often decides is cheap
/// against summaries for each of them (`docs/benchmarks.md`).
const WORTH_A_LOOK: usize = 3;

/// Checks a property; returns the engine that decided.
pub(crate) fn decide(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    settings: &EngineSettings,
    budget: &mut Budget,
) -> Result<(Decider, MachineOutcome), Exhausted> {
    let Ok(formula) = property.formula.clone().into_ctl() else {
        return summary(prepared, property, settings, Growth::Look(None), budget);
    };
    let ctl = &Property { formula: &formula, atoms: property.atoms.clone() };
    let mut half = budget.half();
    let lazy = Lazy {
        prepared,
        property: ctl,
        settings,
        start: half.spent(),
        state: RefCell::new(State::Fresh(Box::new(half.clone()))),
    };
    let mut found = None;
    if property.formula.existentials().count() >= WORTH_A_LOOK {
        found = lazy.look(&mut half)?.map(|outcome| (Decider::Lazy, outcome));
    }
    let found = match found {
        Some(found) => Ok(found),
        None => summary(prepared, property, settings, Growth::Look(Some(&lazy)), &mut half),
    };
    drop(lazy);
    budget.join(&half)?;
    if found != Err(Exhausted::Memory) {
        return found;
    }
    let mut part = budget.part();
    let found = summary(prepared, property, settings, Growth::Look(None), &mut part);
    budget.join(&part)?;
    if found != Err(Exhausted::Memory) {
        return found;
    }
    let outcome = Rounds::lazy(prepared, ctl, settings, budget)?.finish(budget)?;
    Ok((Decider::Lazy, outcome))
}

/// Checks a property with the summary engine; another one may be faster.
pub(crate) fn summary(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    settings: &EngineSettings,
    growth: Growth<'_>,
    budget: &mut Budget,
) -> Result<(Decider, MachineOutcome), Exhausted> {
    let mode = Mode { at_exit: settings.at_exit, most_cells: usize::MAX, each_initial: false, growth };
    match summary::verdicts(prepared, property.formula, &[&property.atoms], &mode, budget) {
        Ok(found) => {
            let outcome = MachineOutcome {
                holds: found.holds() & 1 == 1,
                contexts: found.contexts,
                checks: found.checks,
                components: prepared.rsm().component_count(),
            };
            Ok((Decider::Summary, outcome))
        }
        Err(Stopped::Decided(outcome)) => Ok((Decider::Lazy, outcome)),
        Err(Stopped::Exhausted(exhausted)) => Err(exhausted),
        Err(Stopped::TooLarge) => Err(Exhausted::Memory),
    }
}

/// `lazy`, between its turns.
struct Lazy<'p, 'a> {
    prepared: &'p Prepared<'a>,
    property: &'p CtlProperty<'p>,
    settings: &'p EngineSettings,
    /// the steps of the budget when all began
    start: u64,
    state: RefCell<State<'p>>,
}

enum State<'p> {
    /// it has had no turn yet
    Fresh(Box<Budget>),
    Running(Box<(Rounds<'p>, Budget)>),
    /// it ran out of memory
    Over,
}

impl Lazy<'_, '_> {
    /// Its first refinement; returns its result, if that is enough.
    fn look(&self, budget: &mut Budget) -> Result<Option<MachineOutcome>, Exhausted> {
        let mut state = self.state.borrow_mut();
        let State::Fresh(own) = &mut *state else { return Ok(None) };
        let before = own.spent();
        let refined = Rounds::lazy(self.prepared, self.property, self.settings, own);
        budget.spend(steps(own.spent() - before))?;
        let (next, found) = match refined {
            Ok(rounds) => {
                let found = rounds.outcome();
                (State::Running(Box::new((rounds, (**own).clone()))), found)
            }
            Err(Exhausted::Memory) => (State::Over, None),
            Err(exhausted) => return Err(exhausted),
        };
        *state = next;
        Ok(found)
    }
}

impl Rival for Lazy<'_, '_> {
    fn turn(&self, budget: &mut Budget) -> Result<Option<MachineOutcome>, Exhausted> {
        if let Some(found) = self.look(budget)? {
            return Ok(Some(found));
        }
        let mut state = self.state.borrow_mut();
        let State::Running(running) = &mut *state else { return Ok(None) };
        let (rounds, own) = &mut **running;
        // the steps of the budget include those spent here
        let all = budget.spent() - self.start;
        let before = own.spent();
        let until = self.start + all.saturating_sub(before - self.start);
        let mut found = Ok(None);
        while own.spent() < until {
            let most = rounds.instances();
            match rounds.round(most, own) {
                Ok(()) => found = Ok(rounds.outcome()),
                Err(exhausted) => found = Err(exhausted),
            }
            if found != Ok(None) {
                break;
            }
        }
        budget.spend(steps(own.spent() - before))?;
        if found == Err(Exhausted::Memory) {
            *state = State::Over;
            return Ok(None);
        }
        found
    }
}

fn steps(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
