//! Runs that stay in a set for ever.

use super::cycles::on_cycles;
use super::session::Session;
use loris_base::{Budget, Exhausted};
use loris_logic::mu::ActionSet;
use loris_solvers::mdd::{Event, ImageDirection, Relation, Set};

/// Rounds of trimming between two looks at which events are left.
const ROUNDS: usize = 8;

impl Session {
    /// The largest part of `stay` in which every state is in `base` or has a step by an action of
    /// the set into the part.
    pub(super) fn hull(
        &mut self,
        stay: &Set,
        base: &Set,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let relation = self.relation(ImageDirection::Backward, actions, budget)?;
        let base = self.store.intersection(base, stay, budget)?;
        let safe = self.store.closure(&base, stay, &relation, budget)?;
        // no state of the rest has a step into the safe part
        let rest = self.store.difference(stay, &safe, budget)?;
        let lasting = self.lasting(&rest, actions, false, budget)?;
        self.store.union(&safe, &lasting, budget)
    }

    /// Whether a run by actions of the set from a state of `start` stays in `stay` for ever or
    /// until it is in `base`; both others are parts of `stay`.
    pub(super) fn stays(
        &mut self,
        start: &Set,
        stay: &Set,
        base: &Set,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        // the search answers for the first state
        match self.walk(start, stay, base, actions, budget)? {
            Some(true) => return Ok(true),
            Some(false) if self.store.count(start, budget)? < 1.5 => return Ok(false),
            _ => {}
        }
        let relation = self.relation(ImageDirection::Forward, actions, budget)?;
        let passed = self.store.closure(start, stay, &relation, budget)?;
        if !self.store.intersection(&passed, base, budget)?.is_empty() {
            return Ok(true);
        }
        Ok(!self.lasting(&passed, actions, true, budget)?.is_empty())
    }

    /// The states of a set from which runs stay in it for ever; with `any`, some of them, if there
    /// are any.
    ///
    /// Such runs end in cycles. First come those on which all events have one process in common,
    /// which are found in few steps and often lead to most of the set; then all others.
    fn lasting(
        &mut self,
        set: &Set,
        actions: &ActionSet,
        any: bool,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let backward = self.relation(ImageDirection::Backward, actions, budget)?;
        let mut lasting = self.store.empty();
        let mut rest = set.clone();
        let mut events = self.list(actions);
        let mut process = 0;
        while !rest.is_empty() {
            events = on_cycles(events, &self.store.values(&rest), budget)?;
            if events.is_empty() {
                break;
            }
            let among = loop {
                let has = |event: &&Event| event.locals.iter().any(|&(level, _)| level == process);
                let some: Vec<Event> = events.iter().filter(has).cloned().collect();
                let is_last = process as usize == self.store.sizes().len();
                process += 1;
                if is_last || !some.is_empty() && some.len() < events.len() {
                    break if is_last { None } else { Some(some) };
                }
            };
            let is_last = among.is_none();
            let core = self.core(&rest, among.unwrap_or_else(|| events.clone()), budget)?;
            if any && !core.is_empty() {
                return Ok(core);
            }
            if !core.is_empty() {
                let more = self.store.closure(&core, &rest, &backward, budget)?;
                lasting = self.store.union(&lasting, &more, budget)?;
                rest = self.store.difference(&rest, &more, budget)?;
            }
            if is_last {
                break;
            }
        }
        Ok(lasting)
    }

    /// The largest part of a set in which every state has a step by some events into it, and one
    /// that leads to it from the part: all cycles, and what lies between them.
    fn core(&mut self, set: &Set, events: Vec<Event>, budget: &mut Budget) -> Result<Set, Exhausted> {
        let mut core = set.clone();
        let mut events = events;
        let mut size = usize::MAX;
        let mut relations = None;
        'trim: while !core.is_empty() {
            events = on_cycles(events, &self.store.values(&core), budget)?;
            if events.is_empty() {
                core = self.store.empty();
                break;
            }
            // an event in which no process moves has no pairs, and stays
            let left = events.iter().flat_map(|event| &event.locals).map(|(_, pairs)| pairs.len()).sum();
            if left < size {
                size = left;
                if let Some((backward, forward)) = relations.take() {
                    forget(&[backward, forward], budget);
                }
                relations = Some((
                    self.store.relation(&events, ImageDirection::Backward, budget)?,
                    self.store.relation(&events, ImageDirection::Forward, budget)?,
                ));
            }
            let Some((backward, forward)) = &relations else { break };
            for _ in 0..ROUNDS {
                let next = self.store.image(&core, &core, backward, budget)?;
                let next = self.store.image(&next, &next, forward, budget)?;
                if next == core {
                    break 'trim;
                }
                core = next;
            }
        }
        if let Some((backward, forward)) = relations {
            forget(&[backward, forward], budget);
        }
        Ok(core)
    }
}

/// Gives back what relations were charged for.
fn forget(relations: &[Relation], budget: &mut Budget) {
    for relation in relations {
        budget.release(relation.bytes());
    }
}
