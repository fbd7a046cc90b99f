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
    /// are any. Where a time limit ends this, it goes on from there the next time.
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
        let question = (set.clone(), self.events(actions), any);
        let aside = self.aside.iter().position(|search| search.question == question);
        let mut search = match aside {
            Some(aside) => self.aside.remove(aside),
            None => CycleSearch {
                question,
                lasting: self.store.empty(),
                rest: set.clone(),
                events: self.list(actions),
                process: 0,
                core: None,
            },
        };
        let found = self.search(&mut search, actions, budget);
        if found == Err(Exhausted::Time) {
            self.aside.truncate(ASIDE - 1);
            self.aside.insert(0, search);
        }
        found
    }

    fn search(
        &mut self,
        search: &mut CycleSearch,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let backward = self.relation(ImageDirection::Backward, actions, budget)?;
        loop {
            let core = if let Some(core) = &mut search.core {
                core
            } else {
                if search.rest.is_empty() {
                    break;
                }
                let values = self.store.values(&search.rest);
                search.events = on_cycles(search.events.clone(), &values, budget)?;
                if search.events.is_empty() {
                    break;
                }
                let among = search.next_events(self.store.sizes().len());
                let is_last = among.is_none();
                let events = among.unwrap_or_else(|| search.events.clone());
                let states = search.rest.clone();
                let (size, relations) = (usize::MAX, None);
                search.core.insert(Core { is_last, states, events, size, relations, rounds: 0 })
            };
            self.trim(core, budget)?;
            let (core, is_last) = (core.states.clone(), core.is_last);
            if search.question.2 && !core.is_empty() {
                return Ok(core);
            }
            if !core.is_empty() {
                let more = self.store.closure(&core, &search.rest, &backward, budget)?;
                let lasting = self.store.union(&search.lasting, &more, budget)?;
                search.rest = self.store.difference(&search.rest, &more, budget)?;
                search.lasting = lasting;
            }
            search.core = None;
            if is_last {
                break;
            }
        }
        Ok(search.lasting.clone())
    }

    /// Finds the largest part of a set in which every state has a step by some events into it, and
    /// one that leads to it from the part: all cycles, and what lies between them.
    fn trim(&mut self, core: &mut Core, budget: &mut Budget) -> Result<(), Exhausted> {
        while !core.states.is_empty() {
            if core.rounds == 0 {
                let events = on_cycles(core.events.clone(), &self.store.values(&core.states), budget)?;
                if events.is_empty() {
                    core.states = self.store.empty();
                    break;
                }
                // an event in which no process moves has no pairs, and stays
                let left = events.iter().flat_map(|event| &event.locals).map(|(_, pairs)| pairs.len()).sum();
                if left < core.size {
                    let backward = self.store.relation(&events, ImageDirection::Backward, budget)?;
                    let forward = self.store.relation(&events, ImageDirection::Forward, budget)?;
                    core.forget(budget);
                    core.relations = Some((backward, forward));
                    core.size = left;
                }
                (core.events, core.rounds) = (events, ROUNDS);
            }
            let Some((backward, forward)) = &core.relations else { break };
            let next = self.store.image(&core.states, &core.states, backward, budget)?;
            let next = self.store.image(&next, &next, forward, budget)?;
            if next == core.states {
                break;
            }
            (core.states, core.rounds) = (next, core.rounds - 1);
        }
        core.forget(budget);
        Ok(())
    }
}

/// A search for runs that stay in a set, kept while it is paused.
pub(super) struct CycleSearch {
    /// the set, the events if they are not all, and whether some of the states will do
    question: (Set, Option<Vec<u32>>, bool),
    /// what was found
    lasting: Set,
    /// where more may be found
    rest: Set,
    /// the events that can be on a cycle there
    events: Vec<Event>,
    /// the cycles of this process are next
    process: u32,
    core: Option<Core>,
}

/// A set that is trimmed from both ends until cycles are left.
struct Core {
    /// whether all events are looked at
    is_last: bool,
    states: Set,
    events: Vec<Event>,
    /// the pairs of local states in the relations
    size: usize,
    /// the events backward and forward
    relations: Option<(Relation, Relation)>,
    /// rounds until the next look at which events are left
    rounds: usize,
}

/// This many searches are set aside; the oldest is dropped for another one.
const ASIDE: usize = 4;

impl CycleSearch {
    /// The events of the next process that takes part in some of them, but not in all; none if
    /// there is no process left.
    fn next_events(&mut self, processes: usize) -> Option<Vec<Event>> {
        loop {
            let process = self.process;
            if process as usize == processes {
                return None;
            }
            self.process += 1;
            let has = |event: &&Event| event.locals.iter().any(|&(level, _)| level == process);
            let some: Vec<Event> = self.events.iter().filter(has).cloned().collect();
            if !some.is_empty() && some.len() < self.events.len() {
                return Some(some);
            }
        }
    }

    /// The bytes of its relations.
    pub(super) fn bytes(&self) -> usize {
        let relations = self.core.as_ref().and_then(|core| core.relations.as_ref());
        relations.map_or(0, |(backward, forward)| backward.bytes() + forward.bytes())
    }
}

impl Core {
    /// Drops the relations, and gives back what they were charged for.
    fn forget(&mut self, budget: &mut Budget) {
        if let Some((backward, forward)) = self.relations.take() {
            budget.release(backward.bytes() + forward.bytes());
        }
    }
}
