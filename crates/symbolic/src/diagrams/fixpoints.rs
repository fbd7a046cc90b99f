//! Operators of CTL as fixpoints of steps backward, over fair paths.
//!
//! `EU` adds predecessors until none is new; each step starts from the states that the last one
//! added. `EG` without fairness removes states without a successor in the set. With fairness, the
//! *hull* of a set is the greatest subset Z in which every state has a successor and a path within
//! Z to each justice set, and every state that satisfies the first set of a compassion pair has a
//! path within Z to the second. A strongly connected component of Z that cannot be left is fair,
//! and every fair cycle lies in Z: a fair path within the set exists where a path within the set
//! leads to Z (Emerson and Lei 1986; Kesten, Pnueli and Raviv 1998).

use super::{Diagrams, Fair, Sets};
use crate::Query;
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::{CoreId, CoreNode};
use loris_solvers::bdd::Bdd;

impl Diagrams<'_> {
    /// The states after a step.
    pub(super) fn after(&mut self, set: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.steps += 1;
        self.images.after(set, budget)
    }

    /// The states that matter with a step into a set.
    pub(super) fn before(&mut self, set: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.steps += 1;
        let found = self.images.before(set, budget)?;
        self.images.store.and(&found, &self.care, budget)
    }

    /// The states that satisfy a node; outside the states that matter, any.
    pub(super) fn evaluate(
        &mut self,
        query: &Query,
        node: CoreId,
        sets: &mut Sets,
        budget: &mut Budget,
    ) -> Result<Bdd, Exhausted> {
        let nodes = query.core.nodes();
        let mut needed = vec![false; node.index() + 1];
        needed[node.index()] = true;
        for at in query.core.ids().take(node.index() + 1).rev() {
            if needed[at.index()] && sets.of[at.index()].is_none() {
                query.core.children(at).for_each(|child| needed[child.index()] = true);
            }
        }
        for at in (0..=node.index()).filter(|&at| needed[at]) {
            if sets.of[at].is_some() {
                continue;
            }
            let of = |node: CoreId| sets.of[node.index()].clone().expect("operands come first");
            let operator = nodes[at];
            let set = match operator {
                CoreNode::True => self.images.store.constant(true),
                CoreNode::Atom(atom) => {
                    let mut set = self.images.sets(self.system, &[query.atoms[atom as usize]], budget)?;
                    set.pop().expect("one function")
                }
                CoreNode::Not(a) => !&of(a),
                CoreNode::And(a, b) => self.images.store.and(&of(a), &of(b), budget)?,
                CoreNode::Or(a, b) => self.images.store.or(&of(a), &of(b), budget)?,
                CoreNode::Ex(a) => {
                    let fair = self.fairly(&of(a), budget)?;
                    self.before(&fair, budget)?
                }
                CoreNode::Eu(a, b) => {
                    let fair = self.fairly(&of(b), budget)?;
                    self.until(&of(a), &fair, budget)?
                }
                CoreNode::Eg(a) => {
                    let fair = self.always(&of(a), budget)?;
                    sets.hulls[at] = Some(fair.hull);
                    fair.states
                }
            };
            sets.of[at] = Some(set);
        }
        Ok(sets.of[node.index()].clone().expect("computed last"))
    }

    /// The states that matter of a set from which a fair path starts.
    pub(super) fn fairly(&mut self, set: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let within = self.images.store.and(set, &self.care, budget)?;
        if !self.has_fairness() {
            return Ok(within);
        }
        let fair = self.fair(budget)?;
        self.images.store.and(&within, &fair.states, budget)
    }

    /// The states from which a fair path starts.
    pub(super) fn fair(&mut self, budget: &mut Budget) -> Result<Fair, Exhausted> {
        if let Some(fair) = &self.fair {
            return Ok(fair.clone());
        }
        let all = self.images.store.constant(true);
        let fair = self.always(&all, budget)?;
        self.fair = Some(fair.clone());
        Ok(fair)
    }

    /// The states from which a path along a set leads to another.
    pub(super) fn until(&mut self, along: &Bdd, to: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let mut found = self.images.store.and(to, &self.care, budget)?;
        let mut frontier = found.clone();
        while !frontier.is_false() {
            let from = self.between(&frontier, &found, budget)?;
            let before = self.before(&from, budget)?;
            let store = &mut self.images.store;
            let on_the_way = store.and(&before, along, budget)?;
            frontier = store.and(&on_the_way, &!&found, budget)?;
            found = store.or(&found, &frontier, budget)?;
        }
        Ok(found)
    }

    /// The states of a set from which a fair path stays in it, and the hull of fair cycles.
    fn always(&mut self, within: &Bdd, budget: &mut Budget) -> Result<Fair, Exhausted> {
        let within = self.images.store.and(within, &self.care, budget)?;
        let hull = self.hull(&within, budget)?;
        let states = if self.has_fairness() { self.until(&within, &hull, budget)? } else { hull.clone() };
        Ok(Fair { states, hull })
    }

    fn hull(&mut self, within: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let mut hull = within.clone();
        loop {
            let last = hull.clone();
            for set in self.justice.clone() {
                let target = self.images.store.and(&hull, &set, budget)?;
                hull = self.until(&hull, &target, budget)?;
            }
            for (often, then) in self.compassion.clone() {
                let target = self.images.store.and(&hull, &then, budget)?;
                let answered = self.until(&hull, &target, budget)?;
                let silent = self.images.store.and(&hull, &!&often, budget)?;
                hull = self.images.store.or(&answered, &silent, budget)?;
            }
            loop {
                let before = self.before(&hull, budget)?;
                let left = self.images.store.and(&hull, &before, budget)?;
                if left == hull {
                    break;
                }
                hull = left;
            }
            if hull == last {
                return Ok(hull);
            }
        }
    }
}
