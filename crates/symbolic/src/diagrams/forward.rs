//! Steps forward: reachable states, breadth first, as far as they are asked for.
//!
//! The search can be left after any step and taken up again, by the same query or another.

use super::{DiagramError, Diagrams};
use loris_base::{Budget, Exhausted};
use loris_circuit::RunStep;
use loris_circuit::SystemRun;
use loris_solvers::bdd::Bdd;

/// More layers than this are not kept: they would be in the way of garbage collection and sifting.
const MOST_LAYERS: usize = 2000;

impl Diagrams<'_> {
    /// One step of the search.
    fn advance(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let from = self.between(&self.reached.frontier.clone(), &self.reached.states.clone(), budget)?;
        let next = self.after(&from, budget)?;
        let store = &mut self.images.store;
        let frontier = store.and(&next, &!&self.reached.states, budget)?;
        let states = store.or(&self.reached.states, &frontier, budget)?;
        if frontier.is_false() {
            self.images.simplify(&states, budget)?;
            self.care = states.clone();
        }
        if let Some(layers) = &mut self.reached.layers {
            layers.push(frontier.clone());
            if layers.len() > MOST_LAYERS || !self.options.witnesses {
                self.reached.layers = None;
            }
        }
        (self.reached.states, self.reached.frontier) = (states, frontier);
        Ok(())
    }

    /// A set between a frontier and all that was reached with it, of small size: a step from it
    /// reaches the same new states.
    pub(super) fn between(
        &mut self,
        frontier: &Bdd,
        reached: &Bdd,
        budget: &mut Budget,
    ) -> Result<Bdd, Exhausted> {
        let store = &mut self.images.store;
        let care = store.or(frontier, &!reached, budget)?;
        let small = store.restrict(frontier, &care, budget)?;
        Ok(if store.size([&small]) < store.size([frontier]) { small } else { frontier.clone() })
    }

    /// Computes all reachable states.
    pub(super) fn reach_all(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        while !self.reached.is_complete() {
            self.advance(budget)?;
        }
        Ok(())
    }

    /// Whether a state of a set is reachable; looks no further than the nearest.
    pub(super) fn reaches(&mut self, target: &Bdd, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut within = self.reached.states.clone();
        loop {
            if !self.images.store.and(&within, target, budget)?.is_false() {
                return Ok(true);
            }
            if self.reached.is_complete() {
                return Ok(false);
            }
            self.advance(budget)?;
            within = self.reached.frontier.clone();
        }
    }

    /// The states of a shortest run from an initial state to a reachable set, all of them within
    /// `along`.
    pub(super) fn run_to(
        &mut self,
        along: &Bdd,
        target: &Bdd,
        budget: &mut Budget,
    ) -> Result<Vec<Vec<bool>>, Exhausted> {
        for (at, layer) in self.reached.layers.clone().into_iter().flatten().enumerate() {
            let hit = self.images.store.and(&layer, target, budget)?;
            if let Some(last) = self.images.pick(&hit) {
                let layers = self.reached.layers.clone().expect("there are layers");
                return self.backtrack(&layers[..at], last, budget);
            }
        }
        // steps forward have not got there
        let init = self.images.store.and(&self.init, along, budget)?;
        Ok(self.path(&init, along, target, budget)?.expect("the target is reachable"))
    }

    /// Finds out whether runs can end.
    pub(super) fn ensure_total(&mut self, budget: &mut Budget) -> Result<(), DiagramError> {
        if self.is_total {
            return Ok(());
        }
        let all = self.images.store.constant(true);
        let dead = !&self.before(&all, budget)?;
        // nothing is known of the states outside when steps backward are simplified
        let dead = self.images.store.and(&dead, &self.care, budget)?;
        if !dead.is_false() && self.reaches(&dead, budget)? {
            let states = self.run_to(&all, &dead, budget)?;
            let mut steps = self.steps_of(&states, None, budget)?;
            if let (Some(last), Some(state)) = (steps.last_mut(), states.last()) {
                *last = RunStep { state: state.clone(), choice: vec![false; self.system.choices.len()] };
            }
            return Err(DiagramError::DeadEnd(Box::new(SystemRun { steps, back_to: None })));
        }
        self.is_total = true;
        Ok(())
    }
}
