//! A system in a store of decision diagrams, and the operations that formulas are made of.

use super::parts::{Owners, Parts};
use loris_base::{Budget, Exhausted};
use loris_logic::mu::ActionSet;
use loris_solvers::mdd::{Direction, Event, Relation, Set, Store, order};
use rustc_hash::FxHashMap;
use std::rc::Rc;

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
    /// with levels in the order of the store
    pub(super) parts: Parts,
    pub(super) store: Store,
    forward: Option<Rc<Relation>>,
    /// backward relations of sets of events; all events have none
    backward: FxHashMap<Option<Vec<u32>>, Rc<Relation>>,
    enabled: FxHashMap<u32, Set>,
    reached: Option<Set>,
    statistics: Statistics,
}

impl Session {
    /// Chooses an order of the parts; nothing else is computed yet.
    pub fn new(parts: &Parts) -> Self {
        let parts = parts.arranged(&order(&parts.system));
        let store = Store::new(parts.system.sizes.clone());
        Self {
            parts,
            store,
            forward: None,
            backward: FxHashMap::default(),
            enabled: FxHashMap::default(),
            reached: None,
            statistics: Statistics::default(),
        }
    }

    /// What was needed so far.
    pub fn statistics(&self) -> Statistics {
        Statistics { peak_nodes: self.store.peak_nodes(), ..self.statistics }
    }

    /// The bytes that are held from one formula to the next.
    pub fn bytes(&self) -> usize {
        self.store.bytes()
    }

    /// All steps, forward.
    pub(super) fn forward(&mut self, budget: &mut Budget) -> Result<Rc<Relation>, Exhausted> {
        if let Some(relation) = &self.forward {
            return Ok(Rc::clone(relation));
        }
        let made = self.store.relation(&self.parts.system.events, Direction::Forward, budget)?;
        let made = Rc::new(made);
        self.forward = Some(Rc::clone(&made));
        Ok(made)
    }

    /// The events whose actions belong to a set; none if all do.
    pub(super) fn events(&self, actions: &ActionSet) -> Option<Vec<u32>> {
        if actions.is_all() {
            return None;
        }
        let all = 0..self.parts.names.len() as u32;
        let among: Vec<u32> =
            all.filter(|&event| actions.contains(&self.parts.names[event as usize])).collect();
        (among.len() < self.parts.names.len()).then_some(among)
    }

    /// The steps by some events, backward.
    pub(super) fn backward(
        &mut self,
        events: Option<Vec<u32>>,
        budget: &mut Budget,
    ) -> Result<Rc<Relation>, Exhausted> {
        if let Some(relation) = self.backward.get(&events) {
            return Ok(Rc::clone(relation));
        }
        let all = &self.parts.system.events;
        let made = match &events {
            None => self.store.relation(all, Direction::Backward, budget)?,
            Some(some) => {
                let some: Vec<&Event> = some.iter().map(|&event| &all[event as usize]).collect();
                self.store.relation(some, Direction::Backward, budget)?
            }
        };
        let made = Rc::new(made);
        self.backward.insert(events, Rc::clone(&made));
        Ok(made)
    }

    /// The reachable states.
    pub fn reachable(&mut self, budget: &mut Budget) -> Result<Set, Exhausted> {
        if let Some(reached) = &self.reached {
            return Ok(reached.clone());
        }
        let relation = self.forward(budget)?;
        let start = self.initial(budget)?;
        let all = self.store.all();
        let reached = self.store.closure(&start, &all, &relation, budget)?;
        self.statistics.reachable = Some(self.store.count(&reached, budget)?);
        self.reached = Some(reached.clone());
        Ok(reached)
    }

    /// The set of the initial state.
    pub(super) fn initial(&mut self, budget: &mut Budget) -> Result<Set, Exhausted> {
        self.store.tuple(&self.parts.system.initial, budget)
    }

    /// The reachable states where some event of an action can happen.
    pub(super) fn enabled(&mut self, actions: &ActionSet, budget: &mut Budget) -> Result<Set, Exhausted> {
        let within = self.reachable(budget)?;
        match self.events(actions) {
            None => {
                let relation = self.backward(None, budget)?;
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
        let locals = &self.parts.system.events[event as usize].locals;
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
        let owners = self.parts.atoms.iter().filter(|(known, _)| known == name);
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
        let relation = self.backward(self.events(actions), budget)?;
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
        let relation = self.backward(self.events(actions), budget)?;
        self.store.closure(target, along, &relation, budget)
    }

    /// The largest part of `set` in which every state is in `base` or has a step by an action of
    /// the set into the part.
    pub(super) fn hull(
        &mut self,
        set: &Set,
        base: &Set,
        actions: &ActionSet,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let relation = self.backward(self.events(actions), budget)?;
        let base = self.store.intersection(base, set, budget)?;
        let safe = self.store.closure(&base, set, &relation, budget)?;
        let mut hull = set.clone();
        while hull != safe {
            let step = self.store.image(&hull, &hull, &relation, budget)?;
            let next = self.store.union(&step, &safe, budget)?;
            if next == hull {
                break;
            }
            hull = next;
        }
        Ok(hull)
    }
}
