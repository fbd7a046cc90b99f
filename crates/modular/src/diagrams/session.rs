//! A system in a store of decision diagrams, and the operations that formulas are made of.

use super::hull::CycleSearch;
use super::processes::{Owners, Processes};
use super::race::Race;
use loris_base::{Budget, Exhausted};
use loris_logic::mu::ActionSet;
use loris_solvers::mdd::{Event, ImageDirection, Relation, Set, Store};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Operations recurse as deep as there are processes: more than this are too many for the stack.
const LEVELS: usize = 3000;

/// What was needed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The number of reachable states, once it is known.
    pub reachable: Option<f64>,
    /// The most nodes of decision diagrams at one time.
    pub peak_nodes: usize,
}

/// One system, for any number of formulas.
pub struct Session {
    /// until the reachable states are known
    race: Option<Race>,
    /// with levels in the order of the store, once this is chosen
    pub(super) processes: Processes,
    pub(super) store: Store,
    /// relations of sets of events by direction; all events have none
    relations: FxHashMap<(ImageDirection, Option<Vec<u32>>), Arc<Relation>>,
    enabled: FxHashMap<u32, Set>,
    reached: Option<Set>,
    /// searches that a limit has cut off, the last one first
    pub(super) aside: Vec<CycleSearch>,
    /// states that steps may lead to
    space: Set,
    statistics: Statistics,
}

impl Session {
    /// A session about a system; nothing is computed yet.
    pub fn new(processes: &Processes) -> Self {
        let store = Store::new(Vec::new());
        Self {
            race: Some(Race::new(processes)),
            processes: Processes::default(),
            space: store.all(),
            store,
            relations: FxHashMap::default(),
            enabled: FxHashMap::default(),
            reached: None,
            aside: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// What was needed so far.
    pub fn statistics(&self) -> Statistics {
        let peak_nodes = self.race.as_ref().map_or(self.store.peak_nodes(), Race::peak_nodes);
        Statistics { peak_nodes, ..self.statistics }
    }

    /// How many states are reachable, at least.
    pub(crate) fn at_least(&self, budget: &mut Budget) -> Result<f64, Exhausted> {
        match (&self.race, self.statistics.reachable) {
            (Some(race), None) => race.at_least(budget),
            (_, reachable) => Ok(reachable.unwrap_or(0.0)),
        }
    }

    /// The bytes that are held from one formula to the next.
    pub fn bytes(&self) -> usize {
        let relations: usize = self.relations.values().map(|relation| relation.bytes()).sum();
        let aside: usize = self.aside.iter().map(CycleSearch::bytes).sum();
        self.race.as_ref().map_or(self.store.bytes() + relations + aside, Race::bytes)
    }

    /// The events whose actions belong to a set; none if all do.
    pub(super) fn events(&self, actions: &ActionSet) -> Option<Vec<u32>> {
        if actions.is_all() {
            return None;
        }
        let all = 0..self.processes.names.len() as u32;
        let among: Vec<u32> =
            all.filter(|&event| actions.contains(&self.processes.names[event as usize])).collect();
        (among.len() < self.processes.names.len()).then_some(among)
    }

    /// The events whose actions belong to a set.
    pub(super) fn list(&self, actions: &ActionSet) -> Vec<Event> {
        let all = &self.processes.system.events;
        match self.events(actions) {
            None => all.clone(),
            Some(some) => some.iter().map(|&event| all[event as usize].clone()).collect(),
        }
    }

    /// The steps by actions of a set.
    pub(super) fn relation(
        &mut self,
        direction: ImageDirection,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Arc<Relation>, Exhausted> {
        let key = (direction, self.events(actions));
        if let Some(relation) = self.relations.get(&key) {
            return Ok(Arc::clone(relation));
        }
        let all = &self.processes.system.events;
        let some: Vec<&Event> = match &key.1 {
            None => all.iter().collect(),
            Some(some) => some.iter().map(|&event| &all[event as usize]).collect(),
        };
        let made = Arc::new(self.store.relation(some, direction, budget)?);
        self.relations.insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// The reachable states.
    pub fn reachable(&mut self, budget: &mut Budget) -> Result<Set, Exhausted> {
        if let Some(reached) = &self.reached {
            return Ok(reached.clone());
        }
        let Some(race) = &mut self.race else { return Ok(self.store.empty()) };
        if race.levels() > LEVELS {
            return Err(Exhausted::Memory);
        }
        let (winner, reached) = race.run(budget)?;
        self.space = winner.space.unwrap_or_else(|| winner.store.all());
        (self.processes, self.store, self.race) = (winner.processes, winner.store, None);
        self.reached = Some(reached.clone());
        self.statistics.reachable = Some(self.store.count(&reached, budget)?);
        Ok(reached)
    }

    /// The set of the initial state.
    pub(super) fn initial(&mut self, budget: &mut Budget) -> Result<Set, Exhausted> {
        self.store.tuple(&self.processes.system.initial, budget)
    }

    /// The reachable states where some event of an action can happen.
    pub(super) fn enabled(&mut self, actions: &ActionSet, budget: &mut Budget) -> Result<Set, Exhausted> {
        let within = self.reachable(budget)?;
        match self.events(actions) {
            None => {
                let relation = self.relation(ImageDirection::Backward, actions, budget)?;
                self.store.image(&within, &within, &relation, budget)
            }
            Some(events) => {
                let mut sets = Vec::with_capacity(events.len());
                for event in events {
                    sets.push(self.enabled_event(event, &within, budget)?);
                }
                self.unite(sets, budget)
            }
        }
    }

    fn enabled_event(&mut self, event: u32, within: &Set, budget: &mut Budget) -> Result<Set, Exhausted> {
        if let Some(found) = self.enabled.get(&event) {
            return Ok(found.clone());
        }
        let locals = &self.processes.system.events[event as usize].locals;
        let values: Vec<(u32, Vec<u32>)> = locals
            .iter()
            .map(|(level, pairs)| {
                let mut values: Vec<u32> = pairs.iter().map(|&(from, _)| from).collect();
                values.sort_unstable();
                values.dedup();
                (*level, values)
            })
            .collect();
        let values: Vec<_> = values.iter().map(|(level, values)| (*level, &values[..])).collect();
        let anywhere = self.store.product(&values, budget)?;
        let here = self.store.intersection(&anywhere, within, budget)?;
        self.enabled.insert(event, here.clone());
        Ok(here)
    }

    /// The union of any number of sets.
    pub(super) fn unite(&mut self, mut sets: Vec<Set>, budget: &mut Budget) -> Result<Set, Exhausted> {
        while sets.len() > 1 {
            let mut halved = Vec::with_capacity(sets.len().div_ceil(2));
            for pair in sets.chunks(2) {
                halved.push(match pair {
                    [a, b] => self.store.union(a, b, budget)?,
                    _ => pair[0].clone(),
                });
            }
            sets = halved;
        }
        Ok(sets.pop().unwrap_or_else(|| self.store.empty()))
    }

    /// The reachable states with a label; none have one that is not known.
    pub(super) fn labelled(&mut self, name: &str, budget: &mut Budget) -> Result<Set, Exhausted> {
        let within = self.reachable(budget)?;
        let owners = self.processes.atoms.iter().filter(|(known, _)| known == name);
        let owners: Owners = owners.flat_map(|(_, owners)| owners.clone()).collect();
        let mut sets = Vec::new();
        for (level, states) in owners {
            let set = self.store.product(&[(level, &states)], budget)?;
            sets.push(self.store.intersection(&set, &within, budget)?);
        }
        self.unite(sets, budget)
    }

    /// The reachable states outside of a set.
    pub(super) fn complement(&mut self, set: &Set, budget: &mut Budget) -> Result<Set, Exhausted> {
        let within = self.reachable(budget)?;
        self.store.difference(&within, set, budget)
    }

    /// The reachable states with a step by an action of the set into `target`.
    pub(super) fn before(
        &mut self,
        target: &Set,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let within = self.reachable(budget)?;
        if *target == within {
            return self.enabled(actions, budget);
        }
        let relation = self.relation(ImageDirection::Backward, actions, budget)?;
        self.store.image(target, &within, &relation, budget)
    }

    /// The states from which steps by actions of the set, from states of `along` only, lead to
    /// `target`.
    pub(super) fn until(
        &mut self,
        along: &Set,
        target: &Set,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let relation = self.relation(ImageDirection::Backward, actions, budget)?;
        self.store.closure(target, along, &relation, budget)
    }

    /// What one step by an action of the set leads to.
    pub(super) fn after(
        &mut self,
        set: &Set,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let relation = self.relation(ImageDirection::Forward, actions, budget)?;
        let space = self.space.clone();
        self.store.image(set, &space, &relation, budget)
    }

    /// What any number of steps by actions of the set, from states of `along` only, leads to.
    pub(super) fn reach(
        &mut self,
        from: &Set,
        along: &Set,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let all = self.reachable(budget)?;
        if *along == all && actions.is_all() && self.store.contains(from, &self.processes.system.initial) {
            return Ok(all);
        }
        let relation = self.relation(ImageDirection::Forward, actions, budget)?;
        let start = self.store.intersection(from, along, budget)?;
        let passed = self.store.closure(&start, along, &relation, budget)?;
        let ends = self.after(&passed, actions, budget)?;
        self.store.union(from, &ends, budget)
    }
}
